"""Recall from a question to a context, top to bottom. Every stage is a module of its own and pure; only the reader is
not.

    plan -> legs -> (texts) -> floors -> fuse -> adjust -> rank -> dedup -> select -> pack -> evidence

A new stage is a new line here: it takes the ranked rows, best first, and gives them back with a reason on those it
turns down.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TypeVar

from api.recall.adjust import adjust
from api.recall.answer import Answer
from api.recall.candidate import Candidate, Ranked, in_order
from api.recall.dedup import dedup
from api.recall.evidence import BELOW_FLOOR, gather_evidence
from api.recall.floors import Scores, apply_floors
from api.recall.fusion import Fused, fuse
from api.recall.legs import Legs, ask
from api.recall.pack import pack
from api.recall.plan import Plan
from api.recall.reader import Reader
from api.recall.select import TopK, select
from api.recall.settings import RecallSettings


def recall(
    plan: Plan, settings: RecallSettings, reader: Reader, *, timer: Callable[[], float] = time.perf_counter
) -> Answer:
    """The answer to a plan. `timer` gives seconds and is read for `Answer.timings` only."""
    watch = _Stopwatch(timer)
    strategy = TopK(settings.k, settings.threshold, settings.reject_window)

    legs = watch.lap("legs", ask(plan, settings, reader))
    candidates = watch.lap("texts", read_texts(legs, reader))
    raw = raw_scores(legs, candidates)
    floored = watch.lap("floors", apply_floors(raw, candidates, plan, settings))
    fused = watch.lap("fuse", fuse(floored.raw, candidates, settings))
    adjusted = watch.lap("adjust", adjust(fused, candidates, plan, settings))
    ranked = watch.lap("rank", rank(raw, adjusted, candidates))
    ranked = watch.lap("dedup", dedup(ranked, settings.collapse))
    ranked = watch.lap("select", select(ranked, strategy))
    packed = watch.lap("pack", pack(ranked, settings))
    evidence = watch.lap("evidence", gather_evidence(plan, settings, strategy, legs, floored, packed))

    withheld = sum(item.reason == BELOW_FLOOR for item in packed.ranked)
    return Answer(packed.context, packed.entries, evidence, withheld, watch.laps)


def read_texts(legs: Legs, reader: Reader) -> dict[int, Candidate]:
    """Every candidate of every leg, by id. A memory that went away since the leg saw it is not there."""
    nos = sorted({hit.ref for leg in legs.results if leg.refers == "no" for hit in leg.hits})
    ids = sorted({hit.ref for leg in legs.results if leg.refers == "id" for hit in leg.hits})
    if not nos and not ids:
        return {}
    return {candidate.id: candidate for candidate in reader.memories(nos=nos, ids=ids)}


def raw_scores(legs: Legs, candidates: Mapping[int, Candidate]) -> Scores:
    """Raw scores by leg and memory id, whatever the leg called the memory."""
    by_no = {candidate.no: candidate.id for candidate in candidates.values()}
    raw: Scores = {}
    for leg in legs.results:
        refs = by_no if leg.refers == "no" else {ref: ref for ref in candidates}
        raw[leg.name] = {refs[hit.ref]: hit.score for hit in leg.hits if hit.ref in refs}
    return raw


def rank(raw: Scores, fused: Mapping[int, Fused], candidates: Mapping[int, Candidate]) -> list[Ranked]:
    """Candidates best first; those no leg kept come last, rejected."""
    nothing = Fused({}, 0.0)
    rows = []
    for ref, candidate in candidates.items():
        own = {leg: scores[ref] for leg, scores in raw.items() if ref in scores}
        verdict = None if ref in fused else BELOW_FLOOR
        found = fused.get(ref, nothing)
        rows.append(Ranked(candidate, own, found.part, found.score, reason=verdict))
    return in_order(rows)


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
