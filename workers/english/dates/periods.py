"""Stretches of the calendar: what a day, a week, a quarter, a season or a holiday is, counted from a given day.

Everything here is plain dates, half open, without a text. A week begins on Monday and belongs to the year and month
that hold its Thursday (ISO 8601); seasons are the northern three-month ones; "early" and "late" are halves of a month
and thirds of a year. Raises ValueError or OverflowError for what lies outside the calendar; the caller reads that as
"no date".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Literal

from dateutil.easter import easter
from dateutil.relativedelta import relativedelta

from workers.english.dates.words import SEASONS

Grain = Literal["day", "weekend", "week", "month", "season", "quarter", "half", "year", "decade", "century"]
Prefer = Literal["past", "future"] | None

DAY = timedelta(days=1)
WEEK = timedelta(days=7)
_YEARS = (1, 9990)


@dataclass(frozen=True, slots=True)
class Period:
    """The days `[first, last)`, named by their beginning (`value`) and, where that differs, their `ending`.

    `point` is the exact day that counting gives where `value` is coarser.
    """

    first: date
    last: date
    grain: Grain
    value: str
    point: date | None = None
    ending: str | None = None
    relative: bool = False
    approximate: bool = False


@dataclass(frozen=True, slots=True)
class Partial:
    """A date of which some parts are not said: they are taken from the other end of a range, or from the reference."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    weekday: int | None = None


def day(when: date) -> Period:
    return Period(when, when + DAY, "day", when.isoformat())


def week(when: date) -> Period:
    """Return the week that holds `when`."""
    monday = when - when.weekday() * DAY
    return Period(monday, monday + WEEK, "week", monday.isoformat())


def iso_week(year: int, number: int) -> Period:
    return week(date.fromisocalendar(year, number, 1))


def weekend(when: date) -> Period:
    """Return the weekend of the week that holds `when`."""
    saturday = when + (5 - when.weekday()) * DAY
    return Period(saturday, saturday + 2 * DAY, "weekend", saturday.isoformat())


def holiday_weekend(when: date) -> Period:
    """Return the weekend nearest to a holiday, with the holiday if it borders on it."""
    nearest = weekend(when if when.weekday() >= 3 else when - WEEK)
    first, last = min(nearest.first, when), max(nearest.last, when + DAY)
    if (last - first).days > 4:
        first, last = nearest.first, nearest.last
    return Period(first, last, "weekend", first.isoformat())


def month(year: int, number: int) -> Period:
    first = date(year, number, 1)
    return Period(first, first + relativedelta(months=1), "month", f"{year:04d}-{number:02d}")


def months(year: int, number: int, count: int, grain: Grain) -> Period:
    """Return `count` months beginning with `number`, named by the first."""
    first = date(year, number, 1)
    value = f"{year:04d}" if grain in {"decade", "century"} else f"{year:04d}-{number:02d}"
    return Period(first, first + relativedelta(months=count), grain, value)


def quarter(year: int, number: int) -> Period:
    return months(year, number * 3 - 2, 3, "quarter")


def half(year: int, number: int) -> Period:
    return months(year, number * 6 - 5, 6, "half")


def year(number: int) -> Period:
    if not _YEARS[0] <= number <= _YEARS[1]:
        raise ValueError(number)
    return Period(date(number, 1, 1), date(number + 1, 1, 1), "year", f"{number:04d}")


def season(name: str, number: int) -> Period:
    return months(number, SEASONS[name], 3, "season")


def decade(number: int) -> Period:
    return months(number, 1, 120, "decade")


def century(number: int) -> Period:
    return months(max(number * 100 - 100, 1), 1, 1200, "century")


def around(today: date, unit: str, steps: int) -> Period:
    """Return the calendar unit that lies `steps` units from the one that holds `today`."""
    if unit == "week":
        return week(today + steps * WEEK)
    if unit == "fortnight":
        return week(today + 2 * steps * WEEK)
    if unit == "month":
        when = today.replace(day=1) + relativedelta(months=steps)
        return month(when.year, when.month)
    if unit == "quarter":
        when = today.replace(day=1) + relativedelta(months=3 * steps)
        return quarter(when.year, (when.month + 2) // 3)
    if unit == "year":
        return year(today.year + steps)
    if unit == "decade":
        return decade((today.year // 10 + steps) * 10)
    if unit == "century":
        return century(today.year // 100 + 1 + steps)
    return day(today + steps * DAY)


def part(of: Period, which: str, today: date) -> Period:
    """Return the early, mid or late part of a period, or what of it comes after or before today."""
    first, last = of.first, of.last
    if which in {"later", "earlier"} and not first < today < last:
        which = "late" if which == "later" else "early"
    if which == "later":
        first = today
    elif which == "earlier":
        last = today
    elif of.grain in {"decade", "century"}:
        years = 10 if of.grain == "decade" else 100
        begin, end = {"early": (0.0, 0.4), "mid": (0.3, 0.7), "late": (0.6, 1.0)}[which]
        first, last = date(of.first.year + int(years * begin), 1, 1), date(of.first.year + int(years * end), 1, 1)
    elif of.grain == "year":
        thirds = {"early": (1, 4), "mid": (5, 4), "late": (9, 4)}
        at, count = thirds[which]
        return replace(months(first.year, at, count, "month"), relative=of.relative)
    elif of.grain == "month":
        first, last = _month_part(first, last, which)
    else:
        length = (last - first).days
        cut = {
            "early": (0, length // 2),
            "mid": (length // 3, length - length // 3),
            "late": (length // 2, length),
        }
        first, last = of.first + cut[which][0] * DAY, of.first + cut[which][1] * DAY
    named = f"{first.year:04d}" if of.grain in {"decade", "century"} else first.isoformat()
    return replace(of, first=first, last=last, value=named, point=None)


def _month_part(first: date, last: date, which: str) -> tuple[date, date]:
    if which == "early":
        return first, first.replace(day=16)
    if which == "mid":
        return first.replace(day=11), first.replace(day=21)
    return first.replace(day=16), last


def nth(of: Period, unit: str, number: int, count: int = 1) -> Period | None:
    """Return `count` units of a period from its `number`th; a negative number counts from its end."""
    if unit in {"week", "fortnight"}:
        start = _weeks(of)
        total = (_weeks_end(of) - start).days // 7
        number = number if number > 0 else total + number + 1
        first = start + (number - 1) * WEEK
        last = first + count * WEEK
        return Period(first, last, "week", first.isoformat()) if 1 <= number <= number + count - 1 <= total else None
    step = {"day": relativedelta(days=1), "month": relativedelta(months=1), "quarter": relativedelta(months=3)}.get(
        unit
    )
    step = step or {
        "year": relativedelta(years=1),
        "decade": relativedelta(years=10),
        "half": relativedelta(months=6),
    }.get(unit)
    if step is None:
        return None
    first = of.first + step * (number - 1) if number > 0 else of.last + step * number
    last = first + step * count
    if not of.first <= first < last <= of.last:
        return None
    grain: Grain = unit  # type: ignore[assignment]
    value = (
        first.isoformat()
        if unit == "day"
        else f"{first.year:04d}"
        if unit in {"year", "decade"}
        else first.isoformat()[:7]
    )
    return Period(first, last, grain, value)


def _weeks(of: Period) -> date:
    """The Monday of a period's first week: the one whose Thursday is in it."""
    return week(of.first + 3 * DAY).first if of.first.weekday() > 3 else week(of.first).first


def _weeks_end(of: Period) -> date:
    return week(of.last + 3 * DAY).first if of.last.weekday() > 3 else week(of.last).first


def weekday_of(of: Period, weekday: int, number: int) -> Period | None:
    """Return the `number`th such weekday of a period; a negative number counts from its end."""
    if number > 0:
        when = of.first + ((weekday - of.first.weekday()) % 7) * DAY + (number - 1) * WEEK
    else:
        final = of.last - DAY
        when = final - ((final.weekday() - weekday) % 7) * DAY + (number + 1) * WEEK
    return day(when) if of.first <= when < of.last else None


def resolve(what: Partial, today: date, prefer: Prefer) -> Period | None:
    """Fill in what was not said: the most recent occurrence, or the next one if `prefer` is "future"."""
    if what.month is not None:
        return _resolve_month(what, what.month, today, prefer)
    if what.year is not None:
        return year(what.year)
    if what.day is not None:
        return _nearest(what.day, what.weekday, today, prefer)
    if what.weekday is not None:
        return day(weekday_near(what.weekday, today, prefer))
    return None


def weekday_near(weekday: int, today: date, prefer: Prefer) -> date:
    """Return such a day before today, or from today on if `prefer` is "future"."""
    if prefer == "future":
        return today + ((weekday - today.weekday()) % 7) * DAY
    return today - ((today.weekday() - weekday - 1) % 7 + 1) * DAY


def _resolve_month(what: Partial, number: int, today: date, prefer: Prefer) -> Period | None:
    if what.year is not None:
        return month(what.year, number) if what.day is None else day(date(what.year, number, what.day))
    step = 1 if prefer == "future" else -1
    for number_of_year in range(today.year, today.year + 9 * step, step):
        try:
            found = month(number_of_year, number) if what.day is None else day(date(number_of_year, number, what.day))
        except ValueError:
            continue
        if found.last > today if step > 0 else found.first <= today:
            return found
    return None


def _nearest(number: int, weekday: int | None, today: date, prefer: Prefer) -> Period | None:
    """The nearest such day of a month that falls on the weekday; one comes round within 28 years' months."""
    step = 1 if prefer == "future" else -1
    first = today.replace(day=1)
    for steps in range(60):
        try:
            when = (first + relativedelta(months=step * steps)).replace(day=number)
        except ValueError:
            continue
        if (when >= today if step > 0 else when <= today) and weekday in {None, when.weekday()}:
            return day(when)
    return None


def fixed(number: int, at: int) -> Callable[[int], date]:
    return lambda when: date(when, number, at)


def floating(number: int, weekday: int, nth_day: int) -> Callable[[int], date]:
    def find(when: int) -> date:
        found = weekday_of(month(when, number), weekday, nth_day)
        assert found is not None  # noqa: S101 - every month has four of each weekday
        return found.first

    return find


def from_easter(days: int) -> Callable[[int], date]:
    return lambda when: easter(when) + days * DAY


def relative(period: Period) -> Period:
    """Return the period, marked as counted from the reference."""
    return replace(period, relative=True)
