"""Whose uid the servers run under.

PostgreSQL refuses to run as root, so root has to give its servers another uid. Measured with PostgreSQL 18.6: the
server is content with a bare number; only `initdb` looks its uid up in the account database. Hence:

- an ordinary user runs the servers as itself. Without an account entry (a container started with `--user 12345`)
  `initdb` runs in a user namespace in which the same uid carries an existing account's number; where the kernel
  forbids that, the error names the remedy;
- root uses the account `palimpsest` if an administrator made one. Otherwise it takes a number from a range that
  systemd's list of uids leaves unused and that has no account here. Nothing in /etc is touched, and no other service
  shares the number as it would share `nobody`. `initdb` alone runs as `nobody`, on an empty directory that changes
  hands afterwards;
- a cluster that exists already keeps its owner, so neither an upgrade nor one `sudo` too many locks anyone out.
"""

from __future__ import annotations

import grp
import os
import pwd
import stat
from dataclasses import dataclass
from pathlib import Path

from deploy.embedded.errors import EmbeddedError

ACCOUNT = "palimpsest"
# systemd, "Users, Groups, UIDs and GIDs": 60706 to 61183 is unused by any of its allocations.
NUMBERS = range(60800, 60900)

Ids = tuple[int, int]


@dataclass(frozen=True)
class Account:
    """`server` owns files and servers. `drop` and `init` are what root changes to; `alias` is for `initdb` only."""

    server: Ids
    drop: Ids | None = None
    init: Ids | None = None
    alias: Ids | None = None


def choose(owner: Ids | None = None) -> Account:
    """Choose the account; `owner` is the uid and gid of an existing cluster.

    :raises EmbeddedError: the cluster is another user's, or this machine has no account to make a cluster with.
    """
    uid, gid = os.geteuid(), os.getegid()
    if uid != 0:
        if owner is not None and owner[0] != uid:
            raise EmbeddedError(
                f"the embedded database belongs to uid {owner[0]} and this is uid {uid}: "
                "run as that user, or choose another directory with PALIMPSEST_DATA_DIR"
            )
        return Account((uid, gid), alias=None if has_account(uid) else any_account())
    server = owner if owner is not None and owner[0] != 0 else dedicated()
    return Account(server, drop=server, init=server if has_account(server[0]) else any_account())


def dedicated() -> Ids:
    """Return the uid and gid root gives the servers of a new cluster."""
    try:
        entry = pwd.getpwnam(ACCOUNT)
    except KeyError:
        pass
    else:
        if entry.pw_uid != 0:
            return entry.pw_uid, entry.pw_gid
    taken = {entry.pw_uid for entry in pwd.getpwall()} | {group.gr_gid for group in grp.getgrall()}
    number = next((number for number in NUMBERS if number not in taken), NUMBERS[0])
    return number, number


def has_account(uid: int) -> bool:
    """Whether the account database knows the uid."""
    try:
        pwd.getpwuid(uid)
    except KeyError:
        return False
    return True


def any_account() -> Ids:
    """Return an account that `initdb` may appear as: `nobody`, or the first that is not root."""
    entries = {entry.pw_name: (entry.pw_uid, entry.pw_gid) for entry in pwd.getpwall() if entry.pw_uid != 0}
    if not entries:
        raise EmbeddedError(no_account(os.geteuid()))
    return entries.get("nobody") or next(iter(entries.values()))


def no_account(uid: int) -> str:
    """Say what to do where a cluster cannot be made for want of an account."""
    return (
        f"uid {uid} has no account entry on this machine and PostgreSQL's initdb needs one: run under an account "
        "(an entry in /etc/passwd is enough), or set DATABASE_URL and BROKER_URL to servers that already run"
    )


def barrier(path: Path, ids: Ids) -> Path | None:
    """Return the topmost directory on the way to `path` (which counts) that these ids may not pass, or None.

    By the mode bits alone; these ids have no other groups.
    """
    uid, gid = ids
    real = Path(os.path.realpath(path))
    for step in [*reversed(real.parents), real]:
        try:
            status = step.stat()
        except FileNotFoundError:
            return None
        if status.st_uid == uid:
            passes = status.st_mode & stat.S_IXUSR
        elif status.st_gid == gid:
            passes = status.st_mode & stat.S_IXGRP
        else:
            passes = status.st_mode & stat.S_IXOTH
        if not passes:
            return step
    return None
