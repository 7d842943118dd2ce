"""Stamps: claiming, finishing, failing, counting. Everything the loop knows is in these rows.

Claimable = older than the revision asked for, and not before its time. A quarantined row stands at the revision that
was tried with `not_before` at infinity: it is not stale until the rules move, and then infinity is no obstacle.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import text

from schema.db import ReadSession, WriteSession

COUNT_LIMIT = 10_000


@dataclass(frozen=True, slots=True)
class Claim:
    """A row this process may derive until its lease ends."""

    row_id: int
    namespace_id: int
    attempts: int


@dataclass(frozen=True, slots=True)
class Failure:
    """What became of a row that could not be derived. `wait` in seconds; None means quarantine."""

    row_id: int
    error: str
    wait: float | None


@dataclass(frozen=True, slots=True)
class Selection:
    """Which due rows: of a lane, of a namespace, or by id; None does not restrict. `new`: never derived ones only."""

    lane: int | None = None
    namespace_id: int | None = None
    ids: Sequence[int] | None = None
    new: bool = False

    def sql(self) -> tuple[str, dict[str, Any]]:
        """Return the condition on alias `s` and its parameters."""
        parts: list[str] = []
        params: dict[str, Any] = {}
        for column, value in (("lane", self.lane), ("namespace_id", self.namespace_id)):
            if value is not None:
                parts.append(f" AND s.{column} = :{column}")
                params[column] = value
        if self.new:
            parts.append(" AND s.revision = 0")
        if self.ids is not None:
            parts.append(" AND s.row_id = ANY(:ids)")
            params["ids"] = list(self.ids)
        return "".join(parts), params


EVERYTHING = Selection()

_CLAIMABLE = "s.derivation = :d AND s.revision < :below AND (s.not_before <= now() OR s.not_before = 'infinity')"
# A row whose other derivations it depends on are not current waits for them.
_UNBLOCKED = """
 AND NOT EXISTS (SELECT 1 FROM stamps p WHERE p.row_id = s.row_id AND p.derivation = ANY(:needs)
   AND p.revision < (SELECT coalesce(max(r.revision), 1) FROM rules r WHERE r.derivation = p.derivation))"""


def claim(
    session: WriteSession,
    derivation: str,
    *,
    below: int,
    limit: int,
    lease: float,
    holder: uuid.UUID,
    chosen: Selection = EVERYTHING,
    needs: Sequence[str] = (),
) -> list[Claim]:
    """Claim up to `limit` rows stamped below revision `below` for `lease` seconds, counting the attempt now.

    The attempt is on record before any risk is taken, so a row that kills its process is counted. Never tried rows are
    claimed together; one that was tried before is claimed by itself, when no other is due, so that whatever it does
    to its process costs no neighbour an attempt. Oldest revision first, then the fresh lane, then by id. Rows that
    another transaction holds are skipped, never waited for.
    """
    condition, params = chosen.sql()
    blocked = _UNBLOCKED if needs else ""
    rows = session.execute(
        text(f"""
        WITH due AS (
            SELECT s.row_id, s.attempts FROM stamps s WHERE {_CLAIMABLE}{condition}{blocked}
            ORDER BY s.revision, s.lane, s.row_id LIMIT :limit FOR UPDATE OF s SKIP LOCKED),
        chosen AS (
            SELECT row_id FROM due WHERE attempts = 0
            UNION ALL (SELECT row_id FROM due WHERE NOT EXISTS (SELECT 1 FROM due WHERE attempts = 0)
                       ORDER BY attempts, row_id LIMIT 1))
        UPDATE stamps s SET holder = :holder, not_before = now() + make_interval(secs => :lease),
            attempts = CASE WHEN s.not_before = 'infinity' THEN 1 ELSE s.attempts + 1 END
        FROM chosen WHERE s.derivation = :d AND s.row_id = chosen.row_id
        RETURNING s.row_id, s.namespace_id, s.attempts"""),  # noqa: S608 - built of constants, values are bound
        {
            "d": derivation,
            "below": below,
            "limit": limit,
            "lease": lease,
            "holder": holder,
            **({"needs": list(needs)} if needs else {}),
            **params,
        },
    )
    return sorted((Claim(*row) for row in rows), key=lambda claimed: claimed.row_id)


def take(session: WriteSession, derivation: str, holder: uuid.UUID, ids: Sequence[int]) -> set[int]:
    """Lock the stamps among `ids` that still carry `holder`, ascending: exactly the rows that may be written."""
    rows = session.execute(
        text("""SELECT row_id FROM stamps WHERE derivation = :d AND row_id = ANY(:ids) AND holder = :holder
                ORDER BY row_id FOR UPDATE"""),
        {"d": derivation, "ids": list(ids), "holder": holder},
    )
    return set(rows.scalars())


def finish(session: WriteSession, derivation: str, ids: Iterable[int], revision: int) -> None:
    """Stamp taken rows as made by `revision` and let them go."""
    session.execute(
        text("""UPDATE stamps SET revision = :revision, holder = NULL, attempts = 0, not_before = '-infinity',
                error = NULL WHERE derivation = :d AND row_id = ANY(:ids)"""),
        {"d": derivation, "ids": list(ids), "revision": revision},
    )


def fail(session: WriteSession, derivation: str, failures: Sequence[Failure], revision: int) -> None:
    """Record failures of taken rows: a backoff keeps the row stale; a quarantine stands at the revision tried."""
    for row in failures:
        session.execute(
            text("""UPDATE stamps SET holder = NULL, error = :error,
                    revision = CASE WHEN CAST(:wait AS float8) IS NULL THEN :revision ELSE revision END,
                    not_before = CASE WHEN CAST(:wait AS float8) IS NULL THEN 'infinity'::timestamptz
                                 ELSE now() + make_interval(secs => CAST(:wait AS float8)) END
                    WHERE derivation = :d AND row_id = :id"""),
            {"d": derivation, "id": row.row_id, "error": row.error, "wait": row.wait, "revision": revision},
        )


def release(session: WriteSession, derivation: str, holder: uuid.UUID, ids: Sequence[int]) -> int:
    """Give claimed rows back untried, and their attempt with them; return how many were still this holder's."""
    rows = session.execute(
        text("""UPDATE stamps SET holder = NULL, attempts = greatest(attempts - 1, 0), not_before = '-infinity'
                WHERE derivation = :d AND holder = :holder AND row_id = ANY(:ids) RETURNING row_id"""),
        {"d": derivation, "holder": holder, "ids": list(ids)},
    )
    return len(rows.all())


def snooze(session: WriteSession, derivation: str, holder: uuid.UUID, ids: Sequence[int], until: datetime) -> None:
    """Give claimed rows back untried, their attempt with them, and leave them alone until a moment."""
    session.execute(
        text("""UPDATE stamps SET holder = NULL, attempts = greatest(attempts - 1, 0), not_before = :until
                WHERE derivation = :d AND holder = :holder AND row_id = ANY(:ids)"""),
        {"d": derivation, "holder": holder, "ids": list(ids), "until": until},
    )


def add(session: WriteSession, derivations: Sequence[str], rows: Sequence[tuple[int, int, int]]) -> None:
    """Insert due stamps for new rows, given as (row id, namespace id, lane); existing ones are made due again."""
    session.execute(
        text("""INSERT INTO stamps (derivation, row_id, namespace_id, lane)
                SELECT d, r, n, l FROM unnest(CAST(:ds AS text[])) d,
                    unnest(CAST(:ids AS bigint[]), CAST(:ns AS bigint[]), CAST(:lanes AS smallint[])) AS t(r, n, l)
                ORDER BY d, r
                ON CONFLICT (derivation, row_id) DO UPDATE SET revision = 0, holder = NULL, attempts = 0,
                    not_before = '-infinity', error = NULL, lane = excluded.lane, due_since = now()"""),
        {
            "ds": sorted(derivations),
            "ids": [row[0] for row in rows],
            "ns": [row[1] for row in rows],
            "lanes": [row[2] for row in rows],
        },
    )


def make_due(session: WriteSession, derivation: str, ids: Sequence[int], lane: int | None = None) -> int:
    """Make rows due again, in the transaction that changed their input. The one way to invalidate.

    Clearing the holder means that a worker which read the old input finishes nothing.
    """
    rows = session.execute(
        text("""UPDATE stamps s SET revision = 0, holder = NULL, attempts = 0, not_before = '-infinity', error = NULL,
                    due_since = now(), lane = coalesce(CAST(:lane AS smallint), s.lane)
                FROM (SELECT derivation, row_id FROM stamps WHERE derivation = :d AND row_id = ANY(:ids)
                      ORDER BY row_id FOR UPDATE) t
                WHERE s.derivation = t.derivation AND s.row_id = t.row_id RETURNING s.row_id"""),
        {"d": derivation, "ids": list(ids), "lane": lane},
    )
    return len(rows.all())


def drop(session: WriteSession, derivations: Sequence[str], ids: Sequence[int]) -> None:
    """Delete the stamps of rows that are derived no more."""
    session.execute(
        text("""DELETE FROM stamps s USING (SELECT derivation, row_id FROM stamps
                    WHERE derivation = ANY(:ds) AND row_id = ANY(:ids) ORDER BY derivation, row_id FOR UPDATE) t
                WHERE s.derivation = t.derivation AND s.row_id = t.row_id"""),
        {"ds": list(derivations), "ids": list(ids)},
    )


@dataclass(frozen=True, slots=True)
class Backlog:
    """What is left of a derivation. Counts are exact up to COUNT_LIMIT; one more means "at least".

    `deferred` can be claimed now, `waiting` is leased or backing off (until `next_at` at the earliest), `blocked`
    waits for another derivation, `quarantined` will not be tried again by these rules.
    """

    deferred: int
    waiting: int
    blocked: int
    quarantined: int
    next_at: datetime | None
    oldest: datetime | None

    @property
    def stale(self) -> int:
        """Rows that are not current and will be."""
        return self.deferred + self.waiting + self.blocked


def backlog(
    session: ReadSession, derivation: str, *, below: int, chosen: Selection = EVERYTHING, needs: Sequence[str] = ()
) -> Backlog:
    """Count what is left below revision `below`."""
    condition, params = chosen.sql()
    params |= {"d": derivation, "below": below, "limit": COUNT_LIMIT + 1, "needs": list(needs)}
    blocked = _UNBLOCKED if needs else ""
    base = "s.derivation = :d AND s.revision < :below"
    row = session.execute(
        text(f"""
        SELECT
          (SELECT count(*) FROM (SELECT 1 FROM stamps s WHERE {_CLAIMABLE}{condition}{blocked} LIMIT :limit) a),
          (SELECT count(*) FROM (SELECT 1 FROM stamps s WHERE {base} AND s.not_before > now()
             AND s.not_before < 'infinity'{condition} LIMIT :limit) b),
          (SELECT count(*) FROM (SELECT 1 FROM stamps s WHERE {_CLAIMABLE}{condition} LIMIT :limit) c),
          (SELECT count(*) FROM (SELECT 1 FROM stamps s WHERE s.derivation = :d AND s.not_before = 'infinity'
             AND s.revision >= :below{condition} LIMIT :limit) e),
          (SELECT min(s.not_before) FROM stamps s WHERE {base} AND s.not_before > now()
             AND s.not_before < 'infinity'{condition}),
          (SELECT min(s.due_since) FROM (SELECT s.due_since FROM stamps s WHERE {base}{condition}
             ORDER BY s.revision, s.lane, s.row_id LIMIT :limit) s)"""),  # noqa: S608 - built of constants
        params,
    ).one()
    deferred, waiting, claimable, quarantined, next_at, oldest = row
    return Backlog(deferred, waiting, claimable - deferred, quarantined, next_at, oldest)


@dataclass(frozen=True, slots=True)
class StampRow:
    """The state of one row in one derivation, for people."""

    derivation: str
    row_id: int
    revision: int
    attempts: int
    not_before: datetime | None
    claimed: bool
    quarantined: bool
    error: str | None


def _row(values: Any) -> StampRow:
    return StampRow(*values)


_STAMP = """s.derivation, s.row_id, s.revision, s.attempts,
    CASE WHEN s.not_before IN ('infinity', '-infinity') THEN NULL ELSE s.not_before END,
    s.holder IS NOT NULL, s.not_before = 'infinity', s.error"""


def of_rows(session: ReadSession, derivations: Sequence[str], ids: Sequence[int]) -> list[StampRow]:
    """Return the stamps of some rows."""
    rows = session.execute(
        text(f"SELECT {_STAMP} FROM stamps s WHERE derivation = ANY(:ds) AND row_id = ANY(:ids) ORDER BY 1, 2"),  # noqa: S608 - constants
        {"ds": list(derivations), "ids": list(ids)},
    )
    return [_row(row) for row in rows]


def failing(session: ReadSession, derivation: str | None = None, limit: int = 100) -> list[StampRow]:
    """List rows with an error on record: quarantined, or waiting for another attempt."""
    rows = session.execute(
        text(f"""SELECT {_STAMP} FROM stamps s WHERE s.error IS NOT NULL
                 AND (CAST(:d AS text) IS NULL OR s.derivation = :d)
                 ORDER BY s.derivation, s.row_id LIMIT :limit"""),  # noqa: S608 - constants
        {"d": derivation, "limit": limit},
    )
    return [_row(row) for row in rows]


def retry(session: WriteSession, derivation: str | None = None, ids: Sequence[int] | None = None) -> int:
    """Make failed rows due again at once; return how many."""
    rows = session.execute(
        text("""UPDATE stamps s SET revision = 0, holder = NULL, attempts = 0, not_before = '-infinity', error = NULL,
                    due_since = now()
                FROM (SELECT derivation, row_id FROM stamps WHERE error IS NOT NULL
                        AND (CAST(:d AS text) IS NULL OR derivation = :d)
                        AND (CAST(:ids AS bigint[]) IS NULL OR row_id = ANY(:ids))
                      ORDER BY derivation, row_id FOR UPDATE) t
                WHERE s.derivation = t.derivation AND s.row_id = t.row_id RETURNING s.row_id"""),
        {"d": derivation, "ids": None if ids is None else list(ids)},
    )
    return len(rows.all())
