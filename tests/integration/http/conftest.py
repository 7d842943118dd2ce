"""The service over HTTP, for every test of this folder: a store of passages. Facts have tests of their own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from schema.db import Database
from schema.settings import Settings
from tests.support.client import Store, passages_only, serving

__all__ = ["passages_only"]


@pytest.fixture
def store(passages_only: Settings, database: Database) -> Iterator[Store]:
    """The service over this test's database and the run's broker, with fake models."""
    with serving(passages_only) as http:
        yield Store(http, database, passages_only)
