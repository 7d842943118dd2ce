"""Fourth stage: each row is read together with the passages around it in its session.

A word of the question that was asked counts for the answer that follows it, so the two legs that know words and
meaning are scored again over the pool, neighbours included:

- keyword, per term t of the question: `max(o(i), .6 o(i-1), .3 o(i-2), .4 o(i+1), .2 o(i+2))`, o being what t earns a
  passage by itself; the score is the sum over the terms;
- semantic: the cosine brought to [0, 1] over the pool, plus `near` times the better of the two next to it.

Context is computed when asked and never stored: nothing is indexed twice, and a forgotten turn leaves no word in its
neighbours. A row without a session has no neighbours and keeps its own scores. Only passages are context; a fact stands
where its passage does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from api.recall.candidate import SCORE_DIGITS
from api.recall.floors import Floored, Scores
from api.recall.fusion import normalise
from api.recall.legs import Legs
from api.recall.settings import RecallSettings
from schema.kinds import Candidate, MemoryKind

REACH = 2
_KERNEL = {-1: 0.6, -2: 0.3, 1: 0.4, 2: 0.2}
"""What a word counts that stands so many passages away. LoCoMo and BEAM are flat around them: each moved by .1 changes
R@10 by .002 and MRR by .006 at most."""


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """All rows that are considered, in id order, with what each earns by itself.

    `earned` is float64[terms, rows]; `beside[d]` holds, for each row, the place of the passage d passages away, -1 for
    none; `passage` is the place of the passage a fact stands in, -1 for anything else.
    """

    candidates: Mapping[int, Candidate]
    ids: tuple[int, ...]
    earned: NDArray[np.float64]
    beside: Mapping[int, NDArray[np.int64]]
    passage: NDArray[np.int64]

    def held(self, terms: Sequence[int]) -> dict[int, int]:
        """How many of these terms of the question each row holds itself."""
        counts = (self.earned[list(terms)] > 0).sum(axis=0)
        return dict(zip(self.ids, counts.tolist(), strict=True))

    @property
    def own(self) -> dict[int, float]:
        """What a row's own words earn it, for rows that hold one."""
        sums = np.round(self.earned.sum(axis=0), SCORE_DIGITS)
        return {ref: score for ref, score in zip(self.ids, sums.tolist(), strict=True) if score > 0}


def gather(legs: Legs, candidates: Mapping[int, Candidate]) -> Pool:
    """The pool as arrays."""
    ids = tuple(sorted(candidates))
    numbers = np.array([candidates[ref].number for ref in ids], np.int64)
    earned = np.zeros((len(legs.terms), len(ids)))
    for row, parts in zip(earned, legs.terms, strict=True):
        for having, values in parts:
            at = np.minimum(np.searchsorted(having, numbers), len(having) - 1)
            here = having[at] == numbers
            row[here] += values[at[here]]
    beside, passage = _places(ids, candidates)
    return Pool(candidates, ids, earned, beside, passage)


def in_context(pool: Pool, floored: Floored, settings: RecallSettings) -> Scores:
    """Scores by leg and memory id. Under a floor a row needs a score of its own that stands; without one it may be here
    for its neighbours' sake alone.

    The entity leg knows no context: its raw scores stay.
    """
    scores = dict(floored.raw)
    standing = frozenset(pool.ids) if floored.open else floored.standing
    if "keyword" in scores:
        found = _by_id(pool, _words(pool, settings).sum(axis=0), standing)
        scores["keyword"] = {ref: score for ref, score in found.items() if score > 0}
    if settings.fusion == "convex":
        # A row without a word or a name of the question truly has 0 there; one without a vector has no likeness at all.
        nothing = dict.fromkeys(standing, 0.0)
        scores = {leg: {**nothing, **own} if own and leg != "semantic" else own for leg, own in scores.items()}
    if scores.get("semantic"):
        scores["semantic"] = _by_id(pool, _likeness(pool, scores["semantic"], settings), frozenset(scores["semantic"]))
    return scores


def _words(pool: Pool, settings: RecallSettings) -> NDArray[np.float64]:
    best = pool.earned
    for distance, weight in _KERNEL.items():
        if settings.proximity:
            best = np.maximum(best, settings.proximity * weight * _shifted(pool.earned, pool.beside[distance]))
    return best


def _likeness(pool: Pool, raw: Mapping[int, float], settings: RecallSettings) -> NDArray[np.float64]:
    own = normalise(raw)
    values = np.array([own.get(ref, 0.0) for ref in pool.ids])
    beside = np.maximum(_shifted(values, pool.beside[-1]), _shifted(values, pool.beside[1]))
    return values + settings.near * beside


def _shifted(values: NDArray[np.float64], places: NDArray[np.int64]) -> NDArray[np.float64]:
    """The values of the rows at these places, 0 where there is none."""
    return np.where(places < 0, 0.0, values[..., np.maximum(places, 0)])


def _by_id(pool: Pool, values: NDArray[np.float64], wanted: frozenset[int]) -> dict[int, float]:
    rounded = np.round(values, SCORE_DIGITS).tolist()
    return {ref: score for ref, score in zip(pool.ids, rounded, strict=True) if ref in wanted}


def _places(
    ids: tuple[int, ...], candidates: Mapping[int, Candidate]
) -> tuple[dict[int, NDArray[np.int64]], NDArray[np.int64]]:
    """Where each row's neighbours are, and the passage of each fact, from the chains that were read."""
    place = {ref: at for at, ref in enumerate(ids)}
    following: dict[int, int] = {}
    standing: dict[int, int] = {}
    for ref in ids:
        row = candidates[ref]
        before = row.before
        chain = [*reversed(before), *row.after] if _is_fact(row) else [*reversed(before), ref, *row.after]
        following.update(pairwise(chain))
        if _is_fact(row) and before and _same_turn(row, candidates.get(before[0])):
            standing[ref] = before[0]
    preceding = {after: before for before, after in following.items()}
    beside = {distance: np.full(len(ids), -1, np.int64) for distance in _KERNEL}
    passage = np.full(len(ids), -1, np.int64)
    for ref in ids:
        row = candidates[ref]
        here = standing.get(ref)
        if here is not None:
            passage[place[ref]] = place[here]
        elif _is_fact(row):
            continue
        for step, links in ((-1, preceding), (1, following)):
            other: int | None = ref if here is None else here
            for distance in range(step, step * (REACH + 1), step):
                other = links.get(other) if other is not None else None
                if other is not None and other in place:
                    beside[distance][place[ref]] = place[other]
    return beside, passage


def _is_fact(row: Candidate) -> bool:
    return row.kind == MemoryKind.FACT


def _same_turn(row: Candidate, other: Candidate | None) -> bool:
    return other is not None and (row.session_id, row.seq) == (other.session_id, other.seq)
