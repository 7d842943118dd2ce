"""Merging a namespace's postings tail into its blocks. Exact, atomic, and never in anybody's way.

One merge at a time a namespace (advisory lock); readers see all of it or nothing; writers go on appending.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from sqlalchemy import text

from schema.db import ReadSession, WriteSession
from schema.store import postings
from schema.store.postings import BLOCK_BITS, BLOCK_RECORD, RECORD, Records

# Rows read in one merge: 4,000 finishing transactions of one memory are about a megabyte.
TAIL_LIMIT = 4000


def ripe(session: ReadSession, memories: int, writes: int = 200) -> list[int]:
    """Return the namespaces whose tail holds `memories` or more, or is scattered over `writes` or more rows."""
    rows = session.execute(
        text("""SELECT namespace_id FROM posting_tail GROUP BY namespace_id
                HAVING sum(abs(rows)) >= :memories OR count(*) >= :writes ORDER BY namespace_id"""),
        {"memories": memories, "writes": writes},
    )
    return list(rows.scalars())


def merge(session: WriteSession, namespace_id: int) -> int:
    """Merge up to TAIL_LIMIT rows of a namespace's tail; return how many. 0 when a rival is at it or none is left."""
    free = session.execute(
        text("SELECT pg_try_advisory_xact_lock(hashtextextended('postings', :ns))"), {"ns": namespace_id}
    ).scalar_one()
    if not free:
        return 0
    tail = session.execute(
        text("""SELECT seq, packed, rows, length FROM posting_tail WHERE namespace_id = :ns
                ORDER BY seq LIMIT :limit"""),
        {"ns": namespace_id, "limit": TAIL_LIMIT},
    ).all()
    if not tail:
        return 0
    records = _settled([np.frombuffer(row.packed, RECORD) for row in tail])
    if len(records):
        _apply(session, namespace_id, records)
    session.execute(
        text("""INSERT INTO posting_statistics (namespace_id, rows, length) VALUES (:ns, :rows, :length)
                ON CONFLICT (namespace_id) DO UPDATE SET rows = posting_statistics.rows + excluded.rows,
                    length = posting_statistics.length + excluded.length"""),
        {"ns": namespace_id, "rows": sum(row.rows for row in tail), "length": sum(row.length for row in tail)},
    )
    # By name, not "up to": a lower number may still be on its way to being committed.
    session.execute(
        text("DELETE FROM posting_tail WHERE namespace_id = :ns AND seq = ANY(:seqs)"),
        {"ns": namespace_id, "seqs": [row.seq for row in tail]},
    )
    return len(tail)


def _settled(parts: Sequence[Records]) -> Records:
    """Return the last record of each (key, number), sorted by both."""
    records = np.concatenate(parts)
    records = records[np.lexsort((np.arange(len(records)), records["number"], records["key"]))]
    if not len(records):
        return records
    last = np.append(
        (records["key"][1:] != records["key"][:-1]) | (records["number"][1:] != records["number"][:-1]),
        True,
    )
    settled: Records = records[last]
    return settled


def _apply(session: WriteSession, namespace_id: int, records: Records) -> None:
    """Write settled records into their blocks: read the ones touched, replace what changed, drop what is empty."""
    block = (records["number"] >> BLOCK_BITS).astype(np.int64)
    edges = np.flatnonzero(
        np.append(True, (records["key"][1:] != records["key"][:-1]) | (block[1:] != block[:-1])),
    )
    keys = records["key"][edges].tolist()
    blocks = block[edges].tolist()
    before = {
        (row.key, row.block): row.packed
        for row in session.execute(
            text("""SELECT b.key, b.block, b.packed FROM posting_blocks b
                    JOIN unnest(CAST(:keys AS bigint[]), CAST(:blocks AS integer[])) AS t(k, n)
                      ON b.namespace_id = :ns AND b.key = t.k AND b.block = t.n"""),
            {"ns": namespace_id, "keys": keys, "blocks": blocks},
        )
    }
    full: list[tuple[int, int, bytes]] = []
    empty: list[tuple[int, int]] = []
    for key, number, part in zip(keys, blocks, np.split(records, edges[1:]), strict=True):
        packed = _merged(before.get((key, number), b""), part)
        if packed:
            full.append((key, number, packed))
        elif (key, number) in before:
            empty.append((key, number))
    session.execute(
        text("""INSERT INTO posting_blocks (namespace_id, key, block, packed)
                SELECT :ns, k, n, p FROM unnest(CAST(:keys AS bigint[]), CAST(:blocks AS integer[]),
                                                CAST(:packed AS bytea[])) AS t(k, n, p)
                ON CONFLICT (namespace_id, key, block) DO UPDATE SET packed = excluded.packed"""),
        {
            "ns": namespace_id,
            "keys": [item[0] for item in full],
            "blocks": [item[1] for item in full],
            "packed": [item[2] for item in full],
        },
    )
    session.execute(
        text("""DELETE FROM posting_blocks b
                USING unnest(CAST(:keys AS bigint[]), CAST(:blocks AS integer[])) AS t(k, n)
                WHERE b.namespace_id = :ns AND b.key = t.k AND b.block = t.n"""),
        {"ns": namespace_id, "keys": [item[0] for item in empty], "blocks": [item[1] for item in empty]},
    )


def _merged(packed: bytes, changes: npt.NDArray[np.void]) -> bytes:
    """Return a block's bytes after `changes` (one key, one block, numbers ascending)."""
    low = (changes["number"] & 0xFFFF).astype(np.uint16)
    old = np.frombuffer(packed, BLOCK_RECORD)
    old = old[~np.isin(old["number"], low)]
    living = changes["tf"] > 0
    new = np.empty(int(living.sum()), BLOCK_RECORD)
    new["number"], new["tf"], new["length"] = low[living], changes["tf"][living], changes["length"][living]
    both = np.concatenate([old, new])
    return both[np.argsort(both["number"], kind="stable")].tobytes()


def rebuild(session: WriteSession, namespace_id: int) -> None:
    """Write a namespace's index anew from its forward rows and mentions, in the transaction given.

    One snapshot holds forward rows and tail alike: what commits later stays in the tail and applies on top. Readers see
    the old index or the new one. Call it first in its transaction.
    """
    session.connection(execution_options={"isolation_level": "REPEATABLE READ"})
    params = {"ns": namespace_id}
    # Waits for a merge in progress, and keeps others out.
    session.execute(text("SELECT pg_advisory_xact_lock(hashtextextended('postings', :ns))"), params)
    forward = session.execute(
        text("""SELECT m.number, p.length, p.packed, m.kind <> 'fact' AS counted
                FROM posting_sets p JOIN memories m ON m.id = p.memory_id WHERE p.namespace_id = :ns"""),
        params,
    ).all()
    mentioned: dict[int, list[int]] = {}
    for number, key in session.execute(
        text("""SELECT m.number, e.posting_key FROM mentions t JOIN memories m ON m.id = t.memory_id
                JOIN entities e ON e.id = t.entity_id WHERE m.namespace_id = :ns"""),
        params,
    ):
        mentioned.setdefault(number, []).append(key)
    for table in ("posting_blocks", "posting_tail", "posting_statistics"):
        session.execute(text(f"DELETE FROM {table} WHERE namespace_id = :ns"), params)  # noqa: S608 - constants
    records = [postings.term_records(row.number, row.packed, row.length) for row in forward]
    records += [postings.entity_records(number, [], keys) for number, keys in mentioned.items()]
    if records:
        _apply(session, namespace_id, _settled(records))
    session.execute(
        text("INSERT INTO posting_statistics (namespace_id, rows, length) VALUES (:ns, :rows, :length)"),
        {
            "ns": namespace_id,
            "rows": sum(row.counted for row in forward),
            "length": sum(row.length for row in forward if row.counted),
        },
    )
