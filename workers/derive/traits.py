"""What kind of thing a text says, as far as questions ask for kinds: when something was, and how much of it.

One rule serves the index and the question: a memory has a trait, a question wants one. A trait is indexed like a word
under a key of its own, so that nothing has to be read again when a question is asked.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from enum import StrEnum

from workers.derive.text import term_key
from workers.derive.times import TIMES, expressions

TRAITS = f"traits/1 {TIMES}"
TRAIT_SPACE = b"trait"


class Trait(StrEnum):
    """What an answer to "when" and to "how many" has."""

    TIME = "time"
    NUMBER = "number"


# Whether a date is named does not depend on the day it is counted from.
_ANY_DAY = datetime(2001, 2, 3, tzinfo=UTC)
_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozens?|hundreds?|thousands?|several|couple"
    r"|once|twice)\b",
    re.IGNORECASE,
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


def trait_key(trait: Trait) -> int:
    """Return the key a trait is indexed under."""
    return term_key(trait, TRAIT_SPACE)
