"""The service over HTTP, for every test of this folder."""

from __future__ import annotations

from tests.support.client import store

__all__ = ["store"]
