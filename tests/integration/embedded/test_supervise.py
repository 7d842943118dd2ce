"""Processes kept running, without any server."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from deploy.embedded import Child, ChildState, EmbeddedError, Supervisor, guarded

from .support import alive, gone, wait_until


class Heard(list[tuple[str, dict[str, object]]]):
    """A log that keeps what it is told."""

    def __call__(self, event: str, /, **fields: object) -> None:
        self.append((event, fields))


@pytest.fixture
def heard() -> Heard:
    return Heard()


@pytest.fixture
def supervisor(heard: Heard) -> Iterator[Supervisor]:
    one = Supervisor(log=heard)
    yield one
    one.stop()
    assert one.states() == []


def python(supervisor: Supervisor, name: str, script: str, log_file: Path, **options: float) -> Child:
    grace = options.get("grace", 5.0)
    return supervisor.supervise(name, [sys.executable, "-c", script], {"WORD": "漢字"}, log_file=log_file, grace=grace)


def test_states_and_output(supervisor: Supervisor, tmp_path: Path) -> None:
    script = "import os, sys, time; print(os.environb[b'WORD'].decode(), file=sys.stderr, flush=True); time.sleep(600)"
    for name in ("one", "two"):
        python(supervisor, name, script, tmp_path / name)
        wait_until(lambda name=name: (tmp_path / name).read_text("utf-8", "replace") == "漢字\n")  # type: ignore[misc]
    states = supervisor.states()
    assert [state.name for state in states] == ["one", "two"]
    for state in states:
        assert state == ChildState(state.name, state.pid, alive=True, restarts=0, exit=None)
        assert psutil.Process(state.pid).is_running()
    with pytest.raises(EmbeddedError, match="supervised already"):
        python(supervisor, "one", script, tmp_path / "one")


def test_a_child_that_dies_is_started_again_and_counted(supervisor: Supervisor, heard: Heard, tmp_path: Path) -> None:
    child = python(supervisor, "worker", "import time; time.sleep(600)", tmp_path / "log")
    for count in (1, 2):
        psutil.Process(child.state.pid).kill()
        state = child.wait_restarted(count, timeout=10)
        assert (state.restarts, state.exit, state.alive) == (count, -9, True)
    assert [event for event, _ in heard] == [
        "embedded.started",
        *["embedded.died", "embedded.restarting", "embedded.started"] * 2,
    ]
    assert heard[1][1] == {"child": "worker", "exit": -9}


def test_pauses_grow_while_a_child_keeps_dying(supervisor: Supervisor, tmp_path: Path) -> None:
    child = python(supervisor, "broken", "raise SystemExit(7)", tmp_path / "log")
    time.sleep(2.5)
    # 0.5 s, then 1 s, then 2 s: a third attempt would come after 3.5 s.
    assert child.state.restarts in (1, 2)
    assert child.state.exit == 7
    begun = time.monotonic()
    supervisor.stop()
    assert time.monotonic() - begun < 3


def test_a_program_that_does_not_exist_is_named(supervisor: Supervisor) -> None:
    with pytest.raises(EmbeddedError, match=r"nothing cannot be started: .*No such file.*/no/such/program"):
        supervisor.supervise("nothing", ["/no/such/program"])
    assert supervisor.states() == []


def test_a_child_may_finish_its_work(supervisor: Supervisor, tmp_path: Path) -> None:
    script = (
        "import signal, sys, time\n"
        "def finish(*_): time.sleep(0.5); print('finished', flush=True); sys.exit(0)\n"
        "signal.signal(signal.SIGTERM, finish); print('ready', flush=True); time.sleep(600)"
    )
    child = python(supervisor, "worker", script, tmp_path / "log")
    wait_until(lambda: "ready" in (tmp_path / "log").read_text())
    supervisor.stop()
    assert (tmp_path / "log").read_text() == "ready\nfinished\n"
    assert child.state == ChildState("worker", None, alive=False, restarts=0, exit=0)


def test_what_a_child_started_goes_with_it(supervisor: Supervisor, tmp_path: Path) -> None:
    script = (
        "import subprocess, time, signal, sys\n"
        "stubborn = 'import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); '\n"
        "stubborn += 'print(1, flush=True); time.sleep(600)'\n"
        "print(subprocess.Popen([sys.executable, '-c', stubborn]).pid, flush=True); time.sleep(600)"
    )
    python(supervisor, "parent", script, tmp_path / "log")
    wait_until(lambda: len((tmp_path / "log").read_text().split()) == 2)
    grandchild = max(int(word) for word in (tmp_path / "log").read_text().split())
    assert alive(grandchild)
    supervisor.stop()
    assert gone([grandchild], within=5) == []


def test_a_child_that_will_not_stop_is_killed_after_its_grace(supervisor: Supervisor, tmp_path: Path) -> None:
    script = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(1, flush=True); time.sleep(600)"
    child = python(supervisor, "stubborn", script, tmp_path / "log", grace=0.5)
    wait_until(lambda: (tmp_path / "log").read_text() == "1\n")
    begun = time.monotonic()
    supervisor.stop()
    assert 0.5 <= time.monotonic() - begun < 5
    assert child.state.exit == -9


def test_a_guard_killed_alone_takes_its_child_along(supervisor: Supervisor, tmp_path: Path) -> None:
    child = python(supervisor, "worker", "import time; time.sleep(600)", tmp_path / "log")
    before = child.state.pid or 0
    psutil.Process(child.guard_pid).kill()
    state = child.wait_restarted(1, timeout=10)
    assert not alive(before)
    assert state.exit is None


def test_logs_stay_small(supervisor: Supervisor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guarded, "LOG_BYTES", 10_000)
    script = "import time\nwhile True: print('x' * 999, flush=True); time.sleep(0.01)"
    python(supervisor, "talker", script, tmp_path / "log")
    wait_until((tmp_path / "log.1").exists)
    wait_until(lambda: (tmp_path / "log").stat().st_size < 10_000)
    assert (tmp_path / "log.1").stat().st_size >= 10_000
