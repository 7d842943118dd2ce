"""What the stages hand to each other: a candidate, what it says, the same ranked, and the order they stand in.

The order is score descending, then the newer, then the content: never a surrogate id, so that the same memories
written in another order are recalled in the same order. Only rows that are equal in everything a reader can see fall
back on their id, and there it decides nothing but which of two identical lines carries which id.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schema.kinds import Candidate

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
class Wording:
    """What a memory says, for those that are shown. `stale` names derivations whose stamp was old when it was read.

    `content_key` is equal for texts that differ in Unicode forms, case or blanks only.
    """

    text: str
    content_key: str
    recorded_at: datetime
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
    """A candidate with what was made of it.

    `raw` is each leg's score in its own unit, also where the leg's head ended above it; `found` names the legs that
    brought it, none for a neighbour. `part` is what each leg adds, `factors` what the sum is multiplied by, `lift` what
    is added then. `rank` counts from 1 and is None for a candidate no leg kept; `reason` says why it is not admitted,
    None while it is. `wording` is None for rows too far down to be shown, `vector` for strategies that need none.
    """

    candidate: Candidate
    raw: Mapping[str, float]
    part: Mapping[str, float]
    score: float
    rank: int | None = None
    reason: str | None = None
    found: tuple[str, ...] = ()
    factors: Mapping[str, float] = field(default_factory=dict)
    lift: float = 0.0
    wording: Wording | None = None
    vector: NDArray[np.float32] | None = field(default=None, compare=False, repr=False)

    def rejected(self, reason: str) -> Ranked:
        """The same row, turned down. Written out: `replace` takes six times as long, and most rows are turned down."""
        return Ranked(
            self.candidate,
            self.raw,
            self.part,
            self.score,
            self.rank,
            reason,
            self.found,
            self.factors,
            self.lift,
            self.wording,
            self.vector,
        )

    @property
    def text(self) -> str:
        """What it says; empty for a row that is not shown."""
        return self.wording.text if self.wording is not None else ""


def content_order(candidate: Candidate) -> tuple[Any, ...]:
    """A key that sorts the newer first, then by content, and tells any two rows apart."""
    return (*visible_order(candidate), candidate.id)


def visible_order(candidate: Candidate) -> tuple[Any, ...]:
    """The same key without the id: equal for rows that no reader can tell apart."""
    return (
        _EPOCH - candidate.occurred_at,
        candidate.digest,
        candidate.speaker or "",
        candidate.source,
        candidate.kind,
        candidate.session_id or "",
        -1 if candidate.seq is None else candidate.seq,
    )


def best_first(scores: Mapping[int, float], candidates: Mapping[int, Candidate]) -> list[int]:
    """Ids, the best score first; the newer, then the content, where scores are equal."""
    tied = Counter(scores.values())
    keys = {ref: content_order(candidates[ref]) if tied[score] > 1 else () for ref, score in scores.items()}
    return sorted(scores, key=lambda ref: (-scores[ref], keys[ref]))
