"""Dates with names: "3 May 2018", "May the 3rd", "Friday the 13th", "Monday next week", "on the 4th".

"may", "march" and the given names among the months need a capital or a word before them that dates come after; a
number beside them that counts something ("march 20 miles") is no day.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from workers.english.dates import periods
from workers.english.dates.numbers import digits_year, number, ordinal
from workers.english.dates.numeric import decimal, numeric, valid
from workers.english.dates.periods import DAY, Partial, relative
from workers.english.dates.reader import Read, Reader, shifted_year, year
from workers.english.dates.words import (
    CLOCK,
    DAY_PARTS,
    FUNCTION_WORDS,
    MONTHS,
    PLAIN_MONTHS,
    SHIFTS,
    WEEKDAYS,
    Tokens,
)
from workers.english.lexicon import closed

_AMBIGUOUS = frozenset(["may", "march", "mar"])


def month_first(r: Reader, at: int) -> Read:
    """Read "May", "May 2018", "May 3rd, 2018", "May the third", "Dec/2018", "Jan/3"."""
    tokens = r.tokens
    month = MONTHS.get(tokens.base(at))
    if month is None or (tokens.glued(at) and tokens.at(at - 1)[-1:].isalnum()):
        return None
    after = at + 1
    after = (
        tokens.skip(after, ".")
        if tokens.at(after + 1).isdigit() and (len(tokens.at(at)) < 5 or tokens.glued(after + 1))
        else after
    )
    after = tokens.skip(after, ",", "/", "-", "of", "the")
    found = year(r, after, sure=tokens.at(after - 1) == "of" or len(tokens.at(after)) == 4)
    if found and not _clock(tokens, found[0]):
        return found[0], Partial(year=found[1], month=month)
    after = tokens.skip(after, "the")
    day = ordinal(tokens, after)
    exact = day is not None
    if day is None and tokens.at(after - 1) != "of":
        day = number(tokens, after)
    if day and 1 <= day[1] <= 31 and not _clock(tokens, day[0]) and (exact or not _amounts(r, at, after, day[0])):
        return _with_year(r, day[0], Partial(month=month, day=day[1]))
    later = shifted_year(r, tokens.skip(at + 1, "of", ","))
    if later and (tokens.capital(at) or tokens.led(at)):
        return later[0], Partial(year=later[1], month=month)
    if not _lone_month(tokens, at):
        return None
    listed = digits_year(tokens, at + 3) if tokens.at(at + 1) in {"and", "or"} and tokens.at(at + 2) in MONTHS else None
    return at + 1, Partial(year=listed[1] if listed else None, month=month)


def _amounts(r: Reader, at: int, first: int, stop: int) -> bool:
    """Whether the number after a month's name counts something: "may 3 people", "march 20 miles"."""
    tokens = r.tokens
    if tokens.glued(stop):
        return tokens.at(stop) not in {"-", "–", "'", "’"} and tokens.counted(stop)
    if tokens.at(stop) == "of" and digits_year(tokens, stop + 1) is None:
        return True
    return tokens.counted(stop) and not tokens.glued(first) and not tokens.capital(at)


def _clock(tokens: Tokens, stop: int) -> bool:
    """Whether the number before belongs to a time of day: "3:30", "9 am", "9 o'clock"."""
    word = tokens.at(stop)
    if word == ":":
        return tokens.glued(stop) and tokens.glued(stop + 1) and tokens.at(stop + 1).isdigit()
    return word in CLOCK


def _with_year(r: Reader, at: int, found: Partial) -> tuple[int, Partial]:
    tokens = r.tokens
    after = tokens.skip(at, ",", "/", "-", "of", ".", "in")
    sure = tokens.at(at) == "of" or (after > at and tokens.at(at) in {"/", "-"} and tokens.at(at - 2) == tokens.at(at))
    read = shifted_year(r, after) or year(r, after, sure=sure or (tokens.at(at) == "," and len(tokens.at(after)) == 4))
    if read is None or _clock(tokens, read[0]):
        return at, found
    return read[0], replace(found, year=read[1])


def _lone_month(tokens: Tokens, at: int) -> bool:
    word = tokens.at(at)
    if tokens.at(at - 1).isdecimal() or (tokens.glued(at) and tokens.at(at - 1) in {"'", "’", "@", "#", "."}):
        return False
    if word.removesuffix("'s") in PLAIN_MONTHS:
        return tokens.capital(at) or tokens.led(at)
    before = tokens.at(at - 1)
    if before in {"the", "to", "about", "for", "from", "this", "over"}:
        return False
    return tokens.led(at) and (
        tokens.capital(at) or word not in _AMBIGUOUS or before in {"in", "since", "last", "next"}
    )


def day_first(r: Reader, at: int) -> Read:
    """Read "3 May", "3rd of May 2018", "twenty third day of September", "05-Aug-2016", "14 Sept '72"."""
    tokens = r.tokens
    exact = ordinal(tokens, at)
    day = exact or number(tokens, at)
    if day is None or not 1 <= day[1] <= 31 or decimal(tokens, at):
        return None
    after = tokens.skip(day[0], "day")
    joined = tokens.at(after) in {"of", "-", "/", "."}
    after = tokens.skip(tokens.skip(after, "of", "-", "/", "."), "the")
    month = MONTHS.get(tokens.base(after))
    if month is None or (
        not exact and not joined and tokens.at(after) in _AMBIGUOUS and not tokens.capital(after) and not tokens.led(at)
    ):
        return None
    return _with_year(r, tokens.skip(after + 1, "."), Partial(month=month, day=day[1]))


def weekday(r: Reader, at: int) -> Read:
    """Read "Friday", "Friday the 13th", "Friday, May 3rd", "Friday 5/12", "Friday (Jun-15)", "Monday morning"."""
    tokens = r.tokens
    found = WEEKDAYS.get(tokens.at(at).removesuffix("'s"))
    if found is None or (tokens.glued(at) and tokens.at(at - 1) in {"'", "@", "#", "."}):
        return None
    short = not tokens.at(at).removesuffix("'s").endswith("day")
    after = tokens.skip(at + 1, ".") if short else at + 1
    after = tokens.skip(tokens.skip(after, ",", "-", "(", "–"), "the", "on")
    for rule in (numeric, day_first, month_first):
        read = rule(r, after, inner=True) if rule is numeric else rule(r, after)
        if read and isinstance(read[1], Partial) and read[1].day is not None:
            return tokens.skip(read[0], ")"), read[1]
    dashed = _dashed(r, after, found)
    if dashed:
        return dashed
    exact = ordinal(tokens, after)
    day = exact or (number(tokens, after) if tokens.at(after).isdigit() and after == at + 1 else None)
    if (
        day
        and 1 <= day[1] <= 31
        and not _clock(tokens, day[0])
        and (exact or not tokens.counted(day[0]))
        and tokens.at(day[0]) not in {"-", "."}
    ):
        return day[0], Partial(day=day[1], weekday=found)
    if short and not (
        (tokens.capital(at) and (tokens.led(at) or tokens.at(at - 1) in {"", ",", "("})) or tokens.at(at - 1) == "on"
    ):
        return None
    stop = at + 1
    return (stop + 1 if tokens.at(stop) in DAY_PARTS else stop), Partial(weekday=found)


def _dashed(r: Reader, at: int, weekday_number: int) -> Read:
    """Read "Friday 7-6": a date rather than hours if that day is such a weekday this year or a year from it."""
    tokens = r.tokens
    if (
        tokens.at(at + 1) not in {"-", "."}
        or not tokens.glued(at + 1)
        or not tokens.at(at + 2).isdigit()
        or not tokens.glued(at + 2)
    ):
        return None
    for number_of_year in (r.today.year, r.today.year + 1, r.today.year - 1):
        found = valid(str(number_of_year), tokens.at(at), tokens.at(at + 2)) if tokens.at(at).isdigit() else None
        if (
            found
            and found.month
            and found.day
            and date(number_of_year, found.month, found.day).weekday() == weekday_number
        ):
            return at + 3, found
    return None


def weekday_in(r: Reader, at: int) -> Read:
    """Read a weekday with its week: "Tuesday of last week", "Monday next week"."""
    tokens = r.tokens
    found = weekday(r, at)
    if found is None or not isinstance(found[1], Partial) or found[1].weekday is None or found[1].day is not None:
        return found
    after = tokens.skip(tokens.skip(found[0], "of", "in"), "the")
    if tokens.at(after) in SHIFTS and tokens.at(after + 1) in {"week", "wk"}:
        start = periods.around(r.today, "week", SHIFTS[tokens.at(after)]).first
        return after + 2, relative(periods.day(start + found[1].weekday * DAY))
    return found


_DAY_LEADS = closed("on by since until till til before after around of from for")


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
            month = periods.around(r.today, "month", step)
            return inner + 1, relative(periods.day(month.first.replace(day=number_of_day)))
        return None
    listed = day_first(r, tokens.skip(stop + 1, "the")) if tokens.at(stop) in {"and", "or", ","} else None
    if listed and isinstance(listed[1], Partial) and listed[1].month is not None:  # "the 5th and 6th of May"
        return stop, Partial(listed[1].year, listed[1].month, number_of_day)
    article = tokens.at(at - 1) == "the"
    lead = tokens.at(at - 2) if article else tokens.at(at - 1)
    ends = not tokens.at(stop) or tokens.at(stop) in FUNCTION_WORDS or not tokens.at(stop)[0].isalnum()
    plain = tokens.at(at).isdecimal() or number_of_day > 12
    if not (ends and plain and after == stop and article and lead in _DAY_LEADS) or tokens.at(stop) in {"-", "%", "/"}:
        return None
    return stop, Partial(day=number_of_day)
