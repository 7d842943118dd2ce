"""One date or one stretch of the calendar at a given word: which rule is asked for which word.

`simple` is the rule that all others come back to for "any plain date": the day in "two weeks before ...", the month in
"the second week of ...". Ranges and open ends are put together above it, in `times`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from workers.derive import calendar_periods
from workers.derive.calendar_dates import Read, Reader, day_first, lone_year, month_first, numeric, weekday, year
from workers.derive.calendar_holidays import HOLIDAYS
from workers.derive.calendar_numbers import LIKELY_YEARS, digits_year, full_year, number, ordinal, spoken_year
from workers.derive.calendar_periods import DAY, WEEK, Partial, week, weekend
from workers.derive.calendar_relative import (
    ahead,
    counted,
    holiday,
    named_day,
    ordinal_unit,
    parted,
    relative,
    shifted,
    to_date,
)
from workers.derive.calendar_words import (
    CARDINALS,
    FUNCTION_WORDS,
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
)

Rule = Callable[[Reader, int], Read]

_SPOKEN_DECADES = {"twenties": 20, "thirties": 30, "forties": 40, "fifties": 50, "sixties": 60, "seventies": 70,
                   "eighties": 80, "nineties": 90}  # fmt: skip
_DAY_LEADS = frozenset("on by since until till til before after around of from for".split())


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


def year_first(r: Reader, at: int) -> Read:
    """Read "2017 April", "2019 H2", "2019-Q2", "2016 summer"."""
    tokens = r.tokens
    found = digits_year(tokens, at)
    if found is None or (tokens.glued(at) and tokens.at(at - 1)[-1].isalnum()):
        return None
    after = tokens.skip(found[0], "-", "/", ",", "'s")
    if tokens.at(after) in MONTHS and (tokens.capital(after) or tokens.at(after) not in {"may", "march", "mar"} or tokens.led(at)):
        day = ordinal(tokens, after + 1) or number(tokens, after + 1)
        if day and 1 <= day[1] <= 31 and not tokens.counted(day[0]):
            return day[0], Partial(found[1], MONTHS[tokens.at(after)], day[1])
        return after + 1, Partial(year=found[1], month=MONTHS[tokens.at(after)])
    if tokens.at(after) in SEASONS and after == found[0]:
        return after + 1, calendar_periods.season(tokens.at(after), found[1])
    return _numbered_part(r, after, found[1])


def _numbered_part(r: Reader, at: int, of_year: int | None) -> Read:
    """Read "Q3" or "H2"."""
    tokens = r.tokens
    letter, digit = tokens.at(at), tokens.at(at + 1)
    if not tokens.glued(at + 1) or (letter, digit) not in _NUMBERED or (tokens.glued(at + 2) and tokens.at(at + 2)[0].isalnum()):
        return None
    make = calendar_periods.quarter if letter == "q" else calendar_periods.half
    if of_year is not None:
        return at + 2, make(of_year, int(digit))
    here = make(r.today.year, int(digit))
    if r.prefer == "future" and here.last <= r.today:
        here = make(r.today.year + 1, int(digit))
    if r.prefer != "future" and here.first > r.today:
        here = make(r.today.year - 1, int(digit))
    return at + 2, here


_NUMBERED = {("q", number) for number in "1234"} | {("h", number) for number in "12"}


def numbered_part(r: Reader, at: int) -> Read:
    """Read "Q3 2018", "H1 of next year", "Q3"."""
    tokens = r.tokens
    if tokens.glued(at) and tokens.at(at - 1) not in {"(", "-", "/"}:
        return None
    found = _numbered_part(r, at, r.today.year)
    if found is None:
        return None
    after = tokens.skip(found[0], "of", "-", "/", ",", "in", "'")
    read = year(r, after, sure=True)
    if read and (read[1] in LIKELY_YEARS):
        return replaced(_numbered_part(r, at, read[1]), read[0])
    if tokens.at(after) in SHIFTS and tokens.at(after + 1) == "year":
        return replaced(_numbered_part(r, at, r.today.year + SHIFTS[tokens.at(after)]), after + 2)
    return _numbered_part(r, at, None) if tokens.at(at) == "q" or tokens.led(at) else None


def replaced(found: Read, stop: int) -> Read:
    return (stop, found[1]) if found else None


def decade(r: Reader, at: int) -> Read:
    """Read "1990s", "90s", "'90s", "1990's"."""
    tokens = r.tokens
    word = tokens.at(at)
    if len(word) not in {2, 4} or not word.endswith("0"):
        return None
    after = at + 1
    if tokens.at(after) in {"'", "’"} and tokens.glued(after):
        after += 1
    if tokens.at(after) != "s" or (tokens.glued(at) and tokens.at(at - 1) not in {"'", "’", "‘", "-", "("}):
        return None
    if len(word) == 4:
        return (after + 1, calendar_periods.decade(int(word))) if int(word) in LIKELY_YEARS else None
    quoted = tokens.at(at - 1) in {"'", "’", "‘"}
    personal = tokens.at(at - 1) in {"my", "his", "her", "their", "our", "your", "low", "high", "upper"} or tokens.at(at - 2) in _OWNERS
    if not (quoted or (tokens.led(at) or tokens.at(at - 1) in {"the", "-"})) or personal or word in {"00", "10"} and not quoted:
        return None
    return after + 1, calendar_periods.decade(full_year(int(word), r.today))


_OWNERS = frozenset("my his her their our your".split())


def spoken_decade(r: Reader, at: int) -> Read:
    """Read "the nineties", "nineteen eighties"."""
    tokens = r.tokens
    tens = _SPOKEN_DECADES[tokens.at(at)]
    if tokens.at(at - 1) in {"the", "early", "late", "mid"} and tokens.at(at - 2) not in _OWNERS:
        return at + 1, calendar_periods.decade(full_year(tens, r.today))
    return None


def century(r: Reader, at: int) -> Read:
    """Read "21st century"."""
    found = ordinal(r.tokens, at)
    if found and 5 < found[1] < 25:
        after = r.tokens.skip(found[0], "-")
        if r.tokens.at(after) == "century":
            return after + 1, calendar_periods.century(found[1])
    return None


def day_of_month(r: Reader, at: int) -> Read:
    """Read "on the 4th", "the 3rd of next month", "15th day of next month", "since the twelfth"."""
    tokens = r.tokens
    found = ordinal(tokens, at)
    if found is None or not 1 <= found[1] <= 31:
        return None
    stop, number_of_day = found
    after = tokens.skip(stop, "day")
    if tokens.at(after) in {"of", "in"}:
        inner = tokens.skip(after + 1, "the")
        step = 0 if inner > after + 1 else SHIFTS.get(tokens.at(inner))
        inner += inner == after + 1
        if step is not None and tokens.at(inner) == "month":
            month = calendar_periods.around(r.today, "month", step)
            return inner + 1, relative(calendar_periods.day(month.first.replace(day=number_of_day)))
        return None
    article = tokens.at(at - 1) == "the"
    lead = tokens.at(at - 2) if article else tokens.at(at - 1)
    ends = not tokens.at(stop) or tokens.at(stop) in FUNCTION_WORDS or not tokens.at(stop)[0].isalnum()
    plain = tokens.at(at).isdecimal() or number_of_day > 12
    if not (ends and plain and after == stop and article and lead in _DAY_LEADS) or tokens.at(stop) in {"-", "%", "/"}:
        return None
    return stop, Partial(day=number_of_day)


def season(r: Reader, at: int) -> Read:
    """Read "summer of 2016", "summer '87", "winter 2019"."""
    tokens = r.tokens
    after = tokens.skip(tokens.skip(at + 1, "of", "in", ","), "the")
    found = year(r, after, sure=tokens.at(after - 1) == "of")
    if found:
        return found[0], calendar_periods.season(tokens.base(at), found[1])
    if tokens.at(after) in SHIFTS and tokens.at(after + 1) == "year":
        return after + 2, relative(calendar_periods.season(tokens.base(at), r.today.year + SHIFTS[tokens.at(after)]))
    return None


def unit(r: Reader, at: int) -> Read:
    """Read what begins with a unit: "week of May 3", "week 23", "week after next", "day after tomorrow", "year 2008"."""
    tokens = r.tokens
    word, second, third = tokens.base(at), tokens.at(at + 1), tokens.at(at + 2)
    if second in {"after", "before"}:
        if third in {"next", "last"} and (second == "after") == (third == "next") and (tokens.at(at + 3) not in UNITS):
            return at + 3, relative(calendar_periods.around(r.today, UNITS[word], 2 if third == "next" else -2))
        return _beside(r, at, word, second)
    if second == "to" and third == "date":
        return at + 3, to_date(r, UNITS[word])
    if word == "year" and tokens.at(at - 1) not in {"school", "fiscal", "academic", "financial", "tax", "model"}:
        found = digits_year(tokens, at + 1) or spoken_year(tokens, at + 1)
        return (found[0], Partial(year=found[1])) if found else None
    return _week(r, at) if word in {"week", "wk"} else None


def _beside(r: Reader, at: int, word: str, side: str) -> Read:
    """Read "day before yesterday", "the week after Easter"."""
    sign = 1 if side == "after" else -1
    read = simple(r, r.tokens.skip(at + 2, "the"))
    period = r.resolved(read[1]) if read else None
    if read is None or period is None or (word == "year" and period.grain == "year"):
        return None
    if word == "day":
        return read[0], relative(calendar_periods.day(period.last if sign > 0 else period.first - DAY))
    return read[0], relative(calendar_periods.around(period.first, UNITS[word], sign))


def _week(r: Reader, at: int) -> Read:
    tokens = r.tokens
    if tokens.at(at + 1) in {"of", "beginning", "starting", "commencing"}:
        after = tokens.skip(tokens.skip(at + 2, "on"), "the")
        read = simple(r, after)
        period = r.resolved(read[1]) if read else None
        return (read[0], week(period.first)) if read and period and period.grain == "day" else None
    many = number(tokens, tokens.skip(at + 1, "#"))
    if many is None or not 1 <= many[1] <= 53 or not tokens.at(many[0] - 1).isdecimal() or tokens.at(many[0]) in {"-", ":", "."}:
        return None
    stop, of_year = many[0], r.today.year
    after = tokens.skip(stop, "of", "in", ",")
    found = digits_year(tokens, after)
    if found:
        stop, of_year = found
    elif tokens.at(after) in SHIFTS and tokens.at(after + 1) == "year":
        stop, of_year = after + 2, of_year + SHIFTS[tokens.at(after)]
    return stop, calendar_periods.iso_week(of_year, many[1])


def the_weekend(r: Reader, at: int) -> Read:
    """Read "the weekend", "weekend of Halloween"."""
    tokens = r.tokens
    if tokens.at(at + 1) in {"of", "after", "before"}:
        read = simple(r, tokens.skip(at + 2, "the"))
        period = r.resolved(read[1]) if read else None
        if read and period and period.grain == "day":
            step = {"after": WEEK, "before": -WEEK}.get(tokens.at(at + 1))
            return read[0], calendar_periods.holiday_weekend(period.first) if step is None else weekend(period.first + step)
        return None
    if tokens.at(at - 1) != "the" or tokens.at(at + 1)[:1].isalpha() and tokens.at(at + 1) not in FUNCTION_WORDS:
        return None
    here = weekend(r.today)
    return at + 1, relative(weekend(r.today - WEEK) if r.prefer == "past" and here.first > r.today else here)


def calendar_year(r: Reader, at: int) -> Read:
    """Read "cy 2008", "cy18"."""
    found = digits_year(r.tokens, at + 1)
    if found is None and r.tokens.glued(at + 1) and r.tokens.at(at + 1).isdecimal() and len(r.tokens.at(at + 1)) == 2:
        found = at + 2, full_year(int(r.tokens.at(at + 1)), r.today)
    return (found[0], Partial(year=found[1])) if found else None


def weekday_in(r: Reader, at: int) -> Read:
    """Read a weekday with its week: "Tuesday of last week", "Monday next week"."""
    tokens = r.tokens
    found = weekday(r, at)
    if found is None or not isinstance(found[1], Partial) or found[1].weekday is None or found[1].day is not None:
        return found
    after = tokens.skip(tokens.skip(found[0], "of", "in"), "the")
    if tokens.at(after) in SHIFTS and tokens.at(after + 1) in {"week", "wk"}:
        start = calendar_periods.around(r.today, "week", SHIFTS[tokens.at(after)]).first
        return after + 2, relative(calendar_periods.day(start + found[1].weekday * DAY))
    return found


_DIGITS = (numeric, decade, century, year_first, ordinal_unit, day_first, day_of_month, counted, lone_year)
_RULES: tuple[tuple[Iterable[str], tuple[Rule, ...]], ...] = (
    (MONTHS, (month_first,)),
    (WEEKDAYS, (weekday_in,)),
    ("today tonight tonite otd yesterday tomorrow tmr tmrw tomorow mtd ytd wtd qtd eoy eom eow".split(), (named_day,)),
    (["last", "final"], (ordinal_unit,)),
    (SHIFTS, (shifted,)),
    (PARTS, (parted,)),
    ([*ORDINALS, *TENS], (century, ordinal_unit, day_first, day_of_month)),
    ([*CARDINALS, *VAGUE, *"a an half about almost nearly over roughly around".split()], (counted,)),
    (CARDINALS, (day_first, lone_year)),
    (["in", "within"], (ahead,)),
    (UNITS, (unit,)),
    (SEASONS, (season,)),
    (["q", "h"], (numbered_part,)),
    (_SPOKEN_DECADES, (spoken_decade,)),
    (["weekend"], (the_weekend,)),
    (["cy"], (calendar_year,)),
    (["'", "’", "‘"], (lone_year,)),
)


def _by_word() -> dict[str, tuple[Rule, ...]]:
    found: dict[str, tuple[Rule, ...]] = {}
    for words, rules in _RULES:
        for word in words:
            found[word] = found.get(word, ()) + rules
    for word in HOLIDAYS:
        found[word] = found.get(word, ()) + (holiday,)
    return found


_BY_WORD = _by_word()
