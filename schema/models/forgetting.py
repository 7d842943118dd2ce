"""Forgetting: what was asked for, how far it is, and what may not come back."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, DateTime, LargeBinary, Text, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from schema.models.base import Base, Recorded, RowId


class Forgetting(Base):
    """One request to forget, and its receipt. What it was about is kept as a keyed digest only."""

    __tablename__ = "forgettings"

    id: Mapped[RowId]
    tenant_id: Mapped[int] = mapped_column(BigInteger)
    namespace_id: Mapped[int] = mapped_column(BigInteger)
    scope: Mapped[str] = mapped_column(Text)
    target: Mapped[bytes] = mapped_column(LargeBinary)
    episodes: Mapped[int] = mapped_column(BigInteger)
    removed: Mapped[dict[str, int]] = mapped_column(JSONB, server_default=text("'{}'::jsonb"))
    left: Mapped[dict[str, int] | None] = mapped_column(JSONB)
    recorded_at: Mapped[Recorded]
    finished_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))


class Tombstone(Base):
    """The keyed digest of an external id that was forgotten: an import that brings it again is told so."""

    __tablename__ = "tombstones"

    tenant_id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    digest: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True)
    forgetting_id: Mapped[int] = mapped_column(BigInteger)
    recorded_at: Mapped[Recorded]
