"""The keyword and entity indexes. See `schema.store.postings` for the layout of the packed bytes."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    ForeignKey,
    Identity,
    Index,
    Integer,
    LargeBinary,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from schema.models.base import Base, RowId


class PostingSet(Base):
    """What one memory has in the keyword index: the forward row that makes replacing and retiring exact."""

    __tablename__ = "posting_sets"

    memory_id: Mapped[int] = mapped_column(BigInteger, ForeignKey("memories.id", ondelete="CASCADE"), primary_key=True)
    namespace_id: Mapped[int] = mapped_column(BigInteger)
    length: Mapped[int] = mapped_column(Integer)
    packed: Mapped[bytes] = mapped_column(LargeBinary)


class PostingBlock(Base):
    """Merged postings of one key for 65,536 consecutive memory numbers of a namespace, 5 bytes a record."""

    __tablename__ = "posting_blocks"

    namespace_id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    key: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    block: Mapped[int] = mapped_column(Integer, primary_key=True)
    packed: Mapped[bytes] = mapped_column(LargeBinary)


class PostingTail(Base):
    """What finishing transactions appended since the last merge, 15 bytes a record; one row a transaction."""

    __tablename__ = "posting_tail"

    namespace_id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    seq: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    packed: Mapped[bytes] = mapped_column(LargeBinary)
    rows: Mapped[int] = mapped_column(Integer)
    length: Mapped[int] = mapped_column(BigInteger)


class PostingStatistics(Base):
    """Row count and total length of what is merged; the tail carries the rest."""

    __tablename__ = "posting_statistics"

    namespace_id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    rows: Mapped[int] = mapped_column(BigInteger)
    length: Mapped[int] = mapped_column(BigInteger)


class Entity(Base):
    """Someone or something that memories of a namespace mention, under its normalised name.

    `posting_key` is what the name is called in the packed index; `is_speaker`: a memory was said by them.
    """

    __tablename__ = "entities"
    __table_args__ = (
        UniqueConstraint("namespace_id", "key"),
        Index(
            "ix_entities_speaker", "namespace_id", text("split_part(key, ' ', 1)"), postgresql_where=text("is_speaker")
        ),
    )

    id: Mapped[RowId]
    namespace_id: Mapped[int] = mapped_column(BigInteger, ForeignKey("namespaces.id"))
    key: Mapped[str] = mapped_column(Text)
    posting_key: Mapped[int] = mapped_column(BigInteger)
    name: Mapped[str] = mapped_column(Text)
    kind: Mapped[str] = mapped_column(Text)
    is_speaker: Mapped[bool] = mapped_column(Boolean, server_default="false")


class Triple(Base):
    """A fact in canonical form: keys to find it by. `functional`: its subject has one such object at a time;
    `alias`: its object is another name of its subject.
    """

    __tablename__ = "triples"
    __table_args__ = (
        Index("ix_triples_subject", "namespace_id", "subject_key", "predicate_key"),
        Index("ix_triples_predicate", "namespace_id", "predicate_key"),
        Index("ix_triples_object", "namespace_id", "object_key"),
    )

    memory_id: Mapped[int] = mapped_column(BigInteger, ForeignKey("memories.id", ondelete="CASCADE"), primary_key=True)
    namespace_id: Mapped[int] = mapped_column(BigInteger)
    subject_key: Mapped[str] = mapped_column(Text)
    predicate_key: Mapped[str] = mapped_column(Text)
    object_key: Mapped[str | None] = mapped_column(Text)
    positive: Mapped[bool] = mapped_column(Boolean)
    functional: Mapped[bool] = mapped_column(Boolean)
    alias: Mapped[bool] = mapped_column(Boolean)


class Mention(Base):
    """That a memory mentions an entity."""

    __tablename__ = "mentions"
    __table_args__ = (Index("ix_mentions_entity", "entity_id"),)

    memory_id: Mapped[int] = mapped_column(BigInteger, ForeignKey("memories.id", ondelete="CASCADE"), primary_key=True)
    entity_id: Mapped[int] = mapped_column(BigInteger, ForeignKey("entities.id", ondelete="CASCADE"), primary_key=True)
