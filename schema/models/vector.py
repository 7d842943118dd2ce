"""Vector spaces: everything that decides coordinates. Each space has a table of its own, `vectors_<id>`."""

from __future__ import annotations

from pgvector.sqlalchemy import Vector
from sqlalchemy import BigInteger, Boolean, Column, ForeignKey, Index, Integer, LargeBinary, MetaData, Table, Text, text
from sqlalchemy.orm import Mapped, mapped_column

from schema.models.base import Base, Recorded, RowId


class Space(Base):
    """One space. Its encoder is loaded from this row, by writers and by questions alike, never from settings."""

    __tablename__ = "spaces"
    __table_args__ = (
        Index("uq_spaces_fingerprint", "fingerprint", unique=True),
        # At most one space is the default of new namespaces.
        Index("uq_spaces_default", "is_default", unique=True, postgresql_where=text("is_default")),
    )

    id: Mapped[RowId]
    fingerprint: Mapped[str] = mapped_column(Text)
    model: Mapped[str] = mapped_column(Text)
    weights: Mapped[str] = mapped_column(Text)
    dimension: Mapped[int] = mapped_column(Integer)
    pooling: Mapped[str] = mapped_column(Text)
    normalised: Mapped[bool] = mapped_column(Boolean)
    window: Mapped[int] = mapped_column(Integer)
    query_prompt: Mapped[str] = mapped_column(Text)
    document_prompt: Mapped[str] = mapped_column(Text)
    template: Mapped[str] = mapped_column(Text)
    state: Mapped[str] = mapped_column(Text)
    is_default: Mapped[bool] = mapped_column(Boolean, server_default=text("false"))
    recorded_at: Mapped[Recorded]


def vectors_table(space_id: int, dimension: int) -> Table:
    """Describe the table of one space, keyed (namespace, memory). It is made by `palimpsest_create_space`."""
    return Table(
        f"vectors_{space_id:d}",
        MetaData(),
        Column("namespace_id", BigInteger, primary_key=True),
        Column("memory_id", BigInteger, ForeignKey("memories.id", ondelete="CASCADE"), primary_key=True),
        Column("text_digest", LargeBinary, nullable=False),
        Column("embedding", Vector(dimension), nullable=False),
    )
