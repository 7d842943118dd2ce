"""Memories to vectors, one derivation a space. Its encoder comes from the space's row, never from settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from schema.db import ReadSession, WriteSession
from schema.store import memories, vectors
from schema.store.memories import MemoryText
from schema.store.spaces import SpaceRow
from schema.store.vectors import VectorRow
from workers.derivations.base import Derivation
from workers.derive.loaders import encoder


@dataclass
class Vectors(Derivation[MemoryText, VectorRow]):
    """Encodes passages as "speaker: text" and facts as they are written out into one space.

    Its only revision is the space itself: other rules are another space.
    """

    space: SpaceRow
    batch: int = 256

    def __post_init__(self) -> None:
        self.name = self.space.derivation

    @property
    def fingerprint(self) -> str:
        """Return the space's own."""
        return self.space.fingerprint

    def load(self, session: ReadSession, ids: Sequence[int]) -> Mapping[int, MemoryText]:
        """Return active memories."""
        return {row.id: row for row in memories.texts(session, ids)}

    def derive(self, batch: Sequence[MemoryText]) -> Sequence[VectorRow]:
        """Return the coordinates of each memory. Raises ProviderUnavailable when the encoder cannot be had."""
        found = encoder(self.space.spec).documents([item.indexed for item in batch])
        return [
            VectorRow(item.id, item.namespace_id, item.text_digest, vector)
            for item, vector in zip(batch, found, strict=True)
        ]

    def write(self, session: WriteSession, results: Mapping[int, VectorRow]) -> None:
        """Write the vectors whose text is new."""
        vectors.write(session, self.space.id, list(results.values()))
