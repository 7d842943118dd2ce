"""Days with a name: those with a fixed date, an nth weekday of a month, or a distance from Easter.

Lunar and regional calendars (Diwali, Eid, Hanukkah, Lunar New Year) are left out: a rule that is right in some years
only would state a wrong day with confidence.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from workers.english.dates.periods import DAY, Prefer, fixed, floating, from_easter
from workers.english.dates.words import Tokens

_THANKSGIVING = floating(11, 3, 4)

_NAMES: dict[str, Callable[[int], date]] = {
    "new year|new years|new year day|new year's|new year's day|new years day": fixed(1, 1),
    "new year eve|new year's eve|new years eve|nye": fixed(12, 31),
    "martin luther king day|martin luther king jr day|mlk day": floating(1, 0, 3),
    "groundhog day|ground hog day": fixed(2, 2),
    "valentine day|valentine's day|valentines day|valentine's|valentines": fixed(2, 14),
    "presidents day|president's day|presidents' day|washington's birthday": floating(2, 0, 3),
    "international women's day|women's day": fixed(3, 8),
    "saint patrick day|saint patrick's day|saint patrick|st patrick's day|st patricks day|st. patrick's day"
    "|saint patrick's|st patrick's|st patrick|st. patrick": fixed(3, 17),
    "april fools|april fool's day|april fools day|april fools' day|april fool day": fixed(4, 1),
    "earth day": fixed(4, 22),
    "may day|labour day|international workers' day|international workers day|workers' day|workers day": fixed(5, 1),
    "star wars day": fixed(5, 4),
    "cinco de mayo": fixed(5, 5),
    "mother's day|mothers day|mothers' day|mother day": floating(5, 6, 2),
    "memorial day": floating(5, 0, -1),
    "juneteenth": fixed(6, 19),
    "father's day|fathers day|fathers' day|father day": floating(6, 6, 3),
    "canada day": fixed(7, 1),
    "independence day|us independence day|american independence day": fixed(7, 4),
    "bastille day": fixed(7, 14),
    "labor day": floating(9, 0, 1),
    "columbus day|indigenous peoples' day|indigenous people's day": floating(10, 0, 2),
    "halloween|halloween day|halloween night|hallowe'en": fixed(10, 31),
    "all saints' day|all saints day|all hallows day|all hallow day": fixed(11, 1),
    "all souls' day|all souls day": fixed(11, 2),
    "guy fawkes day|guy fawkes night|bonfire night": fixed(11, 5),
    "veterans day|veteran's day|veterans' day|armistice day|remembrance day": fixed(11, 11),
    "singles day|singles' day|single's day": fixed(11, 11),
    "thanksgiving|thanksgiving day": _THANKSGIVING,
    "black friday": lambda when: _THANKSGIVING(when) + DAY,
    "cyber monday": lambda when: _THANKSGIVING(when) + 4 * DAY,
    "christmas eve|xmas eve": fixed(12, 24),
    "christmas|christmas day|xmas|xmas day|x-mas": fixed(12, 25),
    "boxing day|st stephen's day|st. stephen's day": fixed(12, 26),
    "mardi gras|shrove tuesday|pancake day|fat tuesday": from_easter(-47),
    "ash wednesday": from_easter(-46),
    "palm sunday": from_easter(-7),
    "maundy thursday": from_easter(-3),
    "good friday": from_easter(-2),
    "holy saturday": from_easter(-1),
    "easter|easter sunday|easter day": from_easter(0),
    "easter monday": from_easter(1),
    "ascension day": from_easter(39),
    "pentecost|whit sunday": from_easter(49),
    "whit monday": from_easter(50),
}


def _tree() -> dict[str, list[tuple[tuple[str, ...], Callable[[int], date]]]]:
    """By first word, the longest names first, in the tokens that a text has."""
    found: dict[str, list[tuple[tuple[str, ...], Callable[[int], date]]]] = {}
    for names, rule in _NAMES.items():
        for name in names.split("|"):
            words = tuple(Tokens(name).low)
            found.setdefault(words[0], []).append((words, rule))
    return {first: sorted(entries, key=lambda entry: -len(entry[0])) for first, entries in found.items()}


HOLIDAYS = _tree()


def named(tokens: Tokens, at: int) -> tuple[int, Callable[[int], date]] | None:
    """Return where the holiday's name that begins at a word ends, and its rule."""
    for words, rule in HOLIDAYS.get(tokens.low[at], ()):
        if tuple(tokens.low[at : at + len(words)]) == words:
            return at + len(words), rule
    return None


def occurrence(rule: Callable[[int], date], today: date, prefer: Prefer) -> date:
    """Return the last such day up to today, or the first from today on if `prefer` is "future"."""
    days = [rule(today.year + step) for step in (-1, 0, 1)]
    if prefer == "future":
        return next(when for when in days if when >= today)
    return next(when for when in reversed(days) if when <= today)
