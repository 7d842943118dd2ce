"""What stands around a turn: those before it, which an extractor may read, and those after it, which read it."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import select, text

from schema.db import ReadSession
from schema.models import Episode

FACTS = "facts"
CONTEXT_TURNS = 8
"""The most turns an extractor reads before the one in hand: so many of its followers are due when a turn changes."""


def followers(
    session: ReadSession, namespace_id: int, places: Sequence[tuple[str, int]], but: Sequence[int] = ()
) -> list[int]:
    """Return the turns that may have been read with the turns at some (session, seq) before them, all but `but`."""
    found: set[int] = set()
    for session_id in sorted({place[0] for place in places}):
        first = min(seq for name, seq in places if name == session_id)
        last = max(seq for name, seq in places if name == session_id)
        rows = session.execute(
            select(Episode.id)
            .where(
                Episode.namespace_id == namespace_id,
                Episode.session_id == session_id,
                Episode.seq > first,
                Episode.forgotten_at.is_(None),
                Episode.id.not_in(but),
            )
            .order_by(Episode.seq)
            .limit(CONTEXT_TURNS + last - first)
        )
        found |= set(rows.scalars())
    return sorted(found)


def context(session: ReadSession, ids: Sequence[int], turns: int) -> dict[int, list[tuple[str | None, str]]]:
    """Return up to `turns` earlier turns of each episode's session as (speaker, words), oldest first."""
    if turns == 0:
        return {}
    found = session.execute(
        text("""SELECT e.id, p.speaker, r.content FROM unnest(CAST(:ids AS bigint[])) AS t(id)
                JOIN episodes e ON e.id = t.id
                JOIN LATERAL (SELECT c.id, c.revision, c.speaker, c.seq FROM episodes c
                    WHERE c.namespace_id = e.namespace_id AND c.session_id = e.session_id AND c.seq < e.seq
                      AND c.forgotten_at IS NULL AND NOT c.held
                      AND c.user_id IS NOT DISTINCT FROM e.user_id AND c.agent_id IS NOT DISTINCT FROM e.agent_id
                    ORDER BY c.seq DESC, c.id DESC LIMIT :turns) p ON true
                JOIN episode_revisions r ON r.episode_id = p.id AND r.revision = p.revision
                ORDER BY e.id, p.seq, p.id"""),
        {"ids": list(ids), "turns": turns},
    )
    earlier: dict[int, list[tuple[str | None, str]]] = {}
    for episode_id, speaker, content in found:
        earlier.setdefault(episode_id, []).append((speaker, content))
    return earlier
