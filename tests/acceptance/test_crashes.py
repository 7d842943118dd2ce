"""Whatever dies, the store ends where an undisturbed run ends: same content, nothing lost, nothing twice.

Real servers of the test's own, real worker, beat and API processes, real signals.
"""

from __future__ import annotations

import random
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

from api.service import ingest
from api.service.context import Context
from deploy.embedded import Runtime
from schema.db import Database
from schema.kinds import Lane
from schema.migrations import migrate
from schema.settings import Settings
from tests.acceptance.conftest import QUICK
from tests.support.servers import FAKES
from tests.support.store import assert_current, backlog, count, digest, drain
from tests.support.workers import environment, running, until, worker


@dataclass
class Site:
    """Servers that a test may kill, with what its processes need."""

    runtime: Runtime
    room: Path
    env: dict[str, str]
    settings: Settings

    def database(self, role: Any = "worker") -> Database:
        return Database(self.runtime.instance.database_url, role=role, pool_size=3)

    def kill_server(self, name: str) -> None:
        """Kill a server as fate does, and wait until its guard has brought it back."""
        child = self.runtime.child(name)
        before = child.state.restarts
        psutil.Process(child.state.pid or 0).kill()
        until(lambda: child.state.restarts > before and child.state.alive, 30, f"{name}'s return")


@pytest.fixture
def site() -> Iterator[Site]:
    room = Path(tempfile.mkdtemp(prefix="pa-"))
    room.chmod(0o755)
    with Runtime(room / "d", log=lambda *_args, **_more: None) as runtime:
        instance = runtime.instance
        migrate(instance.database_url)
        values: dict[str, Any] = {**FAKES, **QUICK, "extractor": "rules", "max_attempts": 10}
        yield Site(
            runtime,
            room,
            environment(instance.database_url, instance.broker_url, **values),
            Settings(database_url=instance.database_url, broker_url=instance.broker_url, **values),
        )
    shutil.rmtree(room, ignore_errors=True)


def turns(count_: int, seed: int) -> list[dict[str, Any]]:
    """Return episodes with names, sessions and repetitions, the same for the same seed."""
    pick = random.Random(seed)
    names = ["Mira", "Otto", "Ada Quill", "Bo Lindqvist", "Cleo"]
    things = ["kiln", "ferry", "ledger", "violin", "orchard", "ticket ZX-4471"]
    return [
        {
            "content": f"{pick.choice(names)} saw the {pick.choice(things)} with {pick.choice(names)} at {index % 24}h",
            "occurred_at": f"2025-03-{1 + index % 28:02d}T09:00:{index % 60:02d}Z",
            "speaker": pick.choice(names),
            "session_id": f"s{index // 20}",
            "seq": index % 20,
            "external_id": f"turn-{index}",
        }
        for index in range(count_)
    ]


def write_all(site: Site, namespace: str, items: list[dict[str, Any]], batch: int) -> None:
    """Write in batches through the service, repeating a batch until it was stored: a client that does not give up."""
    from schema.errors import PalimpsestError

    context = Context(site.settings)
    try:
        for start in range(0, len(items), batch):
            while True:
                try:
                    ingest.remember(context, namespace, items[start : start + batch], lane=Lane.FRESH)
                except PalimpsestError:
                    time.sleep(0.2)
                else:
                    break
    finally:
        context.close()


def undisturbed(site: Site, items: list[dict[str, Any]]) -> dict[str, str]:
    """Return the digest of a quiet run over the same episodes, in a namespace of its own."""
    write_all(site, "quiet", items, 100)
    database = site.database()
    try:
        drain(database, site.settings)
        return digest(database, "quiet")
    finally:
        database.dispose()


def storm(site: Site, tmp_path: Path, items: list[dict[str, Any]], *, worker_kills: int) -> None:
    """Write while workers are killed -9, the broker once, and PostgreSQL restarted once."""
    writer = threading.Thread(target=write_all, args=(site, "stormy", items, 5))
    database = site.database()
    with running(["beat"], site.env, tmp_path / "beat.log"):
        writer.start()
        for turn in range(worker_kills):
            with worker(site.env, tmp_path / f"worker{turn}.log") as process:
                already = _rebuilt(database)
                until(lambda before=already: _rebuilt(database) > before or not writer.is_alive(), 60, "progress")
                if turn == worker_kills // 2:
                    site.kill_server("valkey")
                process.kill()
            if turn == worker_kills - 2:
                site.kill_server("postgres")
                database.engine.dispose()
        with worker(site.env, tmp_path / "last.log"):
            writer.join(120)
            assert not writer.is_alive()
            until(lambda: _settled(database), 120, "the end of the backlog")
    database.dispose()


def _rebuilt(database: Database) -> int:
    try:
        return count(database, "stamps WHERE revision > 0")
    except Exception:  # noqa: BLE001 - the server may be on its way back
        return 0


def _settled(database: Database) -> bool:
    try:
        left = backlog(database)
    except Exception:  # noqa: BLE001 - the server may be on its way back
        return False
    return len(left) > 3 and all(row["stale"] == 0 for row in left.values())


def check_storm(site: Site, tmp_path: Path, size: int, worker_kills: int) -> None:
    items = turns(size, seed=7)
    storm(site, tmp_path, items, worker_kills=worker_kills)
    quiet = undisturbed(site, items)
    database = site.database()
    try:
        assert digest(database, "stormy") == quiet
        assert count(database, "episodes") == 2 * size
        assert_current(database)
    finally:
        database.dispose()


def test_a_storm_leaves_the_store_as_a_quiet_run_does(site: Site, tmp_path: Path) -> None:
    check_storm(site, tmp_path, size=300, worker_kills=3)


@pytest.mark.soak
@pytest.mark.timeout(1200)
def test_a_long_storm_leaves_the_store_as_a_quiet_run_does(site: Site, tmp_path: Path) -> None:
    check_storm(site, tmp_path, size=2760, worker_kills=5)
