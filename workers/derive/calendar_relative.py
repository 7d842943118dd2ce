"""Dates told from another day: "two days ago", "next Friday", "the last three weeks", "late last summer", "week 23".

Counted from the day of the reference unless the text names the other day ("two weeks before Easter"). What is only told
from an earlier sentence ("the next day", "two years later" in a story of the past) is not resolved.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

from workers.derive import calendar_holidays, calendar_periods
from workers.derive.calendar_dates import Read, Reader, year
from workers.derive.calendar_numbers import Amount, amount, digits_year, number, ordinal, rolling, spoken_year
from workers.derive.calendar_periods import DAY, Period, part, weekend
from workers.derive.calendar_words import (
    DAY_PARTS,
    FESTIVE,
    MONTHS,
    PARTS,
    PLURALS,
    SEASONS,
    SHIFTS,
    UNITS,
    WEEKDAYS,
)

_NAMED_DAYS = {
    "today": 0, "tonight": 0, "tonite": 0, "otd": 0, "yesterday": -1, "tomorrow": 1, "tmr": 1, "tmrw": 1, "tomorow": 1,
}  # fmt: skip
_TO_DATE = {"mtd": "month", "ytd": "year", "wtd": "week", "qtd": "quarter"}
_ENDS = {"eoy": "year", "eom": "month", "eow": "week"}


def named_day(r: Reader, at: int) -> Read:
    """Read "today", "tomorrow morning", "day before yesterday"."""
    tokens = r.tokens
    word = tokens.base(at)
    if word in _NAMED_DAYS:
        stop = at + 2 if tokens.at(at + 1) in DAY_PARTS else at + 1
        return stop, relative(calendar_periods.day(r.today + _NAMED_DAYS[word] * DAY))
    if word in _TO_DATE:
        return at + 1, to_date(r, _TO_DATE[word])
    if word in _ENDS:
        return at + 1, relative(part(calendar_periods.around(r.today, _ENDS[word], 0), "late", r.today))
    return None


def to_date(r: Reader, unit: str) -> Period:
    """Return the unit that today is in, up to today."""
    return replace(calendar_periods.around(r.today, unit, 0), last=r.today + DAY, relative=True)


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
        if several and tokens.at(after) not in {"a", "an"}:
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
    tokens = r.tokens
    if tokens.at(stop) in {"ago", "earlier"} and length.months and length.days:
        # "for the last 3 months and 2 days ago they ..." is two expressions
        whole = next((end for end in range(stop, 0, -1) if tokens.at(end) == "and"), stop)
        first = amount(tokens, _first_of(r, whole))
        stop, length = (whole, first[1]) if first and first[0] == whole else (stop, length)
    if (
        length.unit in {"month", "year"}
        and tokens.base(stop - 1) in {"quarter", "quarters", "decade", "decades"}
        and not length.days
    ):
        unit = UNITS[tokens.base(stop - 1)]
        count = length.months // (3 if unit == "quarter" else 120)
        here = calendar_periods.around(r.today, unit, 0)
        ends = (calendar_periods.around(r.today, unit, -count).first, here.first)
        ends = ends if step < 0 else (here.last, calendar_periods.around(r.today, unit, count).last)
    else:
        ends = rolling(r.today, length, 1 if step > 0 else -1)
    return stop, _span(*ends, length)


def _first_of(r: Reader, conjunction: int) -> int:
    """Where the amount before an "and" begins."""
    for at in range(conjunction - 1, max(conjunction - 7, -1), -1):
        found = amount(r.tokens, at)
        if found and found[0] >= conjunction and r.tokens.at(at - 1) in SHIFTS:
            return at
    return conjunction


def _span(first: date, last: date, length: Amount) -> Period:
    value = {"year": first.isoformat()[:4], "month": first.isoformat()[:7]}.get(length.unit, first.isoformat())
    grain: calendar_periods.Grain = length.unit  # type: ignore[assignment]
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
        length = amount_of(unit)
        return stop, _span(length.after(r.today, -1), r.today, length)
    found = relative(calendar_periods.around(r.today, unit, step))
    if unit == "week":
        if tokens.at(after - 1) == "working":
            return stop, replace(found, last=found.last - 2 * DAY)
        inner = tokens.skip(stop, "on")
        if tokens.base(inner) in WEEKDAYS and tokens.base(inner).endswith("day"):
            return inner + 1, relative(calendar_periods.day(found.first + WEEKDAYS[tokens.base(inner)] * DAY))
    if tokens.base(after) != tokens.at(after):
        inside = ordinal_unit(r, stop, found)
        if inside:
            return inside
    return stop, found


def amount_of(unit: str) -> Amount:
    months = {"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200}.get(unit, 0)
    days = {"day": 1, "week": 7, "fortnight": 14}.get(unit, 0)
    return Amount(months, days, "year" if months > 11 else "month" if months else "week")


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
    if named in WEEKDAYS and (named.endswith("day") or tokens.capital(after) or step):
        stop = after + 2 if tokens.at(after + 1) in DAY_PARTS else after + 1
        return stop, relative(calendar_periods.day(_shifted_weekday(r, WEEKDAYS[named], word)))
    if named in MONTHS and (named not in {"may", "march", "mar", "jan"} or step or tokens.capital(after)):
        return after + 1, relative(_shifted_span(r, word, lambda year: calendar_periods.month(year, MONTHS[named])))
    if named in SEASONS:
        return after + 1, relative(_shifted_span(r, word, lambda year: calendar_periods.season(named, year)))
    if named in DAY_PARTS and (word == "this" or (step < 0 and named in {"night", "evening", "nite"})):
        return after + 1, relative(calendar_periods.day(r.today + min(step, 0) * DAY))
    return None


def _shifted_weekday(r: Reader, weekday: int, word: str) -> date:
    """ "last" is the most recent one before today; "next" and "previous" are of the week after and before."""
    here = r.today + (weekday - r.today.weekday()) * DAY
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


def _shifted_span(r: Reader, word: str, of_year: object) -> Period:
    """The month or season of this year; the last one that is over; the next one to begin."""
    assert callable(of_year)  # noqa: S101
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
    found = calendar_holidays.named(r.tokens, after)
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
    return stop, calendar_periods.day(when)


def holiday(r: Reader, at: int) -> Read:
    """Read a holiday's name, with a year or a weekend: "Easter 2018", "Labor Day weekend", "Christmas of last year"."""
    tokens = r.tokens
    found = calendar_holidays.named(tokens, at)
    if found is None:
        return None
    stop, rule = found
    after = tokens.skip(tokens.skip(stop, ",", "of", "in", "'"), "the")
    read = digits_year(tokens, after) or spoken_year(tokens, after) or year(r, after, sure=tokens.at(after - 1) == "'")
    when = None
    if read and not tokens.counted(read[0]):
        stop, when = read[0], rule(read[1])
    elif tokens.at(after) in SHIFTS and tokens.at(after + 1) == "year":
        stop, when = after + 2, rule(r.today.year + SHIFTS[tokens.at(after)])
    elif not (tokens.led(at) or stop - at > 1) or tokens.at(stop) in FESTIVE:
        return None
    when = when or calendar_holidays.occurrence(rule, r.today, r.prefer)
    if tokens.at(stop) == "weekend":
        return stop + 1, calendar_periods.holiday_weekend(when)
    return stop, calendar_periods.day(when)


def counted(r: Reader, at: int) -> Read:
    """Read an amount with the word that says from where: "two days ago", "3 weeks from Tuesday", "5 upcoming years"."""
    tokens = r.tokens
    direct = _number_shift(r, at)
    if direct:
        return direct
    weekends = number(tokens, at)
    if weekends and tokens.base(weekends[0]) == "weekends" and tokens.at(weekends[0] + 1) == "ago":
        return weekends[0] + 2, relative(
            weekend(r.today - (weekends[1] - (r.today.weekday() > 4)) * timedelta(days=7))
        )
    read = amount(tokens, at)
    if read is None or (tokens.glued(at) and tokens.at(at - 1) in {".", "/", ":", "$", "-"}):
        return None
    stop, length = read
    word = tokens.at(stop)
    if word in {"ago", "back"}:
        return (
            (stop + 1, _counted(r, length, r.today, -1))
            if word == "ago" or tokens.at(stop + 1) not in {"to", "in", "and"}
            else None
        )
    if word in {"later", "hence", "on"} and r.prefer != "past" and word != "on":
        return stop + 1, _counted(r, length, r.today, 1)
    stop = tokens.skip(stop, ",")
    return _from_anchor(r, at, stop, length)


def _number_shift(r: Reader, at: int) -> Read:
    """Read "3 next weeks", "10 previous weeks"."""
    tokens = r.tokens
    many = number(tokens, at)
    if many is None or tokens.at(many[0]) not in SHIFTS or not SHIFTS[tokens.at(many[0])]:
        return None
    unit = UNITS.get(tokens.at(many[0] + 1))
    if unit is None:
        return None
    one = amount_of(unit)
    length = Amount(one.months * many[1], (one.days or 0) * many[1], "day" if unit == "day" else one.unit)
    return _several(r, (many[0] + 2, length), SHIFTS[tokens.at(many[0])])


def _from_anchor(r: Reader, at: int, stop: int, length: Amount) -> Read:
    """Read "from now", "after Easter", "before May 13", "starting tomorrow" after an amount."""
    tokens = r.tokens
    word = tokens.at(stop)
    if word not in {"from", "after", "before", "starting", "beginning", "prior"}:
        return None
    after = tokens.skip(stop + 1, "to", "on", "from")
    if tokens.at(after) == "now":
        return (after + 1, _counted(r, length, r.today, 1)) if word == "from" else None
    read = r.simple(replace(r, prefer=r.prefer or "future"), after)
    period = r.resolved(read[1]) if read else None
    if read is None or period is None or (period.grain != "day" and word not in {"before", "after", "prior"}):
        return None
    if word in {"starting", "beginning"} or (tokens.at(at - 1) == "for" and word == "from"):
        last = length.after(period.first)
        return read[0], Period(period.first, last, "day", period.value, relative=True, approximate=length.vague)
    when = length.after(period.first, -1 if word in {"before", "prior"} else 1)
    if period.grain != "day" and length.unit == "day":
        when = length.after(period.last - DAY if word == "after" else period.first, 1 if word == "after" else -1)
    return read[0], replace(calendar_periods.day(when), relative=True, approximate=length.vague)


def _counted(r: Reader, length: Amount, start: date, sign: int) -> Period:
    """The day that lies an amount away, as wide as the finest unit that was said."""
    when = length.after(start, sign)
    if length.unit == "year":
        found = calendar_periods.year(when.year)
    elif length.unit == "month":
        found = calendar_periods.month(when.year, when.month)
    elif length.unit == "week":
        found = Period(when - 3 * DAY, when + 4 * DAY, "week", when.isoformat())
    else:
        found = calendar_periods.day(when)
    return replace(found, point=when, relative=True, approximate=length.vague)


def ahead(r: Reader, at: int) -> Read:
    """Read "in two weeks", "within 9 months", "within the next year". In the past tense these tell how long."""
    tokens = r.tokens
    inner = tokens.skip(tokens.skip(at + 1, "the"), "next", "coming")
    read = amount(tokens, inner)
    if read is None or r.prefer == "past":
        return None
    stop, length = read
    stop = tokens.skip(stop, "time")
    if tokens.at(at) == "in":
        blocked = tokens.at(stop) in {"of", "since", "a", "after", "from", "before", "ago", "when"} or inner > at + 1
        return None if blocked else (stop, _counted(r, length, r.today, 1))
    last = length.after(r.today)
    return stop, replace(_span(r.today, last, length), value=r.today.isoformat())


def container(r: Reader, at: int) -> tuple[int, Period] | None:
    """Read a stretch longer than a day that can have parts: "next month", "the year", "May 2018", "2013"."""
    tokens = r.tokens
    after = tokens.skip(at, "the")
    unit = UNITS.get(tokens.base(after))
    if unit and unit != "day" and tokens.base(after) not in PLURALS and after > at:
        if tokens.at(after + 1) in {"of", "when", "that"} or digits_year(tokens, after + 1):
            return None
        return after + 1, relative(calendar_periods.around(r.today, unit, 0))
    sure = digits_year(tokens, after) or spoken_year(tokens, after)
    if sure and not tokens.counted(sure[0]):
        return sure[0], calendar_periods.year(sure[1])
    if tokens.at(after) in MONTHS and tokens.at(after + 1).isdigit() and len(tokens.at(after + 1)) < 3:
        return None
    read = r.simple(r, after)
    period = r.resolved(read[1]) if read else None
    return (read[0], period) if read and period and period.grain != "day" else None


def parted(r: Reader, at: int) -> Read:
    """Read "early May", "the end of 1989", "mid-2015", "later this week", "rest of the year"."""
    tokens = r.tokens
    word = tokens.at(at)
    after = tokens.skip(tokens.skip(at + 1, "-"), "of", "in", "on")
    if (
        tokens.at(after) == "the"
        and UNITS.get(tokens.at(after + 1)) is None
        and tokens.at(after + 1) not in {"year"} | set(SHIFTS)
    ):
        after += 1
    found = container(r, after)
    if found is None or (
        word in {"rest", "remainder", "beginning", "start", "end"}
        and after == at + 1
        and tokens.at(after) not in SHIFTS
    ):
        return None
    return found[0], part(found[1], PARTS[word], r.today)


def ordinal_unit(r: Reader, at: int, of: Period | None = None) -> Read:
    """Read "second week of May", "last 3 weeks of this year", "first Monday of next month", "1st quarter 2013"."""
    tokens = r.tokens
    place = (at + 1, -1) if tokens.at(at) in {"last", "final"} else ordinal(tokens, at)
    if place is None or not place[1]:
        return None
    after, nth = place
    many = number(tokens, after) or ((after + 1, 3) if tokens.at(after) == "few" else None)
    count = 1
    if many and UNITS.get(tokens.at(many[0])):
        after, count = many
    named = tokens.base(after)
    after += 1
    if of is None:
        joined = tokens.at(after) in {"of", "in", ","}
        if not joined and named not in {"quarter", "half"}:
            return None
        read = container(r, after + joined)
        if read is None:
            return None
        after, of = read
    found: Period | None
    if named in WEEKDAYS:
        found = calendar_periods.weekday_of(of, WEEKDAYS[named], nth)
    elif named == "weekend":
        found = _nth_weekend(of, nth)
    else:
        unit = "half" if named == "half" else UNITS.get(named, "")
        found = calendar_periods.nth(of, unit, nth - count + 1 if nth < 0 else nth, count)
    return (after, replace(found, relative=of.relative)) if found else None


def _nth_weekend(of: Period, nth: int) -> Period | None:
    saturday = calendar_periods.weekday_of(of, 5, nth)
    return weekend(saturday.first) if saturday else None


def relative(period: Period) -> Period:
    return replace(period, relative=True)

