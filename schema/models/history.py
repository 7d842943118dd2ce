"""What became of memories: events, what people decided, when they were recalled, what was served."""

from __future__ import annotations

from sqlalchemy import BigInteger, ForeignKey, Identity, Index, Integer, LargeBinary, Text
from sqlalchemy.orm import Mapped, mapped_column

from schema.models.base import Base, Recorded, RowId


class MemoryEvent(Base):
    """Something that happened to a memory: `kind` says what, `reason` why, the episode because of what."""

    __tablename__ = "memory_events"
    __table_args__ = (Index("ix_memory_events_memory", "memory_id", "id"),)

    id: Mapped[RowId]
    namespace_id: Mapped[int] = mapped_column(BigInteger)
    memory_id: Mapped[int] = mapped_column(BigInteger, ForeignKey("memories.id", ondelete="CASCADE"))
    kind: Mapped[str] = mapped_column(Text)
    reason: Mapped[str | None] = mapped_column(Text)
    episode_id: Mapped[int | None] = mapped_column(BigInteger)
    recorded_at: Mapped[Recorded]


class Decision(Base):
    """What a person said of a memory: confirm, wrong or outdated. No sweep undoes it.

    `correction_id` is the episode that says it right.
    """

    __tablename__ = "decisions"
    __table_args__ = (Index("ix_decisions_memory", "memory_id", "id"),)

    id: Mapped[RowId]
    namespace_id: Mapped[int] = mapped_column(BigInteger)
    memory_id: Mapped[int] = mapped_column(BigInteger, ForeignKey("memories.id", ondelete="CASCADE"))
    verdict: Mapped[str] = mapped_column(Text)
    correction_id: Mapped[int | None] = mapped_column(BigInteger)
    recorded_at: Mapped[Recorded]


class Retrieval(Base):
    """That a memory was in an answer, at which place. No question and no content."""

    __tablename__ = "retrievals"
    __table_args__ = (Index("ix_retrievals_memory", "memory_id", "recorded_at"),)

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    namespace_id: Mapped[int] = mapped_column(BigInteger)
    memory_id: Mapped[int] = mapped_column(BigInteger)
    session_id: Mapped[str | None] = mapped_column(Text)
    position: Mapped[int] = mapped_column(Integer)
    recorded_at: Mapped[Recorded]


class RecallLog(Base):
    """A sentence that recall returned, for the echo guard: keyed digests of its first words (`opening`) and of all its
    words (`whole`).
    """

    __tablename__ = "recall_log"
    __table_args__ = (Index("ix_recall_log_memory", "memory_id"),)

    namespace_id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    opening: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    whole: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True)
    words: Mapped[int] = mapped_column(Integer)
    memory_id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    session_id: Mapped[str | None] = mapped_column(Text)
    recorded_at: Mapped[Recorded]
