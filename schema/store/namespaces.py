"""Namespaces: finding, making, numbering and dropping them, and what a question needs to know of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, select, text, update
from sqlalchemy.dialects.postgresql import insert

from schema.db import ReadSession, WriteSession
from schema.derivations import OF_EPISODES
from schema.kinds import SpaceSpec
from schema.models import Namespace, Space, Tenant
from schema.store.spaces import SpaceRow

DEFAULT_TENANT = "default"


@dataclass(frozen=True, slots=True)
class NamespaceRow:
    """A namespace as its users need it. `space_id` is the vector space it reads: its own, else the store's default.

    None until some worker has made the first space.
    """

    id: int
    name: str
    language: str
    space_id: int | None


_DEFAULT_SPACE = select(Space.id).where(Space.is_default).scalar_subquery()
_NAMESPACE = (Namespace.id, Namespace.name, Namespace.language, func.coalesce(Namespace.space_id, _DEFAULT_SPACE))


def find(session: ReadSession, name: str, tenant: str = DEFAULT_TENANT) -> NamespaceRow | None:
    """Return the namespace called `name`, or None."""
    row = session.execute(
        select(*_NAMESPACE)
        .join(Tenant, Tenant.id == Namespace.tenant_id)
        .where(Tenant.name == tenant, Namespace.name == name)
    ).one_or_none()
    return None if row is None else NamespaceRow(*row)


def ensure(session: WriteSession, name: str, tenant: str = DEFAULT_TENANT) -> NamespaceRow:
    """Return the namespace called `name`, made now if need be, reading the store's default vector space."""
    found = find(session, name, tenant)
    if found is not None:
        return found
    owner = select(Tenant.id).where(Tenant.name == tenant).scalar_subquery()
    session.execute(insert(Namespace).values(tenant_id=owner, name=name).on_conflict_do_nothing())
    made = find(session, name, tenant)
    if made is None:
        raise LookupError(f"tenant {tenant!r} does not exist")
    return made


def listed(session: ReadSession, tenant: str = DEFAULT_TENANT) -> list[NamespaceRow]:
    """List a tenant's namespaces by name."""
    rows = session.execute(
        select(*_NAMESPACE)
        .join(Tenant, Tenant.id == Namespace.tenant_id)
        .where(Tenant.name == tenant)
        .order_by(Namespace.name)
    )
    return [NamespaceRow(*row) for row in rows]


@dataclass(frozen=True, slots=True)
class RecallNamespace:
    """All that a question needs to know of where it is asked, in one statement.

    `behind` are the heads of the derivations stamped by memory in which the namespace has stale rows;
    `known` are those of the names asked about that its memories mention, `speakers` the names, in key order, of those
    who speak in it and whose first word is among them.
    """

    namespace: NamespaceRow | None
    space: SpaceRow | None
    hash_key: bytes
    behind: Mapping[str, int]
    known: frozenset[str]
    speakers: tuple[str, ...]


FOR_RECALL = """
    SELECT t.hash_key, n.id, n.name, n.language, s.id,
           (SELECT json_object_agg(h.derivation, h.head) FROM (
              SELECT r.derivation, max(r.revision) AS head FROM rules r WHERE NOT r.derivation = ANY(:of_episodes)
              GROUP BY r.derivation) h
            WHERE EXISTS (SELECT 1 FROM stamps p WHERE p.namespace_id = n.id AND p.derivation = h.derivation
                          AND p.revision < h.head)),
           (SELECT array_agg(e.key) FROM entities e WHERE e.namespace_id = n.id AND e.key = ANY(:names)),
           (SELECT array_agg(e.key ORDER BY e.key) FROM entities e
            WHERE e.namespace_id = n.id AND e.is_speaker AND split_part(e.key, ' ', 1) = ANY(:names)),
           s.id, s.fingerprint, s.state, s.is_default, s.model, s.weights, s.dimension, s.pooling, s.normalised,
           s."window", s.query_prompt, s.document_prompt, s.template
    FROM tenants t LEFT JOIN namespaces n ON n.tenant_id = t.id AND n.name = :name
    LEFT JOIN spaces s ON s.id = coalesce(n.space_id, (SELECT d.id FROM spaces d WHERE d.is_default))
    WHERE t.name = :tenant"""
"""The statement of `for_recall`."""


def for_recall(
    session: ReadSession, name: str, names: Sequence[str] = (), tenant: str = DEFAULT_TENANT
) -> RecallNamespace:
    """Return what a question in the namespace called `name` needs to know; a namespace nobody wrote to is None.

    `names` are normalised names that stand in the question.
    """
    row: Any = session.execute(
        text(FOR_RECALL), {"name": name, "tenant": tenant, "names": list(names), "of_episodes": list(OF_EPISODES)}
    ).one()
    namespace = None if row[1] is None else NamespaceRow(*row[1:5])
    space = None if row[8] is None else SpaceRow(row[8], SpaceSpec(*row[12:]), row[9], row[10], row[11])
    return RecallNamespace(namespace, space, bytes(row[0]), row[5] or {}, frozenset(row[6] or ()), tuple(row[7] or ()))


def languages(session: ReadSession, namespace_ids: list[int]) -> dict[int, str]:
    """Return the language of each namespace."""
    rows = session.execute(select(Namespace.id, Namespace.language).where(Namespace.id.in_(namespace_ids)))
    return {row.id: row.language for row in rows}


@dataclass(frozen=True, slots=True)
class KeyedNamespace:
    """What is needed of a namespace to take something in, or to forget it. `quarantine`: sources that wait."""

    tenant_id: int
    namespace_id: int
    name: str
    hash_key: bytes
    quarantine: tuple[str, ...]


def lock(session: WriteSession, namespace_id: int) -> None:
    """Let nobody else change a namespace until this transaction ends."""
    session.execute(select(Namespace.id).where(Namespace.id == namespace_id).with_for_update(key_share=True))


def keyed(session: ReadSession, namespace_id: int) -> KeyedNamespace:
    """Return what is needed to take something in."""
    row = session.execute(
        select(Tenant.id, Namespace.id, Namespace.name, Tenant.hash_key, Namespace.quarantine)
        .join(Tenant, Tenant.id == Namespace.tenant_id)
        .where(Namespace.id == namespace_id)
    ).one()
    return KeyedNamespace(row[0], row[1], row[2], bytes(row[3]), tuple(row[4]))


def reserve_numbers(session: WriteSession, namespace_id: int, count: int) -> int:
    """Reserve `count` consecutive memory numbers and return the first. Call in a short transaction of its own."""
    last = session.execute(
        update(Namespace)
        .where(Namespace.id == namespace_id)
        .values(next_number=Namespace.next_number + count)
        .returning(Namespace.next_number)
    ).scalar_one()
    return last - count


def drop_if_empty(session: WriteSession, namespace_id: int, spaces: list[int]) -> bool:
    """Delete a namespace that holds no episode any more; return whether it was deleted."""
    held = session.execute(
        text("""SELECT EXISTS (SELECT 1 FROM episodes WHERE namespace_id = n.id) FROM namespaces n
                WHERE n.id = :ns FOR UPDATE"""),
        {"ns": namespace_id},
    ).scalar_one_or_none()
    if held is not False:
        return False
    drop(session, namespace_id, spaces)
    return True


def drop(session: WriteSession, namespace_id: int, spaces: list[int]) -> None:
    """Delete a namespace and all that is in it, in one transaction: for the throw-away namespaces of evaluations."""
    params = {"ns": namespace_id}
    for space_id in spaces:
        session.execute(text(f"DELETE FROM vectors_{space_id:d} WHERE namespace_id = :ns"), params)  # noqa: S608 - an int
    for statement in (
        "DELETE FROM stamps WHERE namespace_id = :ns",
        "DELETE FROM posting_blocks WHERE namespace_id = :ns",
        "DELETE FROM posting_tail WHERE namespace_id = :ns",
        "DELETE FROM posting_statistics WHERE namespace_id = :ns",
        "DELETE FROM recall_log WHERE namespace_id = :ns",
        "DELETE FROM retrievals WHERE namespace_id = :ns",
        "DELETE FROM memories WHERE namespace_id = :ns",
        "DELETE FROM entities WHERE namespace_id = :ns",
        "DELETE FROM episodes WHERE namespace_id = :ns",
        "DELETE FROM namespaces WHERE id = :ns",
    ):
        session.execute(text(statement), params)
