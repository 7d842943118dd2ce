"""When a clause holds or happened: which verb the times told in a piece belong to, and whether they begin or end it.

`workers.english.dates` finds the times, those with a date and those without; the latter are no part of an object either
("paints every day").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from schema.kinds import Modality
from workers.english.dates import When, expressions
from workers.english.dates.relative import NAMED_DAYS
from workers.english.dates.undated import undated
from workers.english.dates.words import MONTH_NAMES, UNITS, WEEKDAY_NAMES
from workers.english.facts.spelling import Word

_SIGNS = {
    *(name[:3] for name in (*MONTH_NAMES, *WEEKDAY_NAMES)),
    *(NAMED_DAYS.keys() - {"otd"}),  # "on this day": of another year
    *UNITS.values(),
    *("ago", "last", "next", "this", "since", "morning", "evening", "christmas", "easter"),
}
_DATED = re.compile(rf"\d|\b(?:{'|'.join(sorted(_SIGNS))})", re.IGNORECASE)
"""A piece without any of these is not searched for dates. Most holidays are not among them: alone, they tell a habit as
often as a day ("during Halloween we watch films").
"""
_SINCE = re.compile(r"\b(?:since|from|starting|as of|beginning)(?:\s+(?:about|around|early|late))?\s*$", re.IGNORECASE)
_UNTIL = re.compile(r"\b(?:until|till|til|through|up to|ends? on)\s*$", re.IGNORECASE)
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
    if _DATED.search(piece):
        past = [_moment(piece, start, when) for when in expressions(piece, reference, prefer="past")]
        future = [_moment(piece, start, when) for when in expressions(piece, reference, prefer="future")]
    found = list(past)
    for moment in [*future, *(Moment(start + first, start + last) for first, last in undated(piece))]:
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


def upcoming(moment: Moment | None, said_at: datetime) -> bool:
    """Whether a moment is still to come when it is told: tomorrow or later, or a longer stretch that has not begun."""
    if moment is None or moment.first is None or (moment.since and moment.first <= said_at):
        return False
    day = said_at.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    return moment.first >= day or (moment.last is not None and moment.last > day and moment.first > said_at)


def validity(
    moment: Moment | None, modality: Modality, said_at: datetime, *, upcoming: bool
) -> tuple[datetime | None, datetime | None]:
    """What bounds the time in which a statement holds. What happened or is has begun when its date does; what is
    planned has not, and "until May" and "by May" do not tell when it began.
    """
    if moment is None or moment.value is None:
        return None, None
    begin = moment.first if moment.since else None
    if begin is None and not (moment.until or moment.by or upcoming) and modality is not Modality.PLANNED:
        begin = _start_of(moment.value, said_at)
    end = moment.last if moment.until and modality in {Modality.ASSERTED, Modality.PLANNED} else None
    return begin, end


def _start_of(value: str, reference: datetime) -> datetime:
    """The first instant of an ISO day, month or year, in the offset of `reference`."""
    year, month, day = (*(int(part) for part in value.split("-")), 1, 1)[:3]
    offset = reference.utcoffset()
    return datetime(year, month, day, tzinfo=timezone(offset) if offset else UTC)
