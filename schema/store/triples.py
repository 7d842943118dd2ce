"""Triples: writing them, and finding facts by subject, predicate and object."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select, text

from schema.db import ReadSession, WriteSession
from schema.kinds import MemoryKind
from schema.models import Memory
from schema.store.memories import ACTIVE

MOST_NAMES = 50
"""Names of one subject that a search follows: a person has a handful."""


@dataclass(frozen=True, slots=True)
class StoredStatement:
    """What a fact's row says of its statement."""

    memory_id: int
    namespace_id: int
    subject: str
    predicate: str
    object: str | None
    polarity: str


@dataclass(frozen=True, slots=True)
class TripleRow:
    """A fact's canonical form; see `schema.models.index.Triple`."""

    memory_id: int
    namespace_id: int
    subject_key: str
    predicate_key: str
    object_key: str | None
    positive: bool
    functional: bool
    alias: bool


def statements(session: ReadSession, ids: Sequence[int]) -> list[StoredStatement]:
    """Return the statements of active facts, in id order."""
    rows: Any = session.execute(
        select(Memory.id, Memory.namespace_id, Memory.subject, Memory.predicate, Memory.object, Memory.polarity)
        .where(Memory.id.in_(ids), Memory.kind == MemoryKind.FACT, ACTIVE)
        .order_by(Memory.id)
    )
    return [StoredStatement(*row) for row in rows]


_NAMES = ("subject_key", "predicate_key", "object_key", "positive", "functional", "alias")


def write(session: WriteSession, rows: Sequence[TripleRow]) -> None:
    """Write triples, touching only those that differ."""
    session.execute(
        text(f"""INSERT INTO triples AS t (memory_id, namespace_id, {", ".join(_NAMES)})
                SELECT * FROM unnest(CAST(:memory_id AS bigint[]), CAST(:namespace_id AS bigint[]),
                    CAST(:subject_key AS text[]), CAST(:predicate_key AS text[]), CAST(:object_key AS text[]),
                    CAST(:positive AS boolean[]), CAST(:functional AS boolean[]), CAST(:alias AS boolean[]))
                ON CONFLICT (memory_id) DO UPDATE SET {", ".join(f"{name} = excluded.{name}" for name in _NAMES)}
                WHERE ({", ".join(f"t.{name}" for name in _NAMES)})
                  IS DISTINCT FROM ({", ".join(f"excluded.{name}" for name in _NAMES)})"""),  # noqa: S608 - constants
        {name: [getattr(row, name) for row in rows] for name in ("memory_id", "namespace_id", *_NAMES)},
    )


@dataclass(frozen=True, slots=True)
class FoundFact:
    """A fact, as a search by its parts shows it."""

    id: int
    text: str
    subject: str
    predicate: str
    object: str | None
    polarity: str
    modality: str
    event: str | None
    valid_from: datetime | None
    valid_to: datetime | None
    state: str
    confidence: float
    trust: float
    corroboration: int
    importance: float
    tier: str
    category: str | None
    user_id: str | None
    agent_id: str | None
    occurred_at: datetime


_FOUND = ", ".join(f"m.{name}" for name in FoundFact.__dataclass_fields__)


def names_of(
    session: ReadSession, namespace_id: int, key: str, *, user_id: str | None = None, agent_id: str | None = None
) -> list[str]:
    """Return the keys of everything a subject is called, its own first: aliases are followed in both directions.

    With a user or an agent, only aliases of that scope count: two people who share a name share no other.
    """
    rows = session.execute(
        text("""WITH RECURSIVE names(key, depth) AS (
                  SELECT CAST(:key AS text), 0
                  UNION
                  SELECT CASE WHEN t.subject_key = n.key THEN t.object_key ELSE t.subject_key END, n.depth + 1
                  FROM names n JOIN triples t ON t.namespace_id = :ns AND t.alias AND t.positive
                    AND (t.subject_key = n.key OR t.object_key = n.key)
                  JOIN memories m ON m.id = t.memory_id
                    AND (CAST(:user AS text) IS NULL OR m.user_id = :user)
                    AND (CAST(:agent AS text) IS NULL OR m.agent_id = :agent)
                  WHERE n.depth < 3)
                SELECT key FROM names WHERE key IS NOT NULL GROUP BY key ORDER BY min(depth), key LIMIT :most"""),
        {"key": key, "ns": namespace_id, "most": MOST_NAMES, "user": user_id, "agent": agent_id},
    )
    return list(rows.scalars())


def find(
    session: ReadSession,
    namespace_id: int,
    *,
    subjects: Sequence[str] | None = None,
    predicate: str | None = None,
    object_key: str | None = None,
    user_id: str | None = None,
    agent_id: str | None = None,
    after: int = 0,
    limit: int = 50,
) -> list[FoundFact]:
    """Return up to `limit` active facts with ids above `after`, in id order; None does not restrict."""
    rows = session.execute(
        text(f"""SELECT {_FOUND} FROM triples t JOIN memories m ON m.id = t.memory_id
                WHERE t.namespace_id = :ns AND m.id > :after AND m.retired_at IS NULL AND m.quarantined_at IS NULL
                  AND (CAST(:subjects AS text[]) IS NULL OR t.subject_key = ANY(:subjects))
                  AND (CAST(:predicate AS text) IS NULL OR t.predicate_key = :predicate)
                  AND (CAST(:object AS text) IS NULL OR t.object_key = :object)
                  AND (CAST(:user AS text) IS NULL OR m.user_id = :user)
                  AND (CAST(:agent AS text) IS NULL OR m.agent_id = :agent)
                ORDER BY m.id LIMIT :limit"""),  # noqa: S608 - constants
        {
            "ns": namespace_id,
            "after": after,
            "subjects": None if subjects is None else list(subjects),
            "predicate": predicate,
            "object": object_key,
            "user": user_id,
            "agent": agent_id,
            "limit": limit,
        },
    )
    return [FoundFact(*row) for row in rows]
