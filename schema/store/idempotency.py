"""The first answers to writes that carried an Idempotency-Key, kept for a day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import delete, func, select, update
from sqlalchemy.dialects.postgresql import insert

from schema.db import WriteSession
from schema.models import IdempotencyKey

KEPT = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """The first answer given under an Idempotency-Key."""

    body_digest: bytes
    status: int
    response: dict[str, Any]


def claim(session: WriteSession, namespace_id: int, key: str, body_digest: bytes) -> KeptAnswer | None:
    """Claim an Idempotency-Key; return the answer it already has, or None when it is now this transaction's.

    A rival with the same key waits here until the first one's transaction ends, and then reads its answer.
    """
    session.execute(
        delete(IdempotencyKey).where(
            IdempotencyKey.namespace_id == namespace_id,
            IdempotencyKey.key == key,
            IdempotencyKey.recorded_at < func.now() - KEPT,
        )
    )
    made = session.execute(
        insert(IdempotencyKey)
        .values(namespace_id=namespace_id, key=key, body_digest=body_digest, status=0, response={})
        .on_conflict_do_nothing()
        .returning(IdempotencyKey.key)
    ).scalar_one_or_none()
    if made is not None:
        return None
    row = session.execute(
        select(IdempotencyKey.body_digest, IdempotencyKey.status, IdempotencyKey.response).where(
            IdempotencyKey.namespace_id == namespace_id, IdempotencyKey.key == key
        )
    ).one()
    return KeptAnswer(*row)


def keep(session: WriteSession, namespace_id: int, key: str, status: int, response: dict[str, Any]) -> None:
    """Record the answer under the key that `claim` claimed in this transaction."""
    session.execute(
        update(IdempotencyKey)
        .where(IdempotencyKey.namespace_id == namespace_id, IdempotencyKey.key == key)
        .values(status=status, response=response)
    )


def prune(session: WriteSession) -> int:
    """Drop answers older than a day; return how many."""
    gone = session.execute(
        delete(IdempotencyKey).where(IdempotencyKey.recorded_at < func.now() - KEPT).returning(IdempotencyKey.key)
    )
    return len(gone.all())
