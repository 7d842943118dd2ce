"""Ranges of dates: "from May to October 2020", "9 to 12 June", "between now and Friday", "2014-2018".

Each end takes from the other what was not said of it: the year of the end, the month of either. A range includes the
last unit it names: "from 2014 to 2018" ends with 2018.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from workers.english.dates import periods
from workers.english.dates.grammar import simple
from workers.english.dates.numbers import LIKELY_YEARS, digits_year, number, ordinal
from workers.english.dates.numeric import numeric
from workers.english.dates.periods import Partial, Period, around, relative, resolve
from workers.english.dates.reader import Read, Reader, Thing, year
from workers.english.dates.words import MONTHS, PARTS, SHIFTS, TO, WEEKDAYS, Tokens


@dataclass(frozen=True, slots=True)
class Range:
    """The periods that a range begins and ends with, both included."""

    first: Period
    last: Period


def span(r: Reader, at: int, stop: int, thing: Thing) -> tuple[int, Range] | None:
    """Read the other end of a range whose beginning was read up to `stop`."""
    tokens = r.tokens
    linked = tokens.at(stop)
    if linked not in TO and not (linked == "and" and "between" in {tokens.at(at - 1), tokens.at(at - 2)}):
        return None
    after = tokens.skip(tokens.skip(stop + 1, "in", "on", "around", "about"), "the")
    found = _last_day(r, after, thing)
    if found:
        return found
    current = tokens.at(after) == "current" and tokens.at(after + 1) == "date"
    if current or tokens.at(after) in {"now", "present", "today"}:
        first = resolve(thing, r.today, "past") if isinstance(thing, Partial) else thing
        today = relative(periods.day(r.today))
        return (after + 1 + current, Range(first, today)) if first and first.first <= r.today else None
    end = _end(r, after, thing)
    return _joined(r, end[0], thing, end[1]) if end else None


def _last_day(r: Reader, at: int, first: Thing) -> tuple[int, Range] | None:
    """Read the end of "April 9th through 17th", of which only the day is said."""
    if not isinstance(first, Partial) or first.day is None or first.month is None:
        return None
    last = _day(r.tokens, at)
    if last is None or last[1] <= first.day or r.tokens.counted(last[0]):
        return None
    longer = simple(r, at) or numeric(r, at, inner=True)
    if longer and longer[0] > last[0] and (not isinstance(longer[1], Partial) or longer[1].month):
        return None
    stop, end = _with_year(r, last[0], replace(first, day=last[1]))
    return _joined(r, stop, first, end)


def _with_year(r: Reader, at: int, end: Partial) -> tuple[int, Partial]:
    after = r.tokens.skip(at, ",", "of", "/")
    found = year(r, after) if end.year is None else None
    return (found[0], replace(end, year=found[1])) if found else (at, end)


def _end(r: Reader, at: int, first: Thing) -> Read:
    """The date that ends a range; a bare month or year is one here, whatever stands before it."""
    read = numeric(r, at, inner=True) or simple(r, at)
    if read and not (isinstance(read[1], Period) and not read[1].relative):
        return read
    if read:
        start = resolve(first, r.today, r.prefer) if isinstance(first, Partial) else first
        if start and isinstance(read[1], Period) and read[1].first < start.first:
            # "until the end of June": the June after the beginning
            return simple(replace(r, today=start.first, prefer="future"), at)
        return read
    word = r.tokens.at(at)
    if word in MONTHS and isinstance(first, Partial) and first.month is not None:
        return at + 1, Partial(month=MONTHS[word])
    found = year(r, at)
    if found and (isinstance(first, Period) or first.year is not None):
        return found[0], Partial(year=found[1])
    return None


def _joined(r: Reader, stop: int, first: Thing, last: Thing) -> tuple[int, Range] | None:
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
    return stop, Range(begin, end)


def _shared(first: Partial, last: Partial) -> tuple[Partial, Partial]:
    if first.month is None and first.day is not None and last.month is not None:
        first = _earlier(first.day, last)
    if first.year is None and last.year is not None and first.month and last.month:
        wraps = (first.month, first.day or 1) > (last.month, last.day or 31)
        first = replace(first, year=last.year - wraps)
    return first, last


def beginning(r: Reader, at: int) -> Read:
    """Read what is a date only as the beginning of a range: "May to March", "2014-2018", "between now and Friday"."""
    tokens = r.tokens
    word, linked = tokens.at(at), tokens.at(at + 1)
    if linked not in TO and not (linked == "and" and tokens.at(at - 1) == "between"):
        return None
    after = tokens.skip(at + 2, "the")
    if word in MONTHS:
        ends = tokens.at(after) in MONTHS or (tokens.at(after) in PARTS and simple(r, after))
        return (at + 1, Partial(month=MONTHS[word])) if ends else None
    if word == "now" and tokens.at(at - 1) in {"between", "from"}:
        return at + 1, relative(periods.day(r.today))
    first, last = digits_year(tokens, at), digits_year(tokens, after)
    if first and last and first[1] < last[1] and first[1] in LIKELY_YEARS and last[1] in LIKELY_YEARS:
        written = tokens.glued(at) and tokens.at(at - 1) not in {"(", "["}
        return None if written or tokens.counted(last[0]) else (at + 1, Partial(year=first[1]))
    return None


def days(r: Reader, at: int) -> tuple[int, Range] | None:
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


def routine(tokens: Tokens, at: int) -> int | None:
    """Return where "Monday to Friday" ends: without a word before it, it tells how often rather than when."""
    if tokens.at(at) in WEEKDAYS and tokens.at(at + 1) in TO and tokens.at(at + 2) in WEEKDAYS:
        return at + 3 if tokens.at(at - 1) not in {"from", "between", "on", "next", "this", "last"} else None
    return None


def start(tokens: Tokens, at: int) -> int:
    """Return where a range begins whose first date is at a word: at its "from" or "between"."""
    while at > 0 and tokens.at(at - 1) in {"the", "from", "between"}:
        at -= 1
        if tokens.at(at) != "the":
            break
    return at
