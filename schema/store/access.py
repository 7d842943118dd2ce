"""Tenants, namespaces, and the answers kept for repeated writes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import delete, func, select, text, update
from sqlalchemy.dialects.postgresql import insert

from schema.db import ReadSession, WriteSession
from schema.models import IdempotencyKey, Namespace, Space, Tenant

DEFAULT_TENANT = "default"
KEPT = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class NamespaceRow:
    """A namespace as its users need it. `space_id` is None until some worker has made the first vector space."""

    id: int
    name: str
    language: str
    space_id: int | None


def find_namespace(session: ReadSession, name: str, tenant: str = DEFAULT_TENANT) -> NamespaceRow | None:
    """Return the namespace called `name`, or None."""
    row = session.execute(
        select(Namespace.id, Namespace.name, Namespace.language, Namespace.space_id)
        .join(Tenant, Tenant.id == Namespace.tenant_id)
        .where(Tenant.name == tenant, Namespace.name == name)
    ).one_or_none()
    return None if row is None else NamespaceRow(*row)


def ensure_namespace(session: WriteSession, name: str, tenant: str = DEFAULT_TENANT) -> NamespaceRow:
    """Return the namespace called `name`, made now if need be, reading the default vector space."""
    found = find_namespace(session, name, tenant)
    if found is not None:
        return found
    space = select(Space.id).where(Space.is_default).scalar_subquery()
    owner = select(Tenant.id).where(Tenant.name == tenant).scalar_subquery()
    session.execute(insert(Namespace).values(tenant_id=owner, name=name, space_id=space).on_conflict_do_nothing())
    made = find_namespace(session, name, tenant)
    if made is None:
        raise LookupError(f"tenant {tenant!r} does not exist")
    return made


def namespaces(session: ReadSession, tenant: str = DEFAULT_TENANT) -> list[NamespaceRow]:
    """List a tenant's namespaces by name."""
    rows = session.execute(
        select(Namespace.id, Namespace.name, Namespace.language, Namespace.space_id)
        .join(Tenant, Tenant.id == Namespace.tenant_id)
        .where(Tenant.name == tenant)
        .order_by(Namespace.name)
    )
    return [NamespaceRow(*row) for row in rows]


def hash_key(session: ReadSession, tenant: str = DEFAULT_TENANT) -> bytes:
    """Return the secret under which a tenant's questions are digested."""
    return session.execute(select(Tenant.hash_key).where(Tenant.name == tenant)).scalar_one()


def languages(session: ReadSession, namespace_ids: list[int]) -> dict[int, str]:
    """Return the language of each namespace."""
    rows = session.execute(select(Namespace.id, Namespace.language).where(Namespace.id.in_(namespace_ids)))
    return {row.id: row.language for row in rows}


def reserve_numbers(session: WriteSession, namespace_id: int, count: int) -> int:
    """Reserve `count` consecutive memory numbers and return the first. Call in a short transaction of its own."""
    last = session.execute(
        update(Namespace)
        .where(Namespace.id == namespace_id)
        .values(next_no=Namespace.next_no + count)
        .returning(Namespace.next_no)
    ).scalar_one()
    return last - count


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """The first answer given under an Idempotency-Key."""

    body_digest: bytes
    status: int
    response: dict[str, Any]


def claim_key(session: WriteSession, namespace_id: int, key: str, body_digest: bytes) -> KeptAnswer | None:
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


def keep_answer(session: WriteSession, namespace_id: int, key: str, status: int, response: dict[str, Any]) -> None:
    """Record the answer under the key that `claim_key` claimed in this transaction."""
    session.execute(
        update(IdempotencyKey)
        .where(IdempotencyKey.namespace_id == namespace_id, IdempotencyKey.key == key)
        .values(status=status, response=response)
    )


def prune_keys(session: WriteSession) -> int:
    """Drop answers older than a day; return how many."""
    gone = session.execute(
        delete(IdempotencyKey).where(IdempotencyKey.recorded_at < func.now() - KEPT).returning(IdempotencyKey.key)
    )
    return len(gone.all())


def drop_namespace(session: WriteSession, namespace_id: int, spaces: list[int]) -> None:
    """Delete a namespace and all that is in it, in one transaction: for the throw-away namespaces of evaluations."""
    params = {"ns": namespace_id}
    for space_id in spaces:
        session.execute(text(f"DELETE FROM vectors_{space_id:d} WHERE namespace_id = :ns"), params)  # noqa: S608 - an int
    for statement in (
        "DELETE FROM stamps WHERE namespace_id = :ns",
        "DELETE FROM posting_blocks WHERE namespace_id = :ns",
        "DELETE FROM posting_tail WHERE namespace_id = :ns",
        "DELETE FROM posting_statistics WHERE namespace_id = :ns",
        "DELETE FROM memories WHERE namespace_id = :ns",
        "DELETE FROM entities WHERE namespace_id = :ns",
        "DELETE FROM episodes WHERE namespace_id = :ns",
        "DELETE FROM namespaces WHERE id = :ns",
    ):
        session.execute(text(statement), params)
