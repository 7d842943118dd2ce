"""Whoever is killed, and however: nothing of ours survives 15 seconds (case h07)."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import psutil

from deploy.embedded import Runtime, start

from .support import Owner, gone, guards, users, wait_until, words


def test_killed_five_times_in_a_row(data_dir: Path, owner: Callable[..., Owner], bystander: psutil.Process) -> None:
    for _ in range(5):
        begun = time.monotonic()
        one = owner(data_dir)
        assert "error" not in one.hear()
        assert time.monotonic() - begun < 20
        one.kill()
    assert gone(one.said["processes"], within=15) == []
    wait_until(lambda: not users(data_dir), within=5)
    wait_until(lambda: not Path(one.said["socket_dir"]).exists(), within=5)
    assert bystander.is_running()
    with start(data_dir) as instance:
        assert words(instance) == ["漢字😀é"]


def test_parent_and_guards_killed_together(data_dir: Path, owner: Callable[..., Owner]) -> None:
    """The kernel's own signal stops the servers then, PostgreSQL with its fast shutdown."""
    one = owner(data_dir)
    one.hear()
    watching = guards(one.process.pid)
    assert len(watching) == 2
    for pid in watching:
        psutil.Process(pid).kill()
    one.kill()
    assert gone(one.said["processes"], within=15) == []
    assert "received fast shutdown" in (data_dir / "log" / "postgres.log").read_text()
    with start(data_dir) as instance:
        assert words(instance)
        assert not Path(one.said["socket_dir"]).exists()


def test_a_killed_guard_is_replaced_with_its_server(data_dir: Path) -> None:
    with Runtime(data_dir) as runtime:
        server = runtime.child("postgres")
        before = server.state.pid
        psutil.Process(server.guard_pid).kill()
        state = server.wait_restarted(1, timeout=20)
        assert state.pid != before
        assert gone([before or 0], within=0) == []
    assert users(data_dir) == []


def test_a_child_that_will_not_stop_is_killed(data_dir: Path, owner: Callable[..., Owner]) -> None:
    one = owner(data_dir, "stubborn")
    assert len(one.hear()["processes"]) == 3
    one.kill()
    assert gone(one.said["processes"], within=15) == []


def test_a_process_that_shares_our_pipes_changes_nothing(data_dir: Path, owner: Callable[..., Owner]) -> None:
    one = owner(data_dir, "fork")
    forked = one.hear()["forked"]
    assert psutil.pid_exists(forked)
    one.kill()
    assert gone(one.said["processes"], within=15) == []
    assert psutil.pid_exists(forked)
    with start(data_dir) as instance:
        assert words(instance)
        assert instance.owner_pid == os.getpid()


def test_a_record_names_no_directory_to_be_removed(data_dir: Path, base: Path) -> None:
    """What a killed owner left is cleaned up on the word of a file, so only what can be nothing else is removed."""
    precious = base / "palimpsest-work"
    precious.mkdir()
    (precious / "thesis.txt").write_text("precious")
    (data_dir / "instance.json").write_text(f'{{"socket_dir": "{precious}"}}')
    with start(data_dir) as instance:
        assert words(instance)
    assert (precious / "thesis.txt").exists()


def test_an_exit_without_stop_is_a_stop(data_dir: Path, owner: Callable[..., Owner]) -> None:
    one = owner(data_dir)
    one.hear()
    one.process.terminate()
    one.process.wait()
    assert gone(one.said["processes"], within=15) == []
    assert "database system is shut down" in (data_dir / "log" / "postgres.log").read_text()
