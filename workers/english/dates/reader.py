"""What every rule takes and gives, and the years, which most of them need.

A rule takes the reader and the position of a word. It returns where it stopped and the date it read, of which parts
may be missing (`Partial`), or None. A year that stands alone is one only after a word that years come after.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date

from workers.english.dates.numbers import LIKELY_YEARS, digits_year, short_year, spoken_year
from workers.english.dates.periods import Partial, Period, Prefer, resolve
from workers.english.dates.words import MONTHS, SHIFTS, TO, Tokens
from workers.english.lexicon import closed

Thing = Period | Partial


Read = tuple[int, Thing] | None


DEEPEST = 3
"""Nobody says more: "the day after the first Monday of the month after next"."""

_YEAR_LEADS = closed(
    "in since until till til before after during from between through year years summer autumn fall winter "
    "spring than circa late early mid by starting beginning throughout end start middle back class "
    "vintage"
)


@dataclass(frozen=True, slots=True)
class Reader:
    """What every rule needs: the text, the day it is read on, which way to look, and the rule for any plain date."""

    tokens: Tokens
    today: date
    prefer: Prefer
    simple: Callable[[Reader, int], Read]
    depth: int = 0

    def inner(self, at: int) -> Read:
        """Read the plain date inside another expression, at most `DEEPEST` of them inside each other."""
        return self.simple(replace(self, depth=self.depth + 1), at) if self.depth < DEEPEST else None

    def resolved(self, thing: Thing) -> Period | None:
        return resolve(thing, self.today, self.prefer) if isinstance(thing, Partial) else thing


def year(r: Reader, at: int, *, sure: bool = False) -> tuple[int, int] | None:
    """Read a year of four digits or in words; `sure` where only a year can stand, and then "'87" too."""
    found = digits_year(r.tokens, at)
    if found and sure and found[1] in LIKELY_YEARS and not r.tokens.glued(found[0]):
        return found
    if found:
        return None if r.tokens.counted(found[0]) and not _spanned(r.tokens, found[0]) else found
    found = spoken_year(r.tokens, at)
    if found:
        return found
    return short_year(r.tokens, at, r.today) if sure or r.tokens.at(at) in {"'", "’", "‘"} else None


def shifted_year(r: Reader, at: int) -> tuple[int, int] | None:
    """Read "last year" where a date before it lacks one: "in May last year"."""
    shift = SHIFTS.get(r.tokens.at(at))
    if shift is None or r.tokens.at(at + 1) != "year":
        return None
    return at + 2, r.today.year + shift


def _spanned(tokens: Tokens, at: int) -> bool:
    """Whether a year is followed by "-" and another year."""
    after = tokens.at(at + 1)
    return tokens.at(at) in {"-", "–", "~", "/"} and (after.isdigit() or after in MONTHS or after in {"q", "h"})


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
    lead = _listed(tokens, at)
    stop = found[0]
    if tokens.at(stop) in TO and tokens.at(stop + 1).isdigit() and tokens.counted(stop + 2):
        return None
    likely = found[1] in LIKELY_YEARS
    opened = (tokens.at(stop) in {"or", "and"} and tokens.at(stop + 1) == "later") or tokens.at(stop) in {
        "onwards",
        "onward",
    }
    fits = (
        lead in _YEAR_LEADS
        or (likely and opened)
        or (likely and lead in {"of", "for", "on", "to", "=", "<", ">"})
        or (likely and before == "(" and tokens.at(found[0]) == ")")
    )
    return (found[0], Partial(year=found[1])) if fits and not _measured(tokens, at) else None


def _listed(tokens: Tokens, at: int) -> str:
    """The word before a year, or before the first of the years it is listed with ("2007, 2009 and 2011")."""
    for _ in range(8):
        if tokens.at(at - 1) not in {"and", "or", ",", "&"} or digits_year(tokens, at - 2) is None:
            break
        at -= 2
    before = tokens.at(at - 1)
    return before if before not in {"the", "about", "around", "only"} else tokens.at(at - 2)


def _measured(tokens: Tokens, at: int) -> bool:
    """Whether "a total of 2000" is said rather than "the class of 2000"."""
    return tokens.at(at - 1) == "of" and tokens.at(at - 2) in {
        "total", "price", "cost", "sum", "average", "distance", "population", "height", "weight", "maximum", "minimum",
        "limit", "number", "score", "balance", "budget", "capacity", "most", "some", "fee", "value", "salary",
    }  # fmt: skip
