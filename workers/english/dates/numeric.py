"""Dates in digits: "2018-05-03", "5/3/2018", "23.04.2022", "20180503", "05-Aug-2016", "5/3".

Slashes and hyphens are read month first unless that is no month; three numbers with dots are read day first. A number
that could as well be a fraction, a version, a score or a phone number is no date unless a word before it says so.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from workers.english.dates.numbers import LIKELY_YEARS, full_year
from workers.english.dates.periods import Partial
from workers.english.dates.reader import Read, Reader
from workers.english.dates.words import FUNCTION_WORDS, MONTHS, WEEKDAYS, Tokens
from workers.english.lexicon import closed

_NUMERIC_LEADS = closed(
    "on by since until till til before after from between through this next last coming starting beginning dated due"
    " date"
)


_FRACTION_LEADS = closed("by from through this next last")


_NUMBERED_THINGS = closed("version ver v release build model page chapter section room flight isbn serial")


def decimal(tokens: Tokens, at: int) -> bool:
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
    if decimal(tokens, at) or tokens.at(at - 1) in _NUMBERED_THINGS or (not inner and _continues(tokens, at)):
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
        if found and _ends(r, third + 1, inner=inner):
            return third + 1, found
    return _two(r, at, sign, inner=inner)


def _continues(tokens: Tokens, at: int) -> bool:
    """Whether the number is joined by a hyphen to a number before it, as in a phone number."""
    return tokens.glued(at) and tokens.at(at - 1) in {"-", "+"} and tokens.at(at - 2).isdigit() and tokens.glued(at - 1)


def _ends(r: Reader, at: int, *, inner: bool) -> bool:
    """Whether a written date ends here: not in a longer number, unless that is another date ("5/1/2019-5/7/2020")."""
    tokens = r.tokens
    if not tokens.glued(at):
        return tokens.at(at) != "%"
    word = tokens.at(at)
    if word[0].isalnum():
        return word == "t"
    if word in {"-", "–", "~"} and tokens.glued(at + 1) and tokens.at(at + 1).isdigit():
        return not inner and numeric(r, at + 1, inner=True) is not None
    return not (word in {".", "/", "%", "_"} and tokens.glued(at + 1) and tokens.at(at + 1).isdigit()) and word != "%"


def _compact(tokens: Tokens, at: int) -> Read:
    word = tokens.at(at)
    if len(word) != 8 or not word.isdigit() or word[:2] not in {"19", "20"}:
        return None
    if tokens.glued(at + 1) and (tokens.at(at + 1)[0].isalnum() or tokens.at(at + 1) in {"%", "$"}):
        return None
    found = valid(word[:4], word[4:6], word[6:])
    return (at + 1, found) if found else None


def _spaced(tokens: Tokens, at: int) -> Read:
    """Read "2016 10 16" after a word that dates come after."""
    first, second, third = tokens.at(at), tokens.at(at + 1), tokens.at(at + 2)
    if len(first) == 4 and len(second) == len(third) == 2 and first[:2] in {"19", "20"} and tokens.led(at):
        found = valid(first, second, third)
        return (at + 3, found) if found and not tokens.counted(at + 3) else None
    return None


def valid(year_text: str, month_text: str, day_text: str) -> Partial | None:
    try:
        when = date(int(year_text), int(month_text), int(day_text))
    except ValueError:
        return None
    return Partial(year=when.year, month=when.month, day=when.day)


def _three(first: str, second: str, third: str, sign: str, today: date) -> Partial | None:
    months = [str(MONTHS.get(text, "")) for text in (first, second, third)]
    if len(first) == 4:
        return valid(first, months[1] or second, third) or valid(first, months[2] or third, second)
    if months[1]:
        full = (
            third
            if len(third) == 4
            else str(full_year(int(third), today))
            if len(third) == 2 and third.isdigit()
            else ""
        )
        return valid(full, months[1], first) if full else None
    if max(len(first), len(second)) > 2 or not (first + second + third).isdigit():
        return None
    if len(third) == 2 and (sign == "/" or (sign == "-" and len(first) == len(second) == 2)):
        third = str(full_year(int(third), today))
    if len(third) != 4 or int(third) not in LIKELY_YEARS:
        return None
    if sign == ".":
        return valid(third, second, first) or valid(third, first, second)
    return valid(third, first, second) or valid(third, second, first)


def _two(r: Reader, at: int, sign: str, *, inner: bool) -> Read:
    """Read "2018-05" and "5/3"; the latter only where a word or the shape of the sentence makes it a date."""
    tokens = r.tokens
    first, second = tokens.at(at), tokens.at(at + 2)
    if not second.isdigit():
        return None
    if len(first) == 4 and len(second) == 2 and sign in "-/" and int(first) in LIKELY_YEARS and 1 <= int(second) <= 12:
        return (at + 3, Partial(year=int(first), month=int(second))) if _ends(r, at + 3, inner=inner) else None
    if sign == "/" and len(second) == 4 and int(second) in LIKELY_YEARS and 1 <= int(first) <= 12 and tokens.led(at):
        return (at + 3, Partial(year=int(second), month=int(first))) if _ends(r, at + 3, inner=inner) else None
    if sign != "/" or max(len(first), len(second)) > 2 or (first, second) in {("24", "7"), ("50", "50")}:
        return None
    found = valid("2000", first, second) or valid("2000", second, first)
    if found is None or not _ends(r, at + 3, inner=inner) or not (inner or _dated(tokens, at)):
        return None
    return at + 3, replace(found, year=None)


def _dated(tokens: Tokens, at: int) -> bool:
    """Whether "11/20" is a date and no fraction: a word says so, or it stands alone and is none that people use."""
    before, after = tokens.at(at - 1), tokens.at(at + 3)
    alone = not after or not after[0].isalnum() or after in FUNCTION_WORDS
    if after in {"-", "–"} and tokens.glued(at + 3) and tokens.at(at + 5) == "/" and tokens.at(at + 7) == "/":
        return True
    if before in _NUMERIC_LEADS or before in WEEKDAYS:
        fraction = before in _FRACTION_LEADS and int(tokens.at(at)) < int(tokens.at(at + 2)) < 9
        return alone and after != "of" and not (fraction and after != "-")
    unusual = max(int(tokens.at(at)), int(tokens.at(at + 2))) > 12 and int(tokens.at(at)) < 24
    return (
        unusual
        and alone
        and after not in {"of", "%"}
        and (not before or before in {"?", ".", ",", ":", ";", "!", "back"})
    )
