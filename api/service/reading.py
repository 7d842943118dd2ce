"""Reading memories by id, for front ends that show more of them than an answer holds."""

from __future__ import annotations

from collections.abc import Sequence

from api.service.context import Context
from schema import intake
from schema.store import candidates, namespaces


def texts(context: Context, namespace: str, ids: Sequence[int]) -> dict[int, str]:
    """Return "speaker: text" of active memories of a namespace, by id. One that is not there is left out."""
    with context.database.read() as session:
        place = namespaces.find(session, intake.namespace(namespace))
        if place is None or not ids:
            return {}
        return candidates.lines(session, place.id, ids)
