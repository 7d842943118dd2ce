"""Every constant of recall in one frozen object: the defaults, what they were measured on, and what a request may
change.

A namespace has one `RecallSettings`; a request overrides fields by name through `with_overrides`, which refuses an
unknown name with a did-you-mean and a bad value with the field it stands in. 0 switches off a floor, a threshold or a
budget, and a weight of 0 switches off its leg.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from schema.errors import InvalidInput

LEGS = ("keyword", "semantic", "entity")
"""The legs there are, in the order in which answers name them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallSettings:
    """One set of constants. Raises InvalidInput, naming the field, when a value is outside its range."""

    keyword_weight: float = 0.4
    semantic_weight: float = 0.6
    entity_weight: float = 0.05
    """All constants were measured together on the two dev sets, all-MiniLM-L6-v2, no LLM: LoCoMo R@10 .823, MRR .647
    (760 questions), BEAM .747 and .669 (139). Chosen on four fifths of the conversations and asked about the rest, five
    times over: .820 and .645, .744 and .670. Sixty settings drawn around them: mean .810 and .630 (sd .007 and .011),
    .735 and .657 (.014 and .013), so none of them is sharp. Keyword .5: .813 and .643, .734 and .659. What keeps an
    exact hit from being buried is in `adjust`, not in the weights. The entity leg gains nothing here: 0 is as good, .2
    costs BEAM .02 of its MRR."""
    bm25_k1: float = 1.2
    bm25_b: float = 0.5
    """k1 is the textbook's (Robertson and Zaragoza 2009). b .2 gives LoCoMo .815 and .651, BEAM .713 and .648; .75 .815
    and .639, .744 and .661: chat turns want less length correction than long passages, and .5 serves both."""
    anchor_least: int = 4
    anchor_share: float = 0.2
    """An entity is an anchor while no more than max(anchor_least, this share of the namespace) mentions it."""
    entity_surplus: int = 3
    """The largest C with 1 / (2 + C) >= .2: a question of two entities that shares one still clears a floor of .2."""
    pool: int = 50
    """Head of each leg that becomes a candidate, before its neighbours. 30 gives LoCoMo .819 and .645, BEAM .729 and
    .662; 100 .827 and .646, .751 and .670, for twice the rows."""
    fact_weight: float = 0.7
    """What a fact's score counts. 1 gives LoCoMo .823 and .638, BEAM .751 and .663."""
    ties: int = 100
    """How far a head may widen so that a tie at its end is kept whole; a longer tie is cut and the answer says so."""
    min_cosine: float = 0.0
    min_terms: int = 0
    min_overlap: float = 0.0
    loose_share: float = 0.75
    """The second, loose pass asks for this share of a floor: .15 where the strict one asks for .2."""
    proximity: float = 1.0
    """How much the words of the passages around count, see `conversation`; 0 switches it off. More gains on LoCoMo,
    less on BEAM."""
    near: float = 0.3
    """How much the likeness of the passage before or after counts."""
    speaker_bonus: float = 0.5
    user_bonus: float = 0.4
    fact_lift: float = 0.1
    anchor_bonus: float = 0.8
    answer_bonus: float = 0.2
    """Without: LoCoMo .819 and .635, BEAM .747 and .667."""
    marker_bonus: float = 0.05
    trust_weight: float = 0.3
    confidence_weight: float = 0.35
    fusion: Literal["convex", "rrf"] = "convex"
    normalisation: Literal["minmax", "zeromax"] = "minmax"
    """See `fusion`."""
    rrf_k: int = 60
    """The constant of the paper (Cormack 2009). 5 is steeper. Even weights and no context: LoCoMo .591 and .423 for 60,
    .660 and .448 for 5; BEAM .598 and .496, .610 and .498."""
    strategy: Literal["top_k", "mmr"] = "top_k"
    mmr_balance: float = 0.7
    """What relevance counts against likeness to what is admitted already; 1 is all of it."""
    k: int = 10
    abstain_below: float = 0.0
    """Least cosine that something must reach unless it holds a word of the question; 0 never abstains. .3 is a usual
    start, to be calibrated for the encoder: on LoCoMo the best cosine tells unanswerable questions apart with an AUC of
    .53 only."""
    trim: float = 0.0
    """Share of the best score that a row needs; .15 is a usual start, 0 is off."""
    attribution: float = 0.2
    """How much better than the named speaker's another's words must match to be named; 0 is off. Of LoCoMo's 237
    questions without an answer .42 are attributed to another at .2 (and .10 of the 760 with one), .53 at .05 (.16),
    .25 at .4 (.05); the AUC is .74."""
    threshold: float = 0.0
    """Least fused score that is admitted. A fused score compares within one question only; floors are for the rest."""
    reject_window: int = 100
    """Rejected candidates that evidence lists, best first. It never changes what is admitted."""
    collapse: Literal["none", "source"] = "none"
    max_entries: int = 0
    max_chars: int = 0
    max_tokens: int = 0
    prompt_order: Literal["relevance", "recency"] = "relevance"

    def __post_init__(self) -> None:
        for name, (kind, low, high) in _RANGES.items():
            _check_number(name, getattr(self, name), kind, low, high)
        for name, choices in _CHOICES.items():
            if getattr(self, name) not in choices:
                raise InvalidInput(f"{name} is one of {', '.join(choices)}", field=name)
        if not any(self.weights.values()):
            raise InvalidInput("at least one leg needs a weight above 0", field="keyword_weight")

    @property
    def weights(self) -> dict[str, float]:
        """The weight of each leg by its name."""
        return {leg: float(getattr(self, f"{leg}_weight")) for leg in LEGS}

    def with_overrides(self, overrides: Mapping[str, Any]) -> RecallSettings:
        """These settings with some fields replaced by name, as a request gives them."""
        known = {field.name for field in fields(self)}
        for name in overrides:
            if name not in known:
                near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
                hint = f"; did you mean {near[0]}?" if near else f"; known: {', '.join(sorted(known))}"
                raise InvalidInput(f"{name} is not a setting of recall{hint}", field=name)
        return replace(self, **overrides)


_RANGES: dict[str, tuple[type, float, float]] = {
    "keyword_weight": (float, 0, 100),
    "semantic_weight": (float, 0, 100),
    "entity_weight": (float, 0, 100),
    "bm25_k1": (float, 0, 10),
    "bm25_b": (float, 0, 1),
    "anchor_least": (int, 1, 1_000_000),
    "anchor_share": (float, 0, 1),
    "entity_surplus": (int, 0, 1000),
    "pool": (int, 1, 1000),
    "fact_weight": (float, 0, 1),
    "ties": (int, 0, 5000),
    "min_cosine": (float, 0, 1),
    "min_terms": (int, 0, 1000),
    "min_overlap": (float, 0, 1),
    "loose_share": (float, 0, 1),
    "proximity": (float, 0, 1.6),
    "near": (float, 0, 1),
    "speaker_bonus": (float, 0, 5),
    "user_bonus": (float, 0, 5),
    "fact_lift": (float, 0, 1),
    "anchor_bonus": (float, 0, 5),
    "marker_bonus": (float, 0, 5),
    "answer_bonus": (float, 0, 5),
    "trust_weight": (float, 0, 1),
    "confidence_weight": (float, 0, 1),
    "rrf_k": (int, 0, 10_000),
    "k": (int, 1, 1000),
    "abstain_below": (float, 0, 1),
    "trim": (float, 0, 1),
    "attribution": (float, 0, 2),
    "mmr_balance": (float, 0, 1),
    "threshold": (float, 0, 1),
    "reject_window": (int, 0, 10_000),
    "max_entries": (int, 0, 1_000_000),
    "max_chars": (int, 0, 100_000_000),
    "max_tokens": (int, 0, 100_000_000),
}
"""Kind, least and greatest value. The ceilings only keep one request from reading a whole namespace."""

_CHOICES: dict[str, tuple[str, ...]] = {
    "fusion": ("convex", "rrf"),
    "normalisation": ("minmax", "zeromax"),
    "strategy": ("top_k", "mmr"),
    "collapse": ("none", "source"),
    "prompt_order": ("relevance", "recency"),
}


def _check_number(name: str, value: object, kind: type, low: float, high: float) -> None:
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not whole and not (kind is float and isinstance(value, float) and math.isfinite(value)):
        raise InvalidInput(f"{name} is a {'number' if kind is float else 'whole number'}", field=name)
    if not low <= value <= high:  # type: ignore[operator]
        raise InvalidInput(f"{name} is between {low:g} and {high:g}", field=name)
