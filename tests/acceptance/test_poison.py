"""Rows that fail, rows that kill, work that hangs, messages that come twice, against real workers."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from api.service import health, ingest
from api.service.context import Context
from schema.db import Database
from schema.store import stamps
from tests.acceptance.conftest import QUICK
from tests.support.store import assert_current, backlog, count
from tests.support.workers import ROOT, api, environment, free_port, running, until, worker


def command(env: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a palimpsest command to its end."""
    return subprocess.run(
        [sys.executable, "-m", "api.cli.main", *arguments],
        env=env,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def only_quarantine_left(database: Database, rows: int) -> bool:
    """Whether nothing is stale and this many rows are quarantined."""
    left = backlog(database)
    return (
        len(left) > 3
        and sum(row["stale"] for row in left.values()) == 0
        and sum(row["quarantined"] for row in left.values()) == rows
    )


def test_poison_is_quarantined_alone_and_mended_by_a_retry(
    env: dict[str, str], store: Database, context: Context, tmp_path: Path
) -> None:
    fault = tmp_path / "fault"
    fault.touch()
    contents = [f"Mira said {index}" for index in range(10)]
    contents[3] += f" «raise {fault}»"
    contents[7] += f" «kill {fault}»"
    ingest.remember(context, "n", [{"content": content} for content in contents])
    with worker(env, tmp_path / "worker.log"), running(["beat"], env, tmp_path / "beat.log"):
        # Each of the two is poison to entities and to vectors.
        until(lambda: only_quarantine_left(store, 4), 120, "the quarantine of both rows")
    with store.read() as session:
        failures = stamps.failing(session)
    assert {row.error for row in failures if "WorkerLost" not in str(row.error)} == {"ValueError"}
    assert sum("WorkerLost" in str(row.error) for row in failures) == 2

    swept = command(env, "sweep", "--json")
    assert swept.returncode == 1, swept.stderr
    listed = command(env, "failures", "list", "--json")
    assert listed.stdout.count("WorkerLost") >= 2
    json.loads(listed.stdout)

    fault.unlink()
    assert command(env, "failures", "retry", "--all").returncode == 0
    assert command(env, "sweep").returncode == 0
    assert_current(store)


def test_a_provider_that_is_down_for_a_while_costs_no_attempt(
    database_url: str, broker_url: str, store: Database, context: Context, tmp_path: Path
) -> None:
    check_outage(database_url, broker_url, store, context, tmp_path, seconds=6)


@pytest.mark.soak
def test_a_provider_that_is_down_for_a_minute_costs_no_attempt(
    database_url: str, broker_url: str, store: Database, context: Context, tmp_path: Path
) -> None:
    check_outage(database_url, broker_url, store, context, tmp_path, seconds=60)


def check_outage(
    database_url: str, broker_url: str, store: Database, context: Context, tmp_path: Path, *, seconds: float
) -> None:
    down = tmp_path / "down"
    env = environment(database_url, broker_url, **QUICK, encoder=f"fake:16:{down}")
    with worker(env, tmp_path / "worker.log"), running(["beat"], env, tmp_path / "beat.log"):
        ingest.remember(context, "n", [{"content": "Mira was here"}])
        until(lambda: only_quarantine_left(store, 0) and count(store, "episodes") == 1, 60, "the first derivation")
        down.touch()
        ingest.remember(context, "n", [{"content": f"Otto said {index}"} for index in range(30)])
        until(lambda: _snoozed(context), 30, "the breaker")
        time.sleep(seconds)
        until(lambda: _snoozed(context), 10, "the breaker, still")
        assert count(store, "stamps WHERE attempts > 0 AND holder IS NULL") == 0
        assert count(store, "stamps WHERE error IS NOT NULL") == 0
        down.unlink()
        until(lambda: only_quarantine_left(store, 0), 30, "the recovery")
    assert_current(store)


def _snoozed(context: Context) -> bool:
    return any(row["snoozed"] for row in health.status(context)["derivations"].values())


def test_work_longer_than_the_visibility_timeout_is_done_once(
    database_url: str, broker_url: str, store: Database, context: Context, tmp_path: Path
) -> None:
    """Public fault b03: messages come again while their work goes on; every row has one current version."""
    slow = {**QUICK, "visibility_seconds": 2, "lease_seconds": 30, "drain_seconds": 20}
    env = environment(database_url, broker_url, **slow)
    with worker(env, tmp_path / "worker.log"), running(["beat"], env, tmp_path / "beat.log"):
        ingest.remember(context, "n", [{"content": f"Mira «sleep 6» {index}"} for index in range(3)])
        until(lambda: only_quarantine_left(store, 0) and count(store, "memories") == 3, 120, "the slow derivation")
        assert health.queues(context)["redelivered"] > 0, "no message came twice: nothing was shown"
    assert count(store, "memory_sources") == 3
    assert count(store, "mentions") == 3
    assert count(store, "stamps WHERE revision <> 1") == 0
    assert_current(store)


def test_a_hung_inference_is_ended_and_shown(
    database_url: str, broker_url: str, store: Database, context: Context, tmp_path: Path
) -> None:
    env = environment(database_url, broker_url, **{**QUICK, "drain_seconds": 1, "max_attempts": 2})
    with worker(env, tmp_path / "worker.log"), running(["beat"], env, tmp_path / "beat.log"):
        ingest.remember(context, "n", [{"content": "Mira «sleep 600»"}, {"content": "Otto is fine"}])
        until(lambda: only_quarantine_left(store, 2), 120, "the end of the hung rows")
    with store.read() as session:
        assert {row.error for row in stamps.failing(session)} == {"TimeLimitExceeded"}


def test_a_killed_workers_claims_are_taken_over_within_the_lease(
    env: dict[str, str], store: Database, context: Context, tmp_path: Path
) -> None:
    """Public fault b05: the claims of a worker that is gone belong to whoever comes next, whatever its name."""
    ingest.remember(context, "n", [{"content": "Mira «sleep 2»"}, {"content": "Otto is fine"}])
    with worker(env, tmp_path / "first.log") as first:
        until(lambda: count(store, "stamps WHERE holder IS NOT NULL AND derivation = 'entities'") > 0, 60, "a claim")
        first.kill()
    assert count(store, "mentions") < 2
    with worker(env, tmp_path / "second.log"), running(["beat"], env, tmp_path / "beat.log"):
        until(lambda: only_quarantine_left(store, 0) and count(store, "mentions") == 2, 60, "both rows' derivation")


def test_models_load_after_the_fork(database_url: str, broker_url: str, store: Database, tmp_path: Path) -> None:
    """Public fault b09: two children and a warm API over the real models; nothing hangs on its first inference."""
    env = environment(database_url, broker_url, **QUICK, encoder="all-MiniLM-L6-v2", spacy_model="en_core_web_sm")
    env["PALIMPSEST_DRAIN_SECONDS"] = "30"
    with api(env, tmp_path / "api.log", port=free_port(), ready=120) as (_, http), worker(env, tmp_path / "w.log"):
        for index in range(10):
            assert http.post("/v1/namespaces/n/episodes", json={"content": f"Mira went {index}"}).status_code == 202
        until(lambda: only_quarantine_left(store, 0) and count(store, "vectors_1") == 10, 120, "ten vectors")
        found = http.post("/v1/namespaces/n/recall", json={"query": "where did Mira go"}).json()
    assert len(found["memories"]) == 10
    assert found["degraded"] == {}
