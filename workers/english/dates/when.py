"""The calendar expressions of a text: single dates with their open ends ("since", "by"), and ranges."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime, time, timezone
from typing import Literal

from workers.english.dates import periods, ranges
from workers.english.dates.grammar import simple
from workers.english.dates.periods import DAY, Grain, Period, Prefer, relative
from workers.english.dates.ranges import Range
from workers.english.dates.reader import Reader, Thing
from workers.english.dates.words import Tokens

Open = Literal["since", "until", "before", "after", "by"]


@dataclass(frozen=True, slots=True)
class When:
    """A date or a stretch of the calendar that a text names at `text[start:stop]`, with its "since" or "from".

    `value` is ISO 8601 as finely as the text says; of a range it names the beginning ("from 2014 to 2018": "2014") and
    `ending` the end, None where the text names none ("last week"). With "until" and "by" both name the end.

    `[first, last)` holds the days: `last` is None for "since" and "after", `first` for "until", "before" and "by". The
    last unit that is named belongs to it ("until 2018" ends with 2018, "before 2018" with 2017). `grain` is the unit
    that `value` is told in. `kind` is "date" for a single day.

    `point` is the day that counting gives where `value` is coarser ("two years ago"). `relative`: counted from the
    reference. `approximate`: "a few", "about".
    """

    start: int
    stop: int
    value: str
    first: datetime | None
    last: datetime | None
    grain: Grain
    kind: Literal["date", "daterange"]
    modifier: Open | None = None
    ending: str | None = None
    point: str | None = None
    relative: bool = False
    approximate: bool = False


def expressions(text: str, reference: datetime, prefer: Prefer = None) -> list[When]:
    """Return the calendar expressions of `text` in order, none overlapping another.

    `prefer` decides which occurrence "on Friday", "in March" or "May 3" means: None is "past", except after "by".
    Raises ValueError for a `reference` without an offset, and nothing for any text.
    """
    offset = reference.utcoffset()
    if offset is None:
        raise ValueError("a reference without an offset names no day")
    tokens = Tokens(text)
    reader = Reader(tokens, reference.date(), prefer, simple)
    zone = timezone(offset)
    found: list[When] = []
    at = 0
    while at < tokens.count:
        try:
            stop, when = _read(reader, at, zone, found[-1].stop if found else 0)
        except (ValueError, OverflowError):  # beyond the calendar: 30 February, in 9000 years
            stop, when = at + 1, None
        if when is not None:
            found.append(when)
        at = stop
    return found


def _read(r: Reader, at: int, zone: timezone, free: int) -> tuple[int, When | None]:
    """Read what begins at a word, and return where to go on. What ends before `free` is taken."""
    tokens = r.tokens
    usual = ranges.routine(tokens, at)
    if usual is not None:
        return usual, None
    span = ranges.days(r, at)
    read = None if span else ranges.beginning(r, at) or simple(r, at)
    if read:
        span = ranges.span(r, at, *read)
    if span:
        return span[0], _range(tokens, ranges.start(tokens, at), *span, zone)
    if read:
        return _single(r, at, *read, zone, free)
    if tokens.low[at] in {"to", "till", "until"} and tokens.at(at + 1) == "date" and _so_far(tokens, at):
        return at + 2, _when(tokens, at, at + 2, relative(periods.day(r.today)), "until", zone)
    return at + 1, None


def _so_far(tokens: Tokens, at: int) -> bool:
    """Whether "to date" is said as an adverb: not "up to date", "to date someone"."""
    return tokens.at(at - 1) != "up" and not tokens.at(at + 2)[:1].isalnum()


def _single(r: Reader, at: int, stop: int, thing: Thing, zone: timezone, free: int) -> tuple[int, When | None]:
    tokens = r.tokens
    begins, modifier = _modifier(tokens, at) or (at, None)
    if begins < at and tokens.start[begins] < free:
        begins, modifier = at, None
    if modifier == "by" and r.prefer is None:
        r = replace(r, prefer="future")
    period = r.resolved(thing)
    if period is None:
        return at + 1, None
    if modifier is None and period.relative and tokens.at(at - 1) == "than" and tokens.at(at - 2) in {"more", "less"}:
        further = (tokens.at(at - 2) == "more") == (period.first < r.today)
        begins, modifier = at - 2, "before" if further else "after"
        if period.point is not None:
            period = replace(period, first=period.point, last=period.point + DAY)
    if modifier is None:
        stop, modifier = _trailing(tokens, stop) or (stop, None)
    return stop, _when(tokens, begins, stop, period, modifier, zone)


_BEFORE: dict[tuple[str, ...], Open] = {
    ("since",): "since",
    ("until",): "until",
    ("till",): "until",
    ("til",): "until",
    ("before",): "before",
    ("after",): "after",
    ("by",): "by",
    ("prior", "to"): "before",
    ("later", "than"): "after",
    ("earlier", "than"): "before",
    ("up", "to"): "until",
    ("starting",): "since",
    ("starting", "on"): "since",
    ("starting", "from"): "since",
    ("starting", "in"): "since",
    ("beginning",): "since",
    ("beginning", "on"): "since",
    ("beginning", "in"): "since",
    ("as", "of"): "since",
    ("as", "early", "as"): "since",
    ("as", "late", "as"): "until",
    ("no", "later", "than"): "by",
    ("not", "later", "than"): "by",
    ("no", "earlier", "than"): "since",
    ("not", "earlier", "than"): "since",
    ("not", "before"): "since",
    ("on", "or", "before"): "until",
    ("on", "or", "after"): "since",
    ("<", "="): "until",
    (">", "="): "since",
    ("<",): "before",
    (">",): "after",
}


def _modifier(tokens: Tokens, at: int) -> tuple[int, Open] | None:
    """The open end that the words before a date give it, and where they begin."""
    before = at
    while before > max(at - 2, 0) and tokens.at(before - 1) in {"the", "about", "around", "at"}:
        before -= 1
    for length in (3, 2, 1):
        words = tuple(tokens.low[max(before - length, 0) : before])
        if words in _BEFORE and len(words) == length:
            return before - length, _BEFORE[words]
    return None


def _trailing(tokens: Tokens, at: int) -> tuple[int, Open] | None:
    """The open end that the words after a date give it, and where they stop."""
    words = (tokens.at(at), tokens.at(at + 1))
    ends = not tokens.at(at + 2)[:1].isalnum()
    if (
        words[0] in {"or", "and"}
        and words[1] in {"later", "after", "onwards", "onward"}
        and (ends or words == ("or", "later"))
    ):
        return at + 2, "since"
    if words[0] in {"or", "and"} and words[1] in {"earlier", "before"} and ends:
        return at + 2, "until"
    if words[0] in {"onwards", "onward"}:
        return at + 1, "since"
    if words in {("and", "beyond"), ("on", "wards")}:
        return at + 2, "since"
    return None


def _midnight(when: date, zone: timezone) -> datetime:
    return datetime.combine(when, time(), zone)


def _when(tokens: Tokens, start: int, stop: int, of: Period, modifier: Open | None, zone: timezone) -> When:
    first: date | None = of.first
    last: date | None = of.last
    ending = None
    if modifier == "since":
        last = None
    elif modifier == "after":
        first, last = of.last, None
    elif modifier == "before":
        first, last = None, of.first
    elif modifier in {"until", "by"}:
        first, ending = None, of.ending or of.value
    return When(
        tokens.start[start],
        tokens.stop[stop - 1],
        of.value,
        _midnight(first, zone) if first else None,
        _midnight(last, zone) if last else None,
        of.grain,
        "date" if modifier is None and of.grain == "day" and of.last - of.first == DAY else "daterange",
        modifier,
        ending,
        of.point.isoformat() if of.point else None,
        of.relative,
        of.approximate,
    )


def _range(tokens: Tokens, start: int, stop: int, span: Range, zone: timezone) -> When:
    return When(
        tokens.start[start],
        tokens.stop[stop - 1],
        span.first.value,
        _midnight(span.first.first, zone),
        _midnight(span.last.last, zone),
        span.first.grain,
        "daterange",
        ending=span.last.ending or span.last.value,
        relative=span.first.relative or span.last.relative,
        approximate=span.first.approximate or span.last.approximate,
    )
