"""One instance of the embedded servers, from start to stop.

    with Runtime(data_dir) as runtime:            # owns the instance
        runtime.instance.database_url
        runtime.supervise("worker", [...])        # stopped before the servers are

    with start(data_dir) as instance: ...         # the same without children
    attach(data_dir)                              # somebody else's running instance, or None

Whoever starts an instance owns it, alone; all others attach. `stop` stops everything and can be called at any time,
twice as well. If the owner is killed, the guards stop everything within 15 s, and a start in the meantime waits for
that.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from deploy.embedded import locate, ownership, place, postgres, valkey
from deploy.embedded.errors import EmbeddedError
from deploy.embedded.ownership import Lock
from deploy.embedded.supervise import Child, ChildState, Log, Supervisor, plain_log


@dataclass(frozen=True)
class Instance:
    """How to reach running servers. The URLs hold passwords; do not print them."""

    data_dir: Path
    database_url: str
    broker_url: str
    owner_pid: int
    socket_dir: Path
    log_dir: Path
    token: str

    def __repr__(self) -> str:
        return f"Instance({str(self.data_dir)!r}, owner_pid={self.owner_pid})"

    def environment(self) -> dict[str, str]:
        """Return the variables by which other processes find the servers."""
        return {"DATABASE_URL": self.database_url, "BROKER_URL": self.broker_url}


class Runtime:
    """The owner of one instance."""

    def __init__(self, data_dir: Path, *, log: Log | None = None) -> None:
        self.data_dir = place.absolute(data_dir)
        self._log: Log = plain_log if log is None else log
        self._servers = Supervisor(log=self._log)
        self._children = Supervisor(log=self._log)
        self._locks: list[Lock] = []
        self._place: place.Place | None = None
        self._socket_dir: Path | None = None
        self._instance: Instance | None = None

    @property
    def instance(self) -> Instance:
        """The running instance.

        :raises EmbeddedError: it does not run.
        """
        if self._instance is None:
            raise EmbeddedError("the embedded servers are not running: start them first")
        return self._instance

    def start(self) -> Instance:
        """Start the servers, or return the instance if they run already.

        :raises EmbeddedError: they cannot run, for the reason and with the remedy it names. Nothing is left running.
        """
        if self._instance is not None:
            return self._instance
        begun = time.monotonic()
        try:
            self._instance = self._start()
        except OSError as fault:
            self.stop()
            if fault.errno in place.FULL or place.within(self.data_dir, fault.filename):
                raise place.unusable(self.data_dir, fault) from fault
            raise EmbeddedError(f"the embedded servers cannot be started: {fault}") from fault
        except BaseException:
            self.stop()
            raise
        self._log("embedded.ready", seconds=round(time.monotonic() - begun, 2), data_dir=str(self.data_dir))
        return self._instance

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
        """Run a program beside the servers; it is stopped before they are. See `Supervisor.supervise`.

        With no `env` it gets this process's with `DATABASE_URL` and `BROKER_URL` of the instance.
        """
        environment = {**os.environ, **self.instance.environment()} if env is None else env
        return self._children.supervise(name, argv, environment, cwd=cwd, log_file=log_file, grace=grace)

    def child(self, name: str) -> Child:
        """Return a server (`postgres`, `valkey`) or a child by its name.

        :raises KeyError: there is none.
        """
        found = self._servers.child(name) or self._children.child(name)
        if found is None:
            raise KeyError(name)
        return found

    def states(self) -> list[ChildState]:
        """Return the states of the servers and of all children."""
        return self._servers.states() + self._children.states()

    def stop(self) -> None:
        """Stop everything and give the directory up."""
        self._children.stop()
        self._servers.stop()
        self._instance = None
        if self._socket_dir:
            shutil.rmtree(self._socket_dir, ignore_errors=True)
            self._socket_dir = None
        if self._locks and self._place:
            with contextlib.suppress(OSError):
                self._place.instance.unlink(missing_ok=True)
        while self._locks:
            self._locks.pop().release()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _start(self) -> Instance:
        software = locate.installed()
        version = locate.version(software)
        data_dir = place.open_dir(self.data_dir)
        token = self._own(data_dir / "owner.lock")
        forget_earlier(data_dir)
        where, who = place.settle(data_dir)
        self._place = where
        if where.elsewhere:
            self._own(where.root / "owner.lock")
        place.check_space(where)
        place.make_dir(where.logs)
        if who.drop is not None:
            software = locate.within_reach(software, who.drop, where.root)
        words = data_dir / "postgres.password"
        if (where.cluster / "PG_VERSION").exists() and not words.exists():
            raise postgres.lost_password(where)
        password = place.secret(words)
        postgres.initialise(where, software, who, password, version)

        self._socket_dir = postgres.make_socket_dir(who)
        log_file = where.logs / "postgres.log"
        log_from = log_file.stat().st_size if log_file.exists() else 0
        database = self._servers.run(postgres.command(where, software, who, self._socket_dir))
        broker_url = valkey.start(self._servers, where, software, who, place.secret(data_dir / "valkey.password"))
        postgres.await_ready(database, where, self._socket_dir, password, log_from)

        instance = Instance(
            data_dir=data_dir,
            database_url=postgres.url(self._socket_dir, password),
            broker_url=broker_url,
            owner_pid=os.getpid(),
            socket_dir=self._socket_dir,
            log_dir=where.logs,
            token=token,
        )
        place.write_private(where.instance, json.dumps(asdict(instance), default=str).encode())
        return instance

    def _own(self, path: Path) -> str:
        lock = Lock(path)
        lock.take()
        self._locks.append(lock)
        return lock.token


@contextmanager
def start(data_dir: Path, *, log: Log | None = None) -> Iterator[Instance]:
    """Run the embedded servers for the length of a block.

    :raises EmbeddedError: they cannot run; the message says why and what to do.
    """
    with Runtime(data_dir, log=log) as runtime:
        yield runtime.instance


def attach(data_dir: Path, *, wait: float = 0.0) -> Instance | None:
    """Return the instance that runs on a data directory, or None.

    That it runs is the kernel's word: its owner holds the lock. `wait` seconds are given to one that is just starting.

    :raises EmbeddedError: it is another user's.
    """
    end = time.monotonic() + wait
    while True:
        try:
            found, owned = look(data_dir)
        except PermissionError as fault:
            raise EmbeddedError(f"{data_dir} belongs to another user: run as that user ({fault.filename})") from fault
        if found or not owned or time.monotonic() >= end:
            return found
        time.sleep(0.05)


def look(data_dir: Path) -> tuple[Instance | None, bool]:
    """Return the instance if one runs, and whether anybody owns the directory."""
    owner = ownership.holder(data_dir / "owner.lock")
    if owner is None:
        return None, False
    record = place.read_json(data_dir / "instance.json")
    # A record of an earlier owner may lie there until the new one has removed it.
    if record is None or record.get("token") != owner.token:
        return None, True
    try:
        paths = {name: Path(record[name]) for name in ("data_dir", "socket_dir", "log_dir")}
        return Instance(**{**record, **paths}), True
    except (KeyError, TypeError):
        return None, True


def forget_earlier(data_dir: Path) -> None:
    """Remove what an owner that was killed could not: its record and its socket. The caller owns the lock."""
    record = data_dir / "instance.json"
    earlier = place.read_json(record) or {}
    record.unlink(missing_ok=True)
    left = earlier.get("socket_dir")
    if isinstance(left, str) and Path(left).name.startswith(postgres.SOCKET_PREFIX):
        # A record is only text: nothing but sockets is removed on its word.
        with contextlib.suppress(OSError):
            for file in Path(left).glob(".s.PGSQL.*"):
                file.unlink()
            Path(left).rmdir()


def erase(data_dir: Path) -> None:
    """Remove an instance with all its data, wherever it lies.

    :raises EmbeddedError: it runs, or it is another user's.
    """
    if not data_dir.is_dir():
        return
    lock = Lock(data_dir / "owner.lock")
    try:
        lock.take()
        for path in {place.recorded(data_dir), data_dir}:
            shutil.rmtree(path)
    except OSError as fault:
        raise place.unusable(data_dir, fault) from fault
    finally:
        lock.release()
