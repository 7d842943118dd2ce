"""Running it: `up` and `demo` own everything they start, and everything is gone when they are."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import httpx
import psutil
import pytest

from deploy.embedded import attach
from tests.support.workers import free_port, until

from .conftest import Cli


@pytest.fixture
def room() -> Iterator[Path]:
    """A short directory that any uid can pass through."""
    path = Path(tempfile.mkdtemp(prefix="pu-"))
    path.chmod(0o711)
    yield path
    shutil.rmtree(path, ignore_errors=True)


class Up:
    """A running `palimpsest up`."""

    def __init__(self, env: dict[str, str], *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "api.cli.main", "up", *arguments],
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.said = ""

    def ready(self) -> str:
        """Return the API's URL once it is there."""
        assert self.process.stdout
        for line in self.process.stdout:
            self.said += line
            if "Ctrl-C" in line:
                break
        found = re.search(r"http://[\d.]+:\d+", self.said)
        assert found, (self.said, self.process.stderr.read() if self.process.stderr else "")
        return found.group()

    def offspring(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children(recursive=True)

    def end(self, number: signal.Signals) -> tuple[int, str]:
        self.process.send_signal(number)
        _, err = self.process.communicate(timeout=60)
        return self.process.returncode, err

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


@pytest.fixture
def ups() -> Iterator[list[Up]]:
    """Whatever a test started."""
    made: list[Up] = []
    yield made
    for one in made:
        one.kill()


def test_up_runs_everything_and_stops_it(bare: Cli, room: Path, ups: list[Up]) -> None:
    env = {**bare.env, "PALIMPSEST_DATA_DIR": str(room / "d")}
    ups.append(up := Up(env, "--port", "0", "--workers", "1"))
    url = up.ready()
    assert httpx.get(f"{url}/readyz", trust_env=False).json()["ready"] is True
    here = Cli(env, bare.cwd)
    assert here("remember", "trip", "Ines bought a kayak", "--json").fine().json()["queued"] is True
    until(lambda: here("recall", "trip", "kayak", "--json").fine().json()["memories"], 60, "the memory")
    assert here("status", "--json").fine().json()["current"] is True
    here("migrate").fine()
    here("up").refused("is in use by process")
    children = up.offspring()
    assert len(children) >= 5
    code, err = up.end(signal.SIGTERM)
    assert (code, "stopped" in err, "Traceback" in err) == (0, True, False)
    assert psutil.wait_procs(children, timeout=5)[1] == []
    assert attach(room / "d") is None
    ups.append(again := Up(env, "--port", str(free_port()), "--workers", "1"))
    again.ready()
    assert "trip" in again.said
    assert here("recall", "trip", "kayak", "--json").fine().json()["memories"]
    assert again.end(signal.SIGINT)[0] == 0


def test_up_over_servers_of_your_own(cli: Cli, ups: list[Up]) -> None:
    ups.append(up := Up(dict(cli.env), "--port", "0", "--workers", "1"))
    url = up.ready()
    httpx.post(f"{url}/v1/namespaces/trip/episodes", json={"content": "Teo bought a tent"}, trust_env=False)
    until(lambda: cli("recall", "trip", "tent", "--json").fine().json()["memories"], 60, "the memory")
    children = up.offspring()
    assert up.end(signal.SIGTERM)[0] == 0
    assert psutil.wait_procs(children, timeout=5)[1] == []
    cli("up", BROKER_URL=None).refused("BROKER_URL")


def test_a_port_that_is_taken_is_named(cli: Cli) -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        cli("serve", "--port", port).refused(port, "--port")
        cli("up", "--port", port).refused(port, "--port")
    cli("serve", "--host", "256.1.1.1").refused("--host")
    cli("worker", "--queues", "fresh,slow").refused("--queues")


def test_the_demonstration_leaves_nothing_behind(bare: Cli, tmp_path: Path) -> None:
    env = {key: value for key, value in bare.env.items() if key != "PALIMPSEST_DATA_DIR"}
    scratch = tmp_path / "t"
    scratch.mkdir()
    done = Cli({**env, "TMPDIR": "/tmp"}, bare.cwd)("demo")
    # A fake encoder finds by words only, so a question or two go without their turn.
    assert done.code in {0, 1}, done
    assert "told 140 turns" in done.out
    assert "derived everything" in done.out
    assert "VK-20817-TR" in done.out
    assert done.out.count("expected turns recalled") == 5
    url = re.search(r"http://[\d.:]+", done.out)
    assert url
    with pytest.raises(httpx.TransportError):
        httpx.get(f"{url.group()}/healthz", trust_env=False)
    assert not list(Path("/tmp").glob("palimpsest-demo-*"))


def test_the_demonstration_over_servers_of_your_own(cli: Cli) -> None:
    done = cli("demo")
    assert done.code in {0, 1}, done
    assert "told 140 turns" in done.out
    listed = json.dumps(cli("doctor", "--json").json())
    assert "index of demo" not in listed, "its namespace is gone"
