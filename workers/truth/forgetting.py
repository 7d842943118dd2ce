"""Forgetting, step by step: mark, delete in batches, clear the indexes, look for what is left, close the receipt.

It may die anywhere and be called again by anybody: what is marked stays marked, a batch is one transaction, and
`resume` goes on with every receipt that is not closed. Two that work on one receipt wait for each other's batches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from schema import log
from schema.db import Database
from schema.kinds import SpaceState
from schema.store import compaction, entities, forgetting, indexes, leftovers, namespaces, spaces, trust
from schema.store.forgetting import Receipt
from schema.store.namespaces import KeyedNamespace
from workers.truth.consolidation import Consolidation

logger = log.get(__name__)

BATCH = 200
"""Episodes in one transaction: a few hundred milliseconds of locks."""


def forget(
    database: Database,
    namespace_id: int,
    scope: str,
    *,
    value: str | None = None,
    ids: Sequence[int] | None = None,
    should_stop: Callable[[], bool] = lambda: False,
) -> Receipt:
    """Forget the episodes of a scope of a namespace: from the first commit on nobody reads them.

    `value` names the user or session, `ids` the episodes. Returns the receipt, closed unless it was asked to stop.
    """
    with database.write() as session:
        opened = forgetting.mark(session, namespaces.keyed(session, namespace_id), scope, value, ids)
    logger.info("forgetting", receipt=opened.id, scope=scope, episodes=opened.episodes)
    return carry_out(database, opened.id, should_stop=should_stop)


def resume(database: Database, *, should_stop: Callable[[], bool] = lambda: False) -> list[Receipt]:
    """Go on with every forgetting that is not finished; return their receipts."""
    with database.read() as session:
        waiting = forgetting.open_receipts(session)
    return [carry_out(database, receipt_id, should_stop=should_stop) for receipt_id in waiting if not should_stop()]


def carry_out(database: Database, receipt_id: int, *, should_stop: Callable[[], bool] = lambda: False) -> Receipt:
    """Delete what a receipt has marked, batch by batch, and close it."""
    with database.read() as session:
        found = forgetting.receipt(session, receipt_id)
        door = namespaces.keyed(session, found.namespace_id) if found.finished_at is None else None
    if door is None:
        return found
    while not should_stop():
        if not _batch(database, door, receipt_id):
            return _close(database, door, found)
    return found


def _batch(database: Database, door: KeyedNamespace, receipt_id: int) -> bool:
    """Delete one batch in one transaction, look whether anything still points to it, and say whether there was one."""
    with database.write() as session:
        batch = forgetting.next_batch(session, door, receipt_id, BATCH)
        if not batch.episodes:
            return False
        index = indexes.of_memories(session)
        forgetting.delete(session, door, receipt_id, batch, index)
        Consolidation(session, index, trust.levels(session, [door.namespace_id])).refold(batch.shared)
        left = leftovers.pointing(session, batch.episodes, batch.alone)
        if left:
            raise RuntimeError(f"forgetting: {left} still point to deleted rows; nothing of this batch was deleted")
    return True


def _close(database: Database, door: KeyedNamespace, found: Receipt) -> Receipt:
    while True:
        with database.write() as session:
            if compaction.merge(session, door.namespace_id) < compaction.TAIL_LIMIT:
                break
    while True:
        with database.write() as session:
            if not entities.prune(session, namespace_id=door.namespace_id):
                break
    with database.read() as session:
        left = leftovers.indexed(session, door.namespace_id)
    with database.write() as session:
        closed = forgetting.finish(session, found.id, left)
        if found.scope == "namespace":
            tables = [space.id for space in spaces.everything(session) if space.state != SpaceState.PROPOSED]
            namespaces.drop_if_empty(session, door.namespace_id, tables)
    logger.info("forgotten", receipt=closed.id, episodes=closed.episodes, left=sum(left.values()))
    return closed


def expire(database: Database, *, should_stop: Callable[[], bool] = lambda: False) -> int:
    """Forget the episodes whose time is up; return how many."""
    with database.read() as session:
        namespaces = forgetting.expired(session)
    count = 0
    for namespace_id in namespaces:
        if not should_stop():
            count += forget(database, namespace_id, "expired", should_stop=should_stop).episodes
    return count
