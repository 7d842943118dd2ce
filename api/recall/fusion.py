"""Fifth stage: one score out of the legs' raw ones. Raw scores stay beside it, because the head of a leg is always 1
here.

- `convex`: each leg normalised to [0, 1], times its weight, over the sum of all weights. So the sum is in [0, 1], and
  a row known to one leg alone can claim no more than that leg's share. A leg whose scores are all equal gives 1; a
  row that a leg did not find gets 0 from it, never less.
- `rrf`: the sum of weight / (k + rank), ranks from 1 (Cormack 2009). Ties inside a leg are ranked by content,
  and rows that are equal in both share a rank.

Normalisation is `minmax`, or `zeromax`, which divides by the best.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from api.recall.candidate import SCORE_DIGITS, visible_order
from api.recall.floors import Scores
from api.recall.settings import RecallSettings
from schema.kinds import Candidate


@dataclass(frozen=True, slots=True)
class Fused:
    """What each leg adds to one candidate's score, and the score: their sum, times all factors, plus the lift."""

    part: Mapping[str, float]
    score: float
    factors: Mapping[str, float] = field(default_factory=dict)
    lift: float = 0.0


def fuse(raw: Scores, candidates: Mapping[int, Candidate], settings: RecallSettings) -> dict[int, Fused]:
    """The fused score of every candidate that some leg found."""
    parts = rrf(raw, candidates, settings) if settings.fusion == "rrf" else convex(raw, settings)
    legs = sorted(parts)
    fused: dict[int, Fused] = {}
    for ref in dict.fromkeys(ref for leg in legs for ref in parts[leg]):
        part = {leg: parts[leg][ref] for leg in legs if ref in parts[leg]}
        fused[ref] = Fused(part, round(sum(part.values()), SCORE_DIGITS))
    return fused


def convex(raw: Scores, settings: RecallSettings) -> Scores:
    """Weighted, normalised parts by leg."""
    total = sum(settings.weights.values())
    parts: Scores = {}
    for leg, scores in raw.items():
        share = settings.weights[leg] / total
        parts[leg] = {ref: share * value for ref, value in normalise(scores, settings.normalisation).items()}
    return parts


def normalise(scores: Mapping[int, float], how: str = "minmax") -> dict[int, float]:
    """Scores brought to [0, 1]; all equal gives 1 each."""
    if not scores:
        return {}
    high, low = max(scores.values()), min(scores.values())
    if how == "zeromax":
        low = min(0.0, low)
    if high - low <= 0:
        return dict.fromkeys(scores, 1.0)
    return {ref: (score - low) / (high - low) for ref, score in scores.items()}


def rrf(raw: Scores, candidates: Mapping[int, Candidate], settings: RecallSettings) -> Scores:
    """Reciprocal rank parts by leg."""
    parts: Scores = {}
    for leg, scores in raw.items():
        keys = {ref: (-score, *visible_order(candidates[ref])) for ref, score in scores.items()}
        places: dict[tuple[Any, ...], int] = {}
        for place, key in enumerate(sorted(keys.values()), 1):
            places.setdefault(key, place)
        weight = settings.weights[leg]
        parts[leg] = {ref: weight / (settings.rrf_k + places[key]) for ref, key in keys.items()}
    return parts
