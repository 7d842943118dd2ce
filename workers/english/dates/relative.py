"""Dates counted from another day: "today", "two days ago", "in 3 weeks", "3 weeks from Tuesday", "Easter 2018".

Counted from the day of the reference unless the text names the other one. What is only told from an earlier sentence
("the next day", "two years later" in a story of the past) is not resolved.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from workers.english.dates import holidays, periods
from workers.english.dates.numbers import Amount, amount, digits_year, number, spoken_year
from workers.english.dates.periods import DAY, WEEK, Period, part, relative, weekend
from workers.english.dates.reader import Read, Reader, shifted_year, year
from workers.english.dates.shifts import number_shift, stretch
from workers.english.dates.words import DAY_PARTS, FESTIVE, WEEKDAYS

NAMED_DAYS = {
    "today": 0, "tonight": 0, "tonite": 0, "otd": 0, "yesterday": -1, "tomorrow": 1, "tmr": 1, "tmrw": 1, "tomorow": 1,
}  # fmt: skip


TO_DATE = {"mtd": "month", "ytd": "year", "wtd": "week", "qtd": "quarter"}


ENDS = {"eoy": "year", "eom": "month", "eow": "week"}


def named_day(r: Reader, at: int) -> Read:
    """Read "today", "tomorrow morning", "day before yesterday"."""
    tokens = r.tokens
    word = tokens.base(at)
    if word in NAMED_DAYS:
        stop = at + 2 if tokens.at(at + 1) in DAY_PARTS else at + 1
        return stop, relative(periods.day(r.today + NAMED_DAYS[word] * DAY))
    if word in TO_DATE:
        return at + 1, to_date(r, TO_DATE[word])
    if word in ENDS:
        return at + 1, relative(part(periods.around(r.today, ENDS[word], 0), "late", r.today))
    return None


def to_date(r: Reader, unit: str) -> Period:
    """Return the unit that today is in, up to today."""
    return replace(periods.around(r.today, unit, 0), last=r.today + DAY, relative=True)


def holiday(r: Reader, at: int) -> Read:
    """Read a holiday's name, with a year or a weekend: "Easter 2018", "Labor Day weekend", "Christmas of last year"."""
    tokens = r.tokens
    found = holidays.named(tokens, at)
    if found is None:
        return None
    stop, rule = found
    after = tokens.skip(tokens.skip(stop, ",", "of", "in", "'"), "the")
    read = digits_year(tokens, after) or spoken_year(tokens, after) or year(r, after, sure=tokens.at(after - 1) == "'")
    when = None
    if read and (tokens.at(read[0]) == "weekend" or not tokens.counted(read[0])):
        stop, when = read[0], rule(read[1])
    elif later := shifted_year(r, after):
        stop, when = later[0], rule(later[1])
    elif not (tokens.led(at) or tokens.at(at - 1) == "at" or stop - at > 1) or tokens.at(stop) in FESTIVE:
        return None
    when = when or holidays.occurrence(rule, r.today, r.prefer)
    if tokens.at(stop) == "weekend":
        return stop + 1, periods.holiday_weekend(when)
    return stop, periods.day(when)


def counted(r: Reader, at: int) -> Read:
    """Read an amount with the word that says from where: "two days ago", "3 weeks from Tuesday", "5 upcoming years"."""
    tokens = r.tokens
    direct = number_shift(r, at)
    if direct:
        return direct
    named = _named_days(r, at)
    if named:
        return named
    read = amount(tokens, at)
    if read is None or (tokens.glued(at) and tokens.at(at - 1) in {".", "/", ":", "$", "-"}):
        return None
    stop, length = read
    word = tokens.at(stop)
    if word == "ago" and length.unit == "week" and tokens.at(stop + 1) == "today":
        return stop + 2, relative(periods.day(length.after(r.today, -1)))
    if word in {"ago", "back"}:
        return (
            (stop + 1, _counted(length, r.today, -1))
            if word == "ago" or tokens.at(stop + 1) not in {"to", "in", "and"}
            else None
        )
    if word in {"later", "hence"} and r.prefer != "past":
        return stop + 1, _counted(length, r.today, 1)
    stop = tokens.skip(stop, ",")
    return _from_anchor(r, at, stop, length)


def _named_days(r: Reader, at: int) -> Read:
    """Read "two Fridays ago", "three Mondays from now", "two weekends ago"."""
    tokens = r.tokens
    many = number(tokens, at)
    if many is None:
        return None
    stop, count = many
    name = tokens.at(stop).removesuffix("s")
    if tokens.at(stop + 1) == "ago":
        if name == "weekend":
            return stop + 2, relative(weekend(r.today - (count - (r.today.weekday() > 4)) * WEEK))
        if name in WEEKDAYS:
            last = periods.weekday_near(WEEKDAYS[name], r.today, "past")
            return stop + 2, relative(periods.day(last - (count - 1) * WEEK))
    if name in WEEKDAYS and (tokens.at(stop + 1), tokens.at(stop + 2)) == ("from", "now"):
        coming = periods.weekday_near(WEEKDAYS[name], r.today + DAY, "future")
        return stop + 3, relative(periods.day(coming + (count - 1) * WEEK))
    return None


def _from_anchor(r: Reader, at: int, stop: int, length: Amount) -> Read:
    """Read "from now", "after Easter", "before May 13", "starting tomorrow" after an amount."""
    tokens = r.tokens
    word = tokens.at(stop)
    if word not in {"from", "after", "before", "starting", "beginning", "prior"}:
        return None
    after = tokens.skip(stop + 1, "to", "on", "from")
    if tokens.at(after) == "now":
        return (after + 1, _counted(length, r.today, 1)) if word == "from" else None
    r = replace(r, prefer=r.prefer or "future")
    read = r.inner(after)
    period = r.resolved(read[1]) if read else None
    if read is None or period is None or (period.grain != "day" and word not in {"before", "after", "prior"}):
        return None
    if word in {"starting", "beginning"} or (tokens.at(at - 1) == "for" and word == "from"):
        last = length.after(period.first)
        return read[0], Period(period.first, last, "day", period.value, relative=True, approximate=length.vague)
    when = length.after(period.first, -1 if word in {"before", "prior"} else 1)
    if period.grain == length.unit and period.grain in {"month", "year"}:
        return read[0], _counted(length, period.first, -1 if word in {"before", "prior"} else 1)
    if period.grain != "day" and length.unit == "day":
        when = length.after(period.last - DAY if word == "after" else period.first, 1 if word == "after" else -1)
    return read[0], replace(periods.day(when), relative=True, approximate=length.vague)


def _counted(length: Amount, start: date, sign: int) -> Period:
    """The day that lies an amount away, as wide as the finest unit that was said."""
    when = length.after(start, sign)
    if length.unit == "year":
        found = periods.year(when.year)
    elif length.unit == "month":
        found = periods.month(when.year, when.month)
    elif length.unit == "week":
        found = Period(when - 3 * DAY, when + 4 * DAY, "week", when.isoformat())
    else:
        found = periods.day(when)
    return replace(found, point=when, relative=True, approximate=length.vague)


def ahead(r: Reader, at: int) -> Read:
    """Read "in two weeks", "within 9 months", "within the next year". In the past tense these tell how long."""
    tokens = r.tokens
    inner = tokens.skip(tokens.skip(at + 1, "the"), "next", "coming")
    read = amount(tokens, inner)
    if (
        read is None
        or r.prefer == "past"
        or _denied(r, at)
        or (tokens.at(at + 1) == "a" and tokens.at(at + 2) == "day")
    ):
        return None
    stop, length = read
    stop = tokens.skip(stop, "time")
    if tokens.at(at) == "in":
        blocked = tokens.at(stop) in {"of", "since", "a", "after", "from", "before", "ago", "when"} or inner > at + 1
        return None if blocked else (stop, _counted(length, r.today, 1))
    last = length.after(r.today)
    return stop, replace(stretch(r.today, last, length), value=r.today.isoformat())


def _denied(r: Reader, at: int) -> bool:
    """Whether the clause is negated: "we haven't talked in weeks" tells how long."""
    return any(
        word.endswith("n't") or word in {"not", "never", "once", "twice"} for word in r.tokens.low[max(at - 6, 0) : at]
    )
