"""Words about facts: which there are, what became of them, and whether anything of something is left anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import text

from schema.db import Database
from tests.support.store import namespace_id


def facts(database: Database, namespace: str = "n", *, retired: bool = False) -> dict[str, dict[str, Any]]:
    """Return the facts of a namespace by what they say."""
    where = namespace_id(database, namespace)
    with database.read() as session:
        rows = session.execute(
            text("""SELECT m.id, m.text, m.state, m.corroboration, m.confidence, m.retired_reason, m.trust,
                      m.user_id, m.quarantined_at IS NOT NULL AS quarantined, m.source, m.valid_from, m.valid_to,
                      (SELECT count(*) FROM memory_sources s
                       WHERE s.memory_id = m.id AND s.withdrawn_at IS NULL) AS sources
                    FROM memories m WHERE m.kind = 'fact' AND m.namespace_id = :ns
                      AND (m.retired_at IS NOT NULL) = :retired ORDER BY m.id"""),
            {"ns": where, "retired": retired},
        ).mappings()
        return {row["text"]: dict(row) for row in rows}


def passages(database: Database, namespace: str = "n") -> list[str]:
    """Return what the active passages of a namespace say."""
    where = namespace_id(database, namespace)
    with database.read() as session:
        return list(
            session.execute(
                text("""SELECT text FROM memories WHERE kind = 'passage' AND namespace_id = :ns AND retired_at IS NULL
                          AND quarantined_at IS NULL ORDER BY id"""),
                {"ns": where},
            ).scalars()
        )


def everywhere(database: Database, needles: Sequence[str]) -> dict[str, int]:
    """Return in which columns of which tables any of some texts stands, in whatever form a column shows as text."""
    found: dict[str, int] = {}
    with database.read() as session:
        columns = session.execute(
            text("""SELECT c.table_name, c.column_name FROM information_schema.columns c
                    JOIN information_schema.tables t USING (table_schema, table_name)
                    WHERE c.table_schema = current_schema() AND t.table_type = 'BASE TABLE'""")
        ).all()
        for table, column in columns:
            for needle in needles:
                shown = f"encode(\"{column}\", 'escape')" if _binary(session, table, column) else f'"{column}"::text'
                count = session.execute(
                    text(f'SELECT count(*) FROM "{table}" WHERE position(lower(:needle) IN lower({shown})) > 0'),
                    {"needle": needle},
                ).scalar_one()
                if count:
                    found[f"{table}.{column}"] = found.get(f"{table}.{column}", 0) + count
    return found


def _binary(session: Any, table: str, column: str) -> bool:
    return bool(
        session.execute(
            text("""SELECT data_type = 'bytea' FROM information_schema.columns
                    WHERE table_schema = current_schema() AND table_name = :t AND column_name = :c"""),
            {"t": table, "c": column},
        ).scalar_one()
    )
