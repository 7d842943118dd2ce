"""When a clause holds or happened: finds the words that tell a time, and which verb they belong to.

Dates come from `workers.english.dates`. Words that only tell how long, how often or in which season have no date, and
yet are no part of an object ("paints every day"): they are found here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timezone
from typing import Any

from workers.english.dates import When, expressions
from workers.english.facts.spelling import Word
from workers.english.facts.vocabulary import closed

_UNIT = r"(?:second|minute|hour|day|night|week|weekend|month|year|yr|decade|season|semester|term)s?"
_PART = (
    r"(?:morning|afternoon|evening|night|weekend|weekday|day|week|month|year|summer|winter|spring|autumn|fall|season)s?"
)
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_NUMBER = (
    r"(?:\d+(?:\.\d+)?|a|an|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty"
    r"|forty|fifty|few|several"
    r"|many|some|couple of|half a|a few|a couple of|so many)"
)
HOW_OFTEN = closed("daily nightly weekly fortnightly monthly quarterly yearly annually")
_UNDATED = re.compile(
    rf"\b(?:for|in|over)\s+(?:about |over |almost |nearly |around |the (?:last|past) "
    rf"|at least )*{_NUMBER}(?:\s+(?:more|good|long))?\s+{_UNIT}(?:\s+now)?\b"
    rf"|\b(?:for\s+)?{_NUMBER}\s+{_UNIT}\s+(?:now|ago|straight|in a row|later)\b"
    rf"|\b(?:every|each)\s+(?:single |other |second )?(?:{_PART}|{_DAY}|{_UNIT}|now and then)(?:\s+(?:morning"
    rf"|afternoon|evening|night))?\b"
    rf"|\b(?:once|twice|{_NUMBER}\s+(?:times|days|nights|evenings|hours))\s+(?:a|per|every|each)\s+(?:day|week|month"
    rf"|year|night)\b"
    rf"|\bon\s+(?:my\s+)?(?:weekends|weekdays|weeknights|{_DAY[:-2]}s)(?:\s+and\s+{_DAY})?\b"
    rf"|\b(?:(?:in|during)\s+the\s+|in\s+)(?:mornings?|afternoons?|evenings?|summers?|winters?|spring|autumn|fall"
    rf"|weekends?)\b"
    rf"|\b(?:last|this|next|the other|the whole|all|that|late at)\s+(?:{_PART}|time)\b"
    rf"|\b(?:every|each|at|on)\s+(?:christmas|easter|new year|thanksgiving|halloween)\b"
    rf"|\b(?:at|around)\s+\d{{1,2}}(?:[:.]\d\d)?\s?(?:am|pm|o'clock)?(?![\w.,]*\d)\b"
    rf"|\bat\s+(?:the\s+)?(?:night|weekends?|moment)\b"
    rf"|\b(?:{'|'.join(sorted(HOW_OFTEN))})\b(?=\W*$)"
    rf"|\b(?:for|since)\s+(?:ages|years|a while|forever|months|weeks|a long time|childhood|then|always)\b"
    rf"|\b(?:all my life|my whole life|these days|nowadays|at the moment|right now|a while (?:ago|back)|lately"
    rf"|recently|the other day|for now|soon|as a (?:child|kid|boy|girl|teenager|student))\b",
    re.IGNORECASE,
)
_MAYBE = re.compile(
    r"\d|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun|today|tonight|yesterday"
    r"|tomorrow|tmrw|ago|last|next|this|week"
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
    by: bool = False


@dataclass(frozen=True, slots=True)
class Told:
    """The times told in a piece: `moments` for their places, and how each dates when it is past or to come."""

    moments: tuple[Moment, ...]
    past: tuple[Moment, ...]
    future: tuple[Moment, ...]

    def seen_from(self, moment: Moment, tense: str) -> Moment:
        """The moment as a clause of this tense means it: "in June" was, or will be."""
        before = tense in {"past", "perfect"} or (
            moment.since and tense == "present" and moment.value in _values(self.past)
        )
        for told in (self.past, self.future) if before else (self.future, self.past):
            for other in told:
                if other.start < moment.stop and moment.start < other.stop:
                    return other
        return moment


def _values(moments: Sequence[Moment]) -> set[str | None]:
    return {moment.value for moment in moments}


def told(text: str, start: int, stop: int, reference: datetime) -> Told:
    """The times told in `text[start:stop]`; of those that overlap the first kind wins: dated, then undated."""
    piece = text[start:stop]
    past: list[Moment] = []
    future: list[Moment] = []
    if _MAYBE.search(piece):
        past = [_moment(piece, start, when) for when in expressions(piece, reference, prefer="past")]
        future = [_moment(piece, start, when) for when in expressions(piece, reference, prefer="future")]
    found = list(past)
    for moment in [*future, *(Moment(start + u.start(), start + u.end()) for u in _UNDATED.finditer(piece))]:
        if all(moment.stop <= other.start or moment.start >= other.stop for other in found):
            found.append(moment)
    return Told(tuple(found), tuple(past), tuple(future))


def _moment(piece: str, start: int, when: When) -> Moment:
    before = piece[: when.start]
    value = when.value if when.grain in DATED_GRAINS else None
    inside = piece[when.start : when.stop].lower()
    since = when.modifier == "since" or bool(_SINCE.search(before)) or inside.startswith("from ")
    until = when.modifier == "until" or bool(_UNTIL.search(before)) or (since and when.ending is not None)
    return Moment(
        start + when.start, start + when.stop, value, when.first, when.last, since, until, when.modifier == "by"
    )


def start_of(value: str, reference: datetime) -> datetime:
    """The first instant of an ISO day, month or year, in the offset of `reference`."""
    year, month, day = (*(int(part) for part in value.split("-")), 1, 1)[:3]
    offset = reference.utcoffset()
    return datetime(year, month, day, tzinfo=timezone(offset) if offset else UTC)


def timed_tokens(doc: Any, words: Sequence[Word], found: Sequence[Moment]) -> dict[int, Moment]:
    """The positions of the tokens that tell a time, each with its moment."""
    timed = {
        position: moment
        for moment in found
        for position in range(len(doc))
        if words[position].start < moment.stop
        and words[position].stop > moment.start
        and words[position].stop > words[position].start
    }
    for token in doc:
        if token.dep_ == "det" and token.head.i in timed:
            timed.setdefault(token.i, timed[token.head.i])
    return timed


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
