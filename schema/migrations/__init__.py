"""Alembic's home. `migrate(url)` is the one way in; revisions are named NNNN_name."""

from __future__ import annotations

import time
from importlib import resources

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, create_engine, text
from sqlalchemy.exc import OperationalError

from schema.errors import Conflict, StoreUnavailable

# Two processes that start at once migrate one after the other. Any constant will do; it spells "pali".
LOCK = 0x70616C69
TURN_SECONDS = 0.1
LOCK_NOT_AVAILABLE = "55P03"


def config(url: str) -> Config:
    """Return Alembic's configuration for the database at `url` (its owner's)."""
    found = Config()
    found.set_main_option("script_location", str(resources.files(__name__)))
    found.attributes["url"] = url
    return found


def migrate(url: str, revision: str = "head") -> None:
    """Bring the database at `url` to `revision`; safe to call again, and from two processes at once.

    Roles belong to the whole server, so the lock is taken in the database and role creation tolerates a rival.
    Afterwards every index of ours is valid: one that an interrupted build left behind is built again. Raises
    StoreUnavailable when the database does not answer, Conflict when a lock could not be had: run it again.
    """
    engine = create_engine(url)
    try:
        with engine.connect() as connection:
            _wait_for_turn(connection)
            found = config(url)
            found.attributes["connection"] = connection
            command.upgrade(found, revision)
            _rebuild_invalid(connection)
            connection.execute(text("SELECT pg_advisory_unlock(:lock)"), {"lock": LOCK})
            connection.commit()
    except OperationalError as error:
        state = getattr(error.orig, "sqlstate", None)
        if state == LOCK_NOT_AVAILABLE:
            raise Conflict(
                "migrate: another transaction holds a lock on a table that has to change; nothing was changed: end "
                "that transaction and run it again"
            ) from error
        if state is None:
            raise StoreUnavailable(f"the database cannot be reached: {type(error).__name__}") from error
        raise
    finally:
        engine.dispose()


def _wait_for_turn(connection: Connection) -> None:
    """Take the lock by asking again and again: one that waits in a statement holds a snapshot, and the other's
    concurrent index build would wait for that snapshot for ever.
    """
    while not connection.execute(text("SELECT pg_try_advisory_lock(:lock)"), {"lock": LOCK}).scalar_one():
        connection.commit()
        time.sleep(TURN_SECONDS)
    connection.commit()


def _rebuild_invalid(connection: Connection) -> None:
    """Build again, beside running work, every index that a failed concurrent build left invalid."""
    broken = connection.execute(
        text("""SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
                WHERE NOT i.indisvalid AND pg_table_is_visible(i.indrelid) ORDER BY c.relname""")
    ).scalars()
    names = list(broken)
    connection.commit()
    quoted = connection.dialect.identifier_preparer.quote
    for name in names:
        connection.execution_options(isolation_level="AUTOCOMMIT")
        connection.execute(text(f"REINDEX INDEX CONCURRENTLY {quoted(name)}"))
