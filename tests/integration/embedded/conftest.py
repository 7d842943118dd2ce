"""Data directories, owners and bystanders for tests of the embedded servers.

Directories are short and lie where another uid can reach them, so that root's servers work in them and the tests
see the usual arrangement; in memory where there is room, because a thousand small files are slow to remove from a busy
disk. One cluster is made and then copied, because making one takes ten times as long as starting one.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from deploy.embedded import erase, start

from .support import Owner, connect, copy, users

MEMORY = Path("/dev/shm")
ROOM = MEMORY if MEMORY.is_dir() and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > 2 << 30 else "/tmp"


@pytest.fixture
def base() -> Iterator[Path]:
    """A directory that any uid can pass through, gone after the test; nothing may still run in it then."""
    path = Path(tempfile.mkdtemp(prefix="pal-", dir=ROOM))
    path.chmod(0o755)
    yield path
    left = users(path)
    for process in left:
        process.kill()
    shutil.rmtree(path)
    assert not left, f"still running: {left}"


@pytest.fixture(scope="session")
def seed() -> Iterator[Path]:
    """A stopped instance with one table in it, to be copied."""
    base = Path(tempfile.mkdtemp(prefix="pal-seed-", dir=ROOM))
    base.chmod(0o755)
    data_dir = base / "data"
    with start(data_dir) as instance, connect(instance) as connection:
        connection.execute("CREATE TABLE kept (word text)")
        connection.execute("INSERT INTO kept VALUES ('漢字😀é')")
    yield data_dir
    erase(data_dir)
    base.rmdir()


@pytest.fixture
def data_dir(base: Path, seed: Path) -> Path:
    """A data directory that was in use before and is stopped."""
    return copy(seed, base / "data")


@pytest.fixture
def owner() -> Iterator[Callable[..., Owner]]:
    """Start owners in processes of their own."""
    owners: list[Owner] = []

    def make(data_dir: Path, *options: str, env: dict[str, str] | None = None) -> Owner:
        owners.append(Owner(data_dir, *options, env=env))
        return owners[-1]

    yield make
    for one in owners:
        one.close()


@pytest.fixture
def bystander() -> Iterator[psutil.Process]:
    """A live process that has nothing to do with us."""
    process = subprocess.Popen(["/bin/sleep", "600"])
    yield psutil.Process(process.pid)
    process.kill()
    process.wait()
