"""What recall reads of memories, on one snapshot: what ranks them, with their neighbours, and the words of a few.

Ranking needs a few hundred rows and no text; only what is shown is read whole. What is retired or waits in quarantine
is in neither, and what holds no longer at the moment asked about is in no pool.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import text

from schema.db import ReadSession
from schema.kinds import Candidate
from schema.store.memories import embedded_text
from schema.store.vectors import Vector


@dataclass(frozen=True, slots=True)
class Span:
    """A source of a memory: characters `start` to `stop` of a revision of an episode."""

    episode_id: int
    revision: int
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class WordingRow:
    """What an active memory says, with its sources and what is stale about it."""

    id: int
    text: str
    recorded_at: datetime
    valid_from: datetime | None
    valid_to: datetime | None
    event: str | None
    state: str | None
    corroboration: int
    importance: float
    tier: str
    category: str | None
    spans: tuple[Span, ...]
    stale: tuple[str, ...]


# What holds no longer at the moment asked about is no answer to it.
_OPEN = """{0}.retired_at IS NULL AND {0}.quarantined_at IS NULL
           AND ({0}.valid_to IS NULL OR {0}.valid_to > %(at)s)"""
_PLACE = "m.id, m.session_id, m.seq, m.start, (m.kind = 'fact')::int AS fact"
_AROUND = f"""ARRAY(SELECT p.id FROM memories p
                    WHERE p.namespace_id = %(ns)s AND p.session_id = h.session_id AND p.kind = 'passage'
                      AND {_OPEN.format("p")} AND (p.seq, p.start) """  # noqa: S608 - constants
_BEFORE = (
    _AROUND
    + """< (h.seq, h.start + h.fact)
                    ORDER BY p.seq DESC, p.start DESC, p.text_digest, p.id LIMIT %(reach)s + h.fact)"""
)
_AFTER = (
    _AROUND
    + """> (h.seq, h.start)
                    ORDER BY p.seq, p.start, p.text_digest, p.id LIMIT %(reach)s)"""
)
_POOL = f"""
    WITH heads AS MATERIALIZED (
      SELECT {_PLACE} FROM memories m
      WHERE m.namespace_id = %(ns)s AND m.number = ANY(%(numbers)s) AND {_OPEN.format("m")}
      UNION
      SELECT {_PLACE} FROM memories m WHERE m.id = ANY(%(ids)s) AND m.namespace_id = %(ns)s AND {_OPEN.format("m")}),
    chains AS MATERIALIZED (SELECT h.id, {_BEFORE} AS before, {_AFTER} AS after
      FROM heads h WHERE h.session_id IS NOT NULL AND %(reach)s > 0),
    wanted AS (SELECT id FROM heads UNION SELECT unnest(before || after) FROM chains)
    SELECT m.id, m.number, m.kind, m.speaker, m.source, m.session_id, m.seq, m.occurred_at, m.trust, m.confidence,
           m.text_digest, coalesce(c.before, ARRAY[]::bigint[]), coalesce(c.after, ARRAY[]::bigint[]), COSINE
    FROM wanted w JOIN memories m ON m.id = w.id LEFT JOIN chains c ON c.id = m.id JOINED
    ORDER BY m.id"""  # noqa: S608 - constants
_WORDINGS = text("""
    SELECT m.id, m.text, m.recorded_at, m.valid_from, m.valid_to, m.event, m.state, m.corroboration, m.importance,
           m.tier, m.category, s.episode_id, s.revision, s.start, s.stop
    FROM memories m LEFT JOIN memory_sources s ON s.memory_id = m.id AND s.withdrawn_at IS NULL
    WHERE m.id = ANY(:ids) AND m.namespace_id = :ns AND m.retired_at IS NULL AND m.quarantined_at IS NULL
    ORDER BY 1, 12, 13, 14""")
_FIELDS = 11
_STALE = text("""
    SELECT s.row_id, s.derivation FROM stamps s
    JOIN unnest(CAST(:ds AS text[]), CAST(:heads AS integer[])) AS h(derivation, head)
      ON s.derivation = h.derivation AND s.revision < h.head
    WHERE s.row_id = ANY(:ids) ORDER BY 1, 2""")


def statement(space_id: int | None) -> str:
    """Return the statement that reads a pool, with cosines in a space if there is one."""
    if space_id is None:
        return _POOL.replace("COSINE", "NULL").replace("JOINED", "")
    joined = f"LEFT JOIN vectors_{space_id:d} v ON v.namespace_id = %(ns)s AND v.memory_id = m.id"
    return _POOL.replace("COSINE", "1 - (v.embedding <=> %(vector)s)").replace("JOINED", joined)


def read(
    session: ReadSession,
    namespace_id: int,
    *,
    numbers: Sequence[int],
    ids: Sequence[int],
    reach: int,
    near: tuple[int, Vector] | None,
    at: datetime,
) -> list[Candidate]:
    """Return the active memories of a namespace by number or id, and the passages around them, in one statement.

    `reach` is how many passages either way belong to them; `near` a space's id and the question's vector in it. What
    holds no longer at the moment `at` is left out.
    """
    params = {"ns": namespace_id, "numbers": list(numbers), "ids": list(ids), "reach": reach, "at": at}
    if near is not None:
        params["vector"] = near[1]
    rows = session.connection().exec_driver_sql(statement(None if near is None else near[0]), params)
    return [Candidate(*row) for row in rows]


def wordings(
    session: ReadSession, namespace_id: int, ids: Sequence[int], *, behind: Mapping[str, int]
) -> list[WordingRow]:
    """Return what active memories of a namespace say, with their sources and what is stale about them.

    `behind` are the heads of the derivations stamped by memory in which this namespace has stale rows: in a store at
    rest there are none, and nothing is asked about them.
    """
    fields: dict[int, Any] = {}
    spans: dict[int, list[Span]] = {}
    for row in session.execute(_WORDINGS, {"ns": namespace_id, "ids": list(ids)}):
        fields[row[0]] = row[:_FIELDS]
        if row[_FIELDS] is not None:
            spans.setdefault(row[0], []).append(Span(*row[_FIELDS:]))
    stale: dict[int, list[str]] = {}
    if behind:
        params = {"ds": list(behind), "heads": list(behind.values()), "ids": list(fields)}
        for memory_id, derivation in session.execute(_STALE, params):
            stale.setdefault(memory_id, []).append(derivation)
    complete = [(*row, tuple(spans.get(key, ())), tuple(stale.get(key, ()))) for key, row in fields.items()]
    return [WordingRow(*values) for values in complete]


def lines(session: ReadSession, namespace_id: int, ids: Sequence[int]) -> dict[int, str]:
    """Return "speaker: text" of active memories of a namespace, by id."""
    rows = session.execute(
        text("""SELECT id, text, speaker FROM memories WHERE id = ANY(:ids) AND namespace_id = :ns
                AND retired_at IS NULL AND quarantined_at IS NULL"""),
        {"ids": list(ids), "ns": namespace_id},
    )
    return {row[0]: embedded_text(row[1], row[2]) for row in rows}
