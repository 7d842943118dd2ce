"""Eighth stage: the strategy that admits. A strategy sees the pool, best first, and gives one verdict per candidate.

It never touches the store and never embeds. `reject_window` is how many rejected candidates are worth showing: a
strategy may look at it to bound its own work, and it never changes what is admitted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from api.recall.candidate import Ranked
from api.recall.dedup import dedup
from api.recall.reader import Reader

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


FIRST_READ = 4
"""Rows whose words are read at first, for each one that may be admitted; more are read while copies take places."""


def admit(
    ranked: Sequence[Ranked], strategy: Strategy, reader: Reader, collapse: str, *, shown: int = 0
) -> list[Ranked]:
    """The rows in the same order, those that a strategy had to see with their words, those turned down marked.

    Words are read from the top until `strategy.k` rows are admitted or none is left that could be: how many are read
    never changes which. `shown` is how many rejected rows somebody wants to see whole.
    """
    size = FIRST_READ * strategy.k + shown
    while True:
        head, rest = list(ranked[:size]), list(ranked[size:])
        words = reader.wordings([item.candidate.id for item in head]) if head else {}
        # A memory that went away since the legs saw it is not there.
        known = [replace(item, wording=words[item.candidate.id]) for item in head if item.candidate.id in words]
        chosen = select(dedup(known, collapse), strategy)
        open_ = [item for item in rest if item.reason is None and item.score >= strategy.threshold]
        if not open_ or sum(item.reason is None for item in chosen) >= strategy.k:
            break
        size *= FIRST_READ
    late = {item.candidate.id for item in open_}
    return [
        *chosen,
        *(
            item
            if item.reason is not None
            else item.rejected(BEYOND_K if item.candidate.id in late else BELOW_THRESHOLD)
            for item in rest
        ),
    ]


def select(ranked: Sequence[Ranked], strategy: Strategy) -> list[Ranked]:
    """The rows in the same order, those the strategy turns down marked. Rows already rejected are not shown to it."""
    verdicts = iter(strategy.select([item for item in ranked if item.reason is None]))
    out: list[Ranked] = []
    for item in ranked:
        verdict = None if item.reason is not None else next(verdicts)
        out.append(item if verdict is None else item.rejected(verdict))
    return out
