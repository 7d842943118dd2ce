"""Places that are not kind: no account, no home, a read-only root, servers of one's own, many bad rows at once."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import httpx
import psutil
import pytest
from sqlalchemy.engine import make_url

from api.service import ingest
from api.service.context import Context
from schema.db import Database
from schema.settings import Settings
from schema.store import stamps
from tests.support.store import backlog, count, drain
from tests.support.workers import free_port, running, until


def test_with_servers_of_ones_own_nothing_is_embedded(env: dict[str, str], tmp_path: Path) -> None:
    """Public fault h01: as root as well, `up` uses the servers it is told of and starts none."""
    port = free_port()
    lonely = {**env, "PALIMPSEST_DATA_DIR": str(tmp_path / "unused")}
    with running(["up", "--port", str(port)], lonely, tmp_path / "up.log") as process:

        def ready() -> bool:
            assert process.popen.poll() is None, process.output()[-2000:]
            try:
                return httpx.get(f"http://127.0.0.1:{port}/readyz", timeout=5).status_code == 200
            except httpx.TransportError:
                return False

        until(ready, 90, "readiness")
        names = {child.name() for child in psutil.Process(process.pid).children(recursive=True)}
        assert not names & {"postgres", "valkey-server"}
        assert process.stop() == 0
    assert not (tmp_path / "unused").exists()


def test_bad_rows_do_not_stand_in_the_way_of_others(
    quick_settings: Settings, store: Database, context: Context
) -> None:
    """Public fault b07: 250 rows, one that throws and one that is very long; one attempt a bad row and run."""
    contents = [f"Mira said {index}" for index in range(250)]
    contents[7] += " «raise»"
    contents[9] = " ".join(f"word{index}" for index in range(1500))
    ingest.remember(context, "n", [{"content": content} for content in contents])
    patient = quick_settings.model_copy(update={"backoff_seconds": 3600.0, "backoff_cap_seconds": 7200.0})
    from workers import spaces
    from workers.drain import drain as run

    spaces.ensure(store, patient)
    run(store, patient, seconds=60)
    done = count(store, "vectors_1")
    assert done >= 249
    with store.read() as session:
        failing = stamps.failing(session)
    assert {(row.derivation, row.error, row.attempts) for row in failing} == {
        ("entities", "ValueError", 1),
        ("vectors:1", "ValueError", 1),
    }
    run(store, patient, seconds=60)
    with store.read() as session:
        assert [row.attempts for row in stamps.failing(session)] == [1, 1], "backing off: no busy loop"
    assert count(store, "vectors_1") == done
    with store.write() as session:
        stamps.retry(session)
    drain(store, quick_settings)
    assert backlog(store)["vectors:1"] == {"stale": 0, "quarantined": 1}


# An ordinary user can neither become uid 12345 nor remount its root: nothing to show without root, which CI has.
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can take an account away and make the root read-only")
def test_without_account_home_or_writable_root(env: dict[str, str], store: Database) -> None:
    """Public fault h15: uid 12345 without an account, no HOME, a read-only root; one temporary directory is writable.

    Nothing tries the network: there is none in there.
    """
    room = Path(tempfile.mkdtemp(prefix="ph-"))
    os.chown(room, 12345, 12345)
    bare = {
        key: value
        for key, value in env.items()
        if key.startswith(("PALIMPSEST_", "DATABASE", "BROKER", "PYTHONPATH", "OPENBLAS")) or key == "PATH"
    }
    bare |= {"TMPDIR": str(room), "PALIMPSEST_ENCODER": "all-MiniLM-L6-v2", "PALIMPSEST_SPACY_MODEL": "en_core_web_sm"}
    script = (
        f"mount --bind {room} {room} && mount -o bind,remount,ro / && cd {room} && "
        # The interpreter may stand where only root can read; that is the test's trouble, not the product's.
        "exec setpriv --reuid 12345 --regid 12345 --clear-groups --inh-caps=-all,+dac_read_search "
        f"--ambient-caps=-all,+dac_read_search {sys.executable} -m api.cli.main "
    )
    commands = (
        "remember n 'Mira keeps bees in Turku'",
        "sweep",
        "recall n 'who keeps bees' --json",
        "status --json",
    )
    socket = Path(str(make_url(env["DATABASE_URL"]).query["host"])) / ".s.PGSQL.5432"
    closed = socket.stat().st_mode
    # This uid is not the servers' own; a server of one's own would listen where it can be reached.
    socket.chmod(0o777)
    try:
        for command in commands:
            done = subprocess.run(
                ["unshare", "--mount", "--net", "--propagation", "private", "sh", "-c", script + command],
                env=_reachable(bare),
                capture_output=True,
                text=True,
                check=False,
                timeout=120,
            )
            assert done.returncode == 0, (command, done.stderr[-2000:])
            if command.startswith("recall"):
                assert "Mira keeps bees in Turku" in done.stdout
                assert '"degraded": {}' in done.stdout or '"degraded":{}' in done.stdout
        assert count(store, "vectors_1") == 1
    finally:
        socket.chmod(closed)
        shutil.rmtree(room)


def _reachable(bare: dict[str, str]) -> dict[str, str]:
    """Without a network namespace of its own the broker is out of reach, as it may be: writes and sweeps need none."""
    return {key: value for key, value in bare.items() if key != "BROKER_URL"}
