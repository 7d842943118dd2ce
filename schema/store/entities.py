"""Entities and mentions: who and what the memories of a namespace are about, and their postings for the entity leg."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import text

from schema.db import ReadSession, WriteSession
from schema.kinds import Named
from schema.store import postings

SPEAKER = "SPEAKER"
"""The kind of whoever says a memory."""


@dataclass(frozen=True, slots=True)
class EntitySet:
    """All entities of one memory, no key twice."""

    memory_id: int
    namespace_id: int
    number: int
    entities: Sequence[Named]


def write_mentions(session: WriteSession, items: Sequence[EntitySet]) -> None:
    """Make the mentions of these memories, and their postings, exactly the given ones; touch only what differs."""
    before = postings.mention_keys(session, [item.memory_id for item in items])
    changed = [
        item
        for item in items
        if sorted(before.get(item.memory_id, [])) != sorted(named.posting_key for named in item.entities)
    ]
    if changed:
        _rewrite(session, changed, before)
    _hear(session, items)


def _rewrite(session: WriteSession, changed: Sequence[EntitySet], before: Mapping[int, list[int]]) -> None:
    ids = _ensure(session, changed)
    session.execute(
        text("DELETE FROM mentions WHERE memory_id = ANY(:ids)"), {"ids": [item.memory_id for item in changed]}
    )
    pairs = sorted((item.memory_id, ids[item.namespace_id, named.key]) for item in changed for named in item.entities)
    session.execute(
        text("""INSERT INTO mentions (memory_id, entity_id)
                SELECT * FROM unnest(CAST(:memories AS bigint[]), CAST(:entities AS bigint[]))"""),
        {"memories": [pair[0] for pair in pairs], "entities": [pair[1] for pair in pairs]},
    )
    for namespace_id in sorted({item.namespace_id for item in changed}):
        records = [
            postings.entity_records(
                item.number, before.get(item.memory_id, []), [named.posting_key for named in item.entities]
            )
            for item in changed
            if item.namespace_id == namespace_id
        ]
        postings.append(session, namespace_id, records)


def _ensure(session: WriteSession, items: Sequence[EntitySet]) -> dict[tuple[int, str], int]:
    """Return the ids of the entities of `items` by (namespace, key), making those that are new, in key order."""
    wanted = {(item.namespace_id, named.key): named for item in items for named in item.entities}
    order = sorted(wanted)
    params = {
        "ns": [namespace_id for namespace_id, _ in order],
        "keys": [key for _, key in order],
        "postings": [wanted[pair].posting_key for pair in order],
        "names": [wanted[pair].name for pair in order],
        "kinds": [wanted[pair].kind for pair in order],
    }
    session.execute(
        text("""INSERT INTO entities (namespace_id, key, posting_key, name, kind)
                SELECT * FROM unnest(CAST(:ns AS bigint[]), CAST(:keys AS text[]), CAST(:postings AS bigint[]),
                                     CAST(:names AS text[]), CAST(:kinds AS text[]))
                ON CONFLICT (namespace_id, key) DO NOTHING"""),
        params,
    )
    rows = session.execute(
        text("""SELECT e.namespace_id, e.key, e.id FROM entities e
                JOIN unnest(CAST(:ns AS bigint[]), CAST(:keys AS text[])) AS t(n, k)
                  ON e.namespace_id = t.n AND e.key = t.k"""),
        {"ns": params["ns"], "keys": params["keys"]},
    )
    return {(row[0], row[1]): row[2] for row in rows}


def _hear(session: WriteSession, items: Sequence[EntitySet]) -> None:
    """Note who speaks, whoever named them first."""
    speakers = {(item.namespace_id, named.key) for item in items for named in item.entities if named.kind == SPEAKER}
    order = sorted(speakers)
    if order:
        session.execute(
            text("""WITH heard AS (
                      SELECT e.id FROM entities e
                      JOIN unnest(CAST(:ns AS bigint[]), CAST(:keys AS text[])) AS t(n, k)
                        ON e.namespace_id = t.n AND e.key = t.k
                      WHERE NOT e.is_speaker ORDER BY e.id FOR UPDATE OF e)
                    UPDATE entities SET is_speaker = true FROM heard WHERE entities.id = heard.id"""),
            {"ns": [namespace_id for namespace_id, _ in order], "keys": [key for _, key in order]},
        )


def prune(session: WriteSession, limit: int = 1000, *, namespace_id: int | None = None) -> int:
    """Delete up to `limit` entities that nothing mentions any more, of one namespace or all; return how many."""
    rows = session.execute(
        text("""DELETE FROM entities WHERE id IN (
                  SELECT e.id FROM entities e WHERE NOT EXISTS (SELECT 1 FROM mentions m WHERE m.entity_id = e.id)
                    AND (CAST(:ns AS bigint) IS NULL OR e.namespace_id = :ns)
                  ORDER BY e.id LIMIT :limit FOR UPDATE SKIP LOCKED) RETURNING id"""),
        {"limit": limit, "ns": namespace_id},
    )
    return len(rows.all())


def names(session: ReadSession, namespace_id: int, memory_ids: Sequence[int]) -> dict[int, list[str]]:
    """Return the entity names of each memory, by name."""
    rows = session.execute(
        text("""SELECT m.memory_id, e.name FROM mentions m JOIN entities e ON e.id = m.entity_id
                WHERE e.namespace_id = :ns AND m.memory_id = ANY(:ids) ORDER BY m.memory_id, e.name"""),
        {"ns": namespace_id, "ids": list(memory_ids)},
    )
    found: dict[int, list[str]] = {}
    for memory_id, name in rows:
        found.setdefault(memory_id, []).append(name)
    return found
