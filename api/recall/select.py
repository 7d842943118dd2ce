"""Sixth stage: the strategy that admits. A strategy sees the pool, best first, and gives one verdict per candidate.

It never touches the store and never embeds. `reject_window` is how many rejected candidates are worth showing: a
strategy may look at it to bound its own work, and it never changes what is admitted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from api.recall.candidate import Ranked

BELOW_THRESHOLD = "below-threshold"
BEYOND_K = "beyond-k"


class Strategy(Protocol):
    """A way to admit some of a pool."""

    @property
    def name(self) -> str: ...

    @property
    def k(self) -> int: ...

    @property
    def threshold(self) -> float: ...

    @property
    def reject_window(self) -> int: ...

    def select(self, pool: Sequence[Ranked]) -> list[str | None]:
        """For each candidate, in the same order, None to admit it or the reason not to."""


@dataclass(frozen=True, slots=True)
class TopK:
    """The best `k` whose fused score reaches the threshold (a score equal to it is admitted)."""

    k: int
    threshold: float = 0.0
    reject_window: int = 100
    name: str = "top_k"

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


def select(ranked: Sequence[Ranked], strategy: Strategy) -> list[Ranked]:
    """The rows in the same order, those the strategy turns down marked. Rows already rejected are not shown to it."""
    verdicts = iter(strategy.select([item for item in ranked if item.reason is None]))
    out: list[Ranked] = []
    for item in ranked:
        verdict = None if item.reason is not None else next(verdicts)
        out.append(item if verdict is None else item.rejected(verdict))
    return out
