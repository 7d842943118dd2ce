"""What can be recalled. Derived, never written by hand.

What recall needs of the source (speaker, session, event time) is repeated here, so that reading joins nothing.
A retired memory keeps its row and its sources, and has no postings, mentions, vectors or stamps.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import (
    BigInteger,
    DateTime,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from schema.models.base import Base, Moment, Recorded, RowId


class Memory(Base):
    """A passage or a fact (later also an image). `key` identifies its statement inside its scope.

    A fact is a fold over its living sources: words, event time and confidence come from them, see
    `workers.truth.consolidation`. `quarantined_at`: it exists and is listed, and is not recalled until released.
    (`session_id`, `seq`, `start`) is its position in the conversation: `start` is the character its episode says it at.
    """

    __tablename__ = "memories"
    __table_args__ = (
        UniqueConstraint(
            "namespace_id",
            "user_id",
            "agent_id",
            "key",
            name="uq_memories_statement",
            postgresql_nulls_not_distinct=True,
        ),
        UniqueConstraint("namespace_id", "number"),
        Index(
            "ix_memories_position",
            "namespace_id",
            "session_id",
            "seq",
            "start",
            postgresql_where=text("session_id IS NOT NULL"),
        ),
    )

    id: Mapped[RowId]
    namespace_id: Mapped[int] = mapped_column(BigInteger, ForeignKey("namespaces.id"))
    number: Mapped[int] = mapped_column(BigInteger)
    user_id: Mapped[str | None] = mapped_column(Text)
    agent_id: Mapped[str | None] = mapped_column(Text)
    key: Mapped[bytes] = mapped_column(LargeBinary)
    kind: Mapped[str] = mapped_column(Text)
    text: Mapped[str] = mapped_column(Text)
    text_digest: Mapped[bytes] = mapped_column(LargeBinary)
    speaker: Mapped[str | None] = mapped_column(Text)
    source: Mapped[str] = mapped_column(Text)
    session_id: Mapped[str | None] = mapped_column(Text)
    seq: Mapped[int | None] = mapped_column(BigInteger)
    start: Mapped[int] = mapped_column(Integer, server_default="0")
    occurred_at: Mapped[Moment]
    trust: Mapped[float] = mapped_column(Float)
    confidence: Mapped[float] = mapped_column(Float)
    subject: Mapped[str | None] = mapped_column(Text)
    predicate: Mapped[str | None] = mapped_column(Text)
    object: Mapped[str | None] = mapped_column(Text)
    polarity: Mapped[str | None] = mapped_column(Text)
    modality: Mapped[str | None] = mapped_column(Text)
    event: Mapped[str | None] = mapped_column(Text)
    valid_from: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
    valid_to: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
    state: Mapped[str | None] = mapped_column(Text)
    corroboration: Mapped[int] = mapped_column(Integer, server_default="1")
    importance: Mapped[float] = mapped_column(Float, server_default="0.5")
    tier: Mapped[str] = mapped_column(Text, server_default="ordinary")
    category: Mapped[str | None] = mapped_column(Text)
    quarantined_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
    retired_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
    retired_reason: Mapped[str | None] = mapped_column(Text)
    recorded_at: Mapped[Recorded]
