"""What an earlier life may leave behind, and that none of it is believed."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from deploy.embedded import EmbeddedError, locate, start, strays
from deploy.embedded.guarded import Command, run_once
from deploy.embedded.postgres import environment

from .support import Owner, alive, gone, wait_until, words


def dead_pid() -> int:
    process = subprocess.Popen(["/bin/true"])
    process.wait()
    return process.pid


def as_servers(data_dir: Path) -> dict[str, object]:
    """Arguments of `Popen` for a process under the servers' uid."""
    owner = (data_dir / "postgres").stat()
    return {"user": owner.st_uid, "group": owner.st_gid, "extra_groups": []} if os.geteuid() == 0 else {}


@pytest.fixture
def neighbour(data_dir: Path) -> Iterator[psutil.Process]:
    """A live process under the servers' uid, the one PostgreSQL itself would take for another server."""
    with subprocess.Popen(["/bin/sleep", "600"], **as_servers(data_dir)) as process:  # type: ignore[call-overload]
        yield psutil.Process(process.pid)
        process.kill()


@pytest.mark.parametrize("said", ["dead", "alive", "empty"])
def test_a_lock_file_is_only_text(
    data_dir: Path, owner: Callable[..., Owner], neighbour: psutil.Process, said: str
) -> None:
    """Case h03: killed outright, and the recorded id now belongs to nobody, to somebody else, or is not there."""
    first = owner(data_dir)
    assert "error" not in first.hear()
    first.kill()
    pid = {"dead": str(dead_pid()), "alive": str(neighbour.pid), "empty": ""}[said]
    assert gone(first.said["processes"], within=15) == []
    (data_dir / "owner.lock").write_text(f'{{"pid": {pid}}}' if pid else "")
    rest = "\n/nowhere\n1700000000\n5432\n/tmp\n\n  1234567 7654321\nready\n"
    (data_dir / "postgres" / "postmaster.pid").write_text(pid + rest if pid else "")
    with start(data_dir) as instance:
        assert words(instance) == ["漢字😀é"]
    assert neighbour.status() == psutil.STATUS_SLEEPING


def test_a_start_right_after_a_kill_waits_for_the_old_servers(data_dir: Path, owner: Callable[..., Owner]) -> None:
    first = owner(data_dir)
    first.hear()
    first.kill()
    with start(data_dir) as instance:
        assert words(instance) == ["漢字😀é"]
        assert gone(first.said["processes"], within=0) == []
        assert not Path(first.said["socket_dir"]).exists()


def test_an_orphaned_postgres_is_stopped_cleanly(data_dir: Path) -> None:
    binary = locate.installed().program("postgres")
    cluster = data_dir / "postgres"
    log = data_dir / "log" / "postgres.log"
    log.write_bytes(b"")
    command = [str(binary), "-D", str(cluster), "-c", "listen_addresses=", "-k", str(cluster)]
    with log.open("ab") as out:
        orphan = subprocess.Popen(command, cwd=cluster, env=environment(), stderr=out, **as_servers(data_dir))  # type: ignore[call-overload]
    try:
        wait_until(lambda: "ready to accept" in log.read_text())
        with start(data_dir) as instance:
            assert orphan.wait(timeout=5) == 0
            assert words(instance) == ["漢字😀é"]
        said = log.read_text()
        assert said.index("received fast shutdown") < said.index("database system is shut down")
        assert "was not properly shut down" not in said
    finally:
        orphan.kill()
        orphan.wait()


def test_an_orphaned_valkey_is_stopped(data_dir: Path) -> None:
    binary = locate.installed().valkey
    broker = data_dir / "valkey"
    with subprocess.Popen(
        [str(binary), "--port", "0", "--unixsocket", "./s", "--save", ""],
        cwd=broker,
        stdout=subprocess.DEVNULL,
        **as_servers(data_dir),  # type: ignore[call-overload]
    ) as orphan:
        wait_until(lambda: bool(strays.find("valkey-server", broker)))
        with start(data_dir) as instance:
            assert orphan.wait(timeout=5) == 0
            assert words(instance)


def test_another_program_in_our_directory_is_left_alone(data_dir: Path) -> None:
    with subprocess.Popen(["/bin/sleep", "600"], cwd=data_dir / "postgres") as sleeper:
        with start(data_dir) as instance:
            assert words(instance)
        assert alive(sleeper.pid)
        sleeper.send_signal(signal.SIGKILL)


def test_a_server_that_cannot_be_seen_still_keeps_the_directory(tmp_path: Path) -> None:
    """A container may not see another's processes; the kernel's lock reaches across."""
    lock = tmp_path / "server.lock"
    ran = tmp_path / "ran"
    command = Command("late", ["/bin/touch", str(ran)], {}, lock=lock, lock_seconds=0.5)
    with lock.open("w") as holder:
        fcntl.flock(holder, fcntl.LOCK_EX)
        with pytest.raises(EmbeddedError, match="earlier start still runs"):
            run_once(command, timeout=10)
    assert not ran.exists()
    assert run_once(command, timeout=10) == 0
    assert ran.exists()


def test_a_half_made_cluster_is_made_again(base: Path) -> None:
    data_dir = base / "data"
    half = data_dir / "postgres.new"
    half.mkdir(parents=True)
    (half / "PG_VERSION").write_text("18\n")
    data_dir.chmod(0o711)
    with start(data_dir) as instance:
        assert instance.owner_pid == os.getpid()
    assert not half.exists()


def test_a_lost_password_file_is_named(data_dir: Path) -> None:
    (data_dir / "postgres.password").rename(data_dir / "moved")
    with pytest.raises(EmbeddedError, match=r"postgres\.password does not hold the password"), start(data_dir):
        pass
    assert not (data_dir / "postgres.password").exists()
    (data_dir / "postgres.password").write_text("another")
    with pytest.raises(EmbeddedError, match=r"postgres\.password does not hold the password"), start(data_dir):
        pass
    (data_dir / "moved").rename(data_dir / "postgres.password")
    with start(data_dir) as instance:
        assert words(instance)
