"""What left in answers, as keyed digests of sentences: enough to know one again, not enough to read it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import text

from schema.db import ReadSession, WriteSession

Row = tuple[int, int, bytes, int]
"""Memory id, digest of a sentence's first words, digest of all its words, their number."""
LOOKUP = 5000
"""Openings in one statement."""


def record(session: WriteSession, namespace_id: int, rows: Iterable[Row], session_id: str | None) -> None:
    """Record served sentences. One that was served before stays where it is, unless that is a day ago.

    Nothing is recorded of a memory that was forgotten while the answer was being made.
    """
    listed = sorted(set(rows))
    # Losing the last moments of this in a crash of the server is no harm worth a disk's flush on every question.
    session.execute(text("SET LOCAL synchronous_commit = off"))
    session.execute(
        text("""INSERT INTO recall_log AS s (namespace_id, memory_id, opening, whole, words, session_id)
                SELECT :ns, t.m, t.h, t.w, t.n, :session FROM unnest(CAST(:m AS bigint[]), CAST(:h AS bigint[]),
                    CAST(:w AS bytea[]), CAST(:n AS integer[])) AS t(m, h, w, n)
                WHERE EXISTS (SELECT 1 FROM memories WHERE id = t.m AND retired_reason IS DISTINCT FROM 'forgotten')
                ON CONFLICT (namespace_id, opening, whole, memory_id) DO UPDATE SET recorded_at = now()
                WHERE s.recorded_at < now() - interval '1 day'"""),
        {
            "ns": namespace_id,
            "session": session_id,
            **{name: [row[at] for row in listed] for at, name in enumerate("mhwn")},
        },
    )


def anything(session: ReadSession, namespace_id: int) -> bool:
    """Whether this namespace has served anything."""
    return bool(
        session.execute(
            text("SELECT EXISTS (SELECT 1 FROM recall_log WHERE namespace_id = :ns)"), {"ns": namespace_id}
        ).scalar_one()
    )


def find(session: ReadSession, namespace_id: int, openings: Sequence[int]) -> list[tuple[int, bytes, int]]:
    """Return the served sentences that begin with any of these openings, as (opening, whole, words)."""
    found: list[tuple[int, bytes, int]] = []
    for start in range(0, len(openings), LOOKUP):
        rows = session.execute(
            text("""SELECT DISTINCT opening, whole, words FROM recall_log
                    WHERE namespace_id = :ns AND opening = ANY(:openings)"""),
            {"ns": namespace_id, "openings": list(openings[start : start + LOOKUP])},
        )
        found += [(row[0], bytes(row[1]), row[2]) for row in rows]
    return found


def prune(session: WriteSession, days: float, limit: int = 10_000) -> int:
    """Delete up to `limit` served sentences older than `days`; return how many."""
    rows = session.execute(
        text("""DELETE FROM recall_log WHERE ctid = ANY(ARRAY(SELECT ctid FROM recall_log
                  WHERE recorded_at < now() - make_interval(secs => :age) LIMIT :limit))"""),
        {"age": days * 86_400, "limit": limit},
    )
    return int(rows.rowcount)  # type: ignore[attr-defined]
