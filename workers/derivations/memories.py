"""Episodes to passages: verbatim, whatever else is understood of them. Facts are a derivation of their own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from schema import derivations
from schema.db import Database, ReadSession, WriteSession
from schema.ids import fingerprint
from schema.kinds import MemoryKind
from schema.settings import Settings
from schema.store import episodes, facts, indexes, passages, trust
from schema.store.episodes import EpisodeRow
from schema.store.passages import Passage, Wanted
from workers.derivations import numbers
from workers.derivations.base import Derivation
from workers.derive.passages import PASSAGES, cut
from workers.english.rating import RATING, rate_passage
from workers.truth.consolidation import Consolidation


@dataclass
class Memories(Derivation[EpisodeRow, Wanted]):
    """Cuts each episode into passages of our own budget, whatever the model."""

    settings: Settings
    name: str = derivations.MEMORIES
    batch: int = 128
    _numbers: dict[int, list[int]] = field(default_factory=dict)

    @property
    def fingerprint(self) -> str:
        """Return the version of the cutting and rating rules and their budgets."""
        return fingerprint([PASSAGES, RATING, self.settings.passage_words, self.settings.passage_cjk])

    def load(self, session: ReadSession, ids: Sequence[int]) -> Mapping[int, EpisodeRow]:
        """Return living episodes in their current revision."""
        return {row.id: row for row in episodes.load(session, ids)}

    def derive(self, batch: Sequence[EpisodeRow]) -> Sequence[Wanted]:
        """Return the passages of each episode."""
        return [
            Wanted(
                row,
                [
                    Passage(found.text, found.start, found.end, *rate_passage(found.text, row.source))
                    for found in cut(row.content, self.settings.passage_words, self.settings.passage_cjk)
                ],
            )
            for row in batch
        ]

    def prepare(self, database: Database, results: Mapping[int, Wanted]) -> None:
        """Reserve memory numbers for what is new."""
        with database.read() as session:
            known = passages.existing(session, list(results))
        wanted: Counter[int] = Counter()
        for row_id, item in results.items():
            wanted[item.episode.namespace_id] += len(item.keyed().keys() - known[row_id].keys())
        self._numbers = numbers.reserve(database, wanted)

    def lock(self, session: WriteSession, ids: Sequence[int]) -> None:
        """Hold the episodes against deletion."""
        episodes.lock(session, ids)

    def write(self, session: WriteSession, results: Mapping[int, Wanted]) -> None:
        """Make the passages of these episodes exactly the derived ones; what old words meant goes with old words."""
        index = indexes.of_memories(session)
        wanted = [results[row_id] for row_id in sorted(results)]
        trusted = trust.levels(session, [item.episode.namespace_id for item in wanted])
        passages.replace(session, wanted, self._numbers, trusted, derivations.of_kind(MemoryKind.PASSAGE, index))
        revised = [item.episode.id for item in wanted if item.episode.revision > 1]
        old = facts.outdated(session, revised) if revised else []
        if old:
            facts.lock(session, old)
            Consolidation(session, index, trusted).refold(old)
