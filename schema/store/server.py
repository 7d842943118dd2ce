"""The PostgreSQL server itself, as `doctor` looks at it: versions, extension, roles, limits, broken indexes."""

from __future__ import annotations

from dataclasses import dataclass

from alembic.script import ScriptDirectory
from sqlalchemy import text

from schema import migrations
from schema.db import ReadSession

ROLES = ("palimpsest_api", "palimpsest_worker")


@dataclass(frozen=True, slots=True)
class Server:
    """What a server is and holds. `number` as in `server_version_num`; `pgvector` and `revision` None when not there.

    `connections` is how many an ordinary user may open, of which `connected` are.
    """

    number: int
    version: str
    pgvector: str | None
    revision: str | None
    missing_roles: tuple[str, ...]
    connections: int
    connected: int
    invalid_indexes: tuple[str, ...]


def look(session: ReadSession) -> Server:
    """Look at the server, whether or not it was ever migrated."""
    number, version, connections, connected = session.execute(
        text("""SELECT current_setting('server_version_num')::int, current_setting('server_version'),
                       current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
                       (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')""")
    ).one()
    pgvector = session.execute(text("SELECT extversion FROM pg_extension WHERE extname = 'vector'")).scalar()
    migrated = session.execute(text("SELECT to_regclass('alembic_version') IS NOT NULL")).scalar_one()
    revision = session.execute(text("SELECT version_num FROM alembic_version")).scalar() if migrated else None
    present = set(
        session.execute(
            text("SELECT rolname FROM pg_roles WHERE rolname = ANY(:roles)"), {"roles": list(ROLES)}
        ).scalars()
    )
    invalid = session.execute(
        text("""SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
                WHERE NOT i.indisvalid AND pg_table_is_visible(i.indrelid) ORDER BY c.relname""")
    ).scalars()
    return Server(
        number,
        version,
        pgvector,
        revision,
        tuple(role for role in ROLES if role not in present),
        connections,
        connected,
        tuple(invalid),
    )


def newest_revision() -> str:
    """Return the schema revision that this code was written for."""
    return str(ScriptDirectory.from_config(migrations.config("")).get_current_head())
