"""Messages are nudges: few of them, none that matters. Real workers, real broker, real HTTP."""

from __future__ import annotations

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from celery import Celery

from api.service import health, ingest
from api.service.context import Context
from schema.db import Database
from schema.store import audit
from tests.support.store import assert_current, backlog, count
from tests.support.workers import ROOT, api, environment, free_port, running, until, worker
from workers.nudge import SENT, client


def settled(database: Database, episodes: int) -> bool:
    """Whether this many episodes are current in every derivation."""
    left = backlog(database)
    return (
        len(left) > 3
        and count(database, "episodes") >= episodes
        and all(not any(row.values()) for row in left.values())
    )


def sent(broker_url: str) -> int:
    """Return how many nudges were ever sent."""
    connection = client(broker_url, 5)
    try:
        return sum(int(connection.get(SENT.format(lane)) or 0) for lane in (0, 1))
    finally:
        connection.close()


def write_singly(http: httpx.Client, writes: int) -> None:
    """Write that many episodes over HTTP, one a request."""

    def one(index: int) -> None:
        answer = http.post("/v1/namespaces/n/episodes", json={"content": f"code K{index}X is for Mira"})
        assert answer.status_code == 202, answer.text

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(one, range(writes)))


def check_nudges(env: dict[str, str], store: Database, broker_url: str, tmp_path: Path, writes: int) -> None:
    with worker(env, tmp_path / "worker.log"), api(env, tmp_path / "api.log", port=free_port()) as (_, http):
        write_singly(http, writes)
        until(lambda: settled(store, writes), 300, "the derivation of all writes")
        assert sent(broker_url) <= writes / 10, sent(broker_url)
        for index in range(0, writes, max(1, writes // 50)):
            found = http.post("/v1/namespaces/n/recall", json={"query": f"K{index}X", "k": 1}).json()
            assert found["memories"][0]["text"] == f"code K{index}X is for Mira"
    assert_current(store)


def test_many_single_writes_are_few_messages(
    env: dict[str, str], store: Database, broker_url: str, tmp_path: Path
) -> None:
    check_nudges(env, store, broker_url, tmp_path, writes=400)


@pytest.mark.soak
@pytest.mark.timeout(900)
def test_ten_thousand_single_writes_are_at_most_a_thousand_messages(
    env: dict[str, str], store: Database, broker_url: str, tmp_path: Path
) -> None:
    check_nudges(env, store, broker_url, tmp_path, writes=10_000)


def test_rapid_writes_are_never_looked_for_before_they_are_there(
    env: dict[str, str], store: Database, context: Context, tmp_path: Path
) -> None:
    """Public fault b11: 500 rapid writes with an idle worker, then 5 whose sender dies between commit and publish."""
    killer = (
        "import os, sys; from api.service import ingest; from api.service.context import Context; "
        "from schema.settings import get; context = Context(get()); context.nudge = lambda lane: os._exit(9); "
        "ingest.remember(context, 'n', [{'content': f'last words {sys.argv[1]}'}])"
    )
    with worker(env, tmp_path / "worker.log") as process, running(["beat"], env, tmp_path / "beat.log"):
        for index in range(500):
            ingest.remember(context, "n", [{"content": f"Mira said {index}"}])
        until(lambda: settled(store, 500), 120, "the derivation of 500 writes")
        for index in range(5):
            done = subprocess.run([sys.executable, "-c", killer, str(index)], env=env, cwd=ROOT, check=False)
            assert done.returncode == 9
        until(lambda: settled(store, 505), 30, "the derivation of what nobody published")
        assert "not found" not in process.output().lower()
    assert_current(store)


def test_a_worker_whose_broker_drops_and_restarts_comes_back_by_itself(
    env: dict[str, str], store: Database, context: Context, broker_url: str, tmp_path: Path
) -> None:
    """Public fault b01: every connection dropped three times within two seconds; nobody restarts anything."""
    connection = client(broker_url, 5)
    with worker(env, tmp_path / "worker.log") as process:
        ingest.remember(context, "n", [{"content": "before"}])
        until(lambda: settled(store, 1), 60, "the first derivation")
        for _ in range(3):
            connection.execute_command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
            time.sleep(0.5)
        for index in range(20):
            ingest.remember(context, "n", [{"content": f"after {index}"}])

        # No beat runs: only the worker's own return can find these, once a nudge is trusted no longer.
        def nudged() -> bool:
            context.nudge(0)
            return settled(store, 21)

        until(nudged, 60, "the derivation of what came after")
        assert process.popen.poll() is None
    connection.close()


def test_a_broker_that_forgets_everything_delays_and_loses_nothing(
    env: dict[str, str], store: Database, context: Context, broker_url: str, tmp_path: Path
) -> None:
    """Public fault b13: a cache's eviction policy is called out, and a flushed broker costs no episode."""
    connection = client(broker_url, 5)
    connection.config_set("maxmemory-policy", "allkeys-lru")
    try:
        assert "noeviction" in health.queues(context)["warning"]
    finally:
        connection.config_set("maxmemory-policy", "noeviction")
    assert "warning" not in health.queues(context)
    for index in range(100):
        ingest.remember(context, "n", [{"content": f"Otto said {index}"}])
    connection.flushall()
    connection.close()
    assert health.ready(context)[1]["consumers"].startswith("stalled") or count(store, "rules") == 0
    with worker(env, tmp_path / "worker.log"), running(["beat"], env, tmp_path / "beat.log"):
        until(lambda: settled(store, 100), 60, "the derivation of what the broker forgot")
    assert_current(store)


def test_a_stall_is_shown_while_rows_are_due(env: dict[str, str], context: Context) -> None:
    ingest.remember(context, "n", [{"content": "nobody takes this"}])
    assert "stalled: 2 rows are due and the last message was taken never" in health.ready(context)[1]["consumers"]


def test_a_write_without_a_broker_succeeds_and_says_so(database_url: str, tmp_path: Path) -> None:
    lonely = environment(database_url, f"redis://127.0.0.1:{free_port()}/0", publish_seconds=0.3)
    with api(lonely, tmp_path / "api.log", port=free_port()) as (_, http):
        began = time.monotonic()
        answers = [http.post("/v1/namespaces/n/episodes", json={"content": f"kept {index}"}) for index in range(20)]
        assert time.monotonic() - began < 5
        assert {answer.status_code for answer in answers} == {202}
        assert {answer.json()["queued"] for answer in answers} == {False}
        assert "broker" in http.get("/readyz").json()["checks"]


def test_an_application_that_has_only_celery(
    env: dict[str, str], store: Database, broker_url: str, tmp_path: Path
) -> None:
    outside = Celery("somebody", broker=broker_url)
    fields: dict[str, Any] = {"namespace": "n", "content": "Mira keeps bees", "speaker": "Mira"}
    with worker(env, tmp_path / "worker.log") as process:
        for _ in range(2):
            outside.send_task("palimpsest.remember", kwargs=fields, task_id="same-task", queue="fresh")
        outside.send_task("palimpsest.remember", kwargs={**fields, "speeker": "canary-7731"}, queue="fresh")
        outside.send_task("palimpsest.remember", kwargs={"namespace": "n", "content": " "}, queue="fresh")

        def rejected() -> bool:
            with store.read() as session:
                return len(audit.rejections(session)) == 2

        until(rejected, 60, "two rejections")
        until(lambda: settled(store, 1), 30, "the derivation")
        with store.read() as session:
            reasons = {row.field: row.reason for row in audit.rejections(session)}
        assert "did you mean speaker" in reasons["speeker"]
        assert "blank" in reasons["content"]
        assert "canary-7731" not in process.output()
        assert "keeps bees" not in process.output()
    assert count(store, "episodes") == 1
    outside.close()
