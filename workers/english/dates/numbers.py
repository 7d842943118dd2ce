"""Numbers, years and lengths of time as they are written in a text.

Each reader takes the tokens and a position and returns where it stopped together with what it read, or None.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal

from dateutil.relativedelta import relativedelta

from workers.english.dates.periods import DAY
from workers.english.dates.words import CARDINALS, ORDINALS, TENS, UNITS, VAGUE, Tokens
from workers.english.lexicon import closed

YEARS = range(1000, 2500)
"""Four digits that can name a year when a word says so."""

LIKELY_YEARS = range(1800, 2100)
"""Four digits that name a year after a word that only may announce one ("of 2007", "2014-2018")."""

_PARTS = {"half": 0.5, "quarter": 0.25}
FINEST = ("day", "week", "month", "year")
"""The units that amounts are told in together, the finest first."""
ROUGHLY = closed("about around roughly approximately almost nearly over")


@dataclass(frozen=True, slots=True)
class Amount:
    """A length of time in calendar units. `unit` is the finest that was said; `vague` for "a few", "about"."""

    months: int = 0
    days: int = 0
    unit: str = "day"
    vague: bool = False
    business: bool = False

    def after(self, when: date, sign: int = 1) -> date:
        """Return the day this far after `when`, or before it for a `sign` of -1."""
        if not self.business:
            return when + relativedelta(months=sign * self.months) + sign * self.days * DAY
        left = min(self.days, 3650)
        while left:
            when += sign * DAY
            left -= when.weekday() < 5
        return when


def number(tokens: Tokens, at: int) -> tuple[int, int] | None:
    """Read "21", "twenty-one" or "two"."""
    word = tokens.at(at)
    if word.isdigit():
        return (at + 1, int(word)) if len(word) < 5 and word.isascii() else None
    value = CARDINALS.get(word)
    if value is None:
        return None
    if word in TENS:
        after = tokens.skip(at + 1, "-")
        ones = CARDINALS.get(tokens.at(after), 0)
        if 0 < ones < 10:
            return after + 1, value + ones
    return at + 1, value


def ordinal(tokens: Tokens, at: int) -> tuple[int, int] | None:
    """Read "3rd", "third" or "twenty-third"."""
    word = tokens.at(at)
    if word.isdigit():
        if word.isascii() and len(word) < 4 and tokens.glued(at + 1) and tokens.at(at + 1) in {"st", "nd", "rd", "th"}:
            return at + 2, int(word)
        return None
    if word in ORDINALS:
        return at + 1, ORDINALS[word]
    if word == "twentieth":
        return at + 1, 20
    if word in TENS:
        after = tokens.skip(at + 1, "-")
        ones = ORDINALS.get(tokens.at(after), 0)
        if 0 < ones < 10:
            return after + 1, TENS[word] + ones
    return None


def digits_year(tokens: Tokens, at: int) -> tuple[int, int] | None:
    word = tokens.at(at)
    if len(word) == 4 and word.isascii() and word.isdigit() and int(word) in YEARS:
        return at + 1, int(word)
    return None


def short_year(tokens: Tokens, at: int, today: date) -> tuple[int, int] | None:
    """Read "87" or "'87": the century that makes it no further ahead than twenty years."""
    at = tokens.skip(at, "'", "’", "‘")
    word = tokens.at(at)
    if len(word) != 2 or not (word.isascii() and word.isdigit()) or tokens.counted(at + 1):
        return None
    return at + 1, full_year(int(word), today)


def full_year(two_digits: int, today: date) -> int:
    found = today.year // 100 * 100 + two_digits
    return found - 100 if found > today.year + 20 else found


def spoken_year(tokens: Tokens, at: int) -> tuple[int, int] | None:
    """Read "nineteen ninety six", "two thousand and five", "seventeen hundred thirty three", "twenty fifteen"."""
    first = number(tokens, at)
    if first is None or tokens.at(at).isdigit():
        return None
    stop, value = first
    if tokens.at(stop) == "thousand" and value in {1, 2}:
        return _plus(tokens, stop + 1, value * 1000)
    if value in TENS.values() and stop > at + 1:
        return None
    if tokens.at(stop) == "hundred" and 10 <= value < 21:
        return _plus(tokens, stop + 1, value * 100)
    if not 15 <= value <= 20:
        return None
    stop = tokens.skip(stop, "-")
    rest = number(tokens, stop)
    if tokens.at(stop) in {"oh", "o"} and rest is None:
        rest = number(tokens, stop + 1)
        return (rest[0], value * 100 + rest[1]) if rest and rest[1] < 10 else None
    return (rest[0], value * 100 + rest[1]) if rest and 10 <= rest[1] < 100 and not tokens.at(stop).isdigit() else None


def _plus(tokens: Tokens, at: int, value: int) -> tuple[int, int]:
    rest = number(tokens, tokens.skip(at, "and"))
    if rest and 0 < rest[1] < 100 and not tokens.at(rest[0] - 1).isdigit():
        return rest[0], value + rest[1]
    return at, value


def amount(tokens: Tokens, at: int, units: int = 4) -> tuple[int, Amount] | None:
    """Read "3 days", "a couple of weeks", "2 years 1 month and 3 days", "a year and a half", "half a year"."""
    one = _single(tokens, at)
    if one is None:
        return None
    stop, found = one
    for _ in range(units - 1):
        after = tokens.skip(tokens.skip(stop, ","), "and")
        more = _single(tokens, after)
        if more is None or found.business or not _finer(more[1].unit, found.unit):
            break
        stop, extra = more
        found = Amount(found.months + extra.months, found.days + extra.days, extra.unit, found.vague or extra.vague)
    return stop, found


def _finer(unit: str, than: str) -> bool:
    return unit in FINEST and than in FINEST and FINEST.index(unit) < FINEST.index(than)


def _single(tokens: Tokens, at: int) -> tuple[int, Amount] | None:
    vague = tokens.at(at) in ROUGHLY
    read = quantity(tokens, at + vague)
    if read is None:
        return None
    at, value, loose = read
    at = tokens.skip(at, "-") if tokens.glued(at) else tokens.skip(at, "more", "full", "whole", "long", "short")
    business = tokens.at(at) in {"business", "working"}
    word = tokens.base(at + business).removesuffix("'")
    unit = UNITS.get(word) or ({"d": "day", "w": "week", "y": "year"}.get(word) if tokens.glued(at) else None)
    if unit is None or (business and unit != "day"):
        return None
    at += 1 + business
    if tokens.at(at) == "and" and tokens.at(at + 1) == "a" and tokens.at(at + 2) in _PARTS:
        value += _PARTS[tokens.at(at + 2)]
        at += 3
    return at, _amount(value, unit, vague=vague or loose, business=business)


def quantity(tokens: Tokens, at: int) -> tuple[int, float, bool] | None:
    """How many, and whether that is only roughly said."""
    word = tokens.at(at)
    if word in {"a", "an"}:
        after = tokens.at(at + 1)
        if after in VAGUE:
            return tokens.skip(at + 2, "of"), VAGUE[after], True
        return (at + 2 if after in {"good", "whole", "full"} else at + 1), 1, False
    if word in VAGUE:
        return tokens.skip(at + 1, "of"), VAGUE[word], True
    if word == "half" and tokens.at(at + 1) in {"a", "an"}:
        return at + 2, 0.5, False
    if word == "one" and tokens.at(at + 1) == "and" and tokens.at(at + 3) == "half":
        return at + 4, 1.5, False
    read = number(tokens, at)
    if read is None:
        return None
    stop, value = read
    if (
        tokens.at(stop) == "."
        and tokens.glued(stop)
        and tokens.glued(stop + 1)
        and tokens.at(stop + 1) in {"5", "25", "75"}
    ):
        return stop + 2, value + float(f"0.{tokens.at(stop + 1)}"), False
    if tokens.at(stop) == "and" and tokens.at(stop + 1) == "a" and tokens.at(stop + 2) == "half":
        return stop + 3, value + 0.5, False
    return stop, value, False


def _amount(value: float, unit: str, *, vague: bool, business: bool) -> Amount:
    whole = value == int(value)
    months = {"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200}.get(unit)
    if months is None:
        weeks = {"week": 7, "fortnight": 14}.get(unit, 1)
        finest = "day" if unit == "day" or not whole else "week"
        return Amount(0, round(value * weeks), finest, vague, business)
    total = value * months
    finest = "year" if unit in {"year", "decade", "century"} and whole else "month"
    return Amount(int(total), round((total - int(total)) * 30), finest, vague, business)


Direction = Literal[-1, 1]


def rolling(today: date, length: Amount, direction: Direction) -> tuple[date, date]:
    """Return the days of "the last 3 months" (up to yesterday) or "the next 3 months" (from tomorrow)."""
    if direction < 0:
        return length.after(today, -1), today
    if length.business:
        return today + DAY, length.after(today) + DAY
    return today + DAY, length.after(today + DAY)


def one(unit: str) -> Amount:
    months = {"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200}.get(unit, 0)
    days = {"day": 1, "week": 7, "fortnight": 14}.get(unit, 0)
    return Amount(months, days, "year" if months > 11 else "month" if months else "week")
