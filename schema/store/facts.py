"""Facts and their sources: which episode states which fact, how, and since when it no longer does.

A fact's row is a fold over its living sources, made by `workers.truth.consolidation`; what is here reads sources and
writes rows. A source is living while it is not withdrawn, its episode is neither forgotten nor quarantined, and the
revision it quotes is the episode's current one.

Lock order: the stamps of memories, then their rows, ids ascending; new rows go in first, in the order of their keys,
while nothing of the kind is held.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, select, text, update
from sqlalchemy.dialects.postgresql import insert

from schema import derivations
from schema.db import ReadSession, WriteSession
from schema.kinds import MemoryKind, Retirement
from schema.models import Episode, Memory, MemorySource
from schema.store import spaces
from schema.store.episodes import EpisodeRow

Place = tuple[int, str | None, str | None, bytes]
"""Where a fact is, once: namespace, user, agent, key of its statement."""


@dataclass(frozen=True, slots=True)
class Stated:
    """A fact as one episode states it. `said` is the whole statement as plain JSON values."""

    key: bytes
    start: int
    stop: int
    said: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Source:
    """One source of a fact, with what the fold needs to know of its episode."""

    memory_id: int
    episode_id: int
    revision: int
    start: int
    stop: int
    said: Mapping[str, Any]
    made_by: str | None
    withdrawn: bool
    current: bool
    quarantined: bool
    speaker: str | None
    source: str
    session_id: str | None
    seq: int | None
    occurred_at: datetime
    recorded_at: datetime

    @property
    def living(self) -> bool:
        """Whether the fact may rest on it."""
        return self.current and not self.withdrawn and not self.quarantined


@dataclass(frozen=True, slots=True)
class FactRow:
    """A fact as it is stored; `values` are the columns that the fold decides."""

    id: int
    namespace_id: int
    key: bytes
    retired_reason: str | None
    quarantined: bool
    values: Mapping[str, Any]


FOLDED = (
    "text",
    "text_digest",
    "speaker",
    "source",
    "session_id",
    "seq",
    "start",
    "occurred_at",
    "trust",
    "confidence",
    "subject",
    "predicate",
    "object",
    "polarity",
    "modality",
    "event",
    "valid_from",
    "valid_to",
    "state",
    "corroboration",
    "importance",
    "tier",
)
"""The columns that a fold over the living sources decides."""
_FOLDED = [getattr(Memory, name) for name in FOLDED]


def place(episode: EpisodeRow, key: bytes) -> Place:
    """Return where a fact of this episode's scope is."""
    return episode.namespace_id, episode.user_id, episode.agent_id, key


def find(session: ReadSession, places: Sequence[Place]) -> dict[Place, int]:
    """Return the ids of the facts that are at some places, retired ones included."""
    if not places:
        return {}
    rows = session.execute(
        text("""SELECT t.n, t.u, t.a, t.k, m.id
                FROM unnest(CAST(:ns AS bigint[]), CAST(:users AS text[]), CAST(:agents AS text[]),
                            CAST(:keys AS bytea[])) AS t(n, u, a, k)
                JOIN memories m ON m.namespace_id = t.n AND m.key = t.k
                  AND m.user_id IS NOT DISTINCT FROM t.u AND m.agent_id IS NOT DISTINCT FROM t.a"""),
        {
            "ns": [where[0] for where in places],
            "users": [where[1] for where in places],
            "agents": [where[2] for where in places],
            "keys": [where[3] for where in places],
        },
    )
    return {(row[0], row[1], row[2], bytes(row[3])): row[4] for row in rows}


def ensure(session: WriteSession, rows: Mapping[Place, Mapping[str, Any]]) -> tuple[dict[Place, int], set[int]]:
    """Insert facts that are not there yet; return all ids by place, and which of them are new.

    `rows` holds the columns of each. A rival that inserts the same fact is waited for, and then its row is ours too.
    """
    if not rows:
        return {}, set()
    ordered = sorted(rows, key=lambda where: (where[0], where[1] or "", where[2] or "", where[3]))
    found = session.execute(
        insert(Memory)
        .on_conflict_do_nothing(constraint="uq_memories_statement")
        .returning(Memory.namespace_id, Memory.user_id, Memory.agent_id, Memory.key, Memory.id),
        [
            {"namespace_id": where[0], "user_id": where[1], "agent_id": where[2], "key": where[3], **rows[where]}
            for where in ordered
        ],
    )
    made = {(row[0], row[1], row[2], bytes(row[3])): row[4] for row in found}
    others = find(session, [where for where in ordered if where not in made])
    return made | others, set(made.values())


def lock(session: WriteSession, ids: Sequence[int]) -> None:
    """Lock the stamps of memories and then their rows, both in order, so that the fold stays true until the end."""
    session.execute(
        text(
            "SELECT 1 FROM stamps WHERE derivation = ANY(:ds) AND row_id = ANY(:ids) "
            "ORDER BY derivation, row_id FOR UPDATE"
        ),
        {"ds": _memory_derivations(session), "ids": list(ids)},
    )
    session.execute(
        text("SELECT 1 FROM memories WHERE id = ANY(:ids) ORDER BY id FOR NO KEY UPDATE"), {"ids": list(ids)}
    )


def _memory_derivations(session: ReadSession) -> list[str]:
    return sorted(derivations.named((space.id for space in spaces.everything(session)), row="memory"))


def linked(session: ReadSession, episode_ids: Sequence[int]) -> dict[int, list[int]]:
    """Return the facts that each episode states or has stated, by episode."""
    rows = session.execute(
        select(MemorySource.episode_id, MemorySource.memory_id)
        .join(Memory, Memory.id == MemorySource.memory_id)
        .where(MemorySource.episode_id.in_(episode_ids), Memory.kind == MemoryKind.FACT)
        .distinct()
        .order_by(MemorySource.episode_id, MemorySource.memory_id)
    )
    found: dict[int, list[int]] = {}
    for episode_id, memory_id in rows:
        found.setdefault(episode_id, []).append(memory_id)
    return found


def outdated(session: ReadSession, episode_ids: Sequence[int]) -> list[int]:
    """Return the facts that rest on an earlier revision of some episodes."""
    rows = session.execute(
        select(MemorySource.memory_id)
        .join(Memory, Memory.id == MemorySource.memory_id)
        .join(Episode, Episode.id == MemorySource.episode_id)
        .where(
            MemorySource.episode_id.in_(episode_ids),
            MemorySource.revision < Episode.revision,
            MemorySource.withdrawn_at.is_(None),
            Memory.kind == MemoryKind.FACT,
        )
        .distinct()
    )
    return sorted(rows.scalars())


def sources(session: ReadSession, ids: Sequence[int]) -> dict[int, list[Source]]:
    """Return every source of some facts that is not forgotten, the withdrawn ones included, oldest first."""
    rows = session.execute(
        text("""SELECT s.memory_id, s.episode_id, s.revision, s.start, s.stop, s.said, s.made_by,
                  s.withdrawn_at IS NOT NULL, s.revision = e.revision, e.quarantined,
                  e.speaker, e.source, e.session_id, e.seq, e.occurred_at, e.recorded_at
                FROM memory_sources s JOIN episodes e ON e.id = s.episode_id
                WHERE s.memory_id = ANY(:ids) AND s.said IS NOT NULL AND e.forgotten_at IS NULL
                ORDER BY s.memory_id, e.occurred_at, s.episode_id, s.revision, s.start"""),
        {"ids": list(ids)},
    )
    found: dict[int, list[Source]] = {memory_id: [] for memory_id in ids}
    for row in rows:
        found[row[0]].append(Source(*row))
    return found


def stored(session: ReadSession, ids: Sequence[int]) -> dict[int, FactRow]:
    """Return facts as they are stored."""
    rows = session.execute(
        select(
            Memory.id,
            Memory.namespace_id,
            Memory.key,
            Memory.retired_at,
            Memory.retired_reason,
            Memory.quarantined_at,
            *_FOLDED,
        ).where(Memory.id.in_(ids), Memory.kind == MemoryKind.FACT)
    )
    return {
        row[0]: FactRow(
            row[0],
            row[1],
            row[2],
            row[4] if row[3] else None,
            row[5] is not None,
            dict(zip(FOLDED, row[6:], strict=True)),
        )
        for row in rows
    }


def link(session: WriteSession, rows: Sequence[tuple[int, EpisodeRow, Stated]], made_by: str) -> None:
    """Make episodes sources of facts, in their current revisions; one that was withdrawn is a source again."""
    if not rows:
        return
    statement = insert(MemorySource)
    session.execute(
        statement.on_conflict_do_update(
            index_elements=["memory_id", "episode_id", "revision", "start"],
            set_={
                "stop": statement.excluded.stop,
                "said": statement.excluded.said,
                "made_by": statement.excluded.made_by,
                "withdrawn_at": None,
            },
        ),
        [
            {
                "memory_id": memory_id,
                "episode_id": episode.id,
                "revision": episode.revision,
                "start": stated.start,
                "end": stated.stop,
                "said": dict(stated.said),
                "made_by": made_by,
            }
            for memory_id, episode, stated in sorted(rows, key=lambda row: (row[0], row[1].id, row[2].start))
        ],
    )


def withdraw(session: WriteSession, rows: Sequence[tuple[int, int, int, int]]) -> None:
    """Say that sources, as (memory, episode, revision, start), no longer state their fact."""
    if rows:
        session.execute(
            text("""UPDATE memory_sources s SET withdrawn_at = now()
                    FROM unnest(CAST(:m AS bigint[]), CAST(:e AS bigint[]), CAST(:r AS integer[]),
                                CAST(:s AS integer[])) AS t(m, e, r, s)
                    WHERE s.memory_id = t.m AND s.episode_id = t.e AND s.revision = t.r AND s.start = t.s
                      AND s.withdrawn_at IS NULL"""),
            {name: [row[at] for row in rows] for at, name in enumerate("mers")},
        )


def rewrite(session: WriteSession, changes: Mapping[int, Mapping[str, Any]]) -> None:
    """Write the columns that a new fold decided otherwise, one set of columns for all rows."""
    if changes:
        session.connection().execute(
            update(Memory)
            .where(Memory.id == bindparam("row"))
            .values({name: bindparam(f"new_{name}") for name in FOLDED}),
            [
                {"row": memory_id, **{f"new_{name}": values[name] for name in FOLDED}}
                for memory_id, values in sorted(changes.items())
            ],
        )


def restore(session: WriteSession, ids: Sequence[int]) -> None:
    """Make facts active again."""
    session.execute(
        update(Memory).where(Memory.id.in_(ids)).values(retired_at=None, retired_reason=None, quarantined_at=None)
    )


def quarantine(session: WriteSession, ids: Sequence[int]) -> None:
    """Keep facts from being recalled until they are released."""
    session.execute(
        text("UPDATE memories SET quarantined_at = now() WHERE id = ANY(:ids) AND quarantined_at IS NULL"),
        {"ids": list(ids)},
    )


def stated(session: ReadSession, episode_id: int) -> dict[bytes, str]:
    """Return what the facts are that an episode states, by key, as it states them."""
    rows = session.execute(
        text("""SELECT m.key, s.said ->> 'text' FROM memory_sources s JOIN memories m ON m.id = s.memory_id
                WHERE s.episode_id = :id AND s.said IS NOT NULL AND s.withdrawn_at IS NULL"""),
        {"id": episode_id},
    )
    return {bytes(row[0]): row[1] for row in rows}


def rejected(session: ReadSession, episode_ids: Sequence[int]) -> dict[int, list[tuple[bytes, Source]]]:
    """Return, by episode, the facts it stated that people rejected, as (key, how it stated it)."""
    rows = session.execute(
        select(MemorySource.memory_id, Memory.key)
        .join(Memory, Memory.id == MemorySource.memory_id)
        .where(
            MemorySource.episode_id.in_(episode_ids),
            Memory.kind == MemoryKind.FACT,
            Memory.retired_reason == Retirement.REJECTED,
        )
        .distinct()
    )
    keys = {row[0]: bytes(row[1]) for row in rows}
    found: dict[int, list[tuple[bytes, Source]]] = {}
    wanted = set(episode_ids)
    for memory_id, listed in sources(session, sorted(keys)).items() if keys else ():
        for source in listed:
            if source.episode_id in wanted:
                found.setdefault(source.episode_id, []).append((keys[memory_id], source))
    return found
