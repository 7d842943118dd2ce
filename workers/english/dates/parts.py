"""Parts of a longer stretch: "early May", "the end of 1989", "second week of May", "last 3 days of this month"."""

from __future__ import annotations

from dataclasses import replace

from workers.english.dates import periods
from workers.english.dates.numbers import digits_year, number, ordinal, spoken_year
from workers.english.dates.periods import DAY, Period, part, relative, weekend
from workers.english.dates.reader import Read, Reader
from workers.english.dates.words import MONTHS, PARTS, PLURALS, SHIFTS, UNITS, WEEKDAYS


def container(r: Reader, at: int) -> tuple[int, Period] | None:
    """Read a stretch longer than a day that can have parts: "next month", "the year", "May 2018", "2013"."""
    tokens = r.tokens
    after = tokens.skip(at, "the")
    unit = UNITS.get(tokens.base(after))
    if unit and unit != "day" and tokens.base(after) not in PLURALS and after > at:
        if tokens.at(after + 1) in {"of", "when", "that"} or digits_year(tokens, after + 1):
            return None
        return after + 1, relative(periods.around(r.today, unit, 0))
    sure = digits_year(tokens, after) or spoken_year(tokens, after)
    if sure and not tokens.counted(sure[0]):
        return sure[0], periods.year(sure[1])
    if tokens.at(after) in MONTHS and tokens.at(after + 1).isdigit() and len(tokens.at(after + 1)) < 3:
        return None
    read = r.inner(after)
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
    found = container(r, after) or _this_unit(r, after)
    if found is None or (
        word in {"rest", "remainder", "beginning", "start", "end"}
        and after == at + 1
        and tokens.at(after) not in SHIFTS
    ):
        return None
    period = part(found[1], PARTS[word], r.today)
    if PARTS[word] in {"late", "later"}:
        final = (period.last - DAY).isoformat()
        period = replace(period, ending=final[:7] if found[1].grain == "year" and PARTS[word] == "late" else final)
    return found[0], period


def _this_unit(r: Reader, at: int) -> tuple[int, Period] | None:
    """Read the year of "by end of year"."""
    named = r.tokens.at(at)
    if r.tokens.at(at - 1) != "of" or named not in {"week", "month", "quarter", "year"} or number(r.tokens, at + 1):
        return None
    return at + 1, relative(periods.around(r.today, named, 0))


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
        found = periods.weekday_of(of, WEEKDAYS[named], nth)
    elif named == "weekend":
        found = _nth_weekend(of, nth)
    else:
        unit = "half" if named == "half" else UNITS.get(named, "")
        found = periods.nth(of, unit, nth - count + 1 if nth < 0 else nth, count)
    return (after, replace(found, relative=of.relative)) if found else None


def _nth_weekend(of: Period, nth: int) -> Period | None:
    saturday = periods.weekday_of(of, 5, nth)
    return weekend(saturday.first) if saturday else None
