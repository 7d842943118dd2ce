"""Memories: taking them out of the indexes and putting them back, and reading what the indexes need of them.

An active memory is neither retired nor quarantined: it has stamps and index rows. Any other has none, so that no leg
can return it, and keeps its row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import func, select, text, update

from schema.db import ReadSession, WriteSession
from schema.derivations import space_of
from schema.kinds import MemoryKind
from schema.models import Memory, MemorySource
from schema.store import history, postings, stamps

ACTIVE = Memory.retired_at.is_(None) & Memory.quarantined_at.is_(None)


@dataclass(frozen=True, slots=True)
class MemoryText:
    """What the index derivations need of a memory."""

    id: int
    namespace_id: int
    number: int
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


def unindex(session: WriteSession, ids: Sequence[int], derivations: Sequence[str]) -> None:
    """Take memories out of every index, with their stamps: no leg returns them from here on."""
    if not ids:
        return
    stamps.drop(session, derivations, ids)
    postings.remove(session, ids)
    session.execute(text("DELETE FROM triples WHERE memory_id = ANY(:ids)"), {"ids": list(ids)})
    for derivation in derivations:
        space_id = space_of(derivation)
        if space_id is not None:
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
            Memory.number,
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
