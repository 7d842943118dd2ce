"""Dates told by a unit of the calendar: "week of May 3", "Q3 2018", "the 1990s", "summer of 2016", "2017 April"."""

from __future__ import annotations

from workers.english.dates import periods
from workers.english.dates.numbers import LIKELY_YEARS, digits_year, full_year, number, ordinal, spoken_year
from workers.english.dates.periods import DAY, WEEK, Partial, relative, week, weekend
from workers.english.dates.reader import Read, Reader, shifted_year, year
from workers.english.dates.relative import to_date
from workers.english.dates.words import FUNCTION_WORDS, MONTHS, SEASONS, UNITS, WEEKDAYS
from workers.english.lexicon import closed

SPOKEN_DECADES = {"twenties": 20, "thirties": 30, "forties": 40, "fifties": 50, "sixties": 60, "seventies": 70,
                   "eighties": 80, "nineties": 90}  # fmt: skip


_OWNERS = closed("my his her their our your")


_NUMBERED = {("q", number) for number in "1234"} | {("h", number) for number in "12"}


def year_first(r: Reader, at: int) -> Read:
    """Read "2017 April", "2019 H2", "2019-Q2", "2019-W12", "2016 summer"."""
    tokens = r.tokens
    found = digits_year(tokens, at)
    if found is None or (tokens.glued(at) and tokens.at(at - 1)[-1].isalnum()):
        return None
    after = tokens.skip(found[0], "-", "/", ",", "'s")
    if tokens.at(after) in MONTHS and (
        tokens.capital(after) or tokens.at(after) not in {"may", "march", "mar"} or tokens.led(at)
    ):
        day = ordinal(tokens, after + 1) or number(tokens, after + 1)
        if day and 1 <= day[1] <= 31 and not tokens.counted(day[0]):
            return day[0], Partial(found[1], MONTHS[tokens.at(after)], day[1])
        return after + 1, Partial(year=found[1], month=MONTHS[tokens.at(after)])
    if tokens.at(after) in SEASONS and after == found[0]:
        return after + 1, periods.season(tokens.at(after), found[1])
    week_number = number(tokens, after + 1) if tokens.at(after) == "w" and tokens.glued(after + 1) else None
    if week_number and 1 <= week_number[1] <= 53:
        return week_number[0], periods.iso_week(found[1], week_number[1])
    return _numbered_part(r, after, found[1])


def _numbered_part(r: Reader, at: int, of_year: int | None) -> Read:
    """Read "Q3" or "H2"."""
    tokens = r.tokens
    letter, digit = tokens.at(at), tokens.at(at + 1)
    if (
        not tokens.glued(at + 1)
        or (letter, digit) not in _NUMBERED
        or (tokens.glued(at + 2) and tokens.at(at + 2)[0].isalnum())
    ):
        return None
    make = periods.quarter if letter == "q" else periods.half
    if of_year is not None:
        return at + 2, make(of_year, int(digit))
    here = make(r.today.year, int(digit))
    if r.prefer == "future" and here.last <= r.today:
        here = make(r.today.year + 1, int(digit))
    if r.prefer != "future" and here.first > r.today:
        here = make(r.today.year - 1, int(digit))
    return at + 2, here


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
    later = shifted_year(r, after)
    if later:
        return replaced(_numbered_part(r, at, later[1]), later[0])
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
        return (after + 1, periods.decade(int(word))) if int(word) in LIKELY_YEARS else None
    quoted = tokens.at(at - 1) in {"'", "’", "‘"}
    personal = (
        tokens.at(at - 1) in {"my", "his", "her", "their", "our", "your", "low", "high", "upper"}
        or tokens.at(at - 2) in _OWNERS
    )
    if (
        not (quoted or (tokens.led(at) or tokens.at(at - 1) in {"the", "-"}))
        or personal
        or (word in {"00", "10"} and not quoted)
    ):
        return None
    return after + 1, periods.decade(full_year(int(word), r.today))


def spoken_decade(r: Reader, at: int) -> Read:
    """Read "the nineties", "nineteen eighties"."""
    tokens = r.tokens
    tens = SPOKEN_DECADES[tokens.at(at)]
    if tokens.at(at - 1) in {"the", "early", "late", "mid"} and tokens.at(at - 2) not in _OWNERS:
        return at + 1, periods.decade(full_year(tens, r.today))
    return None


def century(r: Reader, at: int) -> Read:
    """Read "21st century"."""
    found = ordinal(r.tokens, at)
    if found and 5 < found[1] < 25:
        after = r.tokens.skip(found[0], "-")
        if r.tokens.at(after) == "century":
            return after + 1, periods.century(found[1])
    return None


def season(r: Reader, at: int) -> Read:
    """Read "summer of 2016", "summer '87", "winter 2019"."""
    tokens = r.tokens
    after = tokens.skip(tokens.skip(at + 1, "of", "in", ","), "the")
    found = year(r, after, sure=tokens.at(after - 1) == "of")
    if found:
        return found[0], periods.season(tokens.base(at), found[1])
    later = shifted_year(r, after)
    return (later[0], relative(periods.season(tokens.base(at), later[1]))) if later else None


def unit(r: Reader, at: int) -> Read:
    """Read what begins with a unit: "week of May 3", "week after next", "day after tomorrow", "year 2008"."""
    tokens = r.tokens
    word, second, third = tokens.base(at), tokens.at(at + 1), tokens.at(at + 2)
    if second in {"after", "before"}:
        if third in {"next", "last"} and (second == "after") == (third == "next") and (tokens.at(at + 3) not in UNITS):
            return at + 3, relative(periods.around(r.today, UNITS[word], 2 if third == "next" else -2))
        return _beside(r, at, word, second)
    if second == "to" and third == "date":
        return at + 3, to_date(r, UNITS[word])
    if tokens.low[at + 1 : at + 5] == ["-", "to", "-", "date"]:
        return at + 5, to_date(r, UNITS[word])
    if word == "year" and tokens.at(at - 1) not in {"school", "fiscal", "academic", "financial", "tax", "model"}:
        found = digits_year(tokens, at + 1) or spoken_year(tokens, at + 1)
        return (found[0], Partial(year=found[1])) if found else None
    return _week(r, at) if word in {"week", "wk"} else None


def _beside(r: Reader, at: int, word: str, side: str) -> Read:
    """Read "day before yesterday", "the week after Easter"."""
    sign = 1 if side == "after" else -1
    read = r.inner(r.tokens.skip(at + 2, "the"))
    period = r.resolved(read[1]) if read else None
    if read is None or period is None:
        return None
    if word == "day":
        return read[0], relative(periods.day(period.last if sign > 0 else period.first - DAY))
    return read[0], relative(periods.around(period.first, UNITS[word], sign))


def _week(r: Reader, at: int) -> Read:
    tokens = r.tokens
    if tokens.at(at + 1) in {"of", "beginning", "starting", "commencing"}:
        after = tokens.skip(tokens.skip(at + 2, "on"), "the")
        read = r.inner(after)
        period = r.resolved(read[1]) if read else None
        return (read[0], week(period.first)) if read and period and period.grain == "day" else None
    many = number(tokens, tokens.skip(at + 1, "#"))
    if (
        many is None
        or not 1 <= many[1] <= 53
        or not tokens.at(many[0] - 1).isdecimal()
        or tokens.at(many[0]) in {"-", ":", "."}
    ):
        return None
    stop, of_year = many[0], r.today.year
    after = tokens.skip(stop, "of", "in", ",")
    found = digits_year(tokens, after) or shifted_year(r, after)
    if found:
        stop, of_year = found
    elif (
        not (tokens.at(at - 1) in {"the", "calendar", "iso"} or tokens.at(at - 2) in WEEKDAYS)
        or tokens.at(stop) == "of"
    ):
        return None  # "week 5" is mostly one of a plan or a course
    return stop, periods.iso_week(of_year, many[1])


def the_weekend(r: Reader, at: int) -> Read:
    """Read "the weekend", "weekend of Halloween", "weekend after next"."""
    tokens = r.tokens
    side = tokens.at(at + 1)
    if (side, tokens.at(at + 2)) in {("after", "next"), ("before", "last")}:
        return at + 3, relative(weekend(r.today + (2 if side == "after" else -2) * WEEK))
    if side in {"of", "after", "before"}:
        read = r.inner(tokens.skip(at + 2, "the"))
        period = r.resolved(read[1]) if read else None
        if read is None or period is None or period.grain != "day":
            return None
        if side == "of":
            return read[0], periods.holiday_weekend(period.first)
        return read[0], weekend(period.first + (WEEK if side == "after" else -WEEK))
    if tokens.at(at - 1) != "the" or (side[:1].isalpha() and side not in FUNCTION_WORDS):
        return None
    here = weekend(r.today)
    return at + 1, relative(weekend(r.today - WEEK) if r.prefer == "past" and here.first > r.today else here)


def calendar_year(r: Reader, at: int) -> Read:
    """Read "cy 2008", "cy18"."""
    found = digits_year(r.tokens, at + 1)
    if found is None and r.tokens.glued(at + 1) and r.tokens.at(at + 1).isdecimal() and len(r.tokens.at(at + 1)) == 2:
        found = at + 2, full_year(int(r.tokens.at(at + 1)), r.today)
    return (found[0], Partial(year=found[1])) if found else None
