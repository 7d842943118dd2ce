"""All of palimpsest under one parent: servers, worker, beat and API, started in order and stopped in reverse.

    with fleet(...) as running:
        running.url                  # the API, ready to answer

The parent owns everything: whatever way it ends, nothing it started outlives it by more than 15 s. A child that dies
is started again. With servers of your own (`DATABASE_URL`, `BROKER_URL`) only the three processes are started, and they
log to this process's stderr, where containers look; beside embedded servers they log to files in the data directory.
"""

from __future__ import annotations

import contextlib
import http.client
import ipaddress
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from api.cli.processes import available
from api.cli.servers import filled, load_settings, log_of_embedded, migrate, place
from deploy.embedded import Child, ChildState, EmbeddedError, Runtime, Supervisor
from schema.errors import SettingsError

if TYPE_CHECKING:
    from schema.settings import Settings

READY_SECONDS = 180.0
"""Longest wait for readiness. With both models it took 8.5 s on two busy cores; a cold disk takes longer."""
LOST_CAUSE = 3
"""A process that had to be started this often before anything was ready will not come up."""
WORKER_GRACE = 20.0
"""Seconds a worker has to finish the rows in hand."""

Tell = Callable[[str], None]


class Parent(Protocol):
    """What runs processes: an embedded `Runtime`, or a `Supervisor` alone."""

    def supervise(
        self,
        name: str,
        argv: Sequence[str],
        env: Mapping[str, str] | None = None,
        *,
        cwd: Path | None = None,
        log_file: Path | None = None,
        grace: float = 10.0,
    ) -> Child:
        """Run a program for as long as the parent does."""

    def states(self) -> list[ChildState]:
        """Return the state of each."""


@dataclass(frozen=True)
class Running:
    """What runs. `data_dir` and `logs` are None with servers of your own."""

    settings: Settings
    host: str
    port: int
    data_dir: Path | None
    logs: Path | None
    parent: Parent

    @property
    def url(self) -> str:
        """Return the API's URL, as this machine reaches it."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(self.host, self.host)  # noqa: S104 - compared
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def command(*arguments: str) -> list[str]:
    """Return the argument list that runs a palimpsest command with this interpreter, wherever the working directory."""
    return [sys.executable, "-P", "-m", "api.cli.main", *arguments]


def environment(settings: Settings) -> dict[str, str]:
    """Return this process's environment with the URLs of the servers, and with this code within reach."""
    root = str(Path(__file__).resolve().parents[2])
    paths = [root, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    return {
        **os.environ,
        "DATABASE_URL": str(settings.database_url),
        "BROKER_URL": str(settings.broker_url),
        "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths)),
        "PYTHONUNBUFFERED": "1",
    }


@contextmanager
def fleet(
    data_dir: Path | None, *, host: str | None, port: int | None, workers: int | None, tell: Tell
) -> Iterator[Running]:
    """Run everything for the length of a block; the API answers questions when the block begins.

    Raises SettingsError, EmbeddedError or StoreUnavailable, with the remedy.
    """
    settings = load_settings()
    host = host or settings.host
    port = available(host, settings.port if port is None else port)
    count = workers or settings.worker_processes
    with contextlib.ExitStack() as stack:
        if settings.database_url is None:
            where = place(settings, data_dir)
            tell("starting PostgreSQL and Valkey")
            runtime = stack.enter_context(Runtime(where, log=log_of_embedded()))
            settings = filled(settings, runtime.instance)
            logs: Path | None = runtime.instance.log_dir
            running = Running(settings, host, port, runtime.data_dir, logs, runtime)
        else:
            if settings.broker_url is None:
                raise SettingsError("BROKER_URL: is not set and DATABASE_URL is; workers need both", field="BROKER_URL")
            supervisor = Supervisor(log=log_of_embedded())
            stack.callback(supervisor.stop)
            logs = None
            running = Running(settings, host, port, None, None, supervisor)
        tell("migrating")
        migrate(settings)
        tell("starting worker, beat and API")
        env = environment(settings)
        for name, argv, grace in (
            ("worker", command("worker", "--processes", str(count)), WORKER_GRACE),
            ("beat", command("beat"), 5.0),
            ("api", command("serve", "--host", host, "--port", str(port)), 10.0),
        ):
            log_file = None if logs is None else logs / f"{name}.log"
            running.parent.supervise(name, argv, env, log_file=log_file, grace=grace)
        _await_ready(running, tell)
        yield running


def _await_ready(running: Running, tell: Tell) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while True:
        ready, why = _probe(running.url)
        if ready:
            return
        tell(f"waiting for the API: {why}")
        failing = next((state for state in running.parent.states() if state.restarts >= LOST_CAUSE), None)
        if failing is not None:
            raise EmbeddedError(f"{failing.name} does not come up: {_last_words(running, failing.name)}")
        if time.monotonic() > deadline:
            raise EmbeddedError(f"not ready after {READY_SECONDS:.0f} s ({why}): {_last_words(running, 'api')}")
        time.sleep(0.2)


def _probe(url: str) -> tuple[bool, str]:
    """Ask /readyz; return whether it is ready, and what it waits for."""
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=5)
    try:
        connection.request("GET", "/readyz")
        answer = connection.getresponse()
        body: dict[str, Any] = json.loads(answer.read())
    except (OSError, http.client.HTTPException, ValueError):
        return False, "it is starting"
    finally:
        connection.close()
    checks: dict[str, Any] = body.get("checks", {})
    reasons = [str(checks[name]) for name in ("database", "models") if checks.get(name, "ok") != "ok"]
    return answer.status == http.client.OK, reasons[0] if reasons else "it is starting"


def _last_words(running: Running, name: str) -> str:
    if running.logs is None:
        return "its log is on stderr"
    file = running.logs / f"{name}.log"
    try:
        lines = file.read_text("utf-8", "replace").strip().splitlines()
    except OSError:
        lines = []
    return f"see {file}" + (f"; it ends with: {lines[-1][:300]}" if lines else "")
