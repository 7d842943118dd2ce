"""Importance and tier: how much a memory is about who somebody is, and whether it says how they want things done.

Importance is in [0, 1]; an extractor that judges it (an LLM) has the last word on its own statements. The rule:

- tier `core`, importance .8: identity, kin, home, work, health and aliases, of predicates in CORE;
- tier `standing`, importance .7: instructions and preferences that are meant to last ("always ...", "from now on ...",
  "I prefer ..."), found by what they are, since a question's words rarely name them;
- tier `ordinary`: dated events and plans .6, the rest .5; a hedged statement loses .1.
"""

from __future__ import annotations

import re

from schema.kinds import Modality, Source, Tier

RATING = "rating/1"

CORE = frozenset(
    {
        "be",
        "be allergic to",
        "be born in",
        "be born on",
        "be called",
        "be diagnosed with",
        "be engaged to",
        "be from",
        "be married to",
        "be named",
        "call oneself",
        "come from",
        "get divorced",
        "get engaged",
        "get married",
        "go by",
        "grow up in",
        "live at",
        "live in",
        "live with",
        "marry",
        "move to",
        "retire",
        "speak",
        "study",
        "study at",
        "suffer from",
        "take",
        "work as",
        "work at",
        "work for",
        "work in",
    }
)
PREFERENCES = frozenset({"prefer", "want", "would like", "would rather"})
KIN = frozenset(
    {
        *("aunt", "boyfriend", "brother", "child", "cousin", "dad", "daughter", "father", "fiance", "fiancee"),
        *("girlfriend", "grandfather", "grandmother", "grandson", "granddaughter", "husband", "kid", "mother", "mum"),
        *("mom", "nephew", "niece", "partner", "sister", "son", "spouse", "twin", "uncle", "wife"),
    }
)
_STANDING = re.compile(
    r"\b(?:always|never|from now on|going forward|in (?:the )?future|by default|every time|whenever)\b[^.?!\n]{0,80}"
    r"\b(?:use|write|answer|reply|call|include|add|avoid|give|keep|say|format|mention|ask|show|explain|respond|remind|"
    r"address|provide|start|end|put|tell|check|cite)\b"
    r"|\bi(?:'d| would)? (?:much )?(?:prefer|rather)\b",
    re.IGNORECASE,
)
_LOOKED_AT = 4000
"""Characters of a passage in which a standing instruction is looked for; passages are shorter."""


def rate_passage(text: str, source: str) -> tuple[str, float]:
    """Return the tier and importance of a passage. Only a user's words can stand: other text gives no instructions."""
    if source == Source.USER and _STANDING.search(text[:_LOOKED_AT]):
        return Tier.STANDING, 0.7
    return Tier.ORDINARY, 0.5


def rate_fact(predicate: str, modality: str, event: str | None, judged: float | None) -> tuple[str, float]:
    """Return the tier and importance of a fact; `judged` is the extractor's own value."""
    words = predicate.casefold().split()
    if predicate.casefold() in CORE or (len(words) > 1 and words[0] == "have" and words[-1] in KIN):
        tier, importance = Tier.CORE, 0.8
    elif words and words[0] in PREFERENCES:
        tier, importance = Tier.STANDING, 0.7
    else:
        tier, importance = Tier.ORDINARY, 0.6 if event or modality == Modality.PLANNED else 0.5
    if modality == Modality.HEDGED:
        importance -= 0.1
    return tier, round(importance if judged is None else min(max(judged, 0.0), 1.0), 6)
