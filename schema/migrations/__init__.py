"""Alembic's home. `migrate(url)` is the one way in; revisions are named NNNN_name."""

from __future__ import annotations

from importlib import resources

from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine, text

from schema.errors import StoreUnavailable

# Two processes that start at once migrate one after the other. Any constant will do; it spells "pali".
LOCK = 0x70616C69


def config(url: str) -> Config:
    """Return Alembic's configuration for the database at `url` (its owner's)."""
    found = Config()
    found.set_main_option("script_location", str(resources.files(__name__)))
    found.attributes["url"] = url
    return found


def migrate(url: str, revision: str = "head") -> None:
    """Bring the database at `url` to `revision`; safe to call again, and from two processes at once.

    Roles belong to the whole server, so the lock is taken in the database and role creation tolerates a rival.
    Raises StoreUnavailable when the database does not answer.
    """
    engine = create_engine(url)
    try:
        with engine.connect() as connection:
            connection.execute(text("SELECT pg_advisory_lock(:lock)"), {"lock": LOCK})
            connection.commit()
            found = config(url)
            found.attributes["connection"] = connection
            command.upgrade(found, revision)
            connection.execute(text("SELECT pg_advisory_unlock(:lock)"), {"lock": LOCK})
            connection.commit()
    except Exception as error:
        if getattr(getattr(error, "orig", None), "sqlstate", "") is None:
            raise StoreUnavailable(f"the database cannot be reached: {type(error).__name__}") from error
        raise
    finally:
        engine.dispose()
