"""Fixtures of the acceptance tests: one site for a test whose servers live, quick settings for all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from api.service.context import Context
from schema.db import Database
from schema.settings import Settings
from tests.support.servers import FAKES
from tests.support.workers import environment

QUICK: dict[str, Any] = {
    # What is counted here are passages and their indexes; `test_truth` has facts.
    "extractor": "none",
    "lease_seconds": 3,
    "sweep_seconds": 1,
    "nudge_seconds": 2,
    "drain_seconds": 4,
    "visibility_seconds": 5,
    "backoff_seconds": 0.1,
    "backoff_cap_seconds": 0.5,
    "max_attempts": 3,
    "breaker_seconds": 0.5,
    "breaker_cap_seconds": 1,
}


@pytest.fixture
def quick_settings(database_url: str, broker_url: str) -> Settings:
    return Settings(database_url=database_url, broker_url=broker_url, **FAKES, **QUICK)


@pytest.fixture
def env(database_url: str, broker_url: str) -> dict[str, str]:
    """The environment of processes over the test's own database, with short leases and periods."""
    return environment(database_url, broker_url, **QUICK)


@pytest.fixture
def context(quick_settings: Settings) -> Iterator[Context]:
    """The service over the test's own database, as a client process holds it."""
    found = Context(quick_settings)
    yield found
    found.close()


@pytest.fixture
def store(quick_settings: Settings) -> Iterator[Database]:
    """The test's own database, to look into while processes work on it."""
    assert quick_settings.database_url is not None
    found = Database(quick_settings.database_url, role="worker", pool_size=3)
    yield found
    found.dispose()
