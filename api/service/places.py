"""Finding what a request names: a namespace, and episodes in it; one that is not there is named in the error."""

from __future__ import annotations

from collections.abc import Sequence

from schema import intake
from schema.db import ReadSession
from schema.errors import NotFound
from schema.store import episodes, namespaces
from schema.store.namespaces import NamespaceRow


def place_of(session: ReadSession, namespace: str) -> NamespaceRow:
    """Return the namespace called `namespace`. Raises InvalidInput, NotFound."""
    found = namespaces.find(session, intake.namespace(namespace))
    if found is None:
        raise NotFound(f"namespace: there is no {namespace!r} in this store", field="namespace")
    return found


def missing(session: ReadSession, place: NamespaceRow, ids: Sequence[int]) -> list[int]:
    """Return those of some ids that are no episode of a namespace, or a forgotten one, ascending."""
    possible = [one for one in ids if 0 < one < 2**63]
    return sorted(set(ids) - set(episodes.living(session, place.id, possible)))
