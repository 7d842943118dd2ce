"""What was refused where nobody stood waiting for the answer."""

from __future__ import annotations

from sqlalchemy import Text
from sqlalchemy.orm import Mapped, mapped_column

from schema.models.base import Base, Recorded, RowId


class Rejection(Base):
    """Input that a task refused: which field and why, never the content."""

    __tablename__ = "rejections"

    id: Mapped[RowId]
    door: Mapped[str] = mapped_column(Text)
    request_id: Mapped[str] = mapped_column(Text)
    field: Mapped[str | None] = mapped_column(Text)
    reason: Mapped[str] = mapped_column(Text)
    recorded_at: Mapped[Recorded]
