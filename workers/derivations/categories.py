"""Memories to categories, by a zero-shot classifier; only in a store whose settings name one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from schema.db import ReadSession, WriteSession
from schema.settings import Settings
from schema.store import categories, memories
from schema.store.memories import MemoryText
from workers.derivations.base import Derivation
from workers.derive.nli import ZeroShot


@dataclass
class Categories(Derivation[MemoryText, str | None]):
    """Names what each memory is about, by one of the labels of PALIMPSEST_CATEGORIES, or nothing."""

    settings: Settings
    name: str = "categories"
    batch: int = 32

    def __post_init__(self) -> None:
        self._classifier = ZeroShot(
            self.settings.classifier or "", self.settings.category_labels, self.settings.category_threshold
        )

    @property
    def fingerprint(self) -> str:
        """Return the classifier's own: model, labels, wording, threshold. Raises ProviderUnavailable."""
        return self._classifier.fingerprint

    def load(self, session: ReadSession, ids: Sequence[int]) -> Mapping[int, MemoryText]:
        """Return active memories."""
        return {row.id: row for row in memories.texts(session, ids)}

    def derive(self, batch: Sequence[MemoryText]) -> Sequence[str | None]:
        """Return the category of each. Raises ProviderUnavailable when the classifier cannot be had."""
        return self._classifier.categories([item.text for item in batch])

    def write(self, session: WriteSession, results: Mapping[int, str | None]) -> None:
        """Write the categories that differ."""
        categories.write(session, results)
