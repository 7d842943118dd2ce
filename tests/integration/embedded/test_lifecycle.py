"""Start, use, stop, attach: the ordinary life of an instance."""

from __future__ import annotations

import contextlib
import os
import stat
import subprocess
import sys
from pathlib import Path

import psutil
import psycopg
import pytest
import redis
from kombu import Connection
from sqlalchemy import create_engine, text

from deploy.embedded import EmbeddedError, Instance, Runtime, attach, start, valkey

from .support import ROOT_OF_CODE, connect, gone, users, wait_until, words


def test_a_first_start_serves_both_urls_to_every_client_used_here(base: Path) -> None:
    with start(base / "data") as instance:
        engine = create_engine(instance.database_url)
        with engine.begin() as connection:
            connection.execute(text("CREATE EXTENSION vector"))
            assert connection.scalar(text("SELECT '[1,2]'::vector <-> '[1,4]'")) == 2
        engine.dispose()
        with redis.Redis.from_url(instance.broker_url) as client:
            assert client.ping()
            assert client.config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}
            assert client.config_get("appendonly") == {"appendonly": "yes"}
        with Connection(instance.broker_url) as broker:
            queue = broker.SimpleQueue("probe")
            queue.put({"a": 1})
            assert queue.get(timeout=5).payload == {"a": 1}
            queue.close()


def test_rows_and_queued_messages_outlive_a_stop(data_dir: Path) -> None:
    with start(data_dir) as instance:
        with connect(instance) as connection:
            connection.execute("INSERT INTO kept VALUES ('second')")
        with redis.Redis.from_url(instance.broker_url) as client:
            client.lpush("queue", "message")
    with start(data_dir) as instance:
        assert words(instance) == ["漢字😀é", "second"]
        with redis.Redis.from_url(instance.broker_url) as client:
            assert client.lrange("queue", 0, -1) == [b"message"]


def test_stop_leaves_nothing_and_may_be_said_twice(data_dir: Path) -> None:
    runtime = Runtime(data_dir)
    instance = runtime.start()
    assert runtime.start() is instance
    pids = [state.pid or 0 for state in runtime.states()]
    runtime.stop()
    runtime.stop()
    assert gone(pids, within=0) == []
    assert users(data_dir) == []
    assert not instance.socket_dir.exists()
    assert not (data_dir / "instance.json").exists()
    assert "database system is shut down" in (data_dir / "log" / "postgres.log").read_text()
    with pytest.raises(EmbeddedError, match="not running"):
        _ = runtime.instance
    with runtime:
        assert words(runtime.instance)


def test_a_failure_half_way_leaves_nothing_running(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(valkey, "start", interrupt)
    with pytest.raises(KeyboardInterrupt):
        Runtime(data_dir).start()
    assert users(data_dir) == []
    monkeypatch.undo()
    with start(data_dir) as instance:
        assert words(instance)


def test_attach_finds_a_running_instance_only(data_dir: Path) -> None:
    assert attach(data_dir) is None
    with start(data_dir) as instance:
        found = attach(data_dir)
        assert found == instance
        assert found.owner_pid == os.getpid()
        assert found.environment() == {"DATABASE_URL": instance.database_url, "BROKER_URL": instance.broker_url}
        asked = "import sys, pathlib, deploy.embedded as e; print(e.attach(pathlib.Path(sys.argv[1])).database_url)"
        command = [sys.executable, "-c", asked, str(data_dir)]
        env = {**os.environ, "PYTHONPATH": str(ROOT_OF_CODE)}
        said = subprocess.run(command, capture_output=True, text=True, check=True, env=env)
        assert said.stdout.strip() == instance.database_url
        record = (data_dir / "instance.json").read_bytes()
    assert attach(data_dir) is None
    # A record alone, as an owner that was killed leaves it, is no instance.
    (data_dir / "instance.json").write_bytes(record)
    assert attach(data_dir, wait=0.2) is None
    assert attach(data_dir / "nowhere") is None


def test_what_is_private_is_private(data_dir: Path) -> None:
    with Runtime(data_dir) as runtime:
        instance = runtime.instance
        for name in ("instance.json", "postgres.password", "valkey.password", "owner.lock"):
            assert stat.S_IMODE((data_dir / name).stat().st_mode) == 0o600, name
        assert stat.S_IMODE(instance.socket_dir.stat().st_mode) == 0o700
        assert "palimpsest:" not in repr(instance)
        secrets = [(data_dir / f"{name}.password").read_text().strip() for name in ("postgres", "valkey")]
        own = psutil.Process()
        for process in own.children(recursive=True):
            with contextlib.suppress(psutil.NoSuchProcess):  # a backend may end meanwhile
                said = " ".join(process.cmdline()) + " ".join(process.environ().values())
                assert not any(secret in said for secret in secrets)
                for link in process.net_connections("inet"):
                    assert process.name() == "valkey-server"
                    assert link.laddr.ip == "127.0.0.1"


def test_nobody_gets_in_without_a_password(data_dir: Path) -> None:
    with start(data_dir) as instance:
        with connect(instance) as connection:
            connection.execute("CREATE ROLE other LOGIN PASSWORD 'right'")
        with connect(instance, user="other", password="right") as connection:
            assert connection.execute("SELECT current_user").fetchone() == ("other",)
        for user in ("other", "palimpsest"):
            with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
                connect(instance, user=user, password="wrong")
        bare = "redis://" + instance.broker_url.partition("@")[2]
        with redis.Redis.from_url(bare) as client, pytest.raises(redis.AuthenticationError):
            client.ping()


def test_content_of_a_failing_statement_stays_out_of_the_log(data_dir: Path) -> None:
    with start(data_dir) as instance, connect(instance) as connection:
        connection.execute("CREATE UNIQUE INDEX kept_once ON kept (word)")
        connection.execute("INSERT INTO kept VALUES ('canary')")
        with pytest.raises(psycopg.errors.UniqueViolation):
            connection.execute("INSERT INTO kept VALUES ('canary')")
        with pytest.raises(psycopg.errors.UniqueViolation):
            connection.execute("INSERT INTO kept VALUES (%s)", ("canary",))
        log = (data_dir / "log" / "postgres.log").read_text()
        assert "kept_once" in log
        assert "canary" not in log


def test_servers_never_run_as_root(data_dir: Path) -> None:
    with Runtime(data_dir) as runtime:
        for state in runtime.states():
            uids = psutil.Process(state.pid).uids()
            expected = (data_dir / "postgres").stat().st_uid
            assert set(uids) == {expected}
            assert expected == (os.geteuid() or expected) != 0


def test_an_instance_survives_the_death_of_its_servers(data_dir: Path) -> None:
    with Runtime(data_dir) as runtime:
        instance = runtime.instance
        servers = [runtime.child("postgres"), runtime.child("valkey")]
        for server in servers:
            psutil.Process(server.state.pid).kill()
        for server in servers:
            state = server.wait_restarted(1, timeout=20)
            assert (state.alive, state.exit) == (True, -9)
        wait_until(lambda: serves(instance))


def serves(instance: Instance) -> bool:
    try:
        with redis.Redis.from_url(instance.broker_url) as client:
            return words(instance) == ["漢字😀é"] and bool(client.ping())
    except (psycopg.OperationalError, redis.ConnectionError):
        return False
