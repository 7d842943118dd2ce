"""Dates told by "this", "next", "last", "past", "coming", "previous", "following".

"last Friday" is the most recent one before today, as people use it in conversations (LoCoMo's answers agree); "next
Friday" is the one of the week after this, "previous" the one of the week before. "the last three weeks" end yesterday,
"the next three weeks" begin tomorrow; quarters, decades and centuries are those of the calendar.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta

from workers.english.dates import holidays, periods
from workers.english.dates.named import month_first, weekday
from workers.english.dates.numbers import Amount, amount, number, one, rolling
from workers.english.dates.numeric import numeric
from workers.english.dates.parts import ordinal_unit
from workers.english.dates.periods import DAY, Partial, Period, relative, weekend
from workers.english.dates.reader import Read, Reader
from workers.english.dates.words import DAY_PARTS, MONTHS, PLURALS, SEASONS, SHIFTS, UNITS, WEEKDAYS


def shifted(r: Reader, at: int) -> Read:
    """Read what follows "this", "next", "last", "past", "coming": a number of units, a unit, a weekday, a name."""
    tokens = r.tokens
    word = tokens.at(at)
    after = at + 1
    if word in {"this", "next"} and tokens.at(after) in {"past", "coming", "upcoming"}:
        word, after = tokens.at(after), after + 1
    step = SHIFTS[word]
    if step and tokens.at(after) not in UNITS:
        several = amount(tokens, after)
        if several and tokens.at(several[0]) in {"ago", "earlier"}:
            several = amount(tokens, after, units=1)  # "the last 3 months and 2 days ago" is two expressions
        ended = several and tokens.at(several[0]) == "of" and step < 0 and tokens.at(at - 1) == "the"
        if several and not ended and tokens.at(after) not in {"a", "an"}:
            return _several(r, several, step)
    after = tokens.skip(after, "calendar", "working", "same")
    named = tokens.base(after).removesuffix("'")
    for rule in (_shifted_unit, _shifted_name):
        found = rule(r, after, named, word)
        if found:
            return found
    return _shifted_holiday(r, after, step)


def _several(r: Reader, several: tuple[int, Amount], step: int) -> Read:
    stop, length = several
    named = UNITS.get(r.tokens.base(stop - 1), "")
    if named in {"quarter", "decade", "century"} and not length.days:
        count = length.months // {"quarter": 3, "decade": 120, "century": 1200}[named]
        here = periods.around(r.today, named, 0)
        back, forth = (periods.around(r.today, named, sign * count) for sign in (-1, 1))
        ends = (back.first, here.first) if step < 0 else (here.last, forth.last)
    else:
        ends = rolling(r.today, length, 1 if step > 0 else -1)
    return stop, stretch(*ends, length)


def stretch(first: date, last: date, length: Amount) -> Period:
    value = {"year": first.isoformat()[:4], "month": first.isoformat()[:7]}.get(length.unit, first.isoformat())
    grain: periods.Grain = length.unit  # type: ignore[assignment]
    return Period(first, last, grain, value, relative=True, approximate=length.vague)


def _shifted_unit(r: Reader, after: int, named: str, word: str) -> Read:
    tokens, step = r.tokens, SHIFTS[word]
    if named in {"weekend", "wkend"}:
        return after + 1, relative(_shifted_weekend(r, word))
    unit = UNITS.get(named)
    if unit is None or named in PLURALS or unit == "day" or (r.prefer == "past" and word == "following"):
        return None
    stop = after + 1
    if tokens.at(stop) == "of" and tokens.at(after - 2) == "the":
        return None
    if word == "past":
        length = one(unit)
        return stop, stretch(length.after(r.today, -1), r.today, length)
    found = relative(periods.around(r.today, unit, step))
    if unit == "week":
        if tokens.at(after - 1) == "working":
            return stop, replace(found, last=found.last - 2 * DAY)
        inner = tokens.skip(stop, "on")
        if tokens.base(inner) in WEEKDAYS and tokens.base(inner).endswith("day"):
            return inner + 1, relative(periods.day(found.first + WEEKDAYS[tokens.base(inner)] * DAY))
    if tokens.base(after) != tokens.at(after):
        inside = ordinal_unit(r, stop, found)
        if inside:
            return inside
    return stop, found


def _shifted_weekend(r: Reader, word: str) -> Period:
    here = weekend(r.today)
    week = timedelta(days=7)
    if SHIFTS[word] < 0 or (word == "this" and r.prefer == "past" and here.first > r.today):
        return here if here.last <= r.today else weekend(r.today - week)
    if word in {"this", "current", "coming", "upcoming"}:
        return here
    return weekend(r.today + week)


def _shifted_name(r: Reader, after: int, named: str, word: str) -> Read:
    tokens, step = r.tokens, SHIFTS[word]
    dated = weekday(r, after) if named in WEEKDAYS else _month_day(r, after)
    if dated and isinstance(dated[1], Partial) and dated[1].day is not None:
        return _shifted_date(r, dated[0], dated[1], step, apart=named not in WEEKDAYS)
    if named in WEEKDAYS and (named.endswith("day") or tokens.capital(after) or step):
        stop = after + 2 if tokens.at(after + 1) in DAY_PARTS else after + 1
        return stop, relative(periods.day(_shifted_weekday(r, WEEKDAYS[named], word)))
    if named in MONTHS and (named not in {"may", "march", "mar", "jan"} or step or tokens.capital(after)):
        return after + 1, relative(_shifted_span(r, word, lambda year: periods.month(year, MONTHS[named])))
    if named in SEASONS:
        return after + 1, relative(_shifted_span(r, word, lambda year: periods.season(named, year)))
    if named in DAY_PARTS and (word == "this" or (step < 0 and named in {"night", "evening", "nite"})):
        return after + 1, relative(periods.day(r.today + min(step, 0) * DAY))
    return None


def _month_day(r: Reader, at: int) -> Read:
    found = numeric(r, at) if r.tokens.at(at).isdecimal() else month_first(r, at)
    return found if found and isinstance(found[1], Partial) and found[1].month else None


def _shifted_date(r: Reader, stop: int, what: Partial, step: int, *, apart: bool) -> Read:
    """Return "next 5/12", or "this Friday, May 3rd", where today counts too."""
    if step == 0 or what.year is not None or what.weekday is not None:
        return stop, what
    found = periods.resolve(what, r.today + apart * step * DAY, "future" if step > 0 else "past")
    return (stop, relative(found)) if found else None


def _shifted_weekday(r: Reader, number_of_day: int, word: str) -> date:
    """Return the day: "last" is the latest one before today, "next" and "previous" are of the weeks beside this."""
    here = r.today + (number_of_day - r.today.weekday()) * DAY
    week = timedelta(days=7)
    if word in {"last", "past"}:
        return here if here < r.today else here - week
    if word in {"coming", "upcoming"}:
        return here if here > r.today else here + week
    if word == "this":
        if r.prefer == "past" and here > r.today:
            return here - week
        return here + week if r.prefer == "future" and here < r.today else here
    return here + SHIFTS[word] * week


def _shifted_span(r: Reader, word: str, of_year: Callable[[int], Period]) -> Period:
    """The month or season of this year; the last one that is over; the next one to begin."""
    spans = [of_year(r.today.year + step) for step in (-2, -1, 0, 1)]
    if SHIFTS[word] < 0:
        return next(span for span in reversed(spans) if span.last <= r.today)
    if SHIFTS[word] > 0:
        return next(span for span in [*spans, of_year(r.today.year + 2)] if span.first > r.today)
    if spans[1].last > r.today:  # a winter that began last year
        return spans[1]
    return spans[2]


def _shifted_holiday(r: Reader, after: int, step: int) -> Read:
    if after >= r.tokens.count:
        return None
    found = holidays.named(r.tokens, after)
    if found is None:
        return None
    stop, rule = found
    days = [rule(r.today.year + year) for year in (-1, 0, 1)]
    if step > 0:
        when = next(day for day in days if day > r.today)
    elif step < 0:
        when = next(day for day in reversed(days) if day < r.today)
    else:
        when = days[1]
    return stop, periods.day(when)


def number_shift(r: Reader, at: int) -> Read:
    """Read "3 next weeks", "10 previous weeks"."""
    tokens = r.tokens
    many = number(tokens, at)
    if many is None or tokens.at(many[0]) not in SHIFTS or not SHIFTS[tokens.at(many[0])]:
        return None
    named = tokens.at(many[0] + 1)
    if named not in UNITS or (named in PLURALS) == (many[1] == 1):
        return None
    unit = UNITS[named]
    single = one(unit)
    length = Amount(single.months * many[1], (single.days or 0) * many[1], "day" if unit == "day" else single.unit)
    return _several(r, (many[0] + 2, length), SHIFTS[tokens.at(many[0])])
