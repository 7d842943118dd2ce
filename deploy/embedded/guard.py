"""A guard: the small process that stands between this program and one process it started.

It exists because a program that is killed outright cannot clean up after itself. The guard holds the read end of a pipe
whose write end only its parent has, so the kernel tells it of the parent's death whatever the cause. It guarantees:

- one child, started once; the guard ends when the child has ended and never restarts it (the parent does that);
- end of file on the pipe, a changed parent, or SIGTERM: the child is asked to stop, asked harder, then killed, and
  whatever is left of its process group goes with it, all within `ORPHAN_SECONDS`;
- the death of the guard itself: on Linux the kernel sends the child `death_signal` (PR_SET_PDEATHSIG);
- a lock file, when the spec names one, is held by guard and child together for as long as either lives, so a later
  start can wait for the kernel's word that nothing of the earlier one is left;
- signals go to an unreaped child or to its process group only, so a recycled process id is never hit.

Protocol: the parent writes one line of JSON (see `Spec`) to the guard's stdin and keeps it open; `stop` on a line of
its own asks for an unhurried stop. The guard writes lines of JSON to stdout: `started`, then `exited`, or `failed`.

Only the standard library, and run by path with `-I -S`: starting a guard costs about 25 ms and nothing else can break
it.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import json
import os
import select
import shutil
import signal
import sys
import time
from typing import Any, TypedDict

# An orphaned child is gone within 15 s, that is the promise; 3 s of it are left for the kernel.
ORPHAN_SECONDS = 12.0
LOCK_SECONDS = 15.0
PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
CLONE_NEWUSER = 0x10000000
# Signals a Python parent ignores or handles, which a child must not inherit in that state.
RESET = (signal.SIGINT, signal.SIGHUP, signal.SIGPIPE, signal.SIGTERM, signal.SIGCHLD, signal.SIGQUIT)


class Spec(TypedDict, total=False):
    """What to run. Text is the bytes of the file system spelt in Latin-1, so that no locale can change a path."""

    argv: list[str]
    env: dict[str, str]
    cwd: str | None
    user: tuple[int, int] | None  # uid, gid to drop to
    alias: tuple[int, int] | None  # uid, gid to appear as, in a user namespace of the child's own
    log: str | None
    log_limit: int
    lock: str | None
    lock_seconds: float  # how long to wait for it
    stop: list[tuple[int, float]]  # signal, seconds to wait after it; SIGKILL follows the last
    death_signal: int
    remove: list[str]  # directories to remove when the parent died and cannot do it
    umask: int | None


class Guard:
    """One child and the pipe to the parent."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.parent = os.getppid()
        self.pid = 0
        self.status = 0
        self.alive = False
        self.asked = ""  # why it has to stop: "stop" or "orphan"
        self.log_fd = -1
        self.lock_fd = -1
        self.wake, wake_write = os.pipe()
        for end in (self.wake, wake_write):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGTERM, lambda *_: self._ask("stop"))
        for ignored in (signal.SIGINT, signal.SIGHUP):
            signal.signal(ignored, signal.SIG_IGN)

    def run(self) -> int:
        """Start the child and see it to its end."""
        try:
            self._open()
            self._start()
        except OSError as fault:
            tell(failed=f"{fault.strerror or fault}", path=str(fault.filename or ""), errno=fault.errno or 0)
            return 1
        tell(started=self.pid)
        try:
            while not self.asked and not self._ended():
                self._wait(1.0)
                self._trim_log()
            if not self._ended():
                self._stop()
        finally:
            self._reap()
        tell(exited=self.status)
        if self.asked == "orphan":
            for path in self.spec.get("remove", []):
                shutil.rmtree(raw(path), ignore_errors=True)
        return 0

    def _open(self) -> None:
        if log := self.spec.get("log"):
            self.log_fd = os.open(raw(log), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        lock = self.spec.get("lock")
        if not lock:
            return
        self.lock_fd = os.open(raw(lock), os.O_RDWR | os.O_CREAT, 0o600)
        end = time.monotonic() + self.spec.get("lock_seconds", LOCK_SECONDS)
        while True:
            try:
                fcntl.flock(self.lock_fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as fault:
                if fault.errno not in (errno.EAGAIN, errno.EACCES):
                    raise
            else:
                return
            if self.asked or time.monotonic() > end:
                raise OSError(errno.EBUSY, "a server of an earlier start still runs", lock)
            self._wait(0.05)

    def _start(self) -> None:
        read, write = os.pipe()
        guard = os.getpid()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                self._become(guard)
            except BaseException as fault:  # noqa: BLE001 - whatever it is has to cross to the guard, then the child ends
                code = getattr(fault, "errno", None) or 0
                os.write(write, json.dumps([str(fault), code]).encode())
            finally:
                os._exit(127)
        os.close(write)
        with os.fdopen(read, "rb") as pipe:
            fault_text = pipe.read()
        if fault_text:
            os.waitpid(self.pid, 0)
            message, code = json.loads(fault_text)
            raise OSError(code, message, None)
        self.alive = True

    def _become(self, guard: int) -> None:
        """In the child: drop everything of the guard's and become the program."""
        spec = self.spec
        os.setpgid(0, 0)
        for number in RESET:
            signal.signal(number, signal.SIG_DFL)
        signal.set_wakeup_fd(-1)
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        if (mask := spec.get("umask")) is not None:
            os.umask(mask)
        out = self.log_fd if self.log_fd >= 0 else 2
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.dup2(out, 1)
        os.dup2(out, 2)
        if self.lock_fd >= 0:
            os.set_inheritable(self.lock_fd, True)
        if user := spec.get("user"):
            os.setgroups([])
            os.setgid(user[1])
            os.setuid(user[0])
        if alias := spec.get("alias"):
            appear_as(*alias)
        if cwd := spec.get("cwd"):
            os.chdir(raw(cwd))
        # Changing the uid clears the death signal, so it is set last; the guard may have died before it was.
        if sys.platform == "linux":
            libc().prctl(PR_SET_PDEATHSIG, spec.get("death_signal", int(signal.SIGTERM)), 0, 0, 0)
        if os.getppid() != guard:
            os._exit(127)
        argv = [raw(part) for part in spec["argv"]]
        os.execve(argv[0], argv, {raw(name): raw(value) for name, value in spec["env"].items()})  # noqa: S606 - a list of ours

    def _wait(self, seconds: float) -> None:
        """Sleep until something happened: a line or the end of the pipe, the child's end, a signal."""
        watched = [self.wake] if self.asked == "orphan" else [self.wake, 0]
        ready, _, _ = select.select(watched, [], [], seconds)
        if self.wake in ready:
            with contextlib.suppress(BlockingIOError):
                os.read(self.wake, 512)
        if 0 in ready:
            self._ask("stop" if b"stop" in os.read(0, 512) else "orphan")
        # A process forked from the parent without exec may hold the pipe open; the parent's id tells the truth then.
        if os.getppid() != self.parent:
            self._ask("orphan")

    def _ask(self, why: str) -> None:
        # A parent that dies during an unhurried stop leaves an orphan like any other.
        if self.asked != "orphan":
            self.asked = why

    def _stop(self) -> None:
        steps = self.spec.get("stop") or [(int(signal.SIGTERM), 10.0)]
        share = min(1.0, ORPHAN_SECONDS / max(0.1, sum(seconds for _, seconds in steps)))
        for number, seconds in steps:
            os.kill(self.pid, number)
            begin = time.monotonic()
            while not self._ended():
                left = seconds * (share if self.asked == "orphan" else 1.0) - (time.monotonic() - begin)
                if left <= 0:
                    break
                self._wait(min(left, 0.5))
            if self._ended():
                return
        os.kill(self.pid, signal.SIGKILL)

    def _ended(self) -> bool:
        """Whether the child has ended; it stays unreaped, so its id and its group stay ours to signal."""
        if self.alive and hasattr(os, "waitid"):
            self.alive = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None
        return not self.alive

    def _reap(self) -> None:
        if hasattr(os, "waitid"):
            os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)
            with contextlib.suppress(OSError):
                os.killpg(self.pid, signal.SIGKILL)
        _, status = os.waitpid(self.pid, 0)
        self.status = os.waitstatus_to_exitcode(status)

    def _trim_log(self) -> None:
        """Keep the log under its limit: one older file beside it, then start over (the child appends)."""
        limit = self.spec.get("log_limit", 0)
        path = self.spec.get("log")
        if self.log_fd < 0 or not limit or not path or os.fstat(self.log_fd).st_size <= limit:
            return
        with contextlib.suppress(OSError):
            shutil.copyfile(raw(path), raw(path) + b".1")
            os.truncate(raw(path), 0)


def appear_as(uid: int, gid: int) -> None:
    """Appear as an account of this machine, in a user namespace that holds this process only.

    `initdb` insists on looking up the name of its own uid. Files keep the real owner, so the server can do without.
    """
    real_uid, real_gid = os.getuid(), os.getgid()
    # After a change of uid the kernel keeps a process away from its own /proc entries until the next exec.
    libc().prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)
    if libc().unshare(CLONE_NEWUSER) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    for name, line in (("setgroups", "deny"), ("uid_map", f"{uid} {real_uid} 1"), ("gid_map", f"{gid} {real_gid} 1")):
        file = os.open(f"/proc/self/{name}", os.O_WRONLY)
        os.write(file, line.encode())
        os.close(file)


def libc() -> Any:
    """The C library already in this process."""
    return ctypes.CDLL(None, use_errno=True)


def raw(text: str) -> bytes:
    """Return the bytes a spec spells in Latin-1."""
    return text.encode("latin-1")


def tell(**event: object) -> None:
    """Tell the parent; it may be gone, and then nobody needs to know."""
    with contextlib.suppress(OSError):
        os.write(1, json.dumps(event).encode() + b"\n")


def read_spec() -> Spec | None:
    """Read the parent's first line, or None when it died before writing one."""
    line = b""
    while not line.endswith(b"\n"):
        block = os.read(0, 1)
        if not block:
            return None
        line += block
    spec: Spec = json.loads(line)
    return spec


def main() -> int:
    """Run one guard."""
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    spec = read_spec()
    return Guard(spec).run() if spec else 0


if __name__ == "__main__":
    sys.exit(main())
