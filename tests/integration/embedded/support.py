"""What the tests of the embedded servers share: an owner in a process of its own, and looks at processes."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import psycopg

import deploy
from deploy.embedded import Instance

PROGRAM = Path(__file__).with_name("program.py")
ROOT_OF_CODE = Path(deploy.__file__).resolve().parent.parent


class Owner:
    """A running `program.py`."""

    def __init__(self, data_dir: Path, *options: str, env: dict[str, str] | None = None) -> None:
        environment = dict(os.environ if env is None else env)
        environment["PYTHONPATH"] = str(ROOT_OF_CODE)
        self.process = subprocess.Popen(
            [sys.executable, str(PROGRAM), str(data_dir), *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
        )
        self.said: dict[str, Any] = {}

    def hear(self) -> dict[str, Any]:
        assert self.process.stdout
        self.said = json.loads(self.process.stdout.readline())
        return self.said

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def close(self) -> None:
        if self.process.stdin:
            self.process.stdin.close()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.kill()
        if self.process.stdout:
            self.process.stdout.close()
        if forked := self.said.get("forked"):
            # Our own grandchild; its parent is gone or waits for nobody.
            with contextlib.suppress(psutil.NoSuchProcess):
                psutil.Process(forked).kill()


def copy(seed: Path, target: Path) -> Path:
    target.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["cp", "-a", str(seed), str(target)], check=True)
    return target


def connect(instance: Instance, **other: object) -> psycopg.Connection[Any]:
    return psycopg.connect(instance.database_url.replace("+psycopg", ""), autocommit=True, **other)  # type: ignore[arg-type]


def words(instance: Instance) -> list[str]:
    with connect(instance) as connection:
        return [row[0] for row in connection.execute("SELECT word FROM kept")]


def users(directory: Path) -> list[psutil.Process]:
    """Processes that work in the directory or name it on their command line, this one's ancestors aside."""
    mine = {process.pid for process in [psutil.Process(), *psutil.Process().parents()]}
    found = []
    for process in psutil.process_iter():
        try:
            near = [process.cwd(), *process.cmdline()]
            if process.pid not in mine and process.status() != psutil.STATUS_ZOMBIE:
                found += [process] if any(word.startswith(str(directory)) for word in near) else []
        except psutil.Error:
            continue
    return found


def gone(pids: list[int], within: float) -> list[int]:
    """Wait until none of the processes lives; return those that still do."""
    end = time.monotonic() + within
    while True:
        left = [pid for pid in pids if alive(pid)]
        if not left or time.monotonic() > end:
            return left
        time.sleep(0.05)


def alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def guards(parent: int) -> list[int]:
    """The guards among a process's children."""
    return [child.pid for child in psutil.Process(parent).children() if any("guard.py" in w for w in child.cmdline())]


def wait_until(true: Callable[[], bool], within: float = 20.0) -> None:
    end = time.monotonic() + within
    while not true():
        assert time.monotonic() < end, f"it did not happen within {within} s"
        time.sleep(0.03)
