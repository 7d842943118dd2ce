"""What the stages hand to each other: a candidate, the same candidate ranked, and the order in which candidates stand.

The order is score descending, then the newer, then the content: never a surrogate id, so that the same memories
written in another order are recalled in the same order. Only rows that are equal in everything a reader can see fall
back on their id, and there it decides nothing but which of two identical lines carries which id.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

SCORE_DIGITS = 9
"""Decimals of a fused score. Sums of floats differ in the sixteenth when their parts come in another order."""


@dataclass(frozen=True, slots=True)
class SourceSpan:
    """Where a memory comes from: characters `start` to `end` of one revision of an episode."""

    episode_id: int
    revision: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory as recall reads it. Times are aware; `stale` names derivations whose stamp was old when it was read."""

    id: int
    no: int
    kind: str
    text: str
    speaker: str | None
    source: str
    session_id: str | None
    seq: int | None
    occurred_at: datetime
    recorded_at: datetime
    trust: float
    confidence: float
    content_key: str
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    event: str | None = None
    state: str | None = None
    corroboration: int = 1
    importance: float = 0.5
    tier: str = "ordinary"
    category: str | None = None
    sources: tuple[SourceSpan, ...] = ()
    stale: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with what the legs said of it.

    `raw` is each leg's score in its own unit, `part` what each leg adds to `score`. `rank` counts from 1 and is None
    for a candidate no leg kept; `reason` says why it is not admitted, None while it is.
    """

    candidate: Candidate
    raw: Mapping[str, float]
    part: Mapping[str, float]
    score: float
    rank: int | None = None
    reason: str | None = None

    def rejected(self, reason: str) -> Ranked:
        """The same row, turned down."""
        return Ranked(self.candidate, self.raw, self.part, self.score, self.rank, reason)


def content_order(candidate: Candidate) -> tuple[Any, ...]:
    """A key that sorts the newer first, then by content, and tells any two rows apart."""
    return (*visible_order(candidate), candidate.id)


def visible_order(candidate: Candidate) -> tuple[Any, ...]:
    """The same key without the id: equal for rows that no reader can tell apart."""
    return (
        _EPOCH - candidate.occurred_at,
        candidate.content_key,
        candidate.text,
        candidate.speaker or "",
        candidate.source,
        candidate.kind,
        candidate.session_id or "",
        -1 if candidate.seq is None else candidate.seq,
    )


def in_order(ranked: Iterable[Ranked]) -> list[Ranked]:
    """Best first, ranks filled in for those a leg kept; the others follow without one."""
    ordered = sorted(ranked, key=lambda item: (item.reason is not None, -item.score, content_order(item.candidate)))
    return [
        Ranked(item.candidate, item.raw, item.part, item.score, None if item.reason else place, item.reason)
        for place, item in enumerate(ordered, 1)
    ]
