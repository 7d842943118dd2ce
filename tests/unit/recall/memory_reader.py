"""A store of a few memories in plain Python: what recall sees of a namespace, without a database."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from api.recall.answer import Answer
from api.recall.candidate import Candidate, SourceSpan
from api.recall.pipeline import recall
from api.recall.plan import ENTITY_SPACE, Plan, make_plan
from api.recall.settings import RecallSettings
from schema.errors import LegUnavailable
from workers.derive.text import content_key, term_key, terms

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

    def postings(self, keys: Sequence[int]) -> Posts:
        self._ask("postings")
        rows: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
        total = 0
        for one, told in zip(self.candidates, self.told, strict=True):
            counted = Counter(terms(f"{told.speaker or ''} {told.text}"))
            total += counted.total()
            for term, times in counted.items():
                rows[term_key(term)].append((one.no, min(times, 255), min(counted.total(), 65_535)))
            for name in told.entities:
                rows[term_key(name, ENTITY_SPACE)].append((one.no, 1, len(told.entities)))
        return Posts(len(self.told), total, {key: posting(rows[key]) for key in keys if key in rows})

    def nearest(self, vector: np.ndarray[Any, Any], limit: int) -> list[tuple[int, float]]:
        self._ask("nearest")
        found = [
            (one.id, float(np.dot(vector, told.vector)))
            for one, told in zip(self.candidates, self.told, strict=True)
            if told.vector is not None
        ]
        return sorted(found, key=lambda pair: -pair[1])[:limit]

    def memories(self, *, nos: Sequence[int], ids: Sequence[int]) -> list[Candidate]:
        self._ask("memories")
        return [one for one in self.candidates if one.no in set(nos) or one.id in set(ids)]

    def _ask(self, name: str) -> None:
        self.asked.append(name)
        if name in self.broken:
            raise LegUnavailable(f"{name} is down")


def candidate(told: Told, at: int = 0) -> Candidate:
    """A candidate whose id and number follow the order of writing, as in the store."""
    episode = 9_000 + at if told.episode is None else told.episode
    return Candidate(
        id=100 + at,
        no=at,
        kind="passage",
        text=told.text,
        speaker=told.speaker,
        source="user",
        session_id=None,
        seq=None,
        occurred_at=NOW - timedelta(days=told.days),
        recorded_at=NOW,
        trust=told.trust,
        confidence=1.0,
        content_key=content_key(told.text),
        sources=(SourceSpan(episode, 1, 0, len(told.text)),),
    )


def posting(rows: Iterable[tuple[int, int, int]]) -> tuple[Any, Any, Any]:
    nos, tf, length = zip(*rows, strict=True)
    return np.array(nos, np.uint32), np.array(tf, np.uint8), np.array(length, np.uint16)


def plan(text: str, **more: Any) -> Plan:
    """A plan with everything a test does not care about."""
    vector = more.pop("vector", None)
    array = None if vector is None else np.array(vector, np.float32)
    return make_plan(text, namespace="home", now=NOW, hash_key=b"secret", vector=array, **more)


def ask(told: Sequence[Told], text: str, settings: RecallSettings | None = None, **more: Any) -> Answer:
    """Tell, ask, and return the answer."""
    return recall(plan(text, **more), settings or RecallSettings(), MemoryReader(told))


def texts(answer: Answer) -> list[str]:
    return [entry.ranked.candidate.text for entry in answer.memories]
