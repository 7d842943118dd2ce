"""What was told. An episode's row is its identity and its place; its words are in revisions and are never rewritten."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import (
    BigInteger,
    Boolean,
    DateTime,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    Text,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from schema.models.base import Base, Moment, Recorded, RowId


class Episode(Base):
    """One thing an agent was told. `occurred_at` is event time; `utc_offset` the minutes it was written with.

    `quarantined`: its source was quarantined when it came, so its memories wait for release. `forgotten_at`: nothing
    reads it any more, and the forgetting named beside it deletes it.
    """

    __tablename__ = "episodes"
    __table_args__ = (
        Index(
            "uq_episodes_external_id",
            "namespace_id",
            "external_id",
            unique=True,
            postgresql_where=text("external_id IS NOT NULL"),
        ),
        Index(
            "ix_episodes_session", "namespace_id", "session_id", "seq", postgresql_where=text("session_id IS NOT NULL")
        ),
        Index("ix_episodes_namespace", "namespace_id", "id"),
        Index("ix_episodes_expiry", "expires_at", postgresql_where=text("expires_at IS NOT NULL")),
        Index("ix_episodes_forgetting", "forgetting_id", "id", postgresql_where=text("forgetting_id IS NOT NULL")),
    )

    id: Mapped[RowId]
    namespace_id: Mapped[int] = mapped_column(BigInteger, ForeignKey("namespaces.id"))
    user_id: Mapped[str | None] = mapped_column(Text)
    agent_id: Mapped[str | None] = mapped_column(Text)
    session_id: Mapped[str | None] = mapped_column(Text)
    seq: Mapped[int | None] = mapped_column(BigInteger)
    external_id: Mapped[str | None] = mapped_column(Text)
    kind: Mapped[str] = mapped_column(Text, server_default="utterance")
    source: Mapped[str] = mapped_column(Text, server_default="user")
    speaker: Mapped[str | None] = mapped_column(Text)
    occurred_at: Mapped[Moment]
    utc_offset: Mapped[int] = mapped_column(Integer, server_default="0")
    future: Mapped[bool] = mapped_column(Boolean, server_default=text("false"))
    metadata_: Mapped[dict[str, object]] = mapped_column("metadata", JSONB, server_default=text("'{}'::jsonb"))
    revision: Mapped[int] = mapped_column(Integer, server_default="1")
    quarantined: Mapped[bool] = mapped_column(Boolean, server_default=text("false"))
    expires_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
    forgetting_id: Mapped[int | None] = mapped_column(BigInteger)
    forgotten_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
    recorded_at: Mapped[Recorded]


class EpisodeRevision(Base):
    """The words of one revision of an episode, exactly as they came.

    `echoes`: spans, as [start, stop] in characters, that repeat what this store served before; decided when the words
    came, so that no later sweep sees it otherwise.
    """

    __tablename__ = "episode_revisions"

    episode_id: Mapped[int] = mapped_column(BigInteger, ForeignKey("episodes.id", ondelete="CASCADE"), primary_key=True)
    revision: Mapped[int] = mapped_column(Integer, primary_key=True)
    content: Mapped[str] = mapped_column(Text)
    content_digest: Mapped[bytes] = mapped_column(LargeBinary)
    echoes: Mapped[list[list[int]]] = mapped_column(JSONB, server_default=text("'[]'::jsonb"))
    recorded_at: Mapped[Recorded]


class MemorySource(Base):
    """Where a memory rests: a span, in characters, of one revision of an episode.

    For a fact also how this source states it (`said`), by which extractor (`made_by`, a fingerprint), and since when it
    no longer does (`withdrawn_at`).
    """

    __tablename__ = "memory_sources"
    __table_args__ = (
        ForeignKeyConstraint(
            ["episode_id", "revision"],
            ["episode_revisions.episode_id", "episode_revisions.revision"],
            name="fk_memory_sources_revision",
        ),
        Index("ix_memory_sources_episode", "episode_id", "revision"),
    )

    memory_id: Mapped[int] = mapped_column(BigInteger, ForeignKey("memories.id", ondelete="CASCADE"), primary_key=True)
    episode_id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    revision: Mapped[int] = mapped_column(Integer, primary_key=True)
    start: Mapped[int] = mapped_column(Integer, primary_key=True)
    end: Mapped[int] = mapped_column("stop", Integer)
    said: Mapped[dict[str, object] | None] = mapped_column(JSONB)
    made_by: Mapped[str | None] = mapped_column(Text)
    withdrawn_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
