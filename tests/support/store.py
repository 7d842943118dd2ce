"""Words of the domain: tell something, drain, and say how current the store has to be."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from schema.db import Database
from schema.settings import Settings
from schema.store import health, namespaces, stamps
from schema.store.episodes import NewEpisode
from workers import spaces
from workers.drain import drain_all
from workers.reconcile import Report
from workers.truth.acceptance import accept

START = datetime(2025, 3, 1, 9, 0, tzinfo=UTC)


def tell(database: Database, namespace: str, contents: Sequence[str | NewEpisode], **fields: Any) -> list[int]:
    """Store episodes, one minute apart, and return their ids."""
    items = [
        content
        if isinstance(content, NewEpisode)
        else NewEpisode(content=content, occurred_at=START + timedelta(minutes=index), **fields)
        for index, content in enumerate(contents)
    ]
    with database.write() as session:
        place = namespaces.ensure(session, namespace)
        heard = accept(session, place.id, items, datetime.now(UTC))
    return [done.id for done in heard if done.id is not None]


def drain(database: Database, settings: Settings) -> dict[str, Report]:
    """Make everything current that can be, in this process; return the reports by derivation."""
    spaces.ensure(database, settings)
    return {report.derivation: report for report in drain_all(database, settings)}


def namespace_id(database: Database, name: str) -> int:
    """Return the id of a namespace."""
    with database.read() as session:
        found = namespaces.find(session, name)
    assert found is not None, f"no namespace {name!r}"
    return found.id


def backlog(database: Database) -> dict[str, dict[str, int]]:
    """Return what is left, by derivation."""
    with database.read() as session:
        return {
            row.derivation: {"stale": row.backlog.stale, "quarantined": row.backlog.quarantined}
            for row in health.derivations(session)
        }


def assert_current(database: Database) -> None:
    """Nothing is stale, nothing is quarantined, and the index is what its forward rows say."""
    left = backlog(database)
    assert all(row == {"stale": 0, "quarantined": 0} for row in left.values()), left
    assert {"memories", "postings", "entities"} < left.keys(), "no vector space: nothing was derived"
    with database.read() as session:
        for place in namespaces.listed(session):
            found = health.drift(session, place.id)
            assert found.clean, (place.name, found)


def stamp(database: Database, derivation: str, row_id: int) -> stamps.StampRow:
    """Return the stamp of one row."""
    with database.read() as session:
        (found,) = stamps.of_rows(session, [derivation], [row_id])
    return found


def digest(database: Database, namespace: str) -> dict[str, str]:
    """Return the digest of a namespace's derived content."""
    with database.read() as session:
        return health.content_digest(session, namespace_id(database, namespace))


def count(database: Database, table: str) -> int:
    """Return the number of rows of a table."""
    from sqlalchemy import text

    with database.read() as session:
        return int(session.execute(text(f"SELECT count(*) FROM {table}")).scalar_one())
