"""The English words and signs that dates are made of, and a text cut into them.

`Tokens` is what the grammar walks over: runs of letters (with an inner apostrophe), runs of digits, and single other
signs, each with its place. Links and code are left out before anything is read, for a path or a version in them is no
date. A letter word is compared in lower case; `capital` tells whether it was written with one, which is all that
keeps "May" from "may".
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TypeVar

from workers.english.lexicon import closed

Rule = TypeVar("Rule")


def listed(text: str) -> list[str]:
    return text.split()


def by_word(rules: Iterable[tuple[Iterable[str], tuple[Rule, ...]]]) -> dict[str, tuple[Rule, ...]]:
    """Return for each word the rules to try on what begins with it, in order."""
    found: dict[str, tuple[Rule, ...]] = {}
    for known, some in rules:
        for word in known:
            found[word] = (*found.get(word, ()), *some)
    return found


_MONTHS = (
    "january jan",
    "february feb",
    "march mar",
    "april apr",
    "may",
    "june jun",
    "july jul",
    "august aug",
    "september sep sept",
    "october oct",
    "november nov",
    "december dec",
)
MONTHS = {name: number for number, names in enumerate(_MONTHS, start=1) for name in names.split()}
MONTH_NAMES = tuple(names.split()[0] for names in _MONTHS)
PLAIN_MONTHS = closed("january february july september october november december")
"""Full names that are hardly ever anything else: they need no word before them to be read as a month."""

_WEEKDAYS = (
    "monday mon",
    "tuesday tue tues",
    "wednesday wed weds",
    "thursday thu thur thurs",
    "friday fri",
    "saturday sat",
    "sunday sun",
)
WEEKDAYS = {name: number for number, names in enumerate(_WEEKDAYS) for name in names.split()}
WEEKDAY_NAMES = tuple(names.split()[0] for names in _WEEKDAYS)
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
"""The month each begins with: the three-month seasons of the northern hemisphere."""

UNITS = {
    name: unit
    for unit, names in {
        "day": "day days",
        "week": "week weeks wk wks",
        "fortnight": "fortnight fortnights",
        "month": "month months mth mths",
        "quarter": "quarter quarters",
        "year": "year years yr yrs",
        "decade": "decade decades",
        "century": "century centuries",
    }.items()
    for name in names.split()
}
PLURALS = frozenset(name for name in UNITS if name.endswith("s"))

SHIFTS = {
    "this": 0,
    "current": 0,
    "next": 1,
    "coming": 1,
    "upcoming": 1,
    "following": 1,
    "last": -1,
    "past": -1,
    "previous": -1,
}
PARTS = {
    "early": "early",
    "beginning": "early",
    "start": "early",
    "mid": "mid",
    "middle": "mid",
    "late": "late",
    "end": "late",
    "later": "later",
    "earlier": "earlier",
    "rest": "later",
    "remainder": "later",
}
DAY_PARTS = closed("morning afternoon evening night nite lunchtime noon midnight")
CLOCK = closed("am pm o'clock oclock")
"""What follows the hours of a time of day."""

_BELOW_TWENTY = listed(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen"
)
_TENS = listed("twenty thirty forty fifty sixty seventy eighty ninety")
_ORDINALS = listed(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth"
    " sixteenth seventeenth eighteenth nineteenth twentieth"
)
TENS = dict(zip(_TENS, range(20, 100, 10), strict=True))
CARDINALS = {name: number for number, name in enumerate(_BELOW_TWENTY)} | TENS
ORDINALS = {name: number for number, name in enumerate(_ORDINALS, start=1)} | {"thirtieth": 30}
VAGUE = {"couple": 2, "few": 3, "several": 3}

TO = closed("to till til until through thru - – — ~")
LEADS = closed(
    "in on by since until till til before after during from between through thru of for around about "
    "early mid late this next last past coming previous following to throughout end beginning start "
    "middle circa over year than starting sometime"
)
"""What stands before a date: after one of these a bare month, year or holiday is one."""

FILLERS = closed("the about around roughly approximately circa of on in sometime maybe only")

FUNCTION_WORDS = closed(
    "a about after again all already also although an and any are around as at be because been before but "
    "by can did do does during for from had has have he her here his how i i'll i'm i've if in is it it's "
    "its just me my near not now of on onward onwards or our over she since so some sometime still than "
    "that the their then there they this though through throughout till to together too under until us "
    "was we we'll we're were what when where whether which while who will with without would you your yes "
    "thus next last later earlier only please let let's whereas maybe right ok okay am pm"
)
"""What may follow a number that is a date. A noun there makes it a count: "on the 4th floor", "in 2000 words"."""

RECURRING = frozenset(["every", "each", "any", "per", "alternate"])

FESTIVE = closed(
    "tree trees dinner gift gifts present presents egg eggs party parties costume costumes card cards "
    "song songs music movie movies cookie cookies decoration decorations light lights market markets "
    "island islands carol carols story bunny lunch dress candy stocking basket feast play season sale "
    "sales resolution resolutions"
)
"""After a holiday's name these make it the name of a thing."""

_TOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|[0-9]+|\S")
_OPAQUE = re.compile(r"(?:https?://|www\.)\S+|```(?:[^`]|`(?!``))*+```|`[^`\n]*+`")


class Tokens:
    """A text as words and signs. `low[i]` is the word in lower case, `start[i]` and `stop[i]` its place."""

    __slots__ = ("count", "low", "start", "stop", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.low: list[str] = []
        self.start: list[int] = []
        self.stop: list[int] = []
        at = 0
        for hidden in _OPAQUE.finditer(text) if "`" in text or "://" in text or "www." in text else ():
            self._read(at, hidden.start())
            at = hidden.end()
        self._read(at, len(text))
        self.count = len(self.low)

    def _read(self, at: int, end: int) -> None:
        for found in _TOKEN.finditer(self.text, at, end):
            self.low.append(found[0].lower().replace("’", "'"))
            self.start.append(found.start())
            self.stop.append(found.end())

    def at(self, index: int) -> str:
        """Return the word at `index`, blank outside the text."""
        return self.low[index] if 0 <= index < self.count else ""

    def base(self, index: int) -> str:
        """Return the word without a genitive ending."""
        return self.at(index).removesuffix("'s")

    def glued(self, index: int) -> bool:
        """Whether nothing, not even a blank, is between this token and the one before."""
        return 0 < index < self.count and self.stop[index - 1] == self.start[index]

    def capital(self, index: int) -> bool:
        return 0 <= index < self.count and self.text[self.start[index]].isupper()

    def skip(self, index: int, *words: str) -> int:
        """Return `index`, moved over any one of `words`."""
        return index + 1 if self.at(index) in words else index

    def counted(self, index: int) -> bool:
        """Whether what follows a number makes it an amount of something, or a part of a longer sign."""
        word = self.at(index)
        if not word:
            return False
        if self.glued(index):
            follows = self.glued(index + 1) and self.at(index + 1).isalnum()
            return word[0].isalnum() or word in "%°$€£@_=" or (word in ".,:/-–+'" and follows)
        return word in "%°$€£×" or (word[0].isalpha() and word not in FUNCTION_WORDS and not self.capital(index))

    def led(self, index: int) -> bool:
        """Whether a word that dates come after stands before `index`, a filler between allowed."""
        before = index - 1
        if self.at(before) in FILLERS and self.at(before) not in {"of", "in", "on"}:
            before -= 1
        if self.at(before) == "-" and self.at(before - 1) in {"mid", "early", "late"}:
            before -= 1
        return self.at(before) in LEADS
