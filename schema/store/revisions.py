"""Changing what an episode says, and whether its memories wait for release. Words are added, never rewritten."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import insert, select, update

from schema.db import WriteSession
from schema.derivations import FACTS, MEMORIES, OF_EPISODES
from schema.ids import digest
from schema.kinds import Lane
from schema.models import Episode, EpisodeRevision
from schema.store import sessions, stamps
from schema.store.episodes import CURRENT


def revise(
    session: WriteSession, namespace_id: int, episode_id: int, content: str, echoes: Sequence[tuple[int, int]]
) -> int | None:
    """Give an episode new words as a new revision; return its number, the old one when nothing differs, None if gone.

    Everything derived from it is due at once, and so are the turns that were read with it as context. What the old
    words meant stays until then, and goes together with them.
    """
    row = session.execute(
        select(Episode.revision, Episode.session_id, Episode.seq, EpisodeRevision.content_digest)
        .join(EpisodeRevision, CURRENT)
        .where(Episode.id == episode_id, Episode.namespace_id == namespace_id, Episode.forgotten_at.is_(None))
        .with_for_update(of=Episode, key_share=True)
    ).one_or_none()
    if row is None:
        return None
    if row.content_digest == digest(content):
        return int(row.revision)
    revision = int(row.revision) + 1
    session.execute(
        insert(EpisodeRevision).values(
            episode_id=episode_id,
            revision=revision,
            content=content,
            content_digest=digest(content),
            echoes=[list(span) for span in echoes],
        )
    )
    session.execute(update(Episode).where(Episode.id == episode_id).values(revision=revision))
    here = [(row.session_id, row.seq)] if row.session_id is not None and row.seq is not None else []
    after = sessions.followers(session, namespace_id, here)
    # One statement a derivation, in lock order: two that lock one by one in another order wait for each other.
    stamps.make_due(session, FACTS, sorted({episode_id, *after}), Lane.FRESH)
    stamps.make_due(session, MEMORIES, [episode_id], Lane.FRESH)
    return revision


def hold(
    session: WriteSession, namespace_id: int, quarantined: bool, *, source: str | None, ids: Sequence[int] | None = None
) -> int:
    """Hold or release the episodes of a source, or these; return how many changed.

    Their memories are due, and so are the facts of the turns that are read with them as context, or no longer are.
    """
    chosen = (
        select(Episode.id)
        .where(
            Episode.namespace_id == namespace_id,
            Episode.quarantined.is_(not quarantined),
            Episode.forgotten_at.is_(None),
            *([Episode.source == source] if source is not None else []),
            *([Episode.id.in_(ids)] if ids is not None else []),
        )
        .order_by(Episode.id)
        .with_for_update(key_share=True)
        .cte("chosen")
    )
    rows = session.execute(
        update(Episode)
        .where(Episode.id == chosen.c.id)
        .values(quarantined=quarantined)
        .returning(Episode.id, Episode.session_id, Episode.seq)
    ).all()
    changed = sorted(row.id for row in rows)
    here = [(row.session_id, row.seq) for row in rows if row.session_id is not None and row.seq is not None]
    after = sessions.followers(session, namespace_id, here)
    stamps.make_due(session, FACTS, sorted({*changed, *after}))
    stamps.make_due(session, MEMORIES, changed)
    return len(changed)


def due(session: WriteSession, namespace_id: int, sources: Sequence[str]) -> None:
    """Make what the episodes of some sources yielded due again, in the bulk lane."""
    rows = session.execute(
        select(Episode.id).where(
            Episode.namespace_id == namespace_id, Episode.source.in_(sources), Episode.forgotten_at.is_(None)
        )
    )
    ids = sorted(rows.scalars())
    for derivation in OF_EPISODES:
        stamps.make_due(session, derivation, ids, Lane.BULK)
