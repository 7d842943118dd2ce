"""Memories to entities and mentions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from schema.db import ReadSession, WriteSession
from schema.ids import fingerprint
from schema.kinds import MemoryKind, Named
from schema.settings import Settings
from schema.store import entities, memories
from schema.store.entities import SPEAKER, EntitySet
from schema.store.memories import MemoryText
from workers.derivations.base import Derivation
from workers.derive.entities import VERSION, extract, model_version, named
from workers.derive.text import TOKENISER
from workers.english.names import stated


@dataclass
class Entities(Derivation[MemoryText, EntitySet]):
    """Finds who and what a memory names; whoever speaks is named by it."""

    settings: Settings
    name: str = "entities"
    batch: int = 128

    @property
    def fingerprint(self) -> str:
        """Return the versions of the rules, the normaliser and the pipeline. Raises ProviderUnavailable."""
        return fingerprint([VERSION, TOKENISER, model_version(self.settings.spacy_model)])

    def load(self, session: ReadSession, ids: Sequence[int]) -> Mapping[int, MemoryText]:
        """Return active memories."""
        return {row.id: row for row in memories.texts(session, ids)}

    def derive(self, batch: Sequence[MemoryText]) -> Sequence[EntitySet]:
        """Return the entities of each memory."""
        passages = [item for item in batch if item.kind != MemoryKind.FACT]
        found = iter(extract([item.text for item in passages], self.settings.spacy_model) if passages else ())
        return [EntitySet(item.id, item.namespace_id, item.number, named(_names(item, found))) for item in batch]

    def write(self, session: WriteSession, results: Mapping[int, EntitySet]) -> None:
        """Write the mentions that differ."""
        entities.write_mentions(session, [results[row_id] for row_id in sorted(results)])


def _names(item: MemoryText, found: Iterator[list[Named]]) -> list[tuple[str, str]]:
    """Return whom a memory names: a fact by its own parts, a passage by its words and who says them."""
    if item.kind == MemoryKind.FACT:
        return stated(item.subject or "", item.object)
    speaker = [(item.speaker, SPEAKER)] if item.speaker else []
    return [*speaker, *((entity.name, entity.kind) for entity in next(found))]
