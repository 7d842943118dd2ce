"""Where everything of one instance lies.

    <data dir>/owner.lock          who owns the instance (an flock; see `ownership`)
    <data dir>/instance.json       how to reach the running servers; there while they run, for its owner's eyes only
    <data dir>/*.password          made at first start, mode 0600
    <data dir>/log/                the servers' logs, a few megabytes at the most
    <data dir>/elsewhere.json      only when the servers' data had to go elsewhere, and where that is
    <root>/postgres, <root>/valkey the servers' data
    <root>/software/               only when the installed binaries are out of the servers' reach: a copy

`<root>` is the data directory, unless root runs this and the servers' uid cannot get there (a checkout under /root,
which nobody else may enter). Then it is a directory of its own under /var/lib/palimpsest, with a file that says whose
it is; `erase` removes both. Opening up somebody's home directory instead would be no service to them.
"""

from __future__ import annotations

import errno
import json
import os
import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deploy.embedded import account
from deploy.embedded.account import Account, Ids
from deploy.embedded.errors import EmbeddedError

VAR = Path("/var/lib/palimpsest")
# A fresh cluster takes 39 MB, its write-ahead log up to 80 MB before it is recycled, the application's database 8 MB.
FRESH_BYTES = 160 * 1024 * 1024
RUNNING_BYTES = 24 * 1024 * 1024
FULL = (errno.ENOSPC, errno.EDQUOT)


@dataclass(frozen=True)
class Place:
    """The paths of one instance."""

    data_dir: Path
    root: Path

    @property
    def cluster(self) -> Path:
        """PostgreSQL's data directory."""
        return self.root / "postgres"

    @property
    def broker(self) -> Path:
        """Valkey's data directory."""
        return self.root / "valkey"

    @property
    def logs(self) -> Path:
        """Where the logs go."""
        return self.data_dir / "log"

    @property
    def instance(self) -> Path:
        """The file that says how to reach the running servers."""
        return self.data_dir / "instance.json"

    @property
    def elsewhere(self) -> bool:
        """Whether the servers' data lies outside the data directory."""
        return self.root != self.data_dir


def open_dir(data_dir: Path) -> Path:
    """Make the data directory if need be, see that it can be written, and return its absolute path.

    :raises EmbeddedError: it cannot be made or written.
    """
    path = absolute(data_dir)
    try:
        if not path.is_dir():
            path.mkdir(parents=True)
            # Root's servers run under another uid, which has to pass through; everything private inside is 0600.
            path.chmod(0o711 if os.geteuid() == 0 else 0o700)
        probe = path / f".probe-{secrets.token_hex(4)}"
        probe.write_bytes(b"x" * 4096)
        probe.unlink()
    except OSError as fault:
        raise unusable(path, fault) from fault
    return path


def absolute(path: Path) -> Path:
    """Return a path that means the same wherever this process goes.

    :raises EmbeddedError: it begins with `~` and there is no home.
    """
    try:
        return Path(os.path.abspath(path.expanduser()))  # noqa: PTH100 - resolve() would replace the links a person chose
    except RuntimeError as fault:
        raise EmbeddedError(f"{path} cannot be used ({fault}): give its full path with PALIMPSEST_DATA_DIR") from fault


def recorded(data_dir: Path) -> Path:
    """Return the root that the data directory names, itself by default.

    :raises EmbeddedError: it names one that is gone.
    """
    record = read_json(data_dir / "elsewhere.json")
    if not record or "root" not in record:
        return data_dir
    root = Path(str(record["root"]))
    if root.parent != VAR or not root.is_dir():
        raise EmbeddedError(
            f"{data_dir} keeps its database in {root}, which is gone (or not below {VAR}): bring it back, "
            f"or remove {data_dir / 'elsewhere.json'} to begin with an empty database"
        )
    return root


def settle(data_dir: Path) -> tuple[Place, Account]:
    """Decide where the servers' data lies and whose it is. The caller owns the data directory.

    :raises EmbeddedError: there is no place that both this process and the servers' uid can use.
    """
    place = Place(data_dir, recorded(data_dir))
    existing = owner_of(place.cluster)
    who = account.choose(existing)
    if who.drop is None:
        return place, who
    needed = {who.drop} if existing else {who.drop, who.init or who.drop}
    blocked = next((step for ids in sorted(needed) if (step := account.barrier(place.root, ids))), None)
    if blocked is None:
        return place, who
    if existing or place.elsewhere:
        raise EmbeddedError(
            f"the database in {place.root} runs as uid {who.drop[0]}, which may not enter {blocked}: "
            f"chmod o+x {blocked}, or move {data_dir} where it may"
        )
    return Place(data_dir, elsewhere(data_dir, blocked)), who


def elsewhere(data_dir: Path, blocked: Path) -> Path:
    """Make a root under /var/lib/palimpsest and record it in the data directory."""
    root = VAR / secrets.token_hex(8)
    try:
        for step in (VAR, root):
            step.mkdir(mode=0o711, parents=True, exist_ok=True)
            step.chmod(0o711)
        write_private(root / "belongs-to", os.fsencode(data_dir) + b"\n")
        write_private(data_dir / "elsewhere.json", json.dumps({"root": str(root)}).encode())
    except (OSError, EmbeddedError) as fault:
        raise EmbeddedError(
            f"PostgreSQL does not run as root, and its uid may not enter {blocked}; {VAR} cannot be used instead "
            f"({fault}): name a directory that others may pass through with PALIMPSEST_DATA_DIR, "
            "such as /srv/palimpsest"
        ) from fault
    return root


def make_dir(path: Path, owner: Ids | None = None) -> None:
    """Make a private directory, the servers' own if `owner` is given."""
    try:
        path.mkdir(mode=0o700, exist_ok=True)
        if owner is not None and os.geteuid() == 0:
            os.chown(path, *owner)
    except OSError as fault:
        raise unusable(path.parent, fault) from fault


def check_space(place: Place) -> None:
    """Refuse to begin on a disk that is about to be full.

    :raises EmbeddedError: too little is free.
    """
    needed = RUNNING_BYTES if owner_of(place.cluster) else FRESH_BYTES
    free = shutil.disk_usage(place.root).free
    if free < needed:
        raise EmbeddedError(no_space(place.root, f"{free >> 20} MB free, {needed >> 20} MB needed"))


def secret(path: Path) -> str:
    """Return the password in a file, made now if there is none."""
    try:
        text = path.read_text("ascii").strip()
    except FileNotFoundError:
        text = ""
    except OSError as fault:
        raise unusable(path.parent, fault) from fault
    if not text:
        text = secrets.token_urlsafe(24)
        write_private(path, text.encode() + b"\n")
    return text


def write_private(path: Path, content: bytes, owner: Ids | None = None) -> None:
    """Write a file whole or not at all, readable by its owner only: this process's user, or `owner` if root asks."""
    draft = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
    try:
        fd = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(fd, "wb") as file:
            if owner is not None and os.geteuid() == 0:
                os.fchown(fd, *owner)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as fault:
        draft.unlink(missing_ok=True)
        raise unusable(path.parent, fault) from fault


def read_json(path: Path) -> dict[str, Any] | None:
    """Return the object in a file, or None when there is none to be read."""
    try:
        value = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def owner_of(cluster: Path) -> Ids | None:
    """Return uid and gid of an existing cluster."""
    try:
        status = cluster.stat()
    except FileNotFoundError:
        return None
    except PermissionError as fault:
        raise unusable(cluster.parent, fault) from fault
    return status.st_uid, status.st_gid


def within(directory: Path, name: object) -> bool:
    """Whether the file of an error lies in the directory."""
    return isinstance(name, str | Path) and Path(name).is_relative_to(directory)


def unusable(directory: Path, fault: OSError) -> EmbeddedError:
    """Say why a directory cannot be used and what to do about it."""
    if fault.errno in FULL:
        return EmbeddedError(no_space(directory, fault.strerror or "full"))
    return EmbeddedError(
        f"{directory} cannot be used for the embedded servers ({fault.strerror or fault}): make it a directory that "
        f"uid {os.geteuid()} can write, or choose another with PALIMPSEST_DATA_DIR"
    )


def no_space(directory: Path, detail: str) -> str:
    """Say that the disk is full."""
    return (
        f"no space left for the embedded servers in {directory} ({detail}): free some, "
        "or choose a directory on another disk with PALIMPSEST_DATA_DIR"
    )
