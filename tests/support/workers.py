"""Real processes of palimpsest: workers, beat and the API, started as an operator starts them, ended as fate does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import httpx
import psutil

T = TypeVar("T")
ROOT = Path(__file__).resolve().parents[2]


def until(condition: Callable[[], T], seconds: float = 30, what: str = "it") -> T:
    """Wait for an event, not for a time: return the condition's first true value."""
    deadline = time.monotonic() + seconds
    while True:
        found = condition()
        if found:
            return found
        assert time.monotonic() < deadline, f"{what} did not happen within {seconds} s (last: {found!r})"
        time.sleep(0.05)


def environment(database_url: str, broker_url: str, **settings: Any) -> dict[str, str]:
    """Return the environment of a palimpsest process: settings by name, fake models unless they say otherwise."""
    values = {"encoder": "fake:16", "spacy_model": "fake", **settings}
    clean = {key: value for key, value in os.environ.items() if not key.startswith("PALIMPSEST_")}
    return {
        **clean,
        "DATABASE_URL": database_url,
        "BROKER_URL": broker_url,
        "PYTHONPATH": str(ROOT),
        **{f"PALIMPSEST_{name.upper()}": str(value) for name, value in values.items()},
    }


class Process:
    """One palimpsest command, in a session of its own so that nothing of it is left behind."""

    def __init__(self, arguments: list[str], env: Mapping[str, str], log: Path) -> None:
        self.log = log
        self._stream = log.open("ab")
        self.popen = subprocess.Popen(
            [sys.executable, "-m", "api.cli.main", *arguments],
            env=dict(env),
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=self._stream,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    @property
    def pid(self) -> int:
        return self.popen.pid

    def output(self) -> str:
        """Return all it has printed."""
        return self.log.read_text(encoding="utf-8")

    def children(self) -> list[psutil.Process]:
        """Return its living children: a worker's prefork pool."""
        try:
            return psutil.Process(self.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            return []

    def kill(self) -> None:
        """End it and its children without a word, as the kernel's memory killer does."""
        self._signal(signal.SIGKILL)
        self.popen.wait(10)

    def stop(self, seconds: float = 30) -> int:
        """Ask it to stop, and return its exit code."""
        if self.popen.poll() is None:
            self.popen.send_signal(signal.SIGTERM)
        try:
            return self.popen.wait(seconds)
        finally:
            self._signal(signal.SIGKILL)
            self._stream.close()

    def _signal(self, number: int) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.pid, number)


@contextmanager
def running(arguments: list[str], env: Mapping[str, str], log: Path) -> Iterator[Process]:
    """Run a command for the length of a block."""
    process = Process(arguments, env, log)
    try:
        yield process
    finally:
        process.stop()


@contextmanager
def worker(env: Mapping[str, str], log: Path, *, processes: int = 2, ready: float = 60) -> Iterator[Process]:
    """Run a worker with all queues, ready to take messages."""
    with running(["worker", "--processes", str(processes)], env, log) as process:
        until(lambda: "ready" in process.output() or process.popen.poll() is not None, ready, "the worker's start")
        assert process.popen.poll() is None, process.output()[-2000:]
        yield process


@contextmanager
def api(env: Mapping[str, str], log: Path, *, port: int, ready: float = 60) -> Iterator[tuple[Process, httpx.Client]]:
    """Run the API, warm, with a client for it."""
    with (
        running(["serve", "--port", str(port)], env, log) as process,
        httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30) as client,
    ):

        def warm() -> bool:
            assert process.popen.poll() is None, process.output()[-2000:]
            try:
                return client.get("/readyz").status_code == 200
            except httpx.TransportError:
                return False

        until(warm, ready, "the API's start")
        yield process, client


def free_port() -> int:
    """Return a port that nobody listens on now."""
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
