"""Taking episodes in: what is decided of them once, when they come, and kept with their words.

Whether their source waits for release, which of their spans echo what this store served, and whether they were
forgotten before. Every door comes through here, so no door can let in what another keeps out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from schema.db import ReadSession, WriteSession
from schema.store import access, episodes, forgetting, served
from schema.store.episodes import Accepted, NewEpisode
from workers.derive.echo import Trace, echoes

FORGOTTEN = "forgotten"


def hear(session: WriteSession, namespace_id: int, items: Sequence[NewEpisode], now: datetime) -> list[Accepted]:
    """Store episodes, all in one go; return what became of each, in order.

    One whose external id was forgotten is not taken in again: its status is "forgotten".
    """
    door = access.door(session, namespace_id)
    known = forgetting.buried(session, door, [item.external_id for item in items if item.external_id is not None])
    heard = [
        replace(
            item,
            held=item.source in door.quarantine,
            echoes=echoes_of(session, namespace_id, door.hash_key, item.content),
        )
        for item in items
        if item.external_id not in known
    ]
    taken = iter(episodes.insert_many(session, namespace_id, heard, now) if heard else ())
    return [Accepted(None, FORGOTTEN, item.external_id) if item.external_id in known else next(taken) for item in items]


def echoes_of(session: ReadSession, namespace_id: int, key: bytes, content: str) -> list[tuple[int, int]]:
    """Return the spans of a text that repeat what this namespace served."""
    if not served.anything(session, namespace_id):
        return echoes(content, key, lambda _heads: ()) if "(" in content else []
    return echoes(content, key, lambda heads: (Trace(*row) for row in served.find(session, namespace_id, heads)))
