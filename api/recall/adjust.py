"""Sixth stage: what it is, who said it, when, and how far it can be believed. Each factor is recorded by its name.

- `speaker`: the question names exactly one of the people who speak here, and these are that person's own words.
- `user`: where users and others (assistants, tools, documents) speak, the user's own words come before what was said
  to them.
- `anchor`: the question names a time, and this was said about then.
- `recent`: the question asks for the present ("currently"), and this is recent.
- `answer`: the question asks when or how many, and this names a time or a number.
- `trust`, `confidence`: at most 1; how far the source is trusted, and how sure the statement is.
- `fact`: a fact is short, and every leg takes that for relevance: what it earned counts `fact_weight` as much as what
  the passage earned that it was drawn from.

A passage whose meaning was understood is lifted by `fact_lift` times the score of the best fact in it.

Two things keep an exact hit from being buried. `speaker` and `user` go to rows that hold a word of the question or
stand beside one that does. And a row without a single word of the question never ranks above one that holds all of
them, or all of its identifiers: factor `inexact` is what that costs it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime

from api.recall.candidate import SCORE_DIGITS
from api.recall.conversation import Pool
from api.recall.floors import Scores
from api.recall.fusion import Fused
from api.recall.legs import Legs
from api.recall.plan import Anchor, Plan
from api.recall.settings import RecallSettings
from schema.kinds import Candidate, MemoryKind, Source
from workers.derive.text import name_key

ROLES = frozenset(Source)
"""Speakers that are nobody's name."""
_STEP = 10.0**-SCORE_DIGITS
_DAY = 86_400.0
_RECENT = 30.0
"""Days after which the bonus of being recent has halved."""


def adjust(
    fused: Mapping[int, Fused], scores: Scores, pool: Pool, legs: Legs, plan: Plan, settings: RecallSettings
) -> dict[int, Fused]:
    """The fused candidates with their factors, and the score that comes of them. `scores` are those they were fused of:
    who has one from the keyword leg holds a word of the question or stands beside one that does.
    """
    asked = plan.speakers[0] if len(plan.speakers) == 1 else None
    mixed = len({pool.candidates[ref].source == Source.USER for ref in fused}) > 1
    keys = speaker_keys(pool.candidates.values()) if asked is not None else {}
    worded = {ref for ref, score in scores.get("keyword", {}).items() if score > 0} if legs.terms else set(fused)
    answering = {int(number) for numbers in legs.traits.values() for number in numbers}
    adjusted: dict[int, Fused] = {}
    for ref, row in fused.items():
        candidate = pool.candidates[ref]
        factors = _believed(candidate, settings) if candidate.trust < 1 or candidate.confidence < 1 else {}
        if candidate.kind == MemoryKind.FACT:
            factors["fact"] = settings.fact_weight
        if asked is not None and keys[candidate.speaker] == asked and ref in worded:
            factors["speaker"] = 1 + settings.speaker_bonus
        if mixed and candidate.source == Source.USER and ref in worded:
            factors["user"] = 1 + settings.user_bonus
        if plan.anchors:
            factors["anchor"] = 1 + settings.anchor_bonus * closeness(candidate.occurred_at, plan.anchors)
        if plan.marker:
            age = max(0.0, (plan.now - candidate.occurred_at).total_seconds() / _DAY)
            factors["recent"] = 1 + settings.marker_bonus * 2 ** (-age / _RECENT)
        if candidate.number in answering:
            factors["answer"] = 1 + settings.answer_bonus
        score = row.score
        if factors:
            factors = {name: factor for name, factor in factors.items() if factor != 1}
            score = round(sum(row.part.values()) * math.prod(factors.values()), SCORE_DIGITS)
        adjusted[ref] = Fused({leg: part for leg, part in row.part.items() if part}, score, factors)
    return _below_exact(_lifted(adjusted, pool, settings), pool, plan)


def _believed(candidate: Candidate, settings: RecallSettings) -> dict[str, float]:
    sure = math.sqrt(candidate.confidence * candidate.trust)
    return {
        "trust": 1 - settings.trust_weight * (1 - candidate.trust),
        "confidence": 1 - settings.confidence_weight * (1 - sure),
    }


def closeness(moment: datetime, anchors: tuple[Anchor, ...]) -> float:
    """How near a moment is to the nearest anchor, in [0, 1]: 1 at its middle, 0 three tolerances away."""
    return max(
        max(0.0, 1 - abs((moment - anchor.middle).total_seconds()) / (3 * anchor.tolerance.total_seconds()))
        for anchor in anchors
    )


def _lifted(rows: dict[int, Fused], pool: Pool, settings: RecallSettings) -> dict[int, Fused]:
    best: dict[int, float] = {}
    for ref, place in zip(pool.ids, pool.passage.tolist(), strict=True):
        if place >= 0 and ref in rows and pool.ids[place] in rows:
            passage = pool.ids[place]
            best[passage] = max(best.get(passage, 0.0), rows[ref].score)
    for passage, score in best.items():
        lift = round(settings.fact_lift * score, SCORE_DIGITS)
        if lift:
            row = rows[passage]
            rows[passage] = replace(row, score=round(row.score + lift, SCORE_DIGITS), lift=lift)
    return rows


def _below_exact(rows: dict[int, Fused], pool: Pool, plan: Plan) -> dict[int, Fused]:
    """No row that holds none of the telling terms above the best of those that hold all of them."""
    if not pool.earned.size or not plan.telling:
        return rows
    held = pool.held(plan.telling)
    exact = [rows[ref].score for ref in rows if held[ref] == len(plan.telling)]
    if not exact:
        return rows
    ceiling = max(exact) - _STEP
    for ref, row in rows.items():
        if not held[ref] and row.score > ceiling:
            factor = max(0.0, ceiling) / row.score
            rows[ref] = replace(
                row, score=round(max(0.0, ceiling), SCORE_DIGITS), factors={**row.factors, "inexact": factor}
            )
    return rows


def speaker_keys(candidates: Iterable[Candidate]) -> dict[str | None, str | None]:
    """The normalised name of everybody who speaks; a role is nobody's name."""
    keys: dict[str | None, str | None] = {None: None}
    for speaker in {candidate.speaker for candidate in candidates} - {None}:
        key = name_key(speaker or "")
        keys[speaker] = key if key and key not in ROLES else None
    return keys
