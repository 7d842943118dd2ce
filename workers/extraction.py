"""Which extractor a store uses, by its settings, and what its provider may charge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from schema.db import Database
from schema.settings import Settings
from schema.store import usage
from workers.derive.contract import Extraction, Extractor, Utterance

if TYPE_CHECKING:
    from workers.derive.llm import Budget


class Nothing:
    """No extraction: passages only."""

    fingerprint = "none/1"
    context_turns = 0
    costly = False

    def extract(self, batch: Sequence[Utterance]) -> list[Extraction]:
        """Return nothing for each."""
        return [Extraction() for _ in batch]


@dataclass(frozen=True)
class DailyBudget:
    """Tokens a namespace and day, on record in the store; `limit` 0 is none."""

    database: Database
    limit: int

    def allows(self, namespace_id: int) -> bool:
        """Whether the namespace may use more tokens today."""
        if self.limit == 0:
            return True
        with self.database.read() as session:
            return usage.tokens_today(session, namespace_id) < self.limit

    def spend(self, namespace_id: int, tokens: int) -> None:
        """Record tokens that were used."""
        with self.database.write() as session:
            usage.spend(session, namespace_id, tokens)


@lru_cache(maxsize=4)
def extractor(database: Database, settings: Settings) -> Extractor:
    """Return the extractor that PALIMPSEST_EXTRACTOR names, one a process. Loads no model and asks nobody yet."""
    return build(settings, DailyBudget(database, settings.llm_daily_tokens))


def build(settings: Settings, budget: Budget | None = None) -> Extractor:
    """Return a new extractor as the settings name it. An LLM without a budget may spend any number of tokens."""
    if settings.extractor == "none":
        return Nothing()
    if settings.extractor == "llm":
        from workers.derive.llm import ChatExtractor

        return ChatExtractor.from_settings(settings, budget)
    if settings.spacy_model == "fake":
        from workers.derive.fakes import FakeExtractor

        return FakeExtractor()
    from workers.english.facts import Rules

    return Rules(settings.spacy_model)
