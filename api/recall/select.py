"""Ninth stage: a strategy admits. Words, and vectors where it wants them, are read for the rows it looks at only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from api.recall.candidate import Ranked
from api.recall.dedup import dedup
from api.recall.reader import Reader
from api.recall.strategies import BELOW_THRESHOLD, BEYOND_K, Strategy

FIRST_READ = 4
"""Rows whose words are read at first, for each one that may be admitted; more are read while copies take places."""


def admit(
    ranked: Sequence[Ranked], strategy: Strategy, reader: Reader, collapse: str, *, shown: int = 0
) -> list[Ranked]:
    """The rows in the same order, those that a strategy had to see with their words, those turned down marked.

    Words are read from the top until the strategy's window is full or no row is left that could be admitted: how many
    are read never changes which are. `shown` is how many rejected rows somebody wants to see whole.
    """
    size = FIRST_READ * strategy.window + shown
    while True:
        head, rest = list(ranked[:size]), list(ranked[size:])
        words = reader.wordings([item.candidate.id for item in head]) if head else {}
        # A memory that went away since the legs saw it is not there.
        known = [replace(item, wording=words[item.candidate.id]) for item in head if item.candidate.id in words]
        unlike = dedup(known, collapse)
        open_ = [item for item in rest if item.reason is None and item.score >= strategy.threshold]
        if not open_ or sum(item.reason is None for item in unlike) >= strategy.window:
            break
        size *= FIRST_READ
    chosen = select(_with_vectors(unlike, reader) if strategy.needs_vectors else unlike, strategy)
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


def _with_vectors(ranked: Sequence[Ranked], reader: Reader) -> list[Ranked]:
    vectors = reader.vectors([item.candidate.id for item in ranked if item.reason is None])
    return [replace(item, vector=vectors.get(item.candidate.id)) for item in ranked]


def select(ranked: Sequence[Ranked], strategy: Strategy) -> list[Ranked]:
    """The rows in the same order, those the strategy turns down marked. Rows already rejected are not shown to it."""
    verdicts = iter(strategy.select([item for item in ranked if item.reason is None]))
    out: list[Ranked] = []
    for item in ranked:
        verdict = None if item.reason is not None else next(verdicts)
        out.append(item if verdict is None else item.rejected(verdict))
    return out
