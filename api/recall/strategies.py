"""Strategies: which of a pool are admitted. A strategy sees rows best first and gives one verdict for each.

It never touches the store and never embeds. `reject_window` is how many rejected candidates are worth showing: a
strategy may look at it to bound its own work, and it never changes what is admitted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from api.recall.candidate import Ranked
from api.recall.settings import RecallSettings

BELOW_THRESHOLD = "below-threshold"
BEYOND_K = "beyond-k"
SIMILAR = "too-similar"

_CHOICE = 4
"""Rows that `mmr` chooses among, for each one that it admits."""


class Strategy(Protocol):
    """A way to admit some of a pool. It looks at its first `window` rows and at no other."""

    @property
    def name(self) -> str: ...

    @property
    def k(self) -> int: ...

    @property
    def threshold(self) -> float: ...

    @property
    def reject_window(self) -> int: ...

    @property
    def window(self) -> int: ...

    @property
    def needs_vectors(self) -> bool: ...

    def select(self, pool: Sequence[Ranked]) -> list[str | None]:
        """For each candidate, in the same order, None to admit it or the reason not to."""


@dataclass(frozen=True, slots=True)
class TopK:
    """The best `k` whose fused score reaches the threshold (a score equal to it is admitted)."""

    k: int
    threshold: float = 0.0
    reject_window: int = 100
    name: str = "top_k"
    needs_vectors: bool = False

    @property
    def window(self) -> int:
        return self.k

    def select(self, pool: Sequence[Ranked]) -> list[str | None]:
        verdicts: list[str | None] = []
        admitted = 0
        for item in pool:
            if item.score < self.threshold:
                verdicts.append(BELOW_THRESHOLD)
            elif admitted >= self.k:
                verdicts.append(BEYOND_K)
            else:
                verdicts.append(None)
                admitted += 1
        return verdicts


@dataclass(frozen=True, slots=True)
class Mmr:
    """Maximal marginal relevance (Carbonell and Goldstein 1998): one after the other, the row with the largest
    `balance * score / best score - (1 - balance) * largest cosine to what is admitted`, among the first `window`.

    A row without a vector is like nothing. `balance` 1 is `top_k`.
    """

    k: int
    threshold: float = 0.0
    reject_window: int = 100
    balance: float = 0.7
    name: str = "mmr"
    needs_vectors: bool = True

    @property
    def window(self) -> int:
        return _CHOICE * self.k

    def select(self, pool: Sequence[Ranked]) -> list[str | None]:
        rows = [item for item in pool[: self.window] if item.score >= self.threshold]
        admitted = set(self._choose(rows))
        places = iter(range(len(rows)))
        verdicts: list[str | None] = []
        for at, item in enumerate(pool):
            if item.score < self.threshold:
                verdicts.append(BELOW_THRESHOLD)
            elif at >= self.window:
                verdicts.append(BEYOND_K)
            else:
                verdicts.append(None if next(places) in admitted else SIMILAR)
        return verdicts

    def _choose(self, rows: Sequence[Ranked]) -> list[int]:
        if not rows:
            return []
        best = max(item.score for item in rows) or 1.0
        relevance = np.array([item.score / best for item in rows])
        size = max((len(item.vector) for item in rows if item.vector is not None), default=1)
        vectors = np.zeros((len(rows), size))
        for place, item in enumerate(rows):
            if item.vector is not None:
                vectors[place] = item.vector / (np.linalg.norm(item.vector) or 1.0)
        likeness = np.zeros(len(rows))
        chosen: list[int] = []
        open_ = np.ones(len(rows), bool)
        while len(chosen) < min(self.k, len(rows)):
            values = np.round(self.balance * relevance - (1 - self.balance) * likeness, 9)
            place = int(np.argmax(np.where(open_, values, -np.inf)))
            chosen.append(place)
            open_[place] = False
            likeness = np.maximum(likeness, vectors @ vectors[place])
        return chosen


def strategy(settings: RecallSettings) -> Strategy:
    """The strategy that the settings ask for."""
    if settings.strategy == "mmr":
        return Mmr(settings.k, settings.threshold, settings.reject_window, settings.mmr_balance)
    return TopK(settings.k, settings.threshold, settings.reject_window)
