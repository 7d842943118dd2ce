"""Find and stop servers that an earlier start left behind on one of our directories.

A process id in a file proves nothing: after a reboot it is somebody else's. A stray is a process whose executable is
the server's and whose working directory is the server's data directory, both as the kernel tells them. PostgreSQL and
Valkey work inside their data directory from their first moment here, because their guard starts them there.

psutil remembers when a process began and refuses to signal another that got its number since.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Sequence
from pathlib import Path

import psutil

from deploy.embedded.errors import EmbeddedError

DELETED = " (deleted)"


def find(program: str, directory: Path) -> list[psutil.Process]:
    """Return the processes of that program which work in the directory."""
    found: list[psutil.Process] = []
    wanted = os.path.realpath(directory)
    for process in psutil.process_iter():
        try:
            name = Path(process.exe().removesuffix(DELETED)).name
            if name == program and process.cwd().removesuffix(DELETED) == wanted:
                found.append(process)
        except (psutil.Error, OSError):
            # Gone meanwhile, or another user's: the lock on the server's directory covers what cannot be seen.
            continue
    return found


def evict(program: str, directory: Path, steps: Sequence[tuple[int, float]]) -> int:
    """Stop the strays on a directory: each step is a signal and how long to wait after it. Return how many there were.

    :raises EmbeddedError: one is left after the last step.
    """
    first = find(program, directory)
    left = first
    for number, seconds in steps:
        if not left:
            return len(first)
        for process in roots(left):
            try:
                process.send_signal(number)
            except psutil.NoSuchProcess:
                continue
        end = time.monotonic() + seconds
        while (left := find(program, directory)) and time.monotonic() < end:
            time.sleep(0.05)
    if left:
        ids = ", ".join(str(process.pid) for process in left)
        raise EmbeddedError(
            f"{program} (process {ids}) still uses {directory} and does not stop: end it, then start again"
        )
    return len(first)


def roots(processes: Sequence[psutil.Process]) -> list[psutil.Process]:
    """Return those whose parent is not among them: the server itself, or children it left when it was killed."""
    ids = {process.pid for process in processes}
    found: list[psutil.Process] = []
    for process in processes:
        try:
            if process.ppid() not in ids:
                found.append(process)
        except psutil.NoSuchProcess:
            continue
    return found


POSTGRES_STEPS = ((int(signal.SIGINT), 10.0), (int(signal.SIGTERM), 3.0), (int(signal.SIGQUIT), 5.0))
VALKEY_STEPS = ((int(signal.SIGTERM), 10.0), (int(signal.SIGKILL), 3.0))
