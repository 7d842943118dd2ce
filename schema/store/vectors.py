"""Vectors of one space at a time. No statement ever touches two spaces, so distances never mix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from sqlalchemy import text

from schema.db import ReadSession, WriteSession

Vector = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class VectorRow:
    """The coordinates of one memory's text."""

    memory_id: int
    namespace_id: int
    text_digest: bytes
    embedding: Vector


def write(session: WriteSession, space_id: int, rows: Sequence[VectorRow]) -> None:
    """Insert or replace vectors in the table of `space_id`; one whose text is unchanged stays as it is."""
    if not rows:
        return
    ordered = sorted(rows, key=lambda row: row.memory_id)
    session.connection().exec_driver_sql(
        f"""INSERT INTO vectors_{space_id:d} AS v (namespace_id, memory_id, text_digest, embedding)
            VALUES (%s, %s, %s, %s)
            ON CONFLICT (namespace_id, memory_id) DO UPDATE
              SET text_digest = excluded.text_digest, embedding = excluded.embedding
              WHERE v.text_digest <> excluded.text_digest""",  # noqa: S608 - an int
        [(row.namespace_id, row.memory_id, row.text_digest, row.embedding) for row in ordered],
    )


def nearest(
    session: ReadSession, space_id: int, namespace_id: int, vector: Vector, limit: int
) -> list[tuple[int, float]]:
    """Return the `limit` memories nearest to `vector` (float32[d]) as (memory id, cosine), nearest first; exact.

    Retired memories have no vectors, so nothing has to be filtered afterwards and no slot is lost to them.
    """
    rows = session.connection().exec_driver_sql(
        f"""SELECT memory_id, 1 - (embedding <=> %s) FROM vectors_{space_id:d} WHERE namespace_id = %s
            ORDER BY embedding <=> %s, memory_id LIMIT %s""",  # noqa: S608 - an int
        (vector, namespace_id, vector, limit),
    )
    return [(row[0], float(row[1])) for row in rows]


def of_memories(session: ReadSession, space_id: int, namespace_id: int, ids: Sequence[int]) -> dict[int, Vector]:
    """Return the vectors of some memories."""
    rows = session.connection().exec_driver_sql(
        f"SELECT memory_id, embedding FROM vectors_{space_id:d} WHERE namespace_id = %s AND memory_id = ANY(%s)",  # noqa: S608 - an int
        (namespace_id, list(ids)),
    )
    return {row[0]: np.asarray(row[1], np.float32) for row in rows}


def count(session: ReadSession, space_id: int, namespace_id: int) -> int:
    """Return how many vectors a namespace has in a space."""
    return int(
        session.execute(
            text(f"SELECT count(*) FROM vectors_{space_id:d} WHERE namespace_id = :ns"),  # noqa: S608 - an int
            {"ns": namespace_id},
        ).scalar_one()
    )
