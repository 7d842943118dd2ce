"""Samples of what was told, for looking at rules before they are applied."""

from __future__ import annotations

from sqlalchemy import text

from schema.db import ReadSession


def episodes(session: ReadSession, limit: int, namespace_id: int | None = None) -> list[int]:
    """Return up to `limit` ids of living episodes, spread evenly over those there are, in id order."""
    rows = session.execute(
        text("""SELECT id FROM (
                  SELECT id, row_number() OVER (ORDER BY id) - 1 AS place, count(*) OVER () AS total FROM episodes
                  WHERE forgotten_at IS NULL AND (CAST(:ns AS bigint) IS NULL OR namespace_id = :ns)) e
                WHERE place * CAST(:limit AS bigint) / total <> (place - 1) * CAST(:limit AS bigint) / total
                  OR place = 0 OR total <= :limit
                ORDER BY id LIMIT :limit"""),
        {"limit": limit, "ns": namespace_id},
    )
    return list(rows.scalars())
