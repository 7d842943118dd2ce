"""Keep processes running: start, watch, restart with backoff, stop all of them.

Every child lives under a guard of its own (`deploy.embedded.guard`), so none outlives this process. The states of a
child: running; waiting (it ended, and is started again after a pause that doubles from 0.5 s to 30 s and is forgotten
once it ran a minute); stopped. A thread per child waits for its end; nothing polls.

The children of one supervisor are stopped together; who depends on whom is said by using two supervisors.
"""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import psutil

from deploy.embedded.errors import EmbeddedError
from deploy.embedded.guarded import Command, Guarded

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0
HEALTHY_SECONDS = 60.0


class Log(Protocol):
    """Anything that takes an event and its fields, such as `structlog.get_logger().info`."""

    def __call__(self, event: str, /, **fields: object) -> object:
        """Record one event."""


def plain_log(event: str, /, **fields: object) -> None:
    """Record an event with the standard library, for a caller who brought no log."""
    details = " ".join(f"{name}={value}" for name, value in fields.items())
    logging.getLogger("palimpsest.embedded").info("%s %s", event, details)


@dataclass(frozen=True)
class ChildState:
    """What a child is doing. `exit` is the last end it came to: a status, minus a signal, or None before the first."""

    name: str
    pid: int | None
    alive: bool
    restarts: int
    exit: int | None


class Child:
    """One supervised process."""

    def __init__(self, command: Command, log: Log) -> None:
        self.command = command
        self._log = log
        self._changed = threading.Condition()
        self._stopping = False
        self._restarts = 0
        self._exit: int | None = None
        self._pid: int | None = None
        self._life: Guarded | None = None
        self._process: psutil.Process | None = None
        self._begin()
        self._thread = threading.Thread(target=self._watch, name=f"watch-{command.name}", daemon=True)
        self._thread.start()

    @property
    def state(self) -> ChildState:
        """The state at this moment."""
        with self._changed:
            return ChildState(self.command.name, self._pid, self._pid is not None, self._restarts, self._exit)

    @property
    def guard_pid(self) -> int | None:
        """The process id of the guard of the present life."""
        life = self._life
        return life.guard_pid if life else None

    def wait_restarted(self, restarts: int, timeout: float) -> ChildState:
        """Wait until it has been restarted that often and runs.

        :raises TimeoutError: it has not.
        """
        with self._changed:
            if not self._changed.wait_for(lambda: self._restarts >= restarts and self._pid is not None, timeout):
                raise TimeoutError(f"{self.command.name} was restarted {self._restarts} times in {timeout} s")
        return self.state

    def ask_to_stop(self) -> None:
        """Begin to stop it; it is not restarted from here on."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
            life = self._life
        if life:
            life.ask_to_stop()

    def join(self) -> None:
        """Wait until it has stopped, and make sure that it has."""
        self._thread.join(self.command.stop_seconds)
        if self._thread.is_alive():
            self._log("embedded.stop_forced", child=self.command.name)
            if life := self._life:
                life.kill()
            self._thread.join(self.command.stop_seconds)

    def _begin(self) -> None:
        life = Guarded(self.command)
        with self._changed:
            self._life = life
            stopping = self._stopping
        if stopping:
            life.ask_to_stop()
        try:
            pid = life.started()
        except BaseException:
            # Interrupted while it started: nobody else knows this life, so nobody else would end it.
            life.kill()
            raise
        with self._changed:
            self._pid = pid
            self._process = child_of(life.guard_pid, pid)
            self._changed.notify_all()
        self._log("embedded.started", child=self.command.name, pid=pid)

    def _watch(self) -> None:
        pause = FIRST_PAUSE
        while True:
            began = time.monotonic()
            self._await_end()
            if time.monotonic() - began >= HEALTHY_SECONDS:
                pause = FIRST_PAUSE
            while True:
                with self._changed:
                    if self._changed.wait_for(lambda: self._stopping, pause):
                        return
                    self._restarts += 1
                pause = min(LONGEST_PAUSE, pause * 2)
                self._log("embedded.restarting", child=self.command.name, restarts=self._restarts, exit=self._exit)
                try:
                    self._begin()
                except (EmbeddedError, OSError) as fault:
                    self._log("embedded.restart_failed", child=self.command.name, reason=str(fault))
                else:
                    break

    def _await_end(self) -> None:
        life = self._life
        if life is None or life.pid is None:
            return
        status = life.ended()
        if status is None and self._process is not None:
            settle(self._process, self.command.stop_seconds)
        with self._changed:
            self._pid = None
            self._exit = status
            stopping = self._stopping
            self._changed.notify_all()
        self._log("embedded.stopped" if stopping else "embedded.died", child=self.command.name, exit=status)


class Supervisor:
    """The children of this process."""

    def __init__(self, *, log: Log | None = None) -> None:
        self._log: Log = plain_log if log is None else log
        self._children: list[Child] = []

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
        """Run a program for as long as this supervisor does.

        `argv[0]` is a path; `env` is the whole environment (None: this process's). Output goes to `log_file`, else to
        this process's standard error. On stop it gets SIGTERM and has `grace` seconds; at most 12 s of them when this
        process was killed.

        :raises EmbeddedError: it cannot be started at all.
        """
        environment = dict(os.environ if env is None else env)
        steps = ((int(signal.SIGTERM), grace),)
        command = Command(name, argv, environment, cwd=cwd, log_file=log_file, stop=steps)
        return self.run(command)

    def run(self, command: Command) -> Child:
        """Run and keep running what the command says."""
        if self.child(command.name):
            raise EmbeddedError(f"{command.name} is supervised already")
        child = Child(command, self._log)
        self._children.append(child)
        return child

    def drop(self, child: Child) -> None:
        """Stop one child and forget it."""
        child.ask_to_stop()
        child.join()
        self._children.remove(child)

    def child(self, name: str) -> Child | None:
        """Return the child of that name."""
        return next((child for child in self._children if child.command.name == name), None)

    def states(self) -> list[ChildState]:
        """Return the state of each child, in the order of their start."""
        return [child.state for child in self._children]

    def stop(self) -> None:
        """Stop all children and wait for their ends. Stopping twice is stopping once."""
        children, self._children = self._children, []
        for child in children:
            child.ask_to_stop()
        for child in children:
            child.join()


def child_of(guard_pid: int, pid: int) -> psutil.Process | None:
    """Return the process of that id if it is the guard's child, and so ours, and not another that got the id since."""
    try:
        process = psutil.Process(pid)
        return process if process.ppid() == guard_pid else None
    except psutil.NoSuchProcess:
        return None


def settle(process: psutil.Process, seconds: float) -> None:
    """See a process of ours whose guard was killed to its end. psutil compares start times: no other is signalled."""
    with contextlib.suppress(psutil.NoSuchProcess, psutil.TimeoutExpired):
        process.wait(seconds)
        return
    with contextlib.suppress(psutil.NoSuchProcess, psutil.TimeoutExpired):
        process.kill()
        process.wait(5.0)
