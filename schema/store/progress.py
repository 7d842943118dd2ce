"""How far the derivations of some namespaces are, for whoever waits for workers to bring them up to date."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import text

from schema.db import ReadSession
from schema.store import spaces


@dataclass(frozen=True, slots=True)
class Standing:
    """The rows of one derivation: how many there are, how many are stale, how many were given up."""

    derivation: str
    rows: int
    stale: int
    quarantined: int


def of_namespaces(session: ReadSession, namespace_ids: Sequence[int]) -> list[Standing]:
    """Return where every derivation of these namespaces stands, in the order of their names.

    One count through (namespace, derivation, revision): 24,000 stamps take 6 ms.
    """
    rows = session.execute(
        text("""SELECT s.derivation, count(*), count(*) FILTER (WHERE s.revision < coalesce(h.revision, 1)),
                       count(*) FILTER (WHERE s.not_before = 'infinity' AND s.revision >= coalesce(h.revision, 1))
                FROM stamps s LEFT JOIN (SELECT derivation, max(revision) AS revision FROM rules GROUP BY derivation) h
                  ON h.derivation = s.derivation
                WHERE s.namespace_id = ANY(:ns) GROUP BY s.derivation ORDER BY s.derivation"""),
        {"ns": list(namespace_ids)},
    )
    return [Standing(*row) for row in rows]


def current(session: ReadSession, standings: Sequence[Standing]) -> bool:
    """Whether nothing is stale. Never before there is a vector space: without one no vector is due, and one is made by
    the first worker that loads a model.
    """
    return bool(spaces.written(session)) and not any(row.stale for row in standings)
