"""A store of a few memories in plain Python: what recall sees of a namespace, without a database."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from api.recall.answer import Answer
from api.recall.candidate import SourceSpan, Wording
from api.recall.pipeline import recall
from api.recall.plan import ENTITY_SPACE, Plan, make_plan
from api.recall.settings import RecallSettings
from schema.errors import LegUnavailable
from schema.ids import digest
from schema.kinds import Candidate
from schema.store.memories import embedded_text
from workers.derive.text import FACT_SPACE, TERM_SPACE, content_key, term_key, terms
from workers.derive.traits import trait_key
from workers.english.traits import traits

NOW = datetime(2024, 6, 1, 12, tzinfo=UTC)


@dataclass(frozen=True)
class Told:
    """What a test says happened; days count back from now."""

    text: str
    speaker: str | None = None
    days: int = 10
    entities: tuple[str, ...] = ()
    vector: tuple[float, ...] | None = None
    trust: float = 1.0
    episode: int | None = None
    session: str | None = None
    kind: str = "passage"
    source: str = "user"
    start: int = 0
    confidence: float = 1.0


@dataclass(frozen=True)
class Posts:
    rows: int
    total_length: int
    by_key: Mapping[int, Any]


@dataclass
class MemoryReader:
    """Holds memories in the order they were told; `broken` names methods that cannot answer."""

    told: Sequence[Told]
    broken: frozenset[str] = frozenset()
    asked: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.candidates = [candidate(told, at) for at, told in enumerate(self.told)]
        self.words = {100 + at: wording(told, at) for at, told in enumerate(self.told)}

    def postings(self, keys: Sequence[int]) -> Posts:
        self._ask("postings")
        rows: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
        total = 0
        for one, told in zip(self.candidates, self.told, strict=True):
            counted = Counter(terms(f"{told.speaker or ''} {told.text}"))
            total += counted.total()
            space = FACT_SPACE if told.kind == "fact" else TERM_SPACE
            for term, times in counted.items():
                rows[term_key(term, space)].append((one.number, min(times, 255), min(counted.total(), 65_535)))
            for trait in traits(told.text):
                rows[trait_key(trait)].append((one.number, 1, min(counted.total(), 65_535)))
            for name in told.entities:
                rows[term_key(name, ENTITY_SPACE)].append((one.number, 1, len(told.entities)))
        return Posts(len(self.told), total, {key: posting(rows[key]) for key in keys if key in rows})

    def nearest(self, vector: np.ndarray[Any, Any], limit: int) -> list[tuple[int, float]]:
        self._ask("nearest")
        found = [
            (one.id, float(np.dot(vector, told.vector)))
            for one, told in zip(self.candidates, self.told, strict=True)
            if told.vector is not None
        ]
        return sorted(found, key=lambda pair: -pair[1])[:limit]

    def pool(
        self, *, numbers: Sequence[int], ids: Sequence[int], reach: int, vector: np.ndarray[Any, Any] | None
    ) -> list[Candidate]:
        self._ask("pool")
        heads = [one for one in self.candidates if one.number in set(numbers) or one.id in set(ids)]
        chains = {one.id: self._around(one, reach) for one in heads}
        wanted = {one.id for one in heads} | {ref for chain in chains.values() for side in chain for ref in side}
        return [
            replace(
                one,
                cosine=None if vector is None or told.vector is None else float(np.dot(vector, told.vector)),
                before=chains.get(one.id, ((), ()))[0],
                after=chains.get(one.id, ((), ()))[1],
            )
            for one, told in zip(self.candidates, self.told, strict=True)
            if one.id in wanted
        ]

    def _around(self, one: Candidate, reach: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The passages around one, nearest first; those before a fact begin with its own."""
        if one.session_id is None:
            return (), ()
        here = self._place(one)
        fact = one.kind == "fact"
        others = sorted(
            (self._place(other), other.id)
            for other in self.candidates
            if other.session_id == one.session_id and other.kind == "passage" and other.id != one.id
        )
        before = [ref for place, ref in others if place < here or (fact and place == here)]
        after = [ref for place, ref in others if place > here]
        return tuple(reversed(before[-(reach + fact) :])) if reach else (), tuple(after[:reach])

    def _place(self, one: Candidate) -> tuple[int, int]:
        return one.seq or 0, self.told[one.id - 100].start

    def vectors(self, ids: Sequence[int]) -> dict[int, np.ndarray[Any, Any]]:
        self._ask("vectors")
        told = {one.id: told.vector for one, told in zip(self.candidates, self.told, strict=True)}
        return {ref: np.array(told[ref], np.float32) for ref in ids if told[ref] is not None}

    def wordings(self, ids: Sequence[int]) -> dict[int, Wording]:
        self._ask("wordings")
        return {ref: self.words[ref] for ref in ids}

    def _ask(self, name: str) -> None:
        self.asked.append(name)
        if name in self.broken:
            raise LegUnavailable(f"{name} is down")


def candidate(told: Told, at: int = 0) -> Candidate:
    """A candidate whose id and number follow the order of writing, as in the store."""
    return Candidate(
        id=100 + at,
        number=at,
        kind=told.kind,
        speaker=told.speaker,
        source=told.source,
        session_id=told.session,
        seq=None if told.session is None else (at if told.episode is None else told.episode),
        occurred_at=NOW - timedelta(days=told.days),
        trust=told.trust,
        confidence=told.confidence,
        digest=digest(embedded_text(told.text, told.speaker)),
    )


def wording(told: Told, at: int = 0) -> Wording:
    """What it says."""
    episode = 9_000 + at if told.episode is None else told.episode
    span = SourceSpan(episode, 1, told.start, told.start + len(told.text))
    return Wording(text=told.text, content_key=content_key(told.text), recorded_at=NOW, sources=(span,))


def posting(rows: Iterable[tuple[int, int, int]]) -> tuple[Any, Any, Any]:
    numbers, tf, length = zip(*rows, strict=True)
    return np.array(numbers, np.uint32), np.array(tf, np.uint8), np.array(length, np.uint16)


def plan(text: str, **more: Any) -> Plan:
    """A plan with everything a test does not care about."""
    vector = more.pop("vector", None)
    array = None if vector is None else np.array(vector, np.float32)
    return make_plan(text, namespace="home", now=NOW, hash_key=b"secret", vector=array, **more)


def ask(told: Sequence[Told], text: str, settings: RecallSettings | None = None, **more: Any) -> Answer:
    """Tell, ask, and return the answer."""
    return recall(plan(text, **more), settings or RecallSettings(), MemoryReader(told))


def texts(answer: Answer) -> list[str]:
    return [entry.ranked.text for entry in answer.memories]
