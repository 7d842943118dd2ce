"""Which servers a command talks to.

1. `DATABASE_URL` (and `BROKER_URL`) where they are set. With only `DATABASE_URL` there is no broker: writes report
   `queued: false`, and what is due is found by the sweep of whoever runs workers.
2. Otherwise the data directory: `--data-dir`, then `PALIMPSEST_DATA_DIR`, then the platform's place for a user's data.
   A command attaches to the instance that runs there. Where none runs, `import`, `eval`, `bench` and `migrate` start
   one, migrate it, and stop it when they are done; all others say that nothing runs and that `palimpsest up` starts it.

The answer is always a `Settings` with both URLs filled in; nothing below the command line knows where they came from.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deploy.embedded import Instance, Log, Runtime, attach
from schema.errors import SettingsError

if TYPE_CHECKING:
    from api.service.context import Context
    from schema.settings import Settings

DataDir = Annotated[
    Path | None,
    typer.Option(
        "--data-dir",
        help="Where the embedded servers keep their data (PALIMPSEST_DATA_DIR).",
        show_default=False,
        file_okay=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Namespace = Annotated[str, typer.Argument(help="The namespace.", show_default=False)]


def is_id(value: int | list[int] | None) -> int | list[int] | None:
    """Refuse numbers that no row can have; for the `callback` of an argument or option."""
    for one in value if isinstance(value, list) else [] if value is None else [value]:
        if not 0 < one < 2**63:
            raise typer.BadParameter(f"{one} is no id")
    return value


MemoryId = Annotated[int, typer.Argument(help="The memory's id.", show_default=False, callback=is_id)]
EpisodeId = Annotated[int, typer.Argument(help="The episode's id.", show_default=False, callback=is_id)]

STARTING_SECONDS = 20.0
"""How long a command waits for an instance that another one is starting: a first start makes a cluster."""


def load_settings(*, quiet: bool = True) -> Settings:
    """Read the settings and set up logging: warnings only for commands people watch, unless they asked for a level."""
    from schema import log, settings

    found = settings.load()
    if found.broker_url is not None and found.database_url is None:
        raise SettingsError(
            "DATABASE_URL: is not set and BROKER_URL is; set both, or unset both to use the embedded servers",
            field="DATABASE_URL",
        )
    log.configure("WARNING" if quiet and "log_level" not in found.model_fields_set else found.log_level)
    return found


def place(settings: Settings, data_dir: Path | None) -> Path:
    """Return the data directory. Raises SettingsError when none is named and there is no home to put one in."""
    if data_dir is not None:
        return data_dir
    if settings.data_dir is not None and os.environ.get("PALIMPSEST_DATA_DIR"):
        return settings.data_dir
    import platformdirs

    try:
        found: Path | None = platformdirs.user_data_path("palimpsest", appauthor=False)
    except RuntimeError:
        found = None
    # Releases of platformdirs differ in what becomes of a "~" that nobody can resolve.
    if found is None or not found.is_absolute():
        raise SettingsError(
            "PALIMPSEST_DATA_DIR: must name a directory for the embedded servers: this user has no home",
            field="PALIMPSEST_DATA_DIR",
        )
    return found


def filled(settings: Settings, instance: Instance) -> Settings:
    """Return the settings with the URLs of an embedded instance."""
    return settings.model_copy(update={"database_url": instance.database_url, "broker_url": instance.broker_url})


@contextmanager
def servers(data_dir: Path | None = None, *, start: bool = False, quiet: bool = True) -> Iterator[Settings]:
    """Settings with the URLs of servers that run, for the length of a block. `start`: start some where none run.

    Raises SettingsError or EmbeddedError, which name the remedy.
    """
    settings = load_settings(quiet=quiet)
    if settings.database_url is not None:
        yield settings
        return
    where = place(settings, data_dir)
    instance = attach(where, wait=STARTING_SECONDS)
    if instance is not None:
        yield filled(settings, instance)
        return
    if not start:
        raise SettingsError(
            f"nothing runs on {where}: `palimpsest up` starts it; or name servers of your own in DATABASE_URL and "
            "BROKER_URL",
            field="DATABASE_URL",
        )
    with Runtime(where, log=log_of_embedded()) as runtime:
        found = filled(settings, runtime.instance)
        migrate(found)
        yield found


@contextmanager
def context(
    data_dir: Path | None = None, *, start: bool = False, broker: bool = True, pool_size: int = 2
) -> Iterator[Context]:
    """The service's context over the servers of `servers`, migrated and answering. `broker=False` leaves workers alone.

    Raises also StoreUnavailable and NotMigrated.
    """
    from api.service.context import Context
    from schema.store import health

    with servers(data_dir, start=start) as settings:
        found = Context(
            settings if broker else settings.model_copy(update={"broker_url": None}),
            pool_size=pool_size,
        )
        try:
            with found.database.read() as session:
                health.check(session)
            yield found
        finally:
            found.close()


def migrate(settings: Settings) -> None:
    """Bring the database to the newest revision."""
    from schema import migrations

    assert settings.database_url is not None  # noqa: S101 - every caller has just made sure of it
    migrations.migrate(settings.database_url)


def export(settings: Settings) -> None:
    """Let the rest of this process, which reads the environment, see the servers that were found."""
    for name, url in (("DATABASE_URL", settings.database_url), ("BROKER_URL", settings.broker_url)):
        if url is not None:
            os.environ[name] = url


def log_of_embedded() -> Log:
    """Return where the embedded servers and supervised processes report."""
    from schema import log

    found: Log = log.get("palimpsest.embedded").info
    return found
