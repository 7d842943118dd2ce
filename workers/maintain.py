"""Housekeeping that no row waits for: merging postings, dropping what has expired."""

from __future__ import annotations

from collections.abc import Callable

from schema.db import Database
from schema.settings import Settings
from schema.store import compaction, entities, health, history, idempotency, indexes, recall_log
from workers.truth import forgetting


def maintain(
    database: Database, settings: Settings, *, should_stop: Callable[[], bool] = lambda: False
) -> dict[str, int]:
    """Do a bounded amount of housekeeping in short transactions; return what was done. Safe to run twice at once."""
    with database.write() as session:
        analysed = health.analyse(session)
    merged = 0
    with database.read() as session:
        ripe = compaction.ripe(session, settings.tail_rows)
    for namespace_id in ripe:
        while not should_stop():
            with database.write() as session:
                rows = compaction.merge(session, namespace_id)
            merged += rows
            if rows < compaction.TAIL_LIMIT:
                break
    with database.write() as session:
        keys = idempotency.prune(session)
    with database.write() as session:
        orphans = entities.prune(session)
    with database.read() as session:
        optional = indexes.chosen(session)
    for name in optional:
        with database.write() as session:
            # A memory may be finished beside the first registration, by a transaction that did not see it.
            indexes.fill(session, name)
    resumed = forgetting.resume(database, should_stop=should_stop)
    expired = forgetting.expire(database, should_stop=should_stop)
    with database.write() as session:
        retrievals = history.prune_retrievals(session, settings.retrievals_kept_days)
    with database.write() as session:
        sentences = recall_log.prune(session, settings.served_kept_days)
    return {
        "tables_analysed": analysed,
        "tail_rows_merged": merged,
        "idempotency_keys_pruned": keys,
        "entities_pruned": orphans,
        "forgettings_resumed": len(resumed),
        "episodes_expired": expired,
        "retrievals_pruned": retrievals,
        "served_pruned": sentences,
    }
