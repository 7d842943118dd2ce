"""Fixtures for every test. Servers start only when a test asks for one."""

from __future__ import annotations

import os
import signal

import pytest

pytest_plugins = ["tests.support.servers"]

# A test machine's own settings must not leak into tests; each says what it needs.
for name in [key for key in os.environ if key.startswith("PALIMPSEST_")]:
    del os.environ[name]
for name in ("DATABASE_URL", "BROKER_URL"):
    os.environ.pop(name, None)
# A shell starts what it puts into the background with SIGINT ignored, and every child inherits that: processes that a
# test stops as Ctrl-C does would never hear of it.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--soak` runs every law at its full size."""
    parser.addoption("--soak", action="store_true", help="run the laws at the sizes of `make soak`")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the full sizes to `make soak`, which runs nothing else."""
    wanted = config.getoption("--soak")
    chosen = [item for item in items if (item.get_closest_marker("soak") is not None) == wanted]
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = chosen
