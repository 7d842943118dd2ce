"""One date or one stretch of the calendar at a given word: which rule is asked for which word.

`simple` is the rule that all others come back to for "any plain date": the day in "two weeks before ...", the month in
"the second week of ...". Ranges and open ends are put together above it, in `ranges` and `times`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from workers.english.dates.holidays import HOLIDAYS
from workers.english.dates.named import day_first, day_of_month, month_first, weekday_in
from workers.english.dates.numbers import ROUGHLY
from workers.english.dates.numeric import numeric
from workers.english.dates.parts import ordinal_unit, parted
from workers.english.dates.reader import Read, Reader, lone_year
from workers.english.dates.relative import ENDS, NAMED_DAYS, TO_DATE, ahead, counted, holiday, named_day
from workers.english.dates.shifts import shifted
from workers.english.dates.units import (
    SPOKEN_DECADES,
    calendar_year,
    century,
    decade,
    numbered_part,
    season,
    spoken_decade,
    the_weekend,
    unit,
    year_first,
)
from workers.english.dates.words import (
    CARDINALS,
    MONTHS,
    ORDINALS,
    PARTS,
    RECURRING,
    SEASONS,
    SHIFTS,
    TENS,
    UNITS,
    VAGUE,
    WEEKDAYS,
    by_word,
)

Rule = Callable[[Reader, int], Read]


def simple(r: Reader, at: int) -> Read:
    """Read the date that begins at a word, by the first rule that knows the word."""
    tokens = r.tokens
    word = tokens.at(at)
    if not word or _recurring(r, at):
        return None
    if word[0].isdecimal():
        return _first(r, at, _DIGITS)
    rules = _BY_WORD.get(word) or _BY_WORD.get(word.removesuffix("'s"))
    return _first(r, at, rules) if rules else None


def _first(r: Reader, at: int, rules: tuple[Rule, ...]) -> Read:
    for rule in rules:
        found = rule(r, at)
        if found:
            return found
    return None


def _recurring(r: Reader, at: int) -> bool:
    before = r.tokens.at(at - 1)
    return before in RECURRING or (before == "other" and r.tokens.at(at - 2) in RECURRING)


_DIGITS = (numeric, decade, century, year_first, ordinal_unit, day_first, day_of_month, counted, lone_year)


_RULES: tuple[tuple[Iterable[str], tuple[Rule, ...]], ...] = (
    (MONTHS, (month_first,)),
    (WEEKDAYS, (weekday_in,)),
    ([*NAMED_DAYS, *TO_DATE, *ENDS], (named_day,)),
    (["last", "final"], (ordinal_unit,)),
    (SHIFTS, (shifted,)),
    (PARTS, (parted,)),
    ([*ORDINALS, *TENS], (century, ordinal_unit, day_first, day_of_month)),
    ([*CARDINALS, *VAGUE, *ROUGHLY, "a", "an", "half"], (counted,)),
    (CARDINALS, (day_first, lone_year)),
    (["in", "within"], (ahead,)),
    (UNITS, (unit,)),
    (SEASONS, (season,)),
    (["q", "h"], (numbered_part,)),
    (SPOKEN_DECADES, (spoken_decade,)),
    (["weekend"], (the_weekend,)),
    (["cy"], (calendar_year,)),
    (["'", "’", "‘"], (lone_year,)),
)


_BY_WORD = by_word([*_RULES, (HOLIDAYS, (holiday,))])
