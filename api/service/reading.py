"""Reading memories by id, for front ends that show more of them than an answer holds."""

from __future__ import annotations

from collections.abc import Sequence

from api.service.context import Context
from schema import clock, intake
from schema.store import access, memories
from schema.store.memories import embedded_text


def texts(context: Context, namespace: str, ids: Sequence[int]) -> dict[int, str]:
    """Return "speaker: text" of active memories of a namespace, by id. One that is not there is left out."""
    with context.database.read() as session:
        place = access.find_namespace(session, intake.namespace(namespace))
        if place is None or not ids:
            return {}
        rows = memories.candidates(session, place.id, nos=[], ids=list(ids), behind={}, at=clock.now())
        return {row.id: embedded_text(row.text, row.speaker) for row in rows}
