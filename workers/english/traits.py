"""Which traits a text has and a question wants (`workers.derive.traits`)."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from workers.derive.traits import Trait
from workers.english.dates import TIMES, expressions
from workers.english.dates.words import CARDINALS

TRAITS = f"traits/1 {TIMES}"

# Whether a date is named does not depend on the day it is counted from.
_ANY_DAY = datetime(2001, 2, 3, tzinfo=UTC)
_WRITTEN_OUT = "|".join(name for name, value in CARDINALS.items() if 1 <= value <= 12)
"""Larger numbers are mostly written in digits."""
_NUMBER = re.compile(
    rf"\d|\b(?:{_WRITTEN_OUT}|dozens?|hundreds?|thousands?|several|couple|once|twice)\b", re.IGNORECASE
)
_WHEN = re.compile(
    r"\A\W*(?:when|(?:what|which) (?:year|month|week|date|day|time))\b|\bwhen (?:did|do|does|was|were|is|are|will|has"
    r"|have|had)\b|\bhow (?:long|recently)\b",
    re.IGNORECASE,
)
_MANY = re.compile(r"\bhow (?:many|much|often|old|far)\b", re.IGNORECASE)


def traits(text: str) -> list[Trait]:
    """Return the traits of a memory's text."""
    found = []
    if expressions(text, _ANY_DAY):
        found.append(Trait.TIME)
    if _NUMBER.search(text):
        found.append(Trait.NUMBER)
    return found


def wanted(question: str) -> list[Trait]:
    """Return the traits that an answer to a question has."""
    found = []
    if _WHEN.search(question):
        found.append(Trait.TIME)
    if _MANY.search(question):
        found.append(Trait.NUMBER)
    return found
