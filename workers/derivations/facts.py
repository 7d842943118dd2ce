"""Episodes to facts: what their statements mean, consolidated inside their scope.

Beside passages and never before them: a passage needs no model and is recallable at once; facts follow when their
extractor has got to it, and an extractor that is away delays facts only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from schema import clock
from schema.db import Database, ReadSession, WriteSession
from schema.derivations import FACTS
from schema.ids import fingerprint
from schema.settings import Settings
from schema.store import episodes, facts, indexes, passages, sessions, trust, usage
from schema.store.episodes import EpisodeRow
from schema.store.facts import Stated
from workers.derivations import numbers
from workers.derivations.base import Derivation, Snooze
from workers.derive.contract import BudgetSpent, Extractor, NoAnswerInTime, Statement, Turn, Utterance
from workers.derive.triples import TRIPLES, fact_key, said
from workers.english.rating import RATING
from workers.truth.consolidation import Consolidation, FactsOf

CONSOLIDATION = "consolidation/1"
LATER = timedelta(minutes=10)
"""How long a text waits that a provider did not answer in time: its neighbours must not wait for it every time."""


@dataclass(frozen=True, slots=True)
class Heard:
    """An episode, and the turns before it."""

    episode: EpisodeRow
    context: tuple[Turn, ...]


@dataclass
class Facts(Derivation[Heard, FactsOf | Snooze]):
    """Extracts statements and consolidates them. The extractor is the one that the settings name."""

    settings: Settings
    extractor: Extractor
    name: str = FACTS
    batch: int = 128
    _numbers: dict[int, list[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.extractor.costly:
            self.batch = 4

    @property
    def fingerprint(self) -> str:
        """Return the extractor's own and the versions of what canonises and rates. Raises ProviderUnavailable."""
        return fingerprint([self.extractor.fingerprint, TRIPLES, RATING, CONSOLIDATION])

    @property
    def costly(self) -> bool:
        """Whether the extractor costs money."""
        return self.extractor.costly

    def load(self, session: ReadSession, ids: Sequence[int]) -> Mapping[int, Heard]:
        """Return living episodes in their current revision, with the turns before them that the extractor reads."""
        rows = episodes.load(session, ids)
        turns = min(self.extractor.context_turns, sessions.CONTEXT_TURNS)
        earlier = sessions.context(session, [row.id for row in rows], turns)
        return {row.id: Heard(row, tuple(Turn(*turn) for turn in earlier.get(row.id, ()))) for row in rows}

    def derive(self, batch: Sequence[Heard]) -> Sequence[FactsOf | Snooze]:
        """Return the facts of each episode. Raises ProviderUnavailable when its extractor cannot be had.

        What is about one text or one namespace makes that row wait and no other.
        """
        try:
            found = self.extractor.extract([_utterance(item) for item in batch])
        except (BudgetSpent, NoAnswerInTime) as error:
            if len(batch) > 1:
                return [one for item in batch for one in self.derive([item])]
            return [Snooze(_tomorrow() if isinstance(error, BudgetSpent) else clock.now() + LATER, error.detail)]
        return [
            FactsOf(item.episode, _stated(item.episode, done.statements), done.ungrounded)
            for item, done in zip(batch, found, strict=True)
        ]

    def prepare(self, database: Database, results: Mapping[int, FactsOf | Snooze]) -> None:
        """Reserve memory numbers for what is new."""
        places = {
            facts.place(item.episode, stated.key)
            for item in results.values()
            if isinstance(item, FactsOf)
            for stated in item.stated
        }
        with database.read() as session:
            known = facts.find(session, sorted(places, key=str))
        self._numbers = numbers.reserve(database, Counter(where[0] for where in places if where not in known))

    def lock(self, session: WriteSession, ids: Sequence[int]) -> None:
        """Hold the episodes against deletion."""
        episodes.lock(session, ids)

    def write(self, session: WriteSession, results: Mapping[int, FactsOf | Snooze]) -> None:
        """Make these episodes sources of exactly the facts they state."""
        items = [item for _, item in sorted(results.items()) if isinstance(item, FactsOf)]
        trusted = trust.levels(session, [item.episode.namespace_id for item in items])
        lanes = passages.lanes_of(session, self.name, [item.episode.id for item in items])
        Consolidation(session, indexes.of_memories(session), trusted, self._numbers, self.fingerprint)(items, lanes)
        if self.costly:
            self._count(session, items)

    def _count(self, session: WriteSession, items: Sequence[FactsOf]) -> None:
        """Put on record how much of what a provider said was kept."""
        for namespace_id in sorted({item.episode.namespace_id for item in items}):
            own = [item for item in items if item.episode.namespace_id == namespace_id]
            usage.kept(
                session, namespace_id, sum(len(item.stated) for item in own), sum(item.ungrounded for item in own)
            )


def _tomorrow() -> datetime:
    """Return when the next day begins in UTC, which is when budgets do."""
    return clock.now().astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)


def _utterance(item: Heard) -> Utterance:
    row = item.episode
    return Utterance(
        text=row.content,
        speaker=row.speaker,
        occurred_at=row.local_time,
        source=row.source,
        namespace_id=row.namespace_id,
        context=item.context,
    )


def _stated(episode: EpisodeRow, statements: Sequence[Statement]) -> list[Stated]:
    """Return what an episode states of itself: nothing that repeats what this store served, and nothing twice."""
    found: dict[bytes, Stated] = {}
    for statement in statements:
        length = statement.stop - statement.start
        served = sum(max(0, min(statement.stop, stop) - max(statement.start, start)) for start, stop in episode.echoes)
        # A statement that only has a few served words in it ("in Albany, New York, ...") is the speaker's own.
        if 2 * served < length:
            key = fact_key(statement)
            found.setdefault(key, Stated(key, statement.start, statement.stop, said(statement)))
    return list(found.values())
