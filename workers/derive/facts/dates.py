"""When a clause holds or happened: finds the words that tell a time, and which verb they belong to.

Dates come from `workers.derive.times`. Words that only tell how long, how often or in which season have no date, and
yet are no part of an object ("plays chess every day"): they are found here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from workers.derive.facts.spelling import Word

try:
    from workers.derive import times

    times.expressions  # noqa: B018
except Exception:  # noqa: BLE001
    times = None

_UNIT = r"(?:second|minute|hour|day|night|week|weekend|month|year|yr|decade|season|semester|term)s?"
_PART = (
    r"(?:morning|afternoon|evening|night|weekend|weekday|day|week|month|year|summer|winter|spring|autumn|fall|season)s?"
)
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_NUMBER = (
    r"(?:\d+(?:\.\d+)?|a|an|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|few|several"
    r"|many|some|couple of|half a|a few|a couple of|so many)"
)
_UNDATED = re.compile(
    rf"\b(?:for|in|over)\s+(?:about |over |almost |nearly |around |the (?:last|past) |at least )*{_NUMBER}(?:\s+(?:more|good|long))?\s+{_UNIT}(?:\s+now)?\b"
    rf"|\b(?:for\s+)?{_NUMBER}\s+{_UNIT}\s+(?:now|ago|straight|in a row|later)\b"
    rf"|\b(?:every|each)\s+(?:single |other |second )?(?:{_PART}|{_DAY}|{_UNIT}|now and then)(?:\s+(?:morning|afternoon|evening|night))?\b"
    rf"|\b(?:once|twice|{_NUMBER}\s+(?:times|days|nights|evenings|hours))\s+(?:a|per|every|each)\s+(?:day|week|month|year|night)\b"
    rf"|\bon\s+(?:my\s+)?(?:weekends|weekdays|weeknights|{_DAY[:-2]}s)(?:\s+and\s+{_DAY})?\b"
    rf"|\b(?:(?:in|during)\s+the\s+|in\s+)(?:mornings?|afternoons?|evenings?|summers?|winters?|spring|autumn|fall|weekends?)\b"
    rf"|\b(?:last|this|next|the other|the whole|all|that|late at)\s+(?:{_PART}|time)\b"
    rf"|\bat\s+(?:the\s+)?(?:night|weekends?|moment)\b"
    rf"|\b(?:for|since)\s+(?:ages|years|a while|forever|months|weeks|a long time|childhood|then|always)\b"
    rf"|\b(?:all my life|my whole life|these days|nowadays|at the moment|right now|a while (?:ago|back)|lately|recently|the other day|for now|soon|as a (?:child|kid|boy|girl|teenager|student))\b",
    re.IGNORECASE,
)
_MAYBE = re.compile(
    r"\d|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun|today|tonight|yesterday|tomorrow|tmrw|ago|last|next|this|week"
    r"|month|year|day|since|morning|evening|christmas|easter|decade|century)",
    re.IGNORECASE,
)
"""Most pieces have none of these and are not searched for dates."""
_SINCE = re.compile(r"\b(?:since|from|starting|as of|beginning)(?:\s+(?:about|around|early|late))?\s*$", re.IGNORECASE)
_UNTIL = re.compile(r"\b(?:until|till|til|through|up to|ends? on)\s*$", re.IGNORECASE)
_RECURRING = re.compile(r"(?:\bevery|\beach|\bon|^)\s*$", re.IGNORECASE)
DATED_GRAINS = frozenset({"day", "month", "year"})


@dataclass(frozen=True, slots=True)
class Moment:
    """A stretch of text that tells a time. `value` is its ISO day, month or year, None where it gives none."""

    start: int
    stop: int
    value: str | None = None
    first: datetime | None = None
    last: datetime | None = None
    since: bool = False
    until: bool = False


def moments(text: str, start: int, stop: int, reference: datetime, prefer: str) -> list[Moment]:
    """The times told in `text[start:stop]`, dated ones first; none overlaps another."""
    piece = text[start:stop]
    found: list[Moment] = []
    if times is not None and _MAYBE.search(piece):
        for when in times.expressions(piece, reference, prefer=prefer):
            found.append(_moment(piece, start, when, reference))
    taken = [(moment.start, moment.stop) for moment in found]
    for undated in _UNDATED.finditer(piece):
        left, right = start + undated.start(), start + undated.end()
        if all(right <= begin or left >= end for begin, end in taken):
            found.append(Moment(left, right))
    return found


def _moment(piece: str, start: int, when: Any, reference: datetime) -> Moment:
    before = piece[: when.start]
    inside = piece[when.start : when.stop].lower()
    since = bool(_SINCE.search(before)) or inside.startswith(("since ", "from "))
    until = bool(_UNTIL.search(before)) or inside.startswith(("until ", "till "))
    return Moment(start + when.start, start + when.stop, when.value, when.first, when.last, since, until)


def timed_tokens(doc: Any, words: Sequence[Word], found: Sequence[Moment]) -> dict[int, Moment]:
    """The positions of the tokens that tell a time, each with its moment."""
    return {
        position: moment
        for moment in found
        for position in range(len(doc))
        if words[position].start < moment.stop
        and words[position].stop > moment.start
        and words[position].stop > words[position].start
    }


def governor(doc: Any, timed: dict[int, Moment], moment: Moment) -> Any | None:
    """The verb that a moment belongs to: the nearest above its words."""
    inside = [doc[position] for position, other in timed.items() if other is moment]
    if not inside:
        return None
    tops = [token for token in inside if timed.get(token.head.i) is not moment or token.head == token]
    token = tops[0] if tops else inside[0]
    while token.head != token and token.pos_ not in {"VERB", "AUX"}:
        token = token.head
    return token
