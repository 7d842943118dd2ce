"""Connections and session scopes. The only place that commits.

A `Database` belongs to one process and one role. `read()` gives a session over one read-only snapshot, `write()` one
that commits at the end of the block or not at all. Roles: the URL's own user owns the schema (migrations); workers and
the API step down to `palimpsest_worker` and `palimpsest_api` when they connect, so neither can alter a table.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

import psycopg
from pgvector.psycopg import register_vector
from sqlalchemy import Engine, create_engine, event, text
from sqlalchemy.exc import DBAPIError, OperationalError, ProgrammingError
from sqlalchemy.orm import Session

from schema.errors import NotMigrated, StoreUnavailable

Role = Literal["owner", "worker", "api"]


class ReadSession(Session):
    """One read-only snapshot."""


class WriteSession(ReadSession):
    """One transaction that `Database.write` commits. Functions that take one never commit."""


class Database:
    """The store as one process sees it."""

    def __init__(self, url: str, *, role: Role = "worker", pool_size: int = 1, application: str = "palimpsest") -> None:
        self.url = url
        self.role = role
        options = "" if role == "owner" else f"-c role=palimpsest_{role}"
        self.engine: Engine = create_engine(
            url,
            pool_size=pool_size,
            max_overflow=0,
            # Parameters are what users said; an error message is not the place for them.
            hide_parameters=True,
            pool_pre_ping=True,
            pool_timeout=30,
            connect_args={
                "application_name": f"{application}:{role}",
                "connect_timeout": 5,
                "options": options,
                # One connection serves many statements of one shape; a plan is cheap, a wrong generic plan is not.
                "prepare_threshold": None,
            },
        )
        event.listen(self.engine, "connect", _on_connect)

    @contextmanager
    def read(self) -> Iterator[ReadSession]:
        """Open one repeatable-read, read-only snapshot."""
        with _translated(), ReadSession(self.engine) as session:
            session.connection(execution_options={"isolation_level": "REPEATABLE READ", "postgresql_readonly": True})
            yield session

    @contextmanager
    def write(self) -> Iterator[WriteSession]:
        """Open one transaction; commit at the end of the block, roll back when it raises."""
        with _translated(), WriteSession(self.engine, expire_on_commit=False) as session:
            yield session
            session.commit()

    def dispose(self, *, inherited: bool = False) -> None:
        """Close the pool; `inherited=True` after a fork forgets the parent's connections without touching them."""
        self.engine.dispose(close=not inherited)


def _on_connect(connection: psycopg.Connection[Any], _record: Any) -> None:
    # Times are read in UTC whatever the server, the database or PGTZ prefers: the last of these beats any option.
    connection.execute("SET TIME ZONE 'UTC'")
    connection.commit()
    try:
        register_vector(connection)
    except psycopg.ProgrammingError:
        # A database before its first migration has no vector type; nothing that needs it can run there either.
        connection.rollback()


@contextmanager
def _translated() -> Iterator[None]:
    """Turn the driver's two everyday failures into ours: nobody there, and nothing migrated."""
    try:
        yield
    except ProgrammingError as error:
        if isinstance(error.orig, psycopg.errors.UndefinedTable):
            raise NotMigrated from error
        raise
    except OperationalError as error:
        if "role" in str(error.orig) and "does not exist" in str(error.orig):
            raise NotMigrated from error
        # No SQLSTATE: the connection failed. 08: connection exceptions. 57P: shutting down or starting up.
        state = getattr(error.orig, "sqlstate", None)
        if state is None or state.startswith(("08", "57P")):
            raise StoreUnavailable(f"the database cannot be reached: {type(error.orig).__name__}") from error
        raise
    except DBAPIError as error:
        if error.connection_invalidated:
            raise StoreUnavailable("the connection to the database was lost") from error
        raise


def ping(session: ReadSession) -> None:
    """Ask the database for nothing, to see that it answers."""
    session.execute(text("SELECT 1"))
