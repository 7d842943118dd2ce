"""The embedded Valkey: the broker, on a loopback port with a password.

TCP and not a socket: `redis` spells a socket `unix://` and Celery `redis+socket://`, so no one URL would serve both.
Any user of the machine can reach a loopback port, hence the password; it is in a private file, never on a command
line.

The append-only file (synced every second) brings queued messages over a restart. Memory has no eviction: a broker
that drops messages to make room would lose them silently. A queue's loss would be bearable all the same, since what
has to be derived is known from the database.
"""

from __future__ import annotations

import contextlib
import signal
import socket
import time

from deploy.embedded import place as places
from deploy.embedded import strays
from deploy.embedded.account import Account
from deploy.embedded.errors import EmbeddedError
from deploy.embedded.guarded import Command
from deploy.embedded.locate import Software
from deploy.embedded.place import Place
from deploy.embedded.postgres import environment, failed, tail
from deploy.embedded.supervise import Child, Supervisor

ATTEMPTS = 10
READY_SECONDS = 30.0


def start(supervisor: Supervisor, place: Place, software: Software, who: Account, password: str) -> str:
    """Start the server on a free port and return its URL. Ports are tried until one stays free long enough.

    :raises EmbeddedError: it does not come up.
    """
    places.make_dir(place.broker, who.server)
    log_file = place.logs / "valkey.log"
    said = ""
    for _ in range(ATTEMPTS):
        port = free_port()
        places.write_private(place.broker / "valkey.conf", configuration(port, password).encode(), who.drop)
        log_from = log_file.stat().st_size if log_file.exists() else 0
        child = supervisor.run(command(place, software, who))
        if await_ready(child, port, password):
            return f"redis://:{password}@127.0.0.1:{port}/0"
        supervisor.drop(child)
        said = tail(log_file, log_from)
        if "in use" not in said:
            break
    raise failed("Valkey", place, said)


def configuration(port: int, password: str) -> str:
    """Return the configuration file. Paths are relative: the server starts in its directory."""
    lines = {
        "bind": "127.0.0.1",
        "port": str(port),
        "protected-mode": "yes",
        "requirepass": password,
        "daemonize": "no",
        "logfile": '""',
        "loglevel": "warning",
        "save": '""',
        "appendonly": "yes",
        "appendfsync": "everysec",
        "maxmemory-policy": "noeviction",
    }
    return "".join(f"{name} {value}\n" for name, value in lines.items())


def command(place: Place, software: Software, who: Account) -> Command:
    """Return how the server is run."""

    def prepare() -> None:
        strays.evict("valkey-server", place.broker, strays.VALKEY_STEPS)

    return Command(
        "valkey",
        [str(software.valkey), "valkey.conf"],
        environment(),
        cwd=place.broker,
        log_file=place.logs / "valkey.log",
        lock=place.root / "valkey.lock",
        user=who.drop,
        stop=((int(signal.SIGTERM), 10.0),),
        umask=0o077,
        prepare=prepare,
    )


def free_port() -> int:
    """Return a loopback port that is free at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def await_ready(child: Child, port: int, password: str) -> bool:
    """Wait until the server takes its password and answers; False when it ended.

    :raises EmbeddedError: it runs and does not answer.
    """
    end = time.monotonic() + READY_SECONDS
    while time.monotonic() < end:
        state = child.state
        if not state.alive or state.restarts:
            return False
        if answers(port, password):
            return True
        time.sleep(0.02)
    raise EmbeddedError(f"Valkey runs (process {child.state.pid}) but does not answer on port {port}")


def answers(port: int, password: str) -> bool:
    """Whether the server on the port is ours (it knows the password) and ready."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 2.0) as link:
        link.sendall(f"AUTH {password}\r\nPING\r\nQUIT\r\n".encode())
        reply = b""
        while block := link.recv(512):
            reply += block
        return b"+PONG" in reply
    return False
