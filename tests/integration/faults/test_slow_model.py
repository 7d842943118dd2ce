"""A model that burns the processor delays the answers that need it, and nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from schema.settings import Settings
from tests.support.client import Store
from tests.support.workers import ROOT, environment, free_port, until


@pytest.fixture
def served(store: Store, settings: Settings, tmp_path: Path) -> Iterator[str]:
    """The address of the application in a process of its own, as a server runs it."""
    assert settings.database_url is not None
    assert settings.broker_url is not None
    store.learn("n", "the ferry leaves at noon", "Otto waved")
    port = free_port()
    command = ["-m", "uvicorn", "--factory", "api.http.app:create_app", "--port", str(port), "--ws", "none"]
    with (tmp_path / "log").open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, *command],
            env=environment(settings.database_url, settings.broker_url),
            cwd=ROOT,
            stdout=output,
            stderr=output,
        )
        try:
            until(lambda: _status(f"http://127.0.0.1:{port}/readyz") == 200, 30, "the start")
            yield f"http://127.0.0.1:{port}"
        finally:
            process.kill()
            process.wait(10)


def _status(url: str) -> int:
    try:
        return httpx.get(url, timeout=5).status_code
    except httpx.TransportError:
        return 0


def _ask(url: str, query: str, settings: dict[str, float], into: list[int]) -> None:
    body = json.dumps({"query": query, "settings": settings})
    try:
        answer = httpx.post(f"{url}/v1/namespaces/n/recall", content=body, timeout=60)
    except httpx.TransportError:
        into.append(0)
    else:
        into.append(answer.status_code)


def test_liveness_is_quick_while_twenty_questions_burn(served: str) -> None:
    """Public fault h13."""
    answered: list[int] = []
    questions = [
        threading.Thread(target=_ask, args=(served, f"ferry {n} «burn 2»", {}, answered), daemon=True)
        for n in range(20)
    ]
    for question in questions:
        question.start()
    time.sleep(0.3)
    took = []
    with httpx.Client(timeout=10) as client:
        end = time.monotonic() + 3
        while time.monotonic() < end:
            began = time.monotonic()
            assert client.get(f"{served}/healthz").status_code == 200
            took.append(time.monotonic() - began)
            time.sleep(0.05)
    assert len(answered) < 20, "they were still in flight"
    assert max(took) < 0.5, sorted(took)[-5:]


def test_writes_and_readiness_do_not_wait_for_the_model(served: str) -> None:
    """Public fault h13: questions that wait for the model hold no connection that a write needs."""
    answered: list[int] = []
    questions = [
        threading.Thread(target=_ask, args=(served, f"ferry {n} «burn 1»", {"entity_weight": 0}, answered), daemon=True)
        for n in range(20)
    ]
    for question in questions:
        question.start()
    time.sleep(0.5)
    with httpx.Client(timeout=30) as client:
        for number in range(4):
            began = time.monotonic()
            told = client.post(f"{served}/v1/namespaces/n/episodes", json={"content": f"told meanwhile {number}"})
            assert told.status_code == 202
            assert client.get(f"{served}/readyz").status_code == 200
            assert time.monotonic() - began < 2
    assert len(answered) < 20, "they were still in flight"


def test_questions_of_clients_that_hung_up_are_dropped(served: str) -> None:
    """Public fault h13: what nobody waits for ends within the model call in hand, not after all that queue up."""
    answered: list[int] = []
    hung_up = threading.Barrier(13)

    def impatient(number: int) -> None:
        try:
            httpx.post(f"{served}/v1/namespaces/n/recall", json={"query": f"ferry {number} «burn 1»"}, timeout=0.5)
        except httpx.TimeoutException:
            hung_up.wait(30)

    for number in range(12):
        threading.Thread(target=impatient, args=(number,), daemon=True).start()
    hung_up.wait(30)
    began = time.monotonic()
    _ask(served, "when does the ferry leave", {}, answered)
    assert answered == [200]
    # Twelve questions of a second, in two models, would take twelve to twenty-four.
    assert time.monotonic() - began < 6
