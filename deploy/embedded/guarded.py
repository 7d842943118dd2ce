"""The parent's end of a guard: describe a process, start it under one, hear how it went.

A `Command` says everything about a process; a `Guarded` is one life of it. The pipe to the guard stays open for as
long as this process lives, which is what keeps the child alive; see `deploy.embedded.guard` for what happens when it
closes.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deploy.embedded import guard
from deploy.embedded.errors import EmbeddedError

# A guard answers within its own wait for the lock of an earlier server, plus the time an interpreter takes to start.
ANSWER_SECONDS = guard.LOCK_SECONDS + 15.0
LOG_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True)
class Command:
    """A process to run under a guard. `env` is its whole environment."""

    name: str
    argv: Sequence[str]
    env: Mapping[str, str]
    cwd: Path | None = None
    log_file: Path | None = None  # None: the output goes where this process's errors go
    lock: Path | None = None
    lock_seconds: float = guard.LOCK_SECONDS
    user: tuple[int, int] | None = None
    alias: tuple[int, int] | None = None
    stop: Sequence[tuple[int, float]] = ((int(signal.SIGTERM), 10.0),)
    death_signal: int = int(signal.SIGTERM)
    remove: Sequence[Path] = ()
    umask: int | None = None  # None: this process's
    prepare: Callable[[], None] | None = None  # run before every start of it

    def spec(self) -> guard.Spec:
        """Return what the guard reads."""
        return {
            "argv": [spell(part) for part in self.argv],
            "env": {spell(name): spell(value) for name, value in self.env.items()},
            "cwd": spell(self.cwd) if self.cwd else None,
            "user": self.user,
            "alias": self.alias,
            "log": spell(self.log_file) if self.log_file else None,
            "log_limit": LOG_BYTES,
            "lock": spell(self.lock) if self.lock else None,
            "lock_seconds": self.lock_seconds,
            "stop": list(self.stop),
            "death_signal": self.death_signal,
            "remove": [spell(path) for path in self.remove],
            "umask": self.umask,
        }

    @property
    def stop_seconds(self) -> float:
        """How long an unhurried stop may take, with the guard's own end."""
        return sum(seconds for _, seconds in self.stop) + 5.0


class Guarded:
    """One life of a command."""

    def __init__(self, command: Command) -> None:
        self.command = command
        self.pid: int | None = None
        self._buffer = b""
        if command.prepare:
            command.prepare()
        # Detached from the terminal: Ctrl-C reaches this process only, which then stops its children in order.
        self._guard = subprocess.Popen(
            [sys.executable, "-I", "-S", str(Path(guard.__file__).resolve())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            cwd="/",
            bufsize=0,
        )
        self._write(json.dumps(command.spec()).encode() + b"\n")

    @property
    def guard_pid(self) -> int:
        """The guard's process id."""
        return self._guard.pid

    def started(self) -> int:
        """Wait for the guard's word that the process runs; return its id."""
        try:
            event = self._event(ANSWER_SECONDS)
        except TimeoutError:
            event = None
        if event is not None and "started" in event:
            self.pid = int(event["started"])
            return self.pid
        self.kill()
        if event is None:
            raise EmbeddedError(f"{self.command.name}: its guard ended or stayed silent for {ANSWER_SECONDS:.0f} s")
        where = os.fsdecode(guard.raw(str(event.get("path", "")))) or self.command.argv[0]
        raise EmbeddedError(f"{self.command.name} cannot be started: {event.get('failed')} ({where})")

    def ended(self, timeout: float | None = None) -> int | None:
        """Wait for the end; return the exit status (negative: a signal), or None when the guard did not live to tell.

        :raises TimeoutError: it still runs.
        """
        event = self._event(timeout)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._guard.wait(5.0)
        self.kill()
        return int(event["exited"]) if event and "exited" in event else None

    def ask_to_stop(self) -> None:
        """Ask the guard to stop the process without hurry; `ended` tells when it is done."""
        self._write(b"stop\n")

    def kill(self) -> None:
        """End the guard, whatever it does; the kernel then tells the process to end."""
        if self._guard.poll() is None:
            self._guard.kill()
            self._guard.wait()
        for pipe in (self._guard.stdin, self._guard.stdout):
            if pipe:
                with contextlib.suppress(OSError):
                    pipe.close()

    def _write(self, block: bytes) -> None:
        if self._guard.stdin and not self._guard.stdin.closed:
            with contextlib.suppress(OSError):
                while block:
                    block = block[self._guard.stdin.write(block) or 0 :]

    def _event(self, timeout: float | None) -> dict[str, Any] | None:
        """Return the guard's next line, or None at the end of its pipe."""
        pipe = self._guard.stdout
        end = None if timeout is None else time.monotonic() + timeout
        while b"\n" not in self._buffer:
            if pipe is None or pipe.closed:
                return None
            left = None if end is None else max(0.0, end - time.monotonic()) * 1000
            # poll, because select refuses descriptors above 1023 and the caller may be a busy server
            waiting = select.poll()
            waiting.register(pipe, select.POLLIN)
            if not waiting.poll(left):
                raise TimeoutError(f"{self.command.name} still runs")
            block = os.read(pipe.fileno(), 4096)
            if not block:
                return None
            self._buffer += block
        line, _, self._buffer = self._buffer.partition(b"\n")
        event: dict[str, Any] = json.loads(line)
        return event


def run_once(command: Command, *, timeout: float) -> int:
    """Run a command to its end and return its exit status; the same guard keeps it from outliving this process."""
    life = Guarded(command)
    life.started()
    try:
        status = life.ended(timeout)
    except TimeoutError:
        life.ask_to_stop()
        with contextlib.suppress(TimeoutError):
            life.ended(command.stop_seconds)
        raise EmbeddedError(f"{command.name} did not end within {timeout:.0f} s") from None
    finally:
        life.kill()
    if status is None:
        raise EmbeddedError(f"{command.name}: its guard was killed")
    return status


def spell(path: str | Path) -> str:
    """Spell the bytes of a path or an argument in Latin-1, for a `guard.Spec`."""
    return os.fsencode(path).decode("latin-1")
