"""Looking for what should not be there: every place that could still point to forgotten rows, as the schema tells.

The catalogue is asked which tables have columns that name an episode or a memory, so that a table added later is
looked through without anybody thinking of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import text

from schema.db import ReadSession
from schema.derivations import OF_EPISODES
from schema.store import health

_POINTS_TO = {"episode_id": "episode", "correction_id": "episode", "memory_id": "memory"}


def pointing(session: ReadSession, episode_ids: Sequence[int], memory_ids: Sequence[int]) -> dict[str, int]:
    """Return how many rows of each table still are, or point to, these episodes and memories; only what is left."""
    ids = {"episode": list(episode_ids), "memory": list(memory_ids)}
    columns = session.execute(
        text("""SELECT c.table_name, c.column_name FROM information_schema.columns c
                JOIN information_schema.tables t USING (table_schema, table_name)
                WHERE c.table_schema = current_schema() AND t.table_type = 'BASE TABLE'
                  AND c.column_name = ANY(:names) ORDER BY 1, 2"""),
        {"names": list(_POINTS_TO)},
    ).all()
    wanted = [(table, column, ids[_POINTS_TO[column]]) for table, column in columns]
    wanted += [("episodes", "id", ids["episode"]), ("memories", "id", ids["memory"])]
    left: dict[str, int] = {}
    for table, column, those in wanted:
        found = session.execute(
            text(f'SELECT count(*) FROM "{table}" WHERE "{column}" = ANY(:those)'),  # noqa: S608 - names of the catalogue
            {"those": those},
        ).scalar_one()
        left[table] = left.get(table, 0) + found
    left["stamps"] = session.execute(
        text("""SELECT count(*) FROM stamps WHERE (derivation = ANY(:of_episodes) AND row_id = ANY(:episodes))
                  OR (NOT derivation = ANY(:of_episodes) AND row_id = ANY(:memories))"""),
        {"of_episodes": list(OF_EPISODES), "episodes": ids["episode"], "memories": ids["memory"]},
    ).scalar_one()
    return {table: count for table, count in sorted(left.items()) if count}


def indexed(session: ReadSession, namespace_id: int) -> dict[str, int]:
    """Return how many postings and entities of a namespace belong to no memory; only what is left."""
    drift = health.drift(session, namespace_id)
    orphans = session.execute(
        text("""SELECT count(*) FROM entities e WHERE e.namespace_id = :ns
                  AND NOT EXISTS (SELECT 1 FROM mentions m WHERE m.entity_id = e.id)"""),
        {"ns": namespace_id},
    ).scalar_one()
    left = {"postings": drift.surplus + max(drift.rows, 0), "entities": orphans}
    return {name: count for name, count in left.items() if count}
