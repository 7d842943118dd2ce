"""One owner per data directory, by the kernel's word.

The owner holds an `flock` on a file in the directory. The kernel releases it when the owner ends, however it ends, so
what the file says never decides anything: a dead process id, a recycled one or an empty file are all just text. The
text is for people, who want to know whom to ask. The file is never removed; removing it would let two owners lock two
files.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import secrets
import time
import weakref
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from deploy.embedded.errors import EmbeddedError

# Somebody who only looks takes a shared lock for an instant; a new owner is not turned away by that.
PATIENCE = 1.0


@dataclass(frozen=True)
class Holder:
    """Who holds a directory, as it said itself."""

    pid: int | None
    command: str
    token: str


class Lock:
    """An owner's lock. `take` or fail at once; released by `release` or by the end of this process."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.token = secrets.token_hex(8)
        self._fd = -1

    def take(self) -> None:
        """Become the owner.

        :raises EmbeddedError: another process is.
        """
        fd = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
        end = time.monotonic() + PATIENCE
        while not _try(fd, fcntl.LOCK_EX):
            if time.monotonic() > end:
                os.close(fd)
                raise EmbeddedError(taken(self.path))
            time.sleep(0.02)
        self._fd = fd
        _held.add(self)
        said = {"pid": os.getpid(), "command": own_command(), "token": self.token}
        os.ftruncate(fd, 0)
        os.pwrite(fd, json.dumps(said).encode(), 0)

    def release(self) -> None:
        """Give the directory up."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    @property
    def held(self) -> bool:
        """Whether this process holds it."""
        return self._fd >= 0


def holder(path: Path) -> Holder | None:
    """Return who holds the lock at this moment, or None when nobody does."""
    try:
        fd = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        if _try(fd, fcntl.LOCK_SH):
            return None
        return _read(fd)
    finally:
        os.close(fd)


def taken(path: Path) -> str:
    """Say who is in the way and what to do about it."""
    who = holder(path) or Holder(None, "", "")
    name = f"process {who.pid}" if who.pid else "another process"
    command = f" ({who.command})" if who.command else ""
    return (
        f"{path.parent} is in use by {name}{command}: stop that one first, "
        "or choose another directory with PALIMPSEST_DATA_DIR"
    )


def own_command() -> str:
    """How this process was started, short enough for a message."""
    try:
        words = psutil.Process().cmdline()
    except psutil.Error:
        words = []
    return " ".join(word.replace("\n", " ") for word in words)[:160]


def _try(fd: int, kind: int) -> bool:
    try:
        fcntl.flock(fd, kind | fcntl.LOCK_NB)
    except OSError as fault:
        if fault.errno in (errno.EAGAIN, errno.EACCES):
            return False
        raise
    return True


def _read(fd: int) -> Holder:
    said: Any = None
    with contextlib.suppress(ValueError):
        said = json.loads(os.pread(fd, 65536, 0))
    if not isinstance(said, dict):
        return Holder(None, "", "")
    pid = said.get("pid")
    return Holder(pid if isinstance(pid, int) else None, str(said.get("command", "")), str(said.get("token", "")))


# A process forked from the owner without exec would share the lock and hold it beyond the owner's death.
_held: weakref.WeakSet[Lock] = weakref.WeakSet()


def _forget_in_child() -> None:
    for lock in list(_held):
        lock.release()


os.register_at_fork(after_in_child=_forget_in_child)
