"""What became of memories: events, people's decisions, when they were recalled. Read for its lineage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, func, insert, select, text

from schema.db import ReadSession, WriteSession
from schema.models import Decision, MemoryEvent, Retrieval

RETRIEVALS_KEPT = 1000
"""The most retrievals of one memory that a lineage shows, the newest."""


def record(session: WriteSession, kind: str, rows: Sequence[tuple[int, int, str | None, int | None]]) -> None:
    """Record what happened to memories, given as (namespace id, memory id, reason, episode id)."""
    if rows:
        session.execute(
            insert(MemoryEvent),
            [
                {"namespace_id": row[0], "memory_id": row[1], "kind": kind, "reason": row[2], "episode_id": row[3]}
                for row in sorted(rows, key=lambda row: row[1])
            ],
        )


@dataclass(frozen=True, slots=True)
class EventRow:
    """Something that happened to a memory."""

    kind: str
    reason: str | None
    episode_id: int | None
    recorded_at: datetime


def events(session: ReadSession, memory_id: int) -> list[EventRow]:
    """Return what happened to a memory, oldest first."""
    rows = session.execute(
        select(MemoryEvent.kind, MemoryEvent.reason, MemoryEvent.episode_id, MemoryEvent.recorded_at)
        .where(MemoryEvent.memory_id == memory_id)
        .order_by(MemoryEvent.id)
    )
    return [EventRow(*row) for row in rows]


@dataclass(frozen=True, slots=True)
class DecisionRow:
    """What a person said of a memory."""

    memory_id: int
    verdict: str
    correction_id: int | None
    recorded_at: datetime


def decide(session: WriteSession, namespace_id: int, memory_id: int, verdict: str, correction_id: int | None) -> None:
    """Record what a person said of a memory."""
    session.execute(
        insert(Decision).values(
            namespace_id=namespace_id, memory_id=memory_id, verdict=verdict, correction_id=correction_id
        )
    )


def decisions(session: ReadSession, memory_ids: Sequence[int]) -> dict[int, list[DecisionRow]]:
    """Return what people said of memories, oldest first."""
    rows = session.execute(
        select(Decision.memory_id, Decision.verdict, Decision.correction_id, Decision.recorded_at)
        .where(Decision.memory_id.in_(memory_ids))
        .order_by(Decision.memory_id, Decision.id)
    )
    found: dict[int, list[DecisionRow]] = {}
    for row in rows:
        found.setdefault(row.memory_id, []).append(DecisionRow(*row))
    return found


@dataclass(frozen=True, slots=True)
class RetrievalRow:
    """That a memory was in an answer."""

    position: int
    session_id: str | None
    recorded_at: datetime


def retrieved(session: WriteSession, namespace_id: int, memory_ids: Sequence[int], session_id: str | None) -> None:
    """Record that memories were in an answer, in this order."""
    session.execute(
        text("""INSERT INTO retrievals (namespace_id, memory_id, session_id, position)
                SELECT :ns, m, :session, n - 1 FROM unnest(CAST(:ids AS bigint[])) WITH ORDINALITY AS t(m, n)
                WHERE EXISTS (SELECT 1 FROM memories WHERE id = m AND retired_reason IS DISTINCT FROM 'forgotten')"""),
        {"ns": namespace_id, "ids": list(memory_ids), "session": session_id},
    )


def retrievals(session: ReadSession, memory_id: int) -> list[RetrievalRow]:
    """Return when a memory was recalled, newest first, up to RETRIEVALS_KEPT of them."""
    rows = session.execute(
        select(Retrieval.position, Retrieval.session_id, Retrieval.recorded_at)
        .where(Retrieval.memory_id == memory_id)
        .order_by(Retrieval.recorded_at.desc(), Retrieval.id.desc())
        .limit(RETRIEVALS_KEPT)
    )
    return [RetrievalRow(*row) for row in rows]


def prune_retrievals(session: WriteSession, days: float, limit: int = 10_000) -> int:
    """Delete up to `limit` retrievals older than `days`; return how many."""
    old = (
        select(Retrieval.id)
        .where(Retrieval.recorded_at < func.now() - text("make_interval(secs => :age)").bindparams(age=days * 86_400))
        .order_by(Retrieval.id)
        .limit(limit)
    )
    gone = session.execute(delete(Retrieval).where(Retrieval.id.in_(old)).returning(Retrieval.id))
    return len(gone.all())
