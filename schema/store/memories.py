"""Memories: writing what a derivation produced, reading what recall needs.

`replace_passages` is set-based and touches only what differs: a statement that comes out equal keeps its id, one that
no longer comes out is retired with its index rows, a new one is inserted with its stamps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import func, insert, select, text, update

from schema.db import ReadSession, WriteSession
from schema.ids import digest
from schema.kinds import MemoryKind, Retirement
from schema.models import Memory, MemorySource
from schema.store import postings, stamps
from schema.store.episodes import EpisodeRow

INDEXES = ("postings", "entities")


@dataclass(frozen=True, slots=True)
class Statement:
    """A memory as a derivation produced it: its words, and the span of the episode (in characters) it rests on."""

    text: str
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class MemoryText:
    """What the index derivations need of a memory."""

    id: int
    namespace_id: int
    no: int
    text: str
    speaker: str | None
    text_digest: bytes


@dataclass(frozen=True, slots=True)
class Wanted:
    """An episode, and the statements that its memories should be."""

    episode: EpisodeRow
    statements: Sequence[Statement]

    def keyed(self) -> dict[bytes, Statement]:
        """Name each statement by what it says, in which revision, and which repetition it is."""
        keys: dict[bytes, Statement] = {}
        for statement in self.statements:
            repetition = 0
            key = self._key(statement, repetition)
            while key in keys:
                repetition += 1
                key = self._key(statement, repetition)
            keys[key] = statement
        return keys

    def _key(self, statement: Statement, repetition: int) -> bytes:
        return digest("passage", self.episode.id, self.episode.revision, statement.text, repetition)


def embedded_text(text_: str, speaker: str | None) -> str:
    """Return what is indexed and encoded for a memory. Who speaks is part of what was said."""
    return f"{speaker}: {text_}" if speaker else text_


def existing_keys(session: ReadSession, episode_ids: Sequence[int]) -> dict[int, dict[bytes, tuple[int, bool]]]:
    """Return per episode its memories as key -> (id, active)."""
    rows = session.execute(
        select(MemorySource.episode_id, Memory.key, Memory.id, Memory.retired_at.is_(None))
        .join(Memory, Memory.id == MemorySource.memory_id)
        .where(MemorySource.episode_id.in_(episode_ids))
    )
    found: dict[int, dict[bytes, tuple[int, bool]]] = {episode_id: {} for episode_id in episode_ids}
    for episode_id, key, memory_id, active in rows:
        found[episode_id][key] = (memory_id, active)
    return found


def replace_passages(
    session: WriteSession,
    wanted: Sequence[Wanted],
    numbers: Mapping[int, list[int]],
    trust: Mapping[str, float],
    derivations: Sequence[str],
) -> None:
    """Make the passages of these episodes exactly the wanted ones.

    `numbers` holds reserved memory numbers a namespace, at least one for each new statement; `derivations` are the
    stamps a new memory starts with.
    """
    before = existing_keys(session, [item.episode.id for item in wanted])
    gone: list[int] = []
    back: list[tuple[int, int, int]] = []
    values: list[dict[str, Any]] = []
    spans: list[tuple[int, int, int, int]] = []
    lanes = _lanes(session, [item.episode.id for item in wanted])
    for item in wanted:
        keyed = item.keyed()
        old = before[item.episode.id]
        gone += [memory_id for key, (memory_id, active) in old.items() if active and key not in keyed]
        back += [
            (old[key][0], item.episode.namespace_id, lanes[item.episode.id])
            for key in keyed
            if key in old and not old[key][1]
        ]
        for key, statement in keyed.items():
            if key not in old:
                values.append(_values(item.episode, key, statement, numbers, trust))
                spans.append((item.episode.id, item.episode.revision, statement.start, statement.stop))
    retire(session, gone, Retirement.STALE, derivations)
    _revive(session, back, derivations)
    _insert(session, values, spans, lanes, derivations)


def _values(
    episode: EpisodeRow, key: bytes, statement: Statement, numbers: Mapping[int, list[int]], trust: Mapping[str, float]
) -> dict[str, Any]:
    return {
        "namespace_id": episode.namespace_id,
        "no": numbers[episode.namespace_id].pop(),
        "user_id": episode.user_id,
        "agent_id": episode.agent_id,
        "key": key,
        "kind": MemoryKind.PASSAGE,
        "text": statement.text,
        "text_digest": digest(embedded_text(statement.text, episode.speaker)),
        "speaker": episode.speaker,
        "source": episode.source,
        "session_id": episode.session_id,
        "seq": episode.seq,
        "occurred_at": episode.occurred_at,
        "trust": trust[episode.source],
        "confidence": 1.0,
    }


def _lanes(session: ReadSession, episode_ids: Sequence[int]) -> dict[int, int]:
    """Return the lane an episode's own stamp is in: what is made from it is as urgent as it was."""
    rows = session.execute(
        text("SELECT row_id, lane FROM stamps WHERE derivation = 'memories' AND row_id = ANY(:ids)"),
        {"ids": list(episode_ids)},
    )
    return {row[0]: row[1] for row in rows}


def _insert(
    session: WriteSession,
    values: list[dict[str, Any]],
    spans: list[tuple[int, int, int, int]],
    lanes: Mapping[int, int],
    derivations: Sequence[str],
) -> None:
    if not values:
        return
    ids = session.execute(insert(Memory).returning(Memory.id, sort_by_parameter_order=True), values).scalars().all()
    session.execute(
        insert(MemorySource),
        [
            {"memory_id": memory_id, "episode_id": span[0], "revision": span[1], "start": span[2], "end": span[3]}
            for memory_id, span in zip(ids, spans, strict=True)
        ],
    )
    rows = [
        (memory_id, value["namespace_id"], lanes[span[0]])
        for memory_id, value, span in zip(ids, values, spans, strict=True)
    ]
    stamps.add(session, derivations, rows)


def _revive(session: WriteSession, rows: Sequence[tuple[int, int, int]], derivations: Sequence[str]) -> None:
    """Take back what stale rules had retired: the statement comes out again, so its id lives on."""
    if not rows:
        return
    session.execute(
        update(Memory)
        .where(Memory.id.in_([row[0] for row in rows]), Memory.retired_reason == Retirement.STALE)
        .values(retired_at=None, retired_reason=None)
    )
    stamps.add(session, derivations, rows)


def retire(session: WriteSession, ids: Sequence[int], reason: str, derivations: Sequence[str]) -> None:
    """Retire memories: the rows stay, every index row and stamp goes, so that no leg can return them."""
    if not ids:
        return
    stamps.drop(session, derivations, ids)
    session.execute(update(Memory).where(Memory.id.in_(ids)).values(retired_at=func.now(), retired_reason=reason))
    postings.remove(session, ids)
    for derivation in derivations:
        if derivation.startswith("vectors:"):
            space_id = int(derivation.removeprefix("vectors:"))
            session.execute(
                text(f"DELETE FROM vectors_{space_id:d} WHERE memory_id = ANY(:ids)"),  # noqa: S608 - an int
                {"ids": list(ids)},
            )


def spans_of(session: ReadSession, episode_id: int, revision: int) -> list[tuple[int, int]]:
    """Return the spans, as (start, stop) in characters, of the active memories that rest on an episode's revision."""
    rows = session.execute(
        select(MemorySource.start, MemorySource.end)
        .join(Memory, Memory.id == MemorySource.memory_id)
        .where(MemorySource.episode_id == episode_id, MemorySource.revision == revision, Memory.retired_at.is_(None))
        .order_by(MemorySource.start, MemorySource.end)
    )
    return [(row[0], row[1]) for row in rows]


def texts(session: ReadSession, ids: Sequence[int]) -> list[MemoryText]:
    """Return active memories for the index derivations, in id order."""
    rows = session.execute(
        select(Memory.id, Memory.namespace_id, Memory.no, Memory.text, Memory.speaker, Memory.text_digest)
        .where(Memory.id.in_(ids), Memory.retired_at.is_(None))
        .order_by(Memory.id)
    )
    return [MemoryText(*row) for row in rows]


@dataclass(frozen=True, slots=True)
class Span:
    """A source of a memory: characters `start` to `stop` of a revision of an episode."""

    episode_id: int
    revision: int
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """An active memory with all that ranking and evidence need."""

    id: int
    no: int
    kind: str
    text: str
    speaker: str | None
    source: str
    session_id: str | None
    seq: int | None
    occurred_at: datetime
    recorded_at: datetime
    trust: float
    confidence: float
    spans: tuple[Span, ...]
    stale: tuple[str, ...]


_COLUMNS = """m.id, m.no, m.kind, m.text, m.speaker, m.source, m.session_id, m.seq, m.occurred_at, m.recorded_at,
           m.trust, m.confidence, s.episode_id, s.revision, s.start, s.stop"""
_CANDIDATES = text(f"""
    SELECT {_COLUMNS} FROM memories m LEFT JOIN memory_sources s ON s.memory_id = m.id
      WHERE m.namespace_id = :ns AND m.no = ANY(:nos) AND m.retired_at IS NULL
    UNION
    SELECT {_COLUMNS} FROM memories m LEFT JOIN memory_sources s ON s.memory_id = m.id
      WHERE m.id = ANY(:ids) AND m.namespace_id = :ns AND m.retired_at IS NULL
    ORDER BY 1, 13, 14, 15""")  # noqa: S608 - constants
_STALE = text("""
    SELECT s.row_id, s.derivation FROM stamps s
    JOIN unnest(CAST(:ds AS text[]), CAST(:heads AS integer[])) AS h(derivation, head)
      ON s.derivation = h.derivation AND s.revision < h.head
    WHERE s.row_id = ANY(:ids) ORDER BY 1, 2""")


def candidates(
    session: ReadSession, namespace_id: int, *, nos: Sequence[int], ids: Sequence[int], behind: Mapping[str, int]
) -> list[MemoryRow]:
    """Return the active memories of a namespace by number or id, with their sources and what is stale about them.

    `behind` are the heads of the derivations stamped by memory in which this namespace has stale rows: in a store at
    rest there are none, and nothing is asked about them.
    """
    fields: dict[int, Any] = {}
    spans: dict[int, list[Span]] = {}
    for row in session.execute(_CANDIDATES, {"ns": namespace_id, "nos": list(nos), "ids": list(ids)}):
        fields[row[0]] = row[:12]
        if row[12] is not None:
            spans.setdefault(row[0], []).append(Span(row[12], row[13], row[14], row[15]))
    stale: dict[int, list[str]] = {}
    if behind:
        params = {"ds": list(behind), "heads": list(behind.values()), "ids": list(fields)}
        for memory_id, derivation in session.execute(_STALE, params):
            stale.setdefault(memory_id, []).append(derivation)
    complete = [(*row, tuple(spans.get(key, ())), tuple(stale.get(key, ()))) for key, row in fields.items()]
    return [MemoryRow(*values) for values in complete]
