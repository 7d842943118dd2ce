"""Third stage: floors. They stand on raw scores, never on fused ones, and each leg is judged by its own.

A candidate under the floor of one leg loses that leg's word and stays if another leg speaks for it; it is rejected
when none does. A score equal to its floor is kept, and a floor of 0 is off. The bar of `min_terms` never exceeds the
terms a text has, and a text without terms is not graded. If the strict floors leave nothing, one loose pass follows;
a loose floor is never above the strict one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from api.recall.candidate import Wording
from api.recall.plan import Plan
from api.recall.settings import RecallSettings
from schema.kinds import Candidate
from workers.derive.text import terms

Scores = dict[str, dict[int, float]]
"""Raw scores: leg name -> memory id -> score."""


@dataclass(frozen=True, slots=True)
class Floors:
    """Least cosine, least number of distinct query terms, least entity overlap; 0 = off."""

    min_cosine: float
    min_terms: int
    min_overlap: float


@dataclass(frozen=True, slots=True)
class Floored:
    """What is left, under which floors, and how many hits each leg lost."""

    raw: Scores
    floors: Floors
    profile: Literal["strict", "loose"]
    dropped: Mapping[str, int]

    @property
    def open(self) -> bool:
        """Whether there is no floor at all."""
        return not (self.floors.min_cosine or self.floors.min_terms or self.floors.min_overlap)

    @property
    def standing(self) -> frozenset[int]:
        """The rows that some leg still speaks for."""
        return frozenset(ref for scores in self.raw.values() for ref in scores)


def apply_floors(
    raw: Scores,
    candidates: Mapping[int, Candidate],
    plan: Plan,
    settings: RecallSettings,
    wordings: Mapping[int, Wording],
) -> Floored:
    """The strict floors, and if nobody passes, the loose ones. `wordings` are needed of the keyword leg's rows, and
    only with a floor on terms.
    """
    strict = Floors(settings.min_cosine, settings.min_terms, settings.min_overlap)

    def _pass(floors: Floors) -> Scores:
        return _standing(raw, candidates, wordings, plan, floors)

    kept = _pass(strict)
    if any(kept.values()) or not any(raw.values()):
        return Floored(kept, strict, "strict", _dropped(raw, kept))
    loose = Floors(
        strict.min_cosine * settings.loose_share,
        min(strict.min_terms, max(1, len(plan.terms) // 2)),
        strict.min_overlap * settings.loose_share,
    )
    kept = _pass(loose)
    return Floored(kept, loose, "loose", _dropped(raw, kept))


def _standing(
    raw: Scores,
    candidates: Mapping[int, Candidate],
    wordings: Mapping[int, Wording],
    plan: Plan,
    floors: Floors,
) -> Scores:
    kept = dict(raw)
    for leg, floor in (("semantic", floors.min_cosine), ("entity", floors.min_overlap)):
        if floor and leg in raw:
            kept[leg] = {ref: score for ref, score in raw[leg].items() if score >= floor}
    if floors.min_terms and "keyword" in raw:
        asked = set(plan.terms)
        kept["keyword"] = {
            ref: score
            for ref, score in raw["keyword"].items()
            if ref in wordings
            and _holds(candidates[ref].speaker, wordings[ref].text, asked, floors.min_terms, plan.language)
        }
    return kept


def _holds(speaker: str | None, text: str, asked: set[str], bar: int, language: str) -> bool:
    """Whether a memory, its speaker's name included as in the index, holds enough of the question's terms."""
    own = set(terms(f"{speaker or ''} {text}", language))
    return len(own & asked) >= min(bar, len(own))


def _dropped(raw: Scores, kept: Scores) -> dict[str, int]:
    return {leg: len(scores) - len(kept[leg]) for leg, scores in raw.items()}
