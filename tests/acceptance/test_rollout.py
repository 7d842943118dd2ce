"""Two workers with different rules side by side, then the older made head again: status is right at every step."""

from __future__ import annotations

from pathlib import Path

from api.service import ingest
from api.service.context import Context
from schema.db import Database
from schema.store import health
from tests.acceptance.conftest import QUICK
from tests.acceptance.test_poison import command
from tests.support.store import assert_current, backlog, count
from tests.support.workers import environment, running, until, worker

WORDS = " ".join(f"word{index}" for index in range(60))


def passages(database: Database) -> int:
    return count(database, "memories WHERE retired_at IS NULL")


def revisions(database: Database) -> dict[int, int]:
    with database.read() as session:
        return health.revisions(session, "memories")


def current(database: Database) -> bool:
    left = backlog(database)
    return len(left) > 3 and all(not any(row.values()) for row in left.values())


def test_forward_side_by_side_and_back(
    database_url: str, broker_url: str, store: Database, context: Context, tmp_path: Path
) -> None:
    old = environment(database_url, broker_url, **QUICK)
    new = environment(database_url, broker_url, **QUICK, passage_words=20)
    ingest.remember(context, "n", [{"content": WORDS, "external_id": "first"}])
    with worker(old, tmp_path / "old.log", processes=1), running(["beat"], old, tmp_path / "beat.log"):
        until(lambda: current(store) and passages(store) == 1, 60, "the old rules")
        assert revisions(store) == {1: 1}
        with worker(new, tmp_path / "new.log", processes=1):
            until(lambda: current(store) and passages(store) == 3, 60, "the new rules' rebuild")
            assert revisions(store) == {2: 1}
            for index in range(30):
                ingest.remember(context, "n", [{"content": f"{WORDS} {index}"}])
            until(lambda: current(store) and passages(store) == 3 + 30 * 4, 60, "writes beside both")
            assert revisions(store) == {2: 31}, "no row stays at, or goes back to, the older revision"
        done = command(old, "rules", "activate", "memories")
        assert done.returncode == 0, done.stderr
        until(lambda: current(store) and revisions(store) == {3: 31}, 60, "the way back")
        assert passages(store) == 31
    assert_current(store)
