"""All derivations of a store, in dependency order. An adapter a file; adding one is adding a file and a line here."""

from __future__ import annotations

from typing import Any

from schema.db import Database
from schema.settings import Settings
from schema.store import spaces
from workers.derivations.base import Derivation
from workers.derivations.categories import Categories
from workers.derivations.entities import Entities
from workers.derivations.facts import Facts
from workers.derivations.memories import Memories
from workers.derivations.postings import Postings
from workers.derivations.triples import Triples
from workers.derivations.vectors import Vectors
from workers.extraction import extractor

__all__ = ["Categories", "Derivation", "Entities", "Facts", "Memories", "Postings", "Triples", "Vectors", "derivations"]


def derivations(database: Database, settings: Settings) -> list[Derivation[Any, Any]]:
    """Return the derivations every store has, and one for each vector space that is kept current.

    Those of passages come before `facts`: what was said is recallable before anybody has understood it.
    """
    with database.read() as session:
        written = spaces.written(session)
    return [
        Memories(settings),
        Postings(),
        Entities(settings),
        *(Vectors(space) for space in written),
        Facts(settings, extractor(database, settings)),
        Triples(),
        *([Categories(settings)] if settings.classifier else ()),
    ]
