"""Memories: taking them out of the indexes and putting them back, reading what the indexes and recall need of them.

An active memory is neither retired nor quarantined: it has stamps and index rows. Any other has none, so that no leg
can return it, and keeps its row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import func, select, text, update

from schema.db import ReadSession, WriteSession
from schema.kinds import MemoryKind
from schema.models import Memory, MemorySource
from schema.store import history, postings, stamps

INDEXES = ("postings", "entities")
"""The derivations of every active memory, besides one a vector space."""
FACT_INDEXES = ("triples",)
"""Those of facts only."""

ACTIVE = Memory.retired_at.is_(None) & Memory.quarantined_at.is_(None)


@dataclass(frozen=True, slots=True)
class MemoryText:
    """What the index derivations need of a memory."""

    id: int
    namespace_id: int
    no: int
    text: str
    speaker: str | None
    text_digest: bytes
    kind: str = MemoryKind.PASSAGE
    subject: str | None = None
    object: str | None = None

    @property
    def indexed(self) -> str:
        """What is indexed and encoded. A fact names whom it is about; a passage is said by somebody."""
        return embedded_text(self.text, self.speaker if self.kind == MemoryKind.PASSAGE else None)


def embedded_text(text_: str, speaker: str | None) -> str:
    """Return what is indexed and encoded for a passage. Who speaks is part of what was said."""
    return f"{speaker}: {text_}" if speaker else text_


def index_of(kind: str, derivations: Sequence[str]) -> list[str]:
    """Return which of these derivations a memory of this kind has."""
    return [name for name in derivations if kind == MemoryKind.FACT or name not in FACT_INDEXES]


def unindex(session: WriteSession, ids: Sequence[int], derivations: Sequence[str]) -> None:
    """Take memories out of every index, with their stamps: no leg returns them from here on."""
    if not ids:
        return
    stamps.drop(session, derivations, ids)
    postings.remove(session, ids)
    session.execute(text("DELETE FROM triples WHERE memory_id = ANY(:ids)"), {"ids": list(ids)})
    for derivation in derivations:
        if derivation.startswith("vectors:"):
            space_id = int(derivation.removeprefix("vectors:"))
            session.execute(
                text(f"DELETE FROM vectors_{space_id:d} WHERE memory_id = ANY(:ids)"),  # noqa: S608 - an int
                {"ids": list(ids)},
            )


def retire(
    session: WriteSession, ids: Sequence[int], reason: str, derivations: Sequence[str], episode_id: int | None = None
) -> None:
    """Retire memories: the rows stay, nothing recalls them, and their history says why."""
    if not ids:
        return
    unindex(session, ids, derivations)
    rows = session.execute(
        update(Memory)
        .where(Memory.id.in_(ids), Memory.retired_at.is_(None))
        .values(retired_at=func.now(), retired_reason=reason)
        .returning(Memory.id, Memory.namespace_id)
    )
    history.record(session, "retired", [(row[1], row[0], reason, episode_id) for row in rows])


def spans_of(session: ReadSession, episode_id: int, revision: int) -> list[tuple[int, int]]:
    """Return the spans, as (start, stop) in characters, of the passages of an episode's revision."""
    rows = session.execute(
        select(MemorySource.start, MemorySource.end)
        .join(Memory, Memory.id == MemorySource.memory_id)
        .where(
            MemorySource.episode_id == episode_id,
            MemorySource.revision == revision,
            Memory.kind == MemoryKind.PASSAGE,
            Memory.retired_at.is_(None),
        )
        .order_by(MemorySource.start, MemorySource.end)
    )
    return [(row[0], row[1]) for row in rows]


def texts(session: ReadSession, ids: Sequence[int]) -> list[MemoryText]:
    """Return active memories for the index derivations, in id order."""
    rows = session.execute(
        select(
            Memory.id,
            Memory.namespace_id,
            Memory.no,
            Memory.text,
            Memory.speaker,
            Memory.text_digest,
            Memory.kind,
            Memory.subject,
            Memory.object,
        )
        .where(Memory.id.in_(ids), ACTIVE)
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


_COLUMNS = """m.id, m.no, m.kind, m.text, m.speaker, m.source, m.session_id, m.seq, m.occurred_at, m.recorded_at,
           m.trust, m.confidence, m.valid_from, m.valid_to, m.event, m.state, m.corroboration, m.importance, m.tier,
           m.category, s.episode_id, s.revision, s.start, s.stop"""
_FIELDS = 20
# What holds no longer at the moment asked about is no answer to it.
_OPEN = "m.retired_at IS NULL AND m.quarantined_at IS NULL AND (m.valid_to IS NULL OR m.valid_to > :at)"
_SOURCED = "memories m LEFT JOIN memory_sources s ON s.memory_id = m.id AND s.withdrawn_at IS NULL"
_CANDIDATES = text(f"""
    SELECT {_COLUMNS} FROM {_SOURCED} WHERE m.namespace_id = :ns AND m.no = ANY(:nos) AND {_OPEN}
    UNION
    SELECT {_COLUMNS} FROM {_SOURCED} WHERE m.id = ANY(:ids) AND m.namespace_id = :ns AND {_OPEN}
    ORDER BY 1, 21, 22, 23""")  # noqa: S608 - constants
_STALE = text("""
    SELECT s.row_id, s.derivation FROM stamps s
    JOIN unnest(CAST(:ds AS text[]), CAST(:heads AS integer[])) AS h(derivation, head)
      ON s.derivation = h.derivation AND s.revision < h.head
    WHERE s.row_id = ANY(:ids) ORDER BY 1, 2""")


def candidates(
    session: ReadSession,
    namespace_id: int,
    *,
    nos: Sequence[int],
    ids: Sequence[int],
    behind: Mapping[str, int],
    at: datetime,
) -> list[MemoryRow]:
    """Return the active memories of a namespace by number or id, with their sources and what is stale about them.

    Facts that hold no longer at the moment `at` are left out.
    `behind` are the heads of the derivations stamped by memory in which this namespace has stale rows: in a store at
    rest there are none, and nothing is asked about them.
    """
    fields: dict[int, Any] = {}
    spans: dict[int, list[Span]] = {}
    for row in session.execute(_CANDIDATES, {"ns": namespace_id, "nos": list(nos), "ids": list(ids), "at": at}):
        fields[row[0]] = row[:_FIELDS]
        if row[_FIELDS] is not None:
            spans.setdefault(row[0], []).append(Span(*row[_FIELDS:]))
    stale: dict[int, list[str]] = {}
    if behind:
        params = {"ds": list(behind), "heads": list(behind.values()), "ids": list(fields)}
        for memory_id, derivation in session.execute(_STALE, params):
            stale.setdefault(memory_id, []).append(derivation)
    complete = [(*row, tuple(spans.get(key, ())), tuple(stale.get(key, ()))) for key, row in fields.items()]
    return [MemoryRow(*values) for values in complete]
