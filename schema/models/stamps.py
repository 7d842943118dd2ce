"""One narrow row per (derivation, row): all that the loop knows about staleness, lease, backoff and quarantine."""

from __future__ import annotations

import uuid
from datetime import datetime

from sqlalchemy import BigInteger, DateTime, Index, Integer, SmallInteger, Text, text
from sqlalchemy.dialects.postgresql import UUID
from sqlalchemy.orm import Mapped, mapped_column

from schema.models.base import Base, Recorded


class Stamp(Base):
    """How current one row of one derivation is.

    `revision`: of the rules that made it, 0 = never or made due again. `not_before`: no claim before it: a lease when
    `holder` is set, a backoff when it is not; infinity is quarantine, which stands at the revision that was tried.
    """

    __tablename__ = "stamps"
    __table_args__ = (
        Index("ix_stamps_due", "derivation", "revision", "lane", "row_id"),
        Index("ix_stamps_namespace", "namespace_id", "derivation", "revision"),
        Index("ix_stamps_quarantine", "derivation", "row_id", postgresql_where=text("not_before = 'infinity'")),
    )

    derivation: Mapped[str] = mapped_column(Text, primary_key=True)
    row_id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    namespace_id: Mapped[int] = mapped_column(BigInteger)
    revision: Mapped[int] = mapped_column(Integer, server_default="0")
    lane: Mapped[int] = mapped_column(SmallInteger, server_default="0")
    holder: Mapped[uuid.UUID | None] = mapped_column(UUID(as_uuid=True))
    attempts: Mapped[int] = mapped_column(SmallInteger, server_default="0")
    not_before: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=text("'-infinity'"))
    error: Mapped[str | None] = mapped_column(Text)
    due_since: Mapped[Recorded]
