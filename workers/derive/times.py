"""Draft docstring."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta, timezone
from typing import Literal

from workers.derive.calendar_dates import Read, Reader, Thing
from workers.derive.calendar_grammar import simple
from workers.derive.calendar_numbers import number, ordinal
from workers.derive.calendar_periods import DAY, Grain, Partial, Period, Prefer, around, resolve
from workers.derive.calendar_words import MONTHS, SHIFTS, TO, Tokens

TIMES = "times/1"

Open = Literal["since", "until", "before", "after", "by"]


@dataclass(frozen=True, slots=True)
class When:
    """A date or a stretch of the calendar that a text names at `text[start:stop]`."""

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
    """Return the calendar expressions of `text` in order, resolved against `reference`."""
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
            read = _expression(reader, at, zone, found[-1].stop if found else 0)
        except (ValueError, OverflowError):
            read = None
        if read is None:
            at += 1
        else:
            at = read[0]
            found.append(read[1])
    return found


@dataclass(frozen=True, slots=True)
class _Range:
    first: Period
    last: Period


def _expression(r: Reader, at: int, zone: timezone, free: int) -> tuple[int, When] | None:
    tokens = r.tokens
    days = _day_range(r, at)
    if days:
        stop, span = days
        return stop, _range_when(tokens, _start_of_range(tokens, at), stop, span, zone)
    read = simple(r, at)
    if read is None:
        return _phrases(r, at, zone)
    stop, thing = read
    ranged = _range(r, at, stop, thing)
    if ranged:
        stop, span = ranged
        return stop, _range_when(tokens, _start_of_range(tokens, at), stop, span, zone)
    period = r.resolved(thing)
    if period is None:
        return None
    before = _modifier(tokens, at)
    start, modifier = (at, None) if before is None or tokens.start[before[0]] < free else before
    if modifier is None:
        after = _trailing(tokens, stop)
        if after:
            stop, modifier = after
    return stop, _when(tokens, start, stop, period, modifier, zone)


def _day_range(r: Reader, at: int) -> tuple[int, _Range] | None:
    """Read "9 to 12 June", "the ninth and the seventeenth of April", "4-23 in next month"."""
    tokens = r.tokens
    first = _day(tokens, at)
    if first is None:
        return None
    linked = tokens.at(first[0])
    between = "between" in {tokens.at(at - 1), tokens.at(at - 2)}
    if linked not in TO and not (linked == "and" and between):
        return None
    inner = tokens.skip(first[0] + 1, "the")
    last = _day(tokens, inner)
    if last is None:
        return None
    after = tokens.skip(tokens.skip(last[0], "of", "in"), "the")
    if tokens.at(after) in MONTHS and not (tokens.glued(at) and tokens.at(at - 1) in {"-", "/", ".", ":"}):
        end = simple(r, inner)
        if end is None or not isinstance(end[1], Partial) or end[1].day != last[1]:
            return None
        return _joined(r, end[0], _earlier(first[1], end[1]), end[1])
    if tokens.at(after) in SHIFTS and tokens.at(after + 1) == "month":
        month = around(r.today, "month", SHIFTS[tokens.at(after)]).first
        ends = (Partial(month.year, month.month, first[1]), Partial(month.year, month.month, last[1]))
        return _joined(r, after + 2, *ends)
    return None


def _day(tokens: Tokens, at: int) -> tuple[int, int] | None:
    found = ordinal(tokens, at) or number(tokens, at)
    return found if found and 1 <= found[1] <= 31 else None


def _earlier(day: int, end: Partial) -> Partial:
    """The day before the end of a range of which only its number is said: in the same month or the one before."""
    if end.day is None or end.month is None or day < end.day:
        return replace(end, day=day)
    month = end.month - 1 or 12
    return Partial(end.year - (month == 12) if end.year else None, month, day)


def _range(r: Reader, at: int, stop: int, thing: Thing) -> tuple[int, _Range] | None:
    """Read the other end of a range after its beginning."""
    tokens = r.tokens
    linked = tokens.at(stop)
    between = "between" in {tokens.at(at - 1), tokens.at(at - 2)}
    if not (linked in TO or (linked == "and" and between)) or linked in {"until", "till", "til"} and tokens.at(at - 1) == "until":
        return None
    after = tokens.skip(tokens.skip(stop + 1, "in", "on", "around", "about"), "the")
    if isinstance(thing, Partial) and thing.day is not None and thing.month is not None:
        day = _day(tokens, after)
        ahead = simple(r, after)
        longer = ahead and ahead[0] > day[0] and isinstance(ahead[1], Partial) and ahead[1].month is not None if day else True
        if day and not longer and day[1] > thing.day and not tokens.counted(day[0]) and tokens.at(day[0]) != ":":
            end_stop, end = _with_year(r, day[0], replace(thing, day=day[1]))
            return _joined(r, end_stop, thing, end)
    if tokens.at(after) in {"now", "present", "today"} or (tokens.at(after), tokens.at(after + 1)) == ("current", "date"):
        first = resolve(thing, r.today, "past") if isinstance(thing, Partial) else thing
        today = Period(r.today, r.today + DAY, "day", r.today.isoformat())
        later = after + 1 + (tokens.at(after) == "current")
        return (later, _Range(first, today)) if first and first.first <= r.today else None
    end_read = _end(r, after, thing)
    return _joined(r, end_read[0], thing, end_read[1]) if end_read else None


def _with_year(r: Reader, at: int, end: Partial) -> tuple[int, Partial]:
    from workers.derive.calendar_dates import year

    after = r.tokens.skip(at, ",", "of", "/")
    found = year(r, after) if end.year is None else None
    return (found[0], replace(end, year=found[1])) if found else (at, end)


def _end(r: Reader, at: int, first: Thing) -> Read:
    """The date that ends a range; a bare month or year is one here, whatever stands before it."""
    from workers.derive.calendar_dates import year

    read = simple(r, at)
    if read:
        return read
    word = r.tokens.at(at)
    if word in MONTHS and isinstance(first, Partial) and first.month is not None:
        return at + 1, Partial(month=MONTHS[word])
    found = year(r, at)
    if found and (isinstance(first, Period) or first.year is not None):
        return found[0], Partial(year=found[1])
    return None


def _joined(r: Reader, stop: int, first: Thing, last: Thing) -> tuple[int, _Range] | None:
    """Resolve both ends: each takes from the other what was not said of it."""
    if isinstance(first, Partial) and isinstance(last, Partial):
        first, last = _shared(first, last)
    begin: Period | None
    if isinstance(first, Partial) and first.year is None and isinstance(last, Period):
        begin = resolve(first, last.first, "past")
    else:
        begin = r.resolved(first)
    if begin is None:
        return None
    end = resolve(last, begin.first, "future") if isinstance(last, Partial) else last
    if end is None or end.first < begin.first:
        return None
    return stop, _Range(begin, end)


def _shared(first: Partial, last: Partial) -> tuple[Partial, Partial]:
    if first.month is None and first.day is not None and last.month is not None:
        first = _earlier(first.day, last)
    if first.year is None and last.year is not None and first.month and last.month:
        wraps = (first.month, first.day or 1) > (last.month, last.day or 31)
        first = replace(first, year=last.year - wraps)
    return first, last


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
    ("<", "="): "until",
    (">", "="): "since",
    ("<",): "before",
    (">",): "after",
}


def _modifier(tokens: Tokens, at: int) -> tuple[int, Open] | None:
    """The open end that the words before a date give it, and where they begin."""
    before = at
    while before > at - 2 and tokens.at(before - 1) in {"the", "about", "around", "early", "at", "of"} and before > 0:
        if tokens.at(before - 1) == "of" and tokens.at(before - 2) != "as":
            break
        if tokens.at(before - 1) == "of":
            break
        before -= 1
    for length in (3, 2, 1):
        words = tuple(tokens.low[max(before - length, 0) : before])
        if len(words) == length and words in _BEFORE:
            return before - length, _BEFORE[words]
    return None


def _trailing(tokens: Tokens, at: int) -> tuple[int, Open] | None:
    words = (tokens.at(at), tokens.at(at + 1))
    ends = not tokens.at(at + 2)[:1].isalnum()
    if words[0] in {"or", "and"} and words[1] in {"later", "after", "onwards", "onward"} and (ends or words == ("or", "later")):
        return at + 2, "since"
    if words[0] in {"or", "and"} and words[1] in {"earlier", "before"} and ends:
        return at + 2, "until"
    if words[0] in {"onwards", "onward"}:
        return at + 1, "since"
    if words in {("and", "beyond"), ("on", "wards")}:
        return at + 2, "since"
    return None


def _phrases(r: Reader, at: int, zone: timezone) -> tuple[int, When] | None:
    """Read "to date", "till now"."""
    tokens = r.tokens
    if tokens.at(at) in {"to", "till", "until"} and tokens.at(at + 1) == "date" and tokens.at(at - 1) != "up" and not tokens.at(at + 2)[:1].isalnum():
        today = Period(r.today, r.today + DAY, "day", r.today.isoformat(), relative=True)
        return at + 2, _when(tokens, at, at + 2, today, "until", zone)
    return None


def _start_of_range(tokens: Tokens, at: int) -> int:
    while at > 0 and tokens.at(at - 1) in {"the", "from", "between"}:
        at -= 1
        if tokens.at(at) != "the":
            break
    return at


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
        first, ending = None, of.value
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


def _range_when(tokens: Tokens, start: int, stop: int, span: _Range, zone: timezone) -> When:
    return When(
        tokens.start[start],
        tokens.stop[stop - 1],
        span.first.value,
        _midnight(span.first.first, zone),
        _midnight(span.last.last, zone),
        span.first.grain,
        "daterange",
        ending=span.last.value,
        relative=span.first.relative or span.last.relative,
        approximate=span.first.approximate or span.last.approximate,
    )


_ = timedelta
