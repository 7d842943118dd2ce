"""One process at a time: migrate, serve, worker, beat. What `up` runs together, and what a cluster runs apart.

`serve`, `worker` and `beat` log JSON lines to stderr, stay in the foreground and stop on SIGTERM or Ctrl-C: the API
answers what it has begun, a worker finishes the rows in hand. They start no server: they use `DATABASE_URL` and
`BROKER_URL`, or the embedded instance that runs in the data directory.
"""

from __future__ import annotations

import signal
import socket
import warnings
from typing import TYPE_CHECKING, Annotated

import typer

from api.cli.servers import DataDir, Json, export, load_settings, servers
from api.cli.servers import migrate as migrate_database
from api.cli.terminal import emit, out
from schema.errors import SettingsError

if TYPE_CHECKING:
    from schema.settings import Settings

Host = Annotated[str | None, typer.Option(help="Address to listen on (PALIMPSEST_HOST).", show_default="127.0.0.1")]
Port = Annotated[
    int | None,
    typer.Option(
        help="Port to listen on (PALIMPSEST_PORT); 0 takes a free one.", min=0, max=65535, show_default="8077"
    ),
]
Processes = Annotated[
    int | None,
    typer.Option(help="Children that derive (PALIMPSEST_WORKER_PROCESSES).", min=1, max=256, show_default="2"),
]

DRAIN_SECONDS = 5
"""How long the API goes on answering requests that it had begun when it was asked to stop."""


def migrate(data_dir: DataDir = None, as_json: Json = False) -> None:
    """Bring the database to the newest schema. Safe to run again, and twice at once."""
    settings = load_settings()
    # Servers started here are migrated on the way; with those of somebody else that is what we came for.
    with servers(data_dir, start=True) as found:
        migrate_database(found)
        embedded = settings.database_url is None
    if as_json:
        emit({"migrated": True, "embedded": embedded})
    else:
        out().print("The database is at the newest revision.")


def serve(host: Host = None, port: Port = None, data_dir: DataDir = None) -> None:
    """Run the HTTP API."""
    with servers(data_dir, quiet=False) as settings:
        host = host or settings.host
        port = settings.port if port is None else port
        port = available(host, port)
        export(settings)
        import uvicorn

        uvicorn.run(
            "api.http.app:create_app",
            factory=True,
            host=host,
            port=port,
            log_config=None,
            access_log=False,
            timeout_graceful_shutdown=DRAIN_SECONDS,
        )


def worker(
    queues: Annotated[
        str, typer.Option(help="Queues to consume, most urgent first: fresh, sweep, maintain.")
    ] = "fresh,sweep,maintain",
    processes: Processes = None,
    data_dir: DataDir = None,
) -> None:
    """Run a worker: it keeps derived rows current."""
    with servers(data_dir, quiet=False) as settings:
        from workers.app import QUEUES

        chosen = [name.strip() for name in queues.split(",") if name.strip()]
        if not chosen or not set(chosen) <= set(QUEUES):
            raise typer.BadParameter(f"must be some of {', '.join(QUEUES)}", param_hint="'--queues'")
        _need_broker(settings, "a worker")
        export(settings)
        _default_signals()
        from celery.exceptions import SecurityWarning

        import workers.tasks  # noqa: F401 - its signals set up logging, before the application does
        from workers.app import configured

        # It warns root of messages that are pickles; only JSON is accepted here.
        warnings.filterwarnings("ignore", category=SecurityWarning)
        count = processes or settings.worker_processes
        configured().worker_main(
            [
                "--quiet",
                "worker",
                f"--queues={','.join(chosen)}",
                f"--concurrency={count}",
                f"--loglevel={settings.log_level}",
                # Workers have nothing to tell each other: what is to be done is in the database.
                "--without-gossip",
                "--without-mingle",
                f"--hostname=palimpsest-{'-'.join(chosen)}@%h",
            ]
        )


def beat(data_dir: DataDir = None) -> None:
    """Run the beat: it sends sweeps and maintenance on time. Two at once do no harm."""
    with servers(data_dir, quiet=False) as settings:
        _need_broker(settings, "the beat")
        export(settings)
        _default_signals()
        import workers.tasks  # noqa: F401 - see `worker`
        from workers.app import configured

        # In memory: every entry is an interval, so what ran last before a restart is of no interest, and no file lies
        # about in the working directory.
        configured().Beat(scheduler_cls="celery.beat.Scheduler", loglevel=settings.log_level, quiet=True).run()


def available(host: str, port: int) -> int:
    """Return the port, or a free one for 0. Raises SettingsError when it cannot be had."""
    try:
        family, kind, number, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError):
        raise SettingsError(f"host: {host!a} is no address of this machine (--host, PALIMPSEST_HOST)") from None
    with socket.socket(family, kind, number) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
        except OSError as error:
            raise SettingsError(
                f"port: {host}:{port} cannot be listened on ({error.strerror}); stop what uses it, or choose another "
                "with --port or PALIMPSEST_PORT (0: any free one)",
                field="port",
            ) from None
        return int(probe.getsockname()[1])


def _need_broker(settings: Settings, who: str) -> None:
    if settings.broker_url is None:
        raise SettingsError(
            f"BROKER_URL: {who} needs it, such as redis://localhost:6379/0 (Redis 7+ or Valkey)", field="BROKER_URL"
        )


def _default_signals() -> None:
    """Leave SIGTERM to Celery, which has handlers of its own and whose children must not inherit ours."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
