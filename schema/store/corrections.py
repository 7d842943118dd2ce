"""What a verdict on a memory needs to know of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import exists, select, update

from schema.db import ReadSession, WriteSession
from schema.models import Episode, Memory, MemorySource

_RESTS_ON_FORGOTTEN = exists().where(
    MemorySource.memory_id == Memory.id, Episode.id == MemorySource.episode_id, Episode.forgotten_at.is_not(None)
)


@dataclass(frozen=True, slots=True)
class Judged:
    """A memory as a person judges it, retired or not."""

    id: int
    kind: str
    text: str
    user_id: str | None
    agent_id: str | None
    speaker: str | None
    session_id: str | None
    state: str | None
    retired: str | None
    confidence: float


def find(session: ReadSession, namespace_id: int, memory_id: int) -> Judged | None:
    """Return a memory of a namespace, whatever became of it; one that is being forgotten is not there."""
    row: Any = session.execute(
        select(
            Memory.id,
            Memory.kind,
            Memory.text,
            Memory.user_id,
            Memory.agent_id,
            Memory.speaker,
            Memory.session_id,
            Memory.state,
            Memory.retired_reason,
            Memory.confidence,
        ).where(
            Memory.id == memory_id,
            Memory.namespace_id == namespace_id,
            Memory.retired_reason.is_distinct_from("forgotten"),
            Memory.retired_at.is_(None) | ~_RESTS_ON_FORGOTTEN,
        )
    ).one_or_none()
    return None if row is None else Judged(*row)


def episodes_of(session: ReadSession, memory_id: int) -> list[int]:
    """Return the episodes a memory rests on, ascending."""
    rows = session.execute(select(MemorySource.episode_id).where(MemorySource.memory_id == memory_id).distinct())
    return sorted(rows.scalars())


def reinstate(session: WriteSession, memory_id: int) -> None:
    """Take a person's rejection of a passage back; its derivation, made due by the caller, indexes it again."""
    session.execute(
        update(Memory)
        .where(Memory.id == memory_id, Memory.retired_reason.in_(["rejected", "outdated"]))
        .values(retired_reason="stale")
    )
