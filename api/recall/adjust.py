"""Fifth stage: what it is and who said it. A bonus stands among a candidate's parts, so that evidence shows it.

- A question that names exactly one of the people who speak in what was found asks for that person's own words.
- Where users and others (assistants, tools, documents) speak, the user's own words come before what was said to them.

A fact is short, and every leg takes that for relevance: what it earned counts `fact_weight` as much as what the passage
earned that it was drawn from. It still brings its source forward when the passage says it among other things.

A bonus goes to rows that share a word with the question, as much of it as their keyword part allows: a row can double
what its words earned and no more. So no bonus lifts a row that matches nothing above one that matches exactly.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from api.recall.candidate import SCORE_DIGITS, Candidate
from api.recall.fusion import Fused
from api.recall.plan import Plan
from api.recall.settings import RecallSettings
from schema.kinds import MemoryKind, Source
from workers.derive.text import name_key

_WORD = re.compile(r"\w+")
_ROLES = frozenset(Source)


def adjust(
    fused: Mapping[int, Fused], candidates: Mapping[int, Candidate], plan: Plan, settings: RecallSettings
) -> dict[int, Fused]:
    """The fused candidates with what is added for who said them."""
    found = {ref: candidates[ref] for ref in fused}
    asked = named_speaker(found.values(), plan)
    mixed = len({candidate.source == Source.USER for candidate in found.values()}) > 1
    keys = {candidate.speaker: speaker_key(candidate) for candidate in found.values()}
    adjusted: dict[int, Fused] = {}
    for ref, row in fused.items():
        candidate = found[ref]
        part = {
            leg: value * (settings.fact_weight if candidate.kind == MemoryKind.FACT else 1.0)
            for leg, value in row.part.items()
        }
        earned = part.get("keyword", 0.0)
        if asked is not None and settings.speaker_bonus and keys[candidate.speaker] == asked:
            part["speaker"] = min(settings.speaker_bonus, earned)
        if mixed and settings.user_bonus and candidate.source == Source.USER:
            part["user"] = min(settings.user_bonus, earned)
        adjusted[ref] = Fused(part, round(sum(part.values()), SCORE_DIGITS))
    return adjusted


def speaker_key(candidate: Candidate) -> str | None:
    """The normalised name of who speaks; a role is nobody's name."""
    key = name_key(candidate.speaker) if candidate.speaker else ""
    return key if key and key not in _ROLES else None


def named_speaker(candidates: Iterable[Candidate], plan: Plan) -> str | None:
    """The one speaker that the question names, in full or by the first word of the name; None for none or several."""
    words = set(_WORD.findall(plan.normalised))
    named = set()
    for candidate in {candidate.speaker: candidate for candidate in candidates}.values():
        key = speaker_key(candidate)
        if key is not None and (key in plan.entities or key.split()[0] in words):
            named.add(key)
    return named.pop() if len(named) == 1 else None
