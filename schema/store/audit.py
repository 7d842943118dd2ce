"""Rejections: refused input that has no caller waiting."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import insert, select

from schema.db import ReadSession, WriteSession
from schema.models import Rejection


@dataclass(frozen=True, slots=True)
class RejectionRow:
    """A refused input."""

    id: int
    door: str
    request_id: str
    field: str | None
    reason: str
    recorded_at: datetime


def reject(session: WriteSession, door: str, request_id: str, field: str | None, reason: str) -> None:
    """Record that input was refused."""
    session.execute(insert(Rejection).values(door=door, request_id=request_id, field=field, reason=reason))


def rejections(session: ReadSession, limit: int = 100) -> list[RejectionRow]:
    """List refused input, newest first."""
    rows = session.execute(
        select(
            Rejection.id,
            Rejection.door,
            Rejection.request_id,
            Rejection.field,
            Rejection.reason,
            Rejection.recorded_at,
        )
        .order_by(Rejection.id.desc())
        .limit(limit)
    )
    return [RejectionRow(*row) for row in rows]
