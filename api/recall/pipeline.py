"""Recall from a question to a context, top to bottom. Every stage is a module of its own and pure; only the reader is
not.

    plan -> legs -> pool -> floors -> context -> fuse -> adjust -> rank -> gate -> dedup, select -> pack -> evidence

Words are read for the rows that `select` sees, and for no others.

A new stage is a new line here: it takes the ranked rows, best first, and gives them back with a reason on those it
turns down.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TypeVar

from api.recall.adjust import adjust
from api.recall.answer import Answer
from api.recall.candidate import Ranked, Wording, best_first, content_order
from api.recall.conversation import REACH, Pool, gather, in_context
from api.recall.evidence import BELOW_FLOOR, gather_evidence
from api.recall.floors import Floored, Scores, apply_floors
from api.recall.fusion import Fused, fuse
from api.recall.gate import gate
from api.recall.legs import COSINE_DIGITS, Legs, ask
from api.recall.pack import pack
from api.recall.plan import Plan
from api.recall.reader import Reader
from api.recall.select import admit
from api.recall.settings import RecallSettings
from api.recall.strategies import strategy as strategy_of
from schema.kinds import Candidate


def recall(
    plan: Plan,
    settings: RecallSettings,
    reader: Reader,
    *,
    explain: bool = False,
    timer: Callable[[], float] = time.perf_counter,
) -> Answer:
    """The answer to a plan. `explain`: rejected rows are shown whole too. `timer` gives seconds and is read for
    `Answer.timings` only.
    """
    watch = _Stopwatch(timer)
    strategy = strategy_of(settings)

    legs = watch.lap("legs", ask(plan, settings, reader))
    pool = watch.lap("pool", gather(legs, read_pool(legs, plan, settings, reader)))
    heads = found_by(legs, pool.candidates)
    raw = raw_scores(legs, heads, pool)
    floored = watch.lap("floors", apply_floors(raw, pool.candidates, plan, settings, graded(raw, settings, reader)))
    scores = watch.lap("context", in_context(pool, floored, settings))
    fused = watch.lap("fuse", fuse(scores, pool.candidates, settings))
    adjusted = watch.lap("adjust", adjust(fused, scores, pool, legs, plan, settings))
    ranked = watch.lap("rank", rank(raw, adjusted, heads, pool, floored))
    gated = watch.lap("gate", gate(ranked, pool, plan, settings))
    shown = strategy.reject_window if explain else 0
    ranked = watch.lap("select", admit(gated.ranked, strategy, reader, settings.collapse, shown=shown))
    packed = watch.lap("pack", pack(ranked, settings))
    evidence = watch.lap("evidence", gather_evidence(plan, settings, strategy, legs, floored, gated, packed))

    withheld = sum(item.reason == BELOW_FLOOR for item in packed.ranked)
    return Answer(packed.context, packed.entries, evidence, withheld, watch.laps)


def read_pool(legs: Legs, plan: Plan, settings: RecallSettings, reader: Reader) -> dict[int, Candidate]:
    """Every candidate of every leg and its neighbours, by id. One that went away since a leg saw it is not there."""
    numbers = sorted({hit.ref for leg in legs.results if leg.refers == "number" for hit in leg.hits})
    ids = sorted({hit.ref for leg in legs.results if leg.refers == "id" for hit in leg.hits})
    if not numbers and not ids:
        return {}
    reach = REACH if settings.proximity or settings.near else 0
    vector = plan.vector if settings.semantic_weight and "semantic" not in legs.degraded else None
    return {row.id: row for row in reader.pool(numbers=numbers, ids=ids, reach=reach, vector=vector)}


def raw_scores(legs: Legs, heads: Scores, pool: Pool) -> Scores:
    """Raw scores by leg and memory id: those of the whole pool, where the leg's head may have ended above a row."""
    raw: Scores = {}
    for leg in legs.results:
        if leg.name == "keyword" and legs.terms:
            raw[leg.name] = pool.own
        elif leg.name == "semantic" and leg.degraded is None:
            rows = pool.candidates.items()
            raw[leg.name] = {ref: round(row.cosine, COSINE_DIGITS) for ref, row in rows if row.cosine is not None}
        else:
            raw[leg.name] = heads[leg.name]
    return raw


def found_by(legs: Legs, candidates: Mapping[int, Candidate]) -> Scores:
    """What each leg itself brought, by memory id, whatever the leg called the memory."""
    by_number = {candidate.number: candidate.id for candidate in candidates.values()}
    found: Scores = {}
    for leg in sorted(legs.results, key=lambda one: one.name):
        refs = by_number if leg.refers == "number" else {ref: ref for ref in candidates}
        found[leg.name] = {refs[hit.ref]: hit.score for hit in leg.hits if hit.ref in refs}
    return found


def graded(raw: Scores, settings: RecallSettings, reader: Reader) -> Mapping[int, Wording]:
    """The words of the rows that a floor on terms looks at; none without such a floor."""
    return reader.wordings(sorted(raw.get("keyword", ()))) if settings.min_terms else {}


def rank(raw: Scores, adjusted: Mapping[int, Fused], heads: Scores, pool: Pool, floored: Floored) -> list[Ranked]:
    """Candidates best first; those that a floor left no score come last, rejected.

    Without floors a row that has no score at all was not considered.
    """
    order = best_first({ref: row.score for ref, row in adjusted.items()}, pool.candidates)
    left = (
        []
        if floored.open
        else sorted(pool.candidates.keys() - adjusted.keys(), key=lambda ref: content_order(pool.candidates[ref]))
    )
    nothing = Fused({}, 0.0)
    rows: list[Ranked] = []
    for ref in (*order, *left):
        row = adjusted.get(ref, nothing)
        found = tuple(leg for leg, scores in heads.items() if ref in scores)
        own = {leg: scores[ref] for leg, scores in raw.items() if ref in scores}
        place, reason = (len(rows) + 1, None) if ref in adjusted else (None, BELOW_FLOOR)
        rows.append(Ranked(pool.candidates[ref], own, row.part, row.score, place, reason, found, row.factors, row.lift))
    return rows


_T = TypeVar("_T")


class _Stopwatch:
    """Milliseconds since the last lap, by name."""

    def __init__(self, timer: Callable[[], float]) -> None:
        self._timer = timer
        self._last = timer()
        self.laps: dict[str, float] = {}

    def lap(self, name: str, value: _T) -> _T:
        now = self._timer()
        self.laps[name] = (now - self._last) * 1000
        self._last = now
        return value
