"""Episodes to memories: passages today; facts join through the same adapter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from schema.db import Database, ReadSession, WriteSession
from schema.ids import fingerprint
from schema.kinds import TRUST
from schema.settings import Settings
from schema.store import access, episodes, memories, spaces
from schema.store.episodes import EpisodeRow
from schema.store.memories import Statement, Wanted
from workers.derivations.base import Derivation
from workers.derive.passages import PASSAGES, cut


@dataclass
class Memories(Derivation[EpisodeRow, Wanted]):
    """Cuts each episode into passages of our own budget, whatever the model."""

    settings: Settings
    name: str = episodes.MEMORIES
    source = "episode"
    batch: int = 128
    _numbers: dict[int, list[int]] = field(default_factory=dict)

    @property
    def fingerprint(self) -> str:
        """Return the version of the cutting rules and their budgets."""
        return fingerprint([PASSAGES, self.settings.passage_words, self.settings.passage_cjk])

    def load(self, session: ReadSession, ids: Sequence[int]) -> Mapping[int, EpisodeRow]:
        """Return living episodes in their current revision."""
        return {row.id: row for row in episodes.load(session, ids)}

    def derive(self, batch: Sequence[EpisodeRow]) -> Sequence[Wanted]:
        """Return the passages of each episode."""
        return [
            Wanted(
                row,
                [
                    Statement(passage.text, passage.start, passage.end)
                    for passage in cut(row.content, self.settings.passage_words, self.settings.passage_cjk)
                ],
            )
            for row in batch
        ]

    def prepare(self, database: Database, results: Mapping[int, Wanted]) -> None:
        """Reserve memory numbers for what is new, so that no finishing transaction holds a namespace's counter."""
        with database.read() as session:
            known = memories.existing_keys(session, list(results))
        wanted: dict[int, int] = {}
        for row_id, item in results.items():
            new = len(item.keyed().keys() - known[row_id].keys())
            if new:
                wanted[item.episode.namespace_id] = wanted.get(item.episode.namespace_id, 0) + new
        self._numbers = {}
        for namespace_id, count in sorted(wanted.items()):
            with database.write() as session:
                first = access.reserve_numbers(session, namespace_id, count)
            # Popped from the end, so that numbers follow the order of the episodes.
            self._numbers[namespace_id] = list(range(first + count - 1, first - 1, -1))

    def lock(self, session: WriteSession, ids: Sequence[int]) -> None:
        """Hold the episodes against deletion."""
        episodes.lock(session, ids)

    def write(self, session: WriteSession, results: Mapping[int, Wanted]) -> None:
        """Make the passages of these episodes exactly the derived ones."""
        index = [*memories.INDEXES, *(space.derivation for space in spaces.hold(session))]
        memories.replace_passages(session, [results[row_id] for row_id in sorted(results)], self._numbers, TRUST, index)
