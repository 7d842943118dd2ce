"""Forgetting: marking what goes, deleting it in bounded batches, and looking whether anything is left.

What is marked is read by nobody and written for by nobody from the commit on: its stamps are gone, so no worker that
holds it finishes, and its memories are retired, so no leg returns them. Deleting follows, resumable, in the lock order:
episodes, stamps, memories, derived. What remains is a receipt and keyed digests of external ids.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import text

from schema import derivations
from schema.db import ReadSession, WriteSession
from schema.ids import digest
from schema.kinds import MemoryKind, Retirement
from schema.store import facts, memories, sessions, stamps
from schema.store.namespaces import KeyedNamespace


def tombstone(door: KeyedNamespace, external_id: str) -> bytes:
    """Return the keyed digest of an external id of a namespace."""
    return digest(door.hash_key, "external", door.name, external_id)


def forgotten_ids(session: ReadSession, door: KeyedNamespace, external_ids: Sequence[str]) -> set[str]:
    """Return those of some external ids that were forgotten, or are being forgotten."""
    if not external_ids:
        return set()
    by_digest = {tombstone(door, name): name for name in external_ids}
    rows = session.execute(
        text("SELECT digest FROM tombstones WHERE tenant_id = :tenant AND digest = ANY(:digests)"),
        {"tenant": door.tenant_id, "digests": list(by_digest)},
    )
    marked = session.execute(
        text(
            "SELECT external_id FROM episodes WHERE namespace_id = :ns AND external_id = ANY(:names) "
            "AND forgotten_at IS NOT NULL"
        ),
        {"ns": door.namespace_id, "names": list(external_ids)},
    )
    return {by_digest[bytes(row[0])] for row in rows} | set(marked.scalars())


@dataclass(frozen=True, slots=True)
class Receipt:
    """One forgetting: what was asked for, how many episodes, what has gone, and what is left of it anywhere.

    `left` is None until it was looked for; `physical` tells whether a vacuum has been over every table since.
    """

    id: int
    namespace_id: int
    scope: str
    episodes: int
    removed: Mapping[str, int]
    left: Mapping[str, int] | None
    recorded_at: datetime
    finished_at: datetime | None
    physical: bool = False


_SCOPES: dict[str, str] = {
    "episode": "id = ANY(:ids)",
    "session_id": "session_id = :value",
    "user_id": "user_id = :value",
    "namespace": "true",
    "expired": "expires_at <= now()",
}
SCOPES = tuple(_SCOPES)


def mark(
    session: WriteSession, door: KeyedNamespace, scope: str, value: str | None, ids: Sequence[int] | None
) -> Receipt:
    """Mark the episodes of a scope as forgotten, with everything that rests on them, and open their receipt."""
    receipt_id = session.execute(
        text("""INSERT INTO forgettings (tenant_id, namespace_id, scope, target, episodes)
                VALUES (:tenant, :ns, :scope, :target, 0) RETURNING id"""),
        {
            "tenant": door.tenant_id,
            "ns": door.namespace_id,
            "scope": scope,
            "target": digest(door.hash_key, scope, value, *sorted(ids or ())),
        },
    ).scalar_one()
    params: dict[str, Any] = {"ns": door.namespace_id, "f": receipt_id}
    params |= {"ids": list(ids or ())} if scope == "episode" else {"value": value} if "_id" in scope else {}
    marked = session.execute(
        text(f"""WITH chosen AS (SELECT id FROM episodes WHERE namespace_id = :ns AND forgotten_at IS NULL
                   AND {_SCOPES[scope]} ORDER BY id FOR NO KEY UPDATE)
                 UPDATE episodes e SET forgotten_at = now(), forgetting_id = :f FROM chosen WHERE e.id = chosen.id
                 RETURNING e.id"""),  # noqa: S608 - a constant by name
        params,
    )
    found = sorted(marked.scalars())
    session.execute(text("UPDATE forgettings SET episodes = :n WHERE id = :f"), {"n": len(found), "f": receipt_id})
    # Whoever derives one of them now holds its stamp until the end of its transaction; we wait for that and see what
    # it wrote in the next statement.
    stamps.drop(session, derivations.OF_EPISODES, found)
    _hide(session, receipt_id)
    _answers(session, door, found)
    if scope == "session_id":
        # Answers went into it that held what others had told.
        for table in ("recall_log", "retrievals"):
            session.execute(
                text(f"UPDATE {table} SET session_id = NULL WHERE namespace_id = :ns AND session_id = :value"),  # noqa: S608 - constants
                {"ns": door.namespace_id, "value": value},
            )
    return receipt(session, receipt_id)


def _hide(session: WriteSession, receipt_id: int) -> None:
    """Retire every memory that rests on a marked episode; those with another source come back when that is folded."""
    session.execute(
        text("""WITH chosen AS (SELECT id FROM memories WHERE retired_at IS NULL AND id IN (
                  SELECT s.memory_id FROM episodes e JOIN memory_sources s ON s.episode_id = e.id
                  WHERE e.forgetting_id = :f) ORDER BY id FOR NO KEY UPDATE)
                UPDATE memories m SET retired_at = now(), retired_reason = :reason FROM chosen
                WHERE m.id = chosen.id"""),
        {"f": receipt_id, "reason": Retirement.FORGOTTEN},
    )


@dataclass(frozen=True, slots=True)
class Batch:
    """Marked episodes, the memories that rest on nothing else, and those that rest on something else too."""

    episodes: Sequence[int]
    alone: Sequence[int]
    shared: Sequence[int]


def next_batch(session: WriteSession, door: KeyedNamespace, receipt_id: int, limit: int) -> Batch:
    """Lock up to `limit` marked episodes, the stamps of what rests on them, and its rows, in the lock order."""
    rows = session.execute(
        text("SELECT id FROM episodes WHERE forgetting_id = :f ORDER BY id LIMIT :limit FOR UPDATE"),
        {"f": receipt_id, "limit": limit},
    )
    ids = list(rows.scalars())
    # Turns that were read with these as context are read without them from here on.
    after = sessions.followers(session, door.namespace_id, sessions.places(session, ids))
    stamps.make_due(session, derivations.FACTS, after)
    resting = session.execute(
        text("SELECT DISTINCT memory_id FROM memory_sources WHERE episode_id = ANY(:ids) ORDER BY 1"), {"ids": ids}
    )
    touched = list(resting.scalars())
    facts.lock(session, touched)
    # A source that no longer states its fact keeps nothing alive: the fact's words may be those that go. But what a
    # person rejected is remembered, in the words of a living episode, for as long as that may state it again.
    shared = session.execute(
        text("""SELECT DISTINCT s.memory_id FROM memory_sources s JOIN memories m ON m.id = s.memory_id
                  JOIN episodes e ON e.id = s.episode_id AND e.revision = s.revision AND e.forgotten_at IS NULL
                WHERE s.memory_id = ANY(:touched) AND m.kind = :fact AND s.withdrawn_at IS NULL
                UNION
                SELECT s.memory_id FROM memory_sources s JOIN memories m ON m.id = s.memory_id
                  JOIN episodes e ON e.id = s.episode_id AND e.forgotten_at IS NULL
                  JOIN decisions d ON d.memory_id = m.id AND d.verdict <> 'confirm'
                WHERE s.memory_id = ANY(:touched) AND m.kind = :fact ORDER BY 1"""),
        {"touched": touched, "fact": MemoryKind.FACT},
    )
    kept = list(shared.scalars())
    return Batch(ids, sorted(set(touched) - set(kept)), kept)


def delete(session: WriteSession, door: KeyedNamespace, receipt_id: int, batch: Batch, index: Sequence[str]) -> None:
    """Delete a locked batch from every table, leave tombstones of its external ids, and add it up in the receipt."""
    removed: dict[str, int] = {}

    def run(table: str, statement: str, **params: Any) -> None:
        done = session.execute(text(statement), params)
        removed[table] = removed.get(table, 0) + int(done.rowcount)  # type: ignore[attr-defined]

    gone, ids = list(batch.alone), list(batch.episodes)
    memories.unindex(session, gone, index)
    run("memory_sources", "DELETE FROM memory_sources WHERE episode_id = ANY(:ids)", ids=ids)
    for table in ("recall_log", "retrievals", "decisions", "memory_events"):
        run(table, f"DELETE FROM {table} WHERE memory_id = ANY(:gone)", gone=gone)  # noqa: S608 - a constant
    # What a fact that stays was called while it rested on these may be their words.
    run("recall_log", "DELETE FROM recall_log WHERE memory_id = ANY(:shared)", shared=list(batch.shared))
    run("memory_events", "DELETE FROM memory_events WHERE episode_id = ANY(:ids)", ids=ids)
    run("decisions", "UPDATE decisions SET correction_id = NULL WHERE correction_id = ANY(:ids)", ids=ids)
    _answers(session, door, ids)
    run("memories", "DELETE FROM memories WHERE id = ANY(:gone)", gone=gone)
    _leave_tombstones(session, door, receipt_id, ids)
    run("episode_revisions", "DELETE FROM episode_revisions WHERE episode_id = ANY(:ids)", ids=ids)
    run("episodes", "DELETE FROM episodes WHERE id = ANY(:ids)", ids=ids)
    _add_up(session, receipt_id, removed)


def _answers(session: WriteSession, door: KeyedNamespace, ids: Sequence[int]) -> None:
    """Take the episodes out of answers kept for repeated requests: such a request is told that they were forgotten."""
    rows = session.execute(
        text("""SELECT key, response FROM idempotency_keys k WHERE namespace_id = :ns AND EXISTS (
                  SELECT 1 FROM json_array_elements(k.response -> 'episodes') e
                  WHERE CAST(e ->> 'id' AS bigint) = ANY(:ids)) ORDER BY key FOR UPDATE"""),
        {"ns": door.namespace_id, "ids": list(ids)},
    ).all()
    gone = {"status": "forgotten", "id": None, "external_id": None}
    for key, response in rows:
        kept = [gone if item.get("id") in set(ids) else item for item in response["episodes"]]
        session.execute(
            text(
                """UPDATE idempotency_keys SET response = CAST(:r AS json), status = 207
                    WHERE namespace_id = :ns AND key = :key"""
            ),
            {"r": json.dumps({**response, "episodes": kept}), "ns": door.namespace_id, "key": key},
        )


def _leave_tombstones(session: WriteSession, door: KeyedNamespace, receipt_id: int, ids: Sequence[int]) -> None:
    names = session.execute(
        text("SELECT external_id FROM episodes WHERE id = ANY(:ids) AND external_id IS NOT NULL"), {"ids": list(ids)}
    )
    digests = [tombstone(door, name) for name in names.scalars()]
    digests += [digest(door.hash_key, "episode", door.name, episode_id) for episode_id in ids]
    session.execute(
        text("""INSERT INTO tombstones (tenant_id, digest, forgetting_id)
                SELECT :tenant, d, :f FROM unnest(CAST(:digests AS bytea[])) d ON CONFLICT DO NOTHING"""),
        {"tenant": door.tenant_id, "f": receipt_id, "digests": digests},
    )


def _add_up(session: WriteSession, receipt_id: int, removed: Mapping[str, int]) -> None:
    before = session.execute(
        text("SELECT removed FROM forgettings WHERE id = :f FOR UPDATE"), {"f": receipt_id}
    ).scalar_one()
    total = {name: before.get(name, 0) + removed.get(name, 0) for name in sorted({*before, *removed})}
    session.execute(
        text("UPDATE forgettings SET removed = CAST(:total AS jsonb) WHERE id = :f"),
        {"total": json.dumps(total), "f": receipt_id},
    )


def finish(session: WriteSession, receipt_id: int, left: Mapping[str, int]) -> Receipt:
    """Close a receipt with what was found to be left."""
    session.execute(
        text('UPDATE forgettings SET finished_at = now(), "left" = CAST(:left AS jsonb) WHERE id = :f'),
        {"left": json.dumps(dict(left)), "f": receipt_id},
    )
    return receipt(session, receipt_id)


_RECEIPT = 'id, namespace_id, scope, episodes, removed, "left", recorded_at, finished_at'


def receipt(session: ReadSession, receipt_id: int) -> Receipt:
    """Return a receipt by its id. Raises LookupError."""
    row: Any = session.execute(
        text(f"SELECT {_RECEIPT} FROM forgettings WHERE id = :f"),  # noqa: S608 - constants
        {"f": receipt_id},
    ).one_or_none()
    if row is None:
        raise LookupError(receipt_id)
    whole: Any = (*row, row.finished_at is not None and _vacuumed(session, row.finished_at))
    return Receipt(*whole)


def open_receipts(session: ReadSession) -> list[int]:
    """Return the receipts that are not finished, oldest first."""
    return list(session.execute(text("SELECT id FROM forgettings WHERE finished_at IS NULL ORDER BY id")).scalars())


def expired(session: ReadSession) -> list[int]:
    """Return the namespaces that hold episodes whose time is up."""
    rows = session.execute(
        text("""SELECT DISTINCT namespace_id FROM episodes
                WHERE expires_at <= now() AND forgotten_at IS NULL ORDER BY 1""")
    )
    return list(rows.scalars())


_TOLD = (
    "episodes",
    "episode_revisions",
    "memory_events",
    "decisions",
    "stamps",
    "recall_log",
    "retrievals",
    "idempotency_keys",
)


def tables() -> list[str]:
    """Return the tables that hold, or point to, what was told, vector tables aside."""
    return [*_TOLD, *derivations.tables()]


def _vacuumed(session: ReadSession, since: datetime) -> bool:
    """Whether a vacuum has been over every table that held something, since a moment."""
    return bool(
        session.execute(
            text("""SELECT coalesce(bool_and(coalesce(greatest(last_vacuum, last_autovacuum) > :since, false)), false)
                    FROM pg_stat_user_tables WHERE schemaname = current_schema()
                      AND (relname = ANY(:tables) OR relname LIKE 'vectors\\_%')"""),
            {"since": since, "tables": tables()},
        ).scalar_one()
    )
