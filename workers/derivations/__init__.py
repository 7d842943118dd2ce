"""All derivations of a store, in dependency order. An adapter a file; adding one is adding a file and a line here."""

from __future__ import annotations

from typing import Any

from schema.db import Database
from schema.settings import Settings
from schema.store import spaces
from workers.derivations.base import Derivation
from workers.derivations.entities import Entities
from workers.derivations.memories import Memories
from workers.derivations.postings import Postings
from workers.derivations.vectors import Vectors

__all__ = ["Derivation", "Entities", "Memories", "Postings", "Vectors", "derivations", "fixed"]


def fixed(settings: Settings) -> list[Derivation[Any, Any]]:
    """Return the derivations every store has."""
    return [Memories(settings), Postings(), Entities(settings)]


def derivations(database: Database, settings: Settings) -> list[Derivation[Any, Any]]:
    """Return the fixed derivations and one for each vector space that is kept current."""
    with database.read() as session:
        written = spaces.written(session)
    return [*fixed(settings), *(Vectors(space) for space in written)]
