"""Categories of memories: one label each, or none."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import text

from schema.db import WriteSession


def write(session: WriteSession, labels: Mapping[int, str | None]) -> None:
    """Write the categories that differ."""
    rows = sorted(labels.items())
    session.execute(
        text("""UPDATE memories m SET category = t.label
                FROM unnest(CAST(:ids AS bigint[]), CAST(:labels AS text[])) AS t(id, label)
                WHERE m.id = t.id AND m.category IS DISTINCT FROM t.label"""),
        {"ids": [row[0] for row in rows], "labels": [row[1] for row in rows]},
    )
