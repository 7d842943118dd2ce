"""Dates that are written out: "3 May 2018", "May the 3rd", "5/3/2018", "2018-05-03", "Friday the 13th", "in 2018".

A reader takes the text and a position and returns where it stopped and the date, of which parts may be missing
(`Partial`), or None. Slashes and hyphens are read month first unless that is no month; three numbers with dots are
read day first. A number that could as well be an amount, a fraction, a version or a score is no date unless a word
before it says so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date

from workers.derive.calendar_numbers import (
    LIKELY_YEARS,
    digits_year,
    full_year,
    number,
    ordinal,
    short_year,
    spoken_year,
)
from workers.derive.calendar_periods import Partial, Period, Prefer, resolve
from workers.derive.calendar_words import DAY_PARTS, FUNCTION_WORDS, LEADS, MONTHS, PLAIN_MONTHS, WEEKDAYS, Tokens

Thing = Period | Partial
Read = tuple[int, Thing] | None

_NUMERIC_LEADS = (LEADS - {"for", "over", "of", "about", "around"}) | {"dated", "due", "date"}
_YEAR_LEADS = frozenset(
    ["in", "since", "until", "till", "til", "before", "after", "during", "from", "between", "through", "year", "summer", "autumn", "fall", "winter", "spring", "than", "circa", "late", "early", "mid", "by", "starting", "beginning", "throughout", "end", "beginning", "start", "middle", "back", "class", "vintage"]
)
_AMBIGUOUS = frozenset(["may", "march", "mar"])
_WRITTEN = frozenset(["st", "nd", "rd", "th"])


@dataclass(frozen=True, slots=True)
class Reader:
    """What every rule needs: the text, the day it is read on, which way to look, and the rule for any plain date."""

    tokens: Tokens
    today: date
    prefer: Prefer
    simple: Callable[[Reader, int], Read]

    def resolved(self, thing: Thing) -> Period | None:
        return resolve(thing, self.today, self.prefer) if isinstance(thing, Partial) else thing


def year(r: Reader, at: int, *, sure: bool = False) -> tuple[int, int] | None:
    """Read a year of four digits or in words; `sure` where only a year can stand, and then "'87" too."""
    found = digits_year(r.tokens, at)
    if found:
        return None if r.tokens.counted(found[0]) and not _spanned(r.tokens, found[0]) else found
    found = spoken_year(r.tokens, at)
    if found:
        return found
    return short_year(r.tokens, at, r.today) if sure or r.tokens.at(at) in {"'", "’", "‘"} else None


def _spanned(tokens: Tokens, at: int) -> bool:
    """Whether a year is followed by "-" and another year."""
    return tokens.at(at) in {"-", "–", "~", "/"} and tokens.at(at + 1).isdigit()


def lone_year(r: Reader, at: int) -> Read:
    """Read a year that stands alone after a word that dates come after, or in brackets."""
    tokens = r.tokens
    before = tokens.at(at - 1)
    quoted = before in {"'", "’", "‘"} and tokens.at(at - 2) in _YEAR_LEADS | {"of", "the"}
    if quoted:
        found = short_year(tokens, at, r.today)
        return (found[0], Partial(year=found[1])) if found else None
    if tokens.glued(at) and before not in {"(", "~", "-", "–", "[", "/", "="}:
        return None
    found = year(r, at)
    if found is None or (
        tokens.at(found[0]) in {"/", "-"} and tokens.glued(found[0]) and not _spanned(tokens, found[0])
    ):
        return None
    lead = before if before not in {"the", "about", "around", "only"} else tokens.at(at - 2)
    likely = found[1] in LIKELY_YEARS
    fits = (
        lead in _YEAR_LEADS
        or (likely and lead in {"of", "for", "on", "to", "=", "<", ">"})
        or (likely and before == "(" and tokens.at(found[0]) == ")")
    )
    return (found[0], Partial(year=found[1])) if fits and not _measured(tokens, at) else None


def _measured(tokens: Tokens, at: int) -> bool:
    """Whether "a total of 2000" is said rather than "the class of 2000"."""
    return tokens.at(at - 1) == "of" and tokens.at(at - 2) in {
        "total", "price", "cost", "sum", "average", "distance", "population", "height", "weight", "maximum", "minimum",
        "limit", "number", "score", "balance", "budget", "capacity", "most", "some", "fee", "value", "salary",
    }  # fmt: skip


def month_first(r: Reader, at: int) -> Read:
    """Read "May", "May 2018", "May 3rd, 2018", "May the third", "Dec/2018", "Jan/3"."""
    tokens = r.tokens
    month = MONTHS.get(tokens.base(at))
    if month is None or (tokens.glued(at) and tokens.at(at - 1)[-1:].isalnum()):
        return None
    after = at + 1
    after = tokens.skip(after, ".") if len(tokens.at(at)) < 5 and tokens.at(after + 1).isdigit() else after
    after = tokens.skip(after, ",", "/", "-", "of", "the")
    found = year(r, after, sure=tokens.at(after - 1) == "of")
    if found and not _clock(tokens, found[0]):
        return found[0], Partial(year=found[1], month=month)
    after = tokens.skip(after, "the")
    day = ordinal(tokens, after)
    exact = day is not None
    if day is None and tokens.at(after - 1) != "of":
        day = number(tokens, after)
    if day and 1 <= day[1] <= 31 and not _clock(tokens, day[0]) and (exact or not _amounts(r, at, after, day[0])):
        return _with_year(r, day[0], Partial(month=month, day=day[1]))
    return (at + 1, Partial(month=month)) if _lone_month(tokens, at) else None


def _amounts(r: Reader, at: int, first: int, stop: int) -> bool:
    """Whether the number after a month's name counts something: "may 3 people", "march 20 miles"."""
    tokens = r.tokens
    if tokens.glued(stop) and tokens.at(stop) not in {",", ".", ")", ";", "!", "?", ":", "-", "–", "/", "'", "’"}:
        return True
    if tokens.at(stop) in {"-", "–", "/"} and tokens.glued(stop):
        return False
    return tokens.counted(stop) and not tokens.glued(first) and not (tokens.capital(at) and not tokens.glued(stop))


def _clock(tokens: Tokens, stop: int) -> bool:
    """Whether the number before belongs to a time of day: "3:30", "9 am", "9 o'clock"."""
    word = tokens.at(stop)
    if word == ":":
        return tokens.glued(stop) and tokens.glued(stop + 1) and tokens.at(stop + 1).isdigit()
    return word in {"am", "pm", "o'clock", "oclock", "a.m", "p.m"}


def _with_year(r: Reader, at: int, found: Partial) -> tuple[int, Partial]:
    tokens = r.tokens
    after = tokens.skip(at, ",", "/", "-", "of", ".", "in")
    sure = after > at and tokens.at(at) in {"/", "-", "of"}
    read = year(r, after, sure=sure)
    if read is None or _clock(tokens, read[0]):
        return at, found
    return read[0], replace(found, year=read[1])


def _lone_month(tokens: Tokens, at: int) -> bool:
    word = tokens.at(at)
    if tokens.glued(at) and tokens.at(at - 1) in {"'", "’", "@", "#", "."}:
        return False
    if word.removesuffix("'s") in PLAIN_MONTHS:
        return tokens.capital(at) or tokens.led(at)
    before = tokens.at(at - 1)
    if before in {"the", "to", "about", "for", "from", "this", "over"} and not (
        before in {"this", "to"} and tokens.led(at)
    ):
        return False
    return tokens.led(at) and (
        tokens.capital(at) or word not in _AMBIGUOUS or before in {"in", "since", "last", "next"}
    )


def day_first(r: Reader, at: int) -> Read:
    """Read "3 May", "3rd of May 2018", "twenty third day of September", "05-Aug-2016", "14 Sept '72"."""
    tokens = r.tokens
    exact = ordinal(tokens, at)
    day = exact or number(tokens, at)
    if day is None or not 1 <= day[1] <= 31 or _decimal(tokens, at):
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


def _decimal(tokens: Tokens, at: int) -> bool:
    """Whether the digits at a place are the end of a longer number or sign."""
    return tokens.glued(at) and (
        tokens.at(at - 1) in {"$", "€", "£", "#", "/", "."}
        or tokens.at(at - 1)[-1].isalnum()
        or (tokens.at(at - 1) in {":", ","} and tokens.at(at - 2).isdigit() and tokens.glued(at - 1))
    )


def numeric(r: Reader, at: int, *, inner: bool = False) -> Read:
    """Read "2018-05-03", "5/3/2018", "23.04.2022", "20180503", "2018/Sep/23", "2018-05", "5/3"."""
    tokens = r.tokens
    if not (tokens.at(at).isdecimal() and tokens.at(at).isascii()):
        return None
    if _decimal(tokens, at) or (not inner and _continues(tokens, at)):
        return None
    compact = _compact(tokens, at)
    if compact:
        return compact
    sign = tokens.at(at + 1)
    if sign not in {"/", "-", "."} or not tokens.glued(at + 1) or not tokens.glued(at + 2):
        return _spaced(tokens, at)
    second, month = tokens.at(at + 2), tokens.at(at + 2) in MONTHS
    third = at + 4 if tokens.at(at + 3) == sign and tokens.glued(at + 3) and tokens.glued(at + 4) else None
    if not second.isdigit() and not month:
        return None
    if third is not None and (tokens.at(third).isdigit() or tokens.at(third) in MONTHS):
        found = _three(tokens.at(at), second, tokens.at(third), sign, r.today)
        if found and _ends(r, third + 1):
            return third + 1, found
    return _two(r, at, sign)


def _continues(tokens: Tokens, at: int) -> bool:
    """Whether the number is joined by a hyphen to a number before it, as in a phone number."""
    return tokens.glued(at) and tokens.at(at - 1) in {"-", "+"} and tokens.at(at - 2).isdigit() and tokens.glued(at - 1)


def _ends(r: Reader, at: int) -> bool:
    """Whether a written date ends here: not in a longer number, unless that is another date ("5/1/2019-5/7/2020")."""
    tokens = r.tokens
    if not tokens.glued(at):
        return tokens.at(at) != "%"
    word = tokens.at(at)
    if word[0].isalnum():
        return word == "t" or (word.startswith("t") and len(word) == 1)
    if word in {"-", "–", "~"} and tokens.glued(at + 1) and tokens.at(at + 1).isdigit():
        return numeric(r, at + 1, inner=True) is not None
    return not (word in {".", "/", "%", "_"} and tokens.glued(at + 1) and tokens.at(at + 1).isdigit()) and word != "%"


def _compact(tokens: Tokens, at: int) -> Read:
    word = tokens.at(at)
    if len(word) != 8 or not word.isdigit() or word[:2] not in {"19", "20"}:
        return None
    if tokens.glued(at + 1) and (tokens.at(at + 1)[0].isalnum() or tokens.at(at + 1) in {"%", "$"}):
        return None
    found = _valid(word[:4], word[4:6], word[6:])
    return (at + 1, found) if found else None


def _spaced(tokens: Tokens, at: int) -> Read:
    """Read "2016 10 16" after a word that dates come after."""
    first, second, third = tokens.at(at), tokens.at(at + 1), tokens.at(at + 2)
    if len(first) == 4 and len(second) == len(third) == 2 and first[:2] in {"19", "20"} and tokens.led(at):
        found = _valid(first, second, third)
        return (at + 3, found) if found and not tokens.counted(at + 3) else None
    return None


def _valid(year_text: str, month_text: str, day_text: str) -> Partial | None:
    try:
        when = date(int(year_text), int(month_text), int(day_text))
    except ValueError:
        return None
    return Partial(year=when.year, month=when.month, day=when.day)


def _three(first: str, second: str, third: str, sign: str, today: date) -> Partial | None:
    months = [str(MONTHS.get(text, "")) for text in (first, second, third)]
    if len(first) == 4:
        return _valid(first, months[1] or second, third) or _valid(first, months[2] or third, second)
    if months[1]:
        full = (
            third
            if len(third) == 4
            else str(full_year(int(third), today))
            if len(third) == 2 and third.isdigit()
            else ""
        )
        return _valid(full, months[1], first) if full else None
    if max(len(first), len(second)) > 2 or not (first + second + third).isdigit():
        return None
    if len(third) == 2 and (sign == "/" or (sign == "-" and len(first) == len(second) == 2)):
        third = str(full_year(int(third), today))
    if len(third) != 4 or int(third) not in LIKELY_YEARS:
        return None
    if sign == ".":
        return _valid(third, second, first) or _valid(third, first, second)
    return _valid(third, first, second) or _valid(third, second, first)


def _two(r: Reader, at: int, sign: str) -> Read:
    """Read "2018-05" and "5/3"; the latter only where a word or the shape of the sentence makes it a date."""
    tokens = r.tokens
    first, second = tokens.at(at), tokens.at(at + 2)
    if not second.isdigit():
        return None
    if len(first) == 4 and len(second) == 2 and sign in "-/" and int(first) in LIKELY_YEARS and 1 <= int(second) <= 12:
        return (at + 3, Partial(year=int(first), month=int(second))) if _ends(r, at + 3) else None
    if sign != "/" or max(len(first), len(second)) > 2 or (first, second) in {("24", "7"), ("50", "50")}:
        return None
    found = _valid("2000", first, second) or _valid("2000", second, first)
    if found is None or not _ends(r, at + 3) or not _dated(tokens, at):
        return None
    return at + 3, replace(found, year=None)


def _dated(tokens: Tokens, at: int) -> bool:
    """Whether "11/20" is a date and no fraction: a word says so, or it stands alone and is none that people use."""
    before, after = tokens.at(at - 1), tokens.at(at + 3)
    alone = not after or not after[0].isalnum() or after in FUNCTION_WORDS
    if before in _NUMERIC_LEADS or before in WEEKDAYS or before in {"(", "-", "–"}:
        return alone and after != "of"
    unusual = max(int(tokens.at(at)), int(tokens.at(at + 2))) > 12 and int(tokens.at(at)) < 24
    return (
        unusual
        and alone
        and after not in {"of", "%"}
        and (not before or before in {"?", ".", ",", ":", ";", "!", "back"})
    )


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
        found = _valid(str(number_of_year), tokens.at(at), tokens.at(at + 2)) if tokens.at(at).isdigit() else None
        if (
            found
            and found.month
            and found.day
            and date(number_of_year, found.month, found.day).weekday() == weekday_number
        ):
            return at + 3, found
    return None
