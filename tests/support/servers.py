"""Real servers for the whole run, and a database of its own for each test that asks.

One embedded PostgreSQL and one Valkey serve the run. A migrated template is cloned for each test, so that tests may
commit, open two connections and start processes, and still see nothing of each other.
"""

from __future__ import annotations

import itertools
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
import redis
from sqlalchemy.engine import make_url

from deploy.embedded import Instance, start
from schema.db import Database
from schema.migrations import migrate
from schema.settings import Settings
from workers.nudge import client

_numbers = itertools.count(1)
FAKES: dict[str, Any] = {"encoder": "fake:16", "spacy_model": "fake"}


@pytest.fixture(scope="session")
def instance() -> Iterator[Instance]:
    """The run's own servers, in a short directory that any uid can pass through."""
    room = Path(tempfile.mkdtemp(prefix="pt-"))
    room.chmod(0o755)
    with start(room / "d", log=lambda *_args, **_more: None) as running:
        yield running
    shutil.rmtree(room, ignore_errors=True)


def admin(url: str) -> psycopg.Connection[Any]:
    """Return an autocommit connection to the server's own database."""
    plain = make_url(url).set(drivername="postgresql", database="postgres")
    return psycopg.connect(plain.render_as_string(hide_password=False), autocommit=True)


def sibling(url: str, name: str) -> str:
    """Return the URL of another database of the same server."""
    return make_url(url).set(database=name).render_as_string(hide_password=False)


@pytest.fixture(scope="session")
def template(instance: Instance) -> str:
    """The name of a migrated database that nobody is connected to."""
    with admin(instance.database_url) as connection:
        connection.execute("CREATE DATABASE template_palimpsest ENCODING 'UTF8' TEMPLATE template0")
    migrate(sibling(instance.database_url, "template_palimpsest"))
    return "template_palimpsest"


@pytest.fixture
def empty_database_url(instance: Instance) -> Iterator[str]:
    """A database without any schema, gone after the test."""
    yield from _made(instance, "template0")


@pytest.fixture
def database_url(instance: Instance, template: str) -> Iterator[str]:
    """A migrated database of this test's own (its owner's URL), gone after the test."""
    yield from _made(instance, template)


def _made(instance: Instance, template: str) -> Iterator[str]:
    name = f"test_{next(_numbers)}"
    with admin(instance.database_url) as connection:
        connection.execute(f"CREATE DATABASE {name} ENCODING 'UTF8' TEMPLATE {template}")
    yield sibling(instance.database_url, name)
    with admin(instance.database_url) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def broker_url(instance: Instance) -> Iterator[str]:
    """The run's broker, empty."""
    connection = client(instance.broker_url, 5)
    connection.flushall()
    yield instance.broker_url
    try:
        connection.flushall()
    except redis.ConnectionError:
        connection.flushall()
    connection.close()


@pytest.fixture
def settings(database_url: str, broker_url: str) -> Settings:
    """Settings with fake models, short leases and quick backoff."""
    return Settings(
        database_url=database_url,
        broker_url=broker_url,
        lease_seconds=30,
        backoff_seconds=0.05,
        backoff_cap_seconds=0.2,
        breaker_seconds=0.2,
        breaker_cap_seconds=0.2,
        max_attempts=3,
        **FAKES,
    )


@pytest.fixture
def database(settings: Settings) -> Iterator[Database]:
    """The test's database as a worker sees it."""
    assert settings.database_url is not None
    found = Database(settings.database_url, role="worker", pool_size=4)
    yield found
    found.dispose()
