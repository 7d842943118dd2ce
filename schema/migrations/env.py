"""Runs migrations on the connection it is given, or on its own. Each revision is one transaction with timeouts."""

from __future__ import annotations

from alembic import context
from sqlalchemy import Connection, create_engine, text

from schema.models import Base


def include(_object: object, name: str | None, kind: str, _reflected: bool, _other: object) -> bool:
    """Leave the tables of vector spaces alone: they come and go with their spaces, not with revisions."""
    return not (kind == "table" and (name or "").startswith("vectors_"))


def run(connection: Connection) -> None:
    """Run on `connection`, waiting at most five seconds for any lock: a blocked migration must not queue up writers."""
    connection.execute(text("SET lock_timeout = '5s'"))
    connection.execute(text("SET statement_timeout = '15min'"))
    connection.commit()
    context.configure(
        connection=connection,
        target_metadata=Base.metadata,
        transaction_per_migration=True,
        include_object=include,
        compare_server_default=True,
    )
    with context.begin_transaction():
        context.run_migrations()


given = context.config.attributes.get("connection")
if given is not None:
    run(given)
else:
    engine = create_engine(context.config.attributes["url"])
    with engine.connect() as own:
        run(own)
    engine.dispose()
