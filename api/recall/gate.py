"""Seventh stage: whether to answer at all, how far down the list an answer goes, and whose words it is made of.

- Abstain: nothing is returned, and the answer says so, only if `abstain_below` is set, there are rows, at least one has
  a likeness to the question, none reaches the bar, and none holds a word of the question. Every other case returns.
  Calibrate the bar for the encoder: how large a cosine is "near" differs from model to model.
- Trim: rows below `trim` times the best score are left out. 0 is off.
- Attribution: when the question names one speaker and another's words match it better by more than `attribution`, the
  answer carries that other's name: it may be an answer about somebody else. The measure is what a row's words earn over
  what the question's words could earn at most, plus half the weight of the question's words it holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from api.recall.adjust import speaker_keys
from api.recall.candidate import Ranked
from api.recall.conversation import Pool
from api.recall.plan import Plan
from api.recall.settings import RecallSettings

ABSTAINED = "abstained"
TRIMMED = "trimmed"


@dataclass(frozen=True, slots=True)
class Gated:
    """The rows in the same order, those behind the gate rejected; `abstained` says why nothing is returned, or None.

    `attributed_to` is the speaker whose words match better than those of the one who was asked about, `margin` by how
    much the named speaker's match exceeds the best other's (None when nobody was asked about).
    """

    ranked: list[Ranked]
    abstained: str | None
    attributed_to: str | None
    margin: float | None


def gate(ranked: Sequence[Ranked], pool: Pool, plan: Plan, settings: RecallSettings) -> Gated:
    """What passes."""
    margin, other = attribution(pool, plan)
    attributed = other if margin is not None and settings.attribution and margin < -settings.attribution else None
    why = _abstains(ranked, pool, settings)
    if why is not None:
        shut = [item if item.reason else item.rejected(ABSTAINED) for item in ranked]
        return Gated(shut, why, attributed, margin)
    least = settings.trim * max((item.score for item in ranked if item.reason is None), default=0.0)
    kept = [item.rejected(TRIMMED) if item.reason is None and item.score < least else item for item in ranked]
    return Gated(kept, None, attributed, margin)


def _abstains(ranked: Sequence[Ranked], pool: Pool, settings: RecallSettings) -> str | None:
    standing = [item for item in ranked if item.reason is None]
    cosines = [item.raw["semantic"] for item in standing if "semantic" in item.raw]
    if not settings.abstain_below or not cosines or max(cosines) >= settings.abstain_below:
        return None
    held = pool.held(range(len(pool.earned)))
    if any(held.get(item.candidate.id, 0) for item in standing):
        return None
    return (
        f"the best likeness is {max(cosines):.3f}, below {settings.abstain_below:g}, and no row holds a word asked for"
    )


def attribution(pool: Pool, plan: Plan) -> tuple[float | None, str | None]:
    """By how much the named speaker's best match exceeds the best of anybody else, and who that is."""
    if len(plan.speakers) != 1 or not pool.earned.size:
        return None, None
    most = pool.earned.max(axis=1)
    mass = float(most.sum())
    if not mass:
        return None, None
    match = (pool.earned.sum(axis=0) + 0.5 * ((pool.earned > 0) * most[:, np.newaxis]).sum(axis=0)) / mass
    best: dict[str, tuple[float, str]] = {}
    keys = speaker_keys(pool.candidates.values())
    for ref, value in zip(pool.ids, match.tolist(), strict=True):
        speaker = pool.candidates[ref].speaker
        key = keys[speaker]
        if key is not None and speaker is not None and value > best.get(key, (0.0, ""))[0]:
            best[key] = (value, speaker)
    named = best.pop(plan.speakers[0], (0.0, ""))[0]
    if not best:
        return None, None
    value, who = max(best.values())
    return round(named - value, 6), who
