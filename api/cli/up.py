"""`palimpsest up`: everything on this machine, in the foreground, until Ctrl-C or SIGTERM.

It owns the instance in the data directory; every other command attaches to it from there. Nothing listens beyond
loopback unless told to, because there are no API keys yet: whoever reaches the port reads and writes every namespace.
"""

from __future__ import annotations

import contextlib
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from api.cli.processes import Host, Port
from api.cli.servers import DataDir
from api.cli.services import Running, fleet, is_loopback
from api.cli.terminal import err, out, say, table

if TYPE_CHECKING:
    from rich.table import Table

LISTED = 12
"""Namespaces named in the table; the others are counted."""

Workers = Annotated[
    int | None,
    typer.Option("--workers", help="Processes that derive (PALIMPSEST_WORKER_PROCESSES).", min=1, max=256),
]


def up(host: Host = None, port: Port = None, data_dir: DataDir = None, workers: Workers = None) -> None:
    """Run everything: servers, worker, beat and API. Ctrl-C stops it all."""
    try:
        began = time.monotonic()
        with started(data_dir, host=host, port=port, workers=workers) as running:
            if not is_loopback(running.host):
                say(
                    f"warning: {running.host} can be reached from other machines, and there are no API keys yet: "
                    "whoever reaches it reads and writes everything"
                )
            out().print(_summary(running, time.monotonic() - began))
            out().print("Ctrl-C stops everything.")
            while True:
                signal.pause()
    except KeyboardInterrupt:
        say("stopped")
    except SystemExit as end:
        if end.code != 128 + signal.SIGTERM:
            raise
        say("stopped")


@contextmanager
def started(
    data_dir: Path | None, *, host: str | None = None, port: int | None = None, workers: int | None = None
) -> Iterator[Running]:
    """Everything for the length of a block, with a spinner while it starts and while it stops."""
    console = err()
    with contextlib.ExitStack() as stack:
        with console.status(Text("starting")) as spinner:

            def tell(what: str) -> None:
                spinner.update(Text(what))

            running = stack.enter_context(fleet(data_dir, host=host, port=port, workers=workers, tell=tell))
        yield running
        stack.enter_context(console.status(Text("stopping")))


def _summary(running: Running, seconds: float) -> Table:
    rows = [
        ("API", running.url),
        ("OpenAPI", f"{running.url}/openapi.json"),
        ("data", "servers of your own" if running.data_dir is None else str(running.data_dir)),
        ("logs", "this terminal" if running.logs is None else str(running.logs)),
        ("namespaces", _namespaces(running)),
        ("state", "palimpsest status"),
    ]
    return table(["palimpsest is ready", f"after {seconds:.1f} s"], rows)


def _namespaces(running: Running) -> str:
    from schema.db import Database
    from schema.store import namespaces

    assert running.settings.database_url is not None  # noqa: S101 - the fleet has just used it
    database = Database(running.settings.database_url, role="api")
    try:
        with database.read() as session:
            names = [place.name for place in namespaces.listed(session)]
    finally:
        database.dispose()
    shown = ", ".join(names[:LISTED]) or "none yet: palimpsest remember, palimpsest import"
    return shown if len(names) <= LISTED else f"{shown} and {len(names) - LISTED} more"
