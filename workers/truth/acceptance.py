"""Taking episodes in: what is decided of them once, when they come, and kept with their words.

Whether their source waits for release, which of their spans echo what this store served, and whether they were
forgotten before. Every door comes through here, so no door can let in what another keeps out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from schema.db import ReadSession, WriteSession
from schema.store import episodes, forgetting, namespaces, recall_log
from schema.store.episodes import Accepted, EpisodeRow, NewEpisode
from workers.derive.echo import Trace, echoes, words

FORGOTTEN = "forgotten"


def accept(
    session: WriteSession, namespace_id: int, items: Sequence[NewEpisode], now: datetime, *, deliberate: bool = False
) -> list[Accepted]:
    """Store episodes, all in one go; return what became of each, in order.

    One whose external id was forgotten is not taken in again: its status is "forgotten". What a person says is right
    (`deliberate`) is no echo, even when it was served before.
    """
    door = namespaces.keyed(session, namespace_id)
    known = forgetting.forgotten_ids(
        session, door, [item.external_id for item in items if item.external_id is not None]
    )
    # Asked once for all: a namespace that nobody has asked anything yet has nothing to know again.
    any_served = not deliberate and recall_log.anything(session, namespace_id)
    heard = [
        replace(
            item,
            quarantined=item.source in door.quarantine,
            echoes=[]
            if deliberate
            else _echoes(session, namespace_id, door.hash_key, item.content, any_served=any_served),
        )
        for item in items
        if item.external_id not in known
    ]
    taken = iter(episodes.insert_many(session, namespace_id, heard, now) if heard else ())
    return [Accepted(None, FORGOTTEN, item.external_id) if item.external_id in known else next(taken) for item in items]


def echoes_of(
    session: ReadSession, namespace_id: int, key: bytes, content: str, before: EpisodeRow | None = None
) -> list[tuple[int, int]]:
    """Return the spans of a text that repeat what this namespace served.

    What the words `before` an edit said, when they were no echo, is the episode's own: it may have been served since.
    """
    found = _echoes(session, namespace_id, key, content, any_served=recall_log.anything(session, namespace_id))
    if before is None or not found:
        return found
    own = _plain(before.content, before.echoes)
    return [(start, stop) for start, stop in found if _plain(content[start:stop]) not in own]


def _echoes(
    session: ReadSession, namespace_id: int, key: bytes, content: str, *, any_served: bool
) -> list[tuple[int, int]]:
    if not any_served:
        # Our own marking is known by its form, and has a role in brackets.
        return echoes(content, key, lambda _heads: ()) if "(" in content else []
    return echoes(content, key, lambda heads: (Trace(*row) for row in recall_log.find(session, namespace_id, heads)))


def _plain(text: str, but: Sequence[tuple[int, int]] = ()) -> str:
    """Return the words of a text one after the other, with a gap where spans are left out."""
    said = ["\n" if any(start <= word.start < stop for start, stop in but) else word.text for word in words(text)]
    return f" {' '.join(said)} "
