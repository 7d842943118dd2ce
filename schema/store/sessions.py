"""What stands around a turn: those before it, which an extractor may read, and those after it, which read it."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import text

from schema.db import ReadSession

CONTEXT_TURNS = 8
"""The most turns an extractor reads before the one in hand: so many of its followers are due when a turn changes."""


def followers(session: ReadSession, namespace_id: int, places: Sequence[tuple[str, int]]) -> list[int]:
    """Return the turns that may have been read with the turns at some (session, seq) before them, in id order."""
    rows = session.execute(
        text("""SELECT DISTINCT n.id FROM unnest(CAST(:sessions AS text[]), CAST(:seqs AS bigint[])) AS t(session, seq)
                JOIN LATERAL (SELECT c.id FROM episodes c
                    WHERE c.namespace_id = :ns AND c.session_id = t.session AND c.seq > t.seq
                      AND c.forgotten_at IS NULL ORDER BY c.seq LIMIT :turns) n ON true
                ORDER BY 1"""),
        {
            "ns": namespace_id,
            "sessions": [place[0] for place in places],
            "seqs": [place[1] for place in places],
            "turns": CONTEXT_TURNS,
        },
    )
    return list(rows.scalars())


def places(session: ReadSession, ids: Sequence[int]) -> list[tuple[str, int]]:
    """Return where some episodes stand, as (session, seq); those outside of any session stand nowhere."""
    rows = session.execute(
        text(
            "SELECT session_id, seq FROM episodes WHERE id = ANY(:ids) AND session_id IS NOT NULL AND seq IS NOT NULL"
        ),
        {"ids": list(ids)},
    )
    return [(row[0], row[1]) for row in rows]


def context(session: ReadSession, ids: Sequence[int], turns: int) -> dict[int, list[tuple[str | None, str]]]:
    """Return up to `turns` earlier turns of each episode's session as (speaker, words), oldest first."""
    if turns == 0:
        return {}
    found = session.execute(
        text("""SELECT e.id, p.speaker, r.content FROM unnest(CAST(:ids AS bigint[])) AS t(id)
                JOIN episodes e ON e.id = t.id
                JOIN LATERAL (SELECT c.id, c.revision, c.speaker, c.seq FROM episodes c
                    WHERE c.namespace_id = e.namespace_id AND c.session_id = e.session_id AND c.seq < e.seq
                      AND c.forgotten_at IS NULL AND NOT c.quarantined
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
