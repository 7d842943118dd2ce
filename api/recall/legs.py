"""Second stage: the legs. Each finds candidates by itself, best first, with its raw score in its own unit.

| leg | raw score | refers to a memory by |
|---|---|---|
| keyword | BM25 over the namespace's own statistics | number |
| entity | anchored overlap in [0, 1] | number |
| semantic | cosine in [-1, 1], rounded to 1e-6 | id |

Scoring is exact: postings are added up densely, rarest first, and only the head leaves. Two rows may tie at the end
of a head. Their numbers follow the order of writing, and cutting there would let that order decide what is recalled;
so a head widens until the tie is whole, up to `ties` rows. A longer tie keeps its newest numbers and the leg is not
`complete`.

A leg that cannot answer says so in `degraded`: an empty leg and a failed one never look alike.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from api.recall.plan import Plan
from api.recall.reader import Posting, Postings, Reader
from api.recall.settings import RecallSettings
from schema.errors import LegUnavailable
from workers.derive.traits import Trait, trait_key

_DENSE = 4_000_000
"""Numbers up to which one slot a number is the fastest sum (1M memories: 5 ms). Beyond, only numbers that occur get a
slot."""

COSINE_DIGITS = 6
"""float32 vectors are alike to about 1e-7; one more encoder batch size moves the seventh decimal."""


_BEYOND = 50
"""Neighbours asked for beyond the head, to see the end of a tie. Rows of equal cosine are copies of one text, nearly
always, and more than fifty copies are one statement in the end."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One memory found by one leg."""

    ref: int
    score: float


@dataclass(frozen=True, slots=True)
class LegResult:
    """What a leg found, best first. `complete` is False when a tie at the end of the head had to be cut."""

    name: str
    refers: Literal["number", "id"]
    hits: tuple[Hit, ...] = ()
    degraded: str | None = None
    complete: bool = True


Part: TypeAlias = tuple[NDArray[np.uint32], NDArray[np.float64]]
"""Memory numbers, ascending, and what one term earns each of them."""


@dataclass(frozen=True, slots=True, eq=False)
class Legs:
    """All legs that were asked, and the live rows of the namespace (None when the postings could not be read).

    `terms` holds, for each term of the question in its order, the parts of BM25 that passages and facts earn by it;
    empty when the keyword leg did not answer. `traits` holds the numbers of the memories with each trait that an answer
    should have.
    """

    results: tuple[LegResult, ...]
    rows: int | None
    terms: tuple[tuple[Part, ...], ...] = ()
    traits: Mapping[Trait, NDArray[np.uint32]] = field(default_factory=dict)

    @property
    def degraded(self) -> dict[str, str]:
        return {leg.name: leg.degraded for leg in self.results if leg.degraded is not None}


def ask(plan: Plan, settings: RecallSettings, reader: Reader) -> Legs:
    """Every leg with a weight, in at most two questions to the store."""
    results: list[LegResult] = []
    rows: int | None = None
    words = plan.term_keys + plan.fact_keys if settings.keyword_weight else ()
    wanted = words + (plan.entity_keys if settings.entity_weight else ())
    traits = {trait: trait_key(trait) for trait in plan.wanted} if settings.answer_bonus else {}
    terms: tuple[tuple[Part, ...], ...] = ()
    having: dict[Trait, NDArray[np.uint32]] = {}
    try:
        postings = reader.postings((*wanted, *traits.values()))
        rows = postings.rows
        having = {trait: postings.by_key[key][0] for trait, key in traits.items() if key in postings.by_key}
        if settings.keyword_weight:
            terms = term_parts(plan.term_keys, plan.fact_keys, postings, settings)
            results.append(keyword(terms, settings))
        if settings.entity_weight:
            found = entity(plan.entity_keys, postings, settings)
            results.append(replace(found, degraded=plan.no_entities))
    except LegUnavailable as failure:
        asked = [name for name in ("keyword", "entity") if settings.weights[name]]
        results += [LegResult(name, "number", degraded=failure.detail) for name in asked]
    if settings.semantic_weight:
        results.append(semantic(plan, reader, settings))
    return Legs(tuple(results), rows, terms, having)


def term_parts(
    keys: Sequence[int], fact_keys: Sequence[int], postings: Postings, settings: RecallSettings
) -> tuple[tuple[Part, ...], ...]:
    """What each term earns each memory that holds it, by BM25 (Robertson and Zaragoza 2009) with Lucene's idf,
    log(1 + (N - df + .5) / (df + .5)), which is never negative.

    N, df and the mean length are those of passages. A fact's words weigh what they weigh there: it says its passage
    again, and counting it twice would make a word the commoner the more is understood of it.
    """
    found = [postings.by_key.get(key) for key in keys]
    rows = max(postings.rows, max((len(posting[0]) for posting in found if posting is not None), default=1))
    mean = postings.total_length / rows or 1.0
    k1, b = settings.bm25_k1, settings.bm25_b
    parts: list[tuple[Part, ...]] = []
    for own, fact_key in zip(found, fact_keys, strict=True):
        df = 0 if own is None else len(own[0])
        idf = math.log1p((rows - df + 0.5) / (df + 0.5))
        earned: list[Part] = []
        for posting in (own, postings.by_key.get(fact_key)):
            if posting is not None and len(posting[0]):
                numbers, tf, length = posting
                saturation = tf / (tf + k1 * (1 - b + b * length.astype(np.float64) / mean))
                earned.append((numbers, idf * (k1 + 1) * saturation))
        parts.append(tuple(earned))
    return tuple(parts)


def keyword(terms: Sequence[Sequence[Part]], settings: RecallSettings) -> LegResult:
    """The sum of what all terms earn a memory, added up rarest first."""
    places = sorted(range(len(terms)), key=lambda at: (sum(len(part[0]) for part in terms[at]), at))
    parts = [part for at in places for part in terms[at]]
    return _head("keyword", *_sum(parts), settings) if parts else LegResult("keyword", "number")


def entity(keys: Sequence[int], postings: Postings, settings: RecallSettings) -> LegResult:
    """Anchored Jaccard with a saturating union: |A n F| / (W + min(|F - A|, surplus)) over rows that hold an anchor.

    W is the number of entities in the question, A its anchors (those that few enough rows mention), F a row's entities.
    """
    most = max(settings.anchor_least, math.ceil(round(settings.anchor_share * postings.rows, 6)))
    anchors = [posting for _, posting in _found(keys, postings) if len(posting[0]) <= most]
    if not anchors:
        return LegResult("entity", "number")
    numbers, shared = _sum([(numbers, np.ones(len(numbers))) for numbers, _, _ in anchors])
    size = np.zeros(len(numbers))
    for members, _, length in anchors:
        size[np.searchsorted(numbers, members)] = length
    surplus = np.clip(size - shared, 0, settings.entity_surplus)
    return _head("entity", numbers, shared / (len(keys) + surplus), settings)


def semantic(plan: Plan, reader: Reader, settings: RecallSettings) -> LegResult:
    """The nearest memories of the query vector; a tie at the end of the head is kept whole."""
    if plan.vector is None:
        return LegResult("semantic", "id", degraded=plan.no_vector)
    limit = settings.pool + _BEYOND
    try:
        near = [(ref, round(float(cosine), COSINE_DIGITS)) for ref, cosine in reader.nearest(plan.vector, limit)]
    except LegUnavailable as failure:
        return LegResult("semantic", "id", degraded=failure.detail)
    near = sorted((pair for pair in near if math.isfinite(pair[1])), key=lambda pair: (-pair[1], pair[0]))
    if len(near) <= settings.pool:
        return LegResult("semantic", "id", tuple(Hit(*pair) for pair in near))
    last = near[settings.pool - 1][1]
    hits = tuple(Hit(ref, cosine) for ref, cosine in near if cosine >= last)
    return LegResult("semantic", "id", hits, complete=len(hits) < limit)


def _found(keys: Sequence[int], postings: Postings) -> list[tuple[int, Posting]]:
    """Keys that occur, rarest first and then by key, so that sums are the same whatever was written first."""
    found = [(key, postings.by_key[key]) for key in dict.fromkeys(keys) if key in postings.by_key]
    return sorted((pair for pair in found if len(pair[1][0])), key=lambda pair: (len(pair[1][0]), pair[0]))


def _sum(
    parts: list[tuple[NDArray[np.uint32], NDArray[np.float64]]],
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Numbers ascending and the sum of their parts. Within one part a number occurs once."""
    size = max(int(numbers.max()) for numbers, _ in parts) + 1
    if size <= _DENSE:
        sums = np.zeros(size)
        for numbers, values in parts:
            sums[numbers] += values
        touched = np.flatnonzero(sums)
        return touched, sums[touched]
    touched = np.unique(np.concatenate([numbers for numbers, _ in parts])).astype(np.int64)
    sums = np.zeros(len(touched))
    for numbers, values in parts:
        sums[np.searchsorted(touched, numbers)] += values
    return touched, sums


def _head(name: str, numbers: NDArray[np.int64], scores: NDArray[np.float64], settings: RecallSettings) -> LegResult:
    """The best `pool` rows and whatever ties with the last of them, by (score descending, number ascending)."""
    scores = np.round(scores, 9)
    complete = True
    if len(numbers) > settings.pool:
        last = np.partition(scores, len(scores) - settings.pool)[len(scores) - settings.pool]
        above, tied = np.flatnonzero(scores > last), np.flatnonzero(scores == last)
        complete = len(above) + len(tied) <= settings.pool + settings.ties
        kept = np.concatenate([above, tied if complete else tied[len(tied) - settings.pool + len(above) :]])
        numbers, scores = numbers[kept], scores[kept]
    order = np.lexsort((numbers, -scores))
    hits = tuple(Hit(int(numbers[at]), float(scores[at])) for at in order)
    return LegResult(name, "number", hits, complete=complete)
