"""Expressions of time that name no date: how long ("for three weeks"), how often ("every other Friday"), which part of
the day or year ("in the evenings"), the clock ("at 7:30 pm"), and vague ones ("these days", "as a child").

They tell no day, and yet are no part of what is said of somebody ("paints every day"). The vocabulary, numbers and
holidays are those of the dates; where both read the same words, the date is meant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from workers.english.dates import holidays
from workers.english.dates.numbers import FINEST, ROUGHLY, quantity
from workers.english.dates.words import (
    CARDINALS,
    CLOCK,
    DAY_PARTS,
    FUNCTION_WORDS,
    PLURALS,
    SEASONS,
    TENS,
    UNITS,
    VAGUE,
    WEEKDAY_NAMES,
    WEEKDAYS,
    Tokens,
    by_word,
)
from workers.english.lexicon import closed

HOW_OFTEN = closed("daily nightly weekly fortnightly monthly quarterly yearly annually")

_SPANS = closed("second minute hour night weekend season semester term")
"""Lengths of time that are no unit of the calendar."""
_LENGTHS = frozenset(UNITS) | _SPANS
_COMMON = frozenset(name for name, unit in UNITS.items() if unit in FINEST)
_DAYS = frozenset(WEEKDAY_NAMES)
_PARTS = DAY_PARTS | frozenset(SEASONS) | {"weekend"}
_PERIODS = _COMMON | _PARTS | {"weekday", "season"}
"""What one points at or counts: "that summer", "twice a month"."""
_RECURRENT = _PERIODS | _LENGTHS | frozenset(WEEKDAYS)
_MANY = closed("many some")

_AGES = ("ages", "a while", "forever", "a long time", "childhood", "then", "always")
_PHRASES = (
    *(f"{lead} {rest}" for lead in ("for", "since") for rest in _AGES),
    *("all my life", "my whole life", "these days", "nowadays", "at the moment", "at moment", "right now"),
    *("a while ago", "a while back", "lately", "recently", "for now", "soon"),
    *(f"as a {young}" for young in ("child", "kid", "boy", "girl", "teenager", "student")),
)
_PHRASES_OF: dict[str, list[tuple[str, ...]]] = {}
for _phrase_words in map(str.split, _PHRASES):
    _PHRASES_OF.setdefault(_phrase_words[0], []).append(tuple(_phrase_words))


def undated(text: str) -> list[tuple[int, int]]:
    """Return the spans of such expressions as (start, stop), in order and apart. Linear in the length of the text."""
    tokens = Tokens(text)
    found: list[tuple[int, int]] = []
    at = 0
    while at < tokens.count:
        stop = next((stop for rule in _rules(tokens.low[at]) if (stop := rule(tokens, at))), None)
        if stop is not None:
            genitive = tokens.low[stop - 1].endswith("'s")
            found.append((tokens.start[at], tokens.stop[stop - 1] - 2 * genitive))
        at = stop or at + 1
    return found


def _is(word: str, names: frozenset[str]) -> bool:
    """Whether a word is one of `names` or its plural."""
    return word in names or word.removesuffix("s") in names


def _length(tokens: Tokens, at: int) -> int | None:
    """Where "three weeks", "so many good years", "a couple of hours" stops."""
    after = _number(tokens, at)
    if after is None:
        return None
    after = tokens.skip(after, "more", "good", "long")
    return after + 1 if _is(tokens.base(after), _LENGTHS) else None


def _number(tokens: Tokens, at: int) -> int | None:
    many = tokens.skip(at, "so")
    if tokens.at(many) in _MANY:
        return many + 1
    read = quantity(tokens, at)
    if read is None or (tokens.glued(at) and tokens.at(at - 1)[-1].isalnum()):
        return None
    after = read[0]
    if tokens.at(after) == "." and tokens.at(after + 1).isdigit() and tokens.glued(after + 1):
        after += 2
    return None if tokens.glued(after) else after


def _how_long(tokens: Tokens, at: int) -> int | None:
    """Read "for about three weeks", "over the last few months now"."""
    after = at + 1
    for _ in range(3):
        if tokens.at(after) in ROUGHLY:
            after += 1
        elif (tokens.at(after), tokens.at(after + 1)) in {("the", "last"), ("the", "past"), ("at", "least")}:
            after += 2
    stop = _rate(tokens, after) or _length(tokens, after)
    return tokens.skip(stop, "now") if stop else None


def _length_since(tokens: Tokens, at: int) -> int | None:
    """Read "three years now", "for two hours straight", "five days in a row"."""
    stop = _length(tokens, tokens.skip(at, "for"))
    if stop is None:
        return None
    if tokens.at(stop) in {"now", "ago", "straight", "later"}:
        return stop + 1
    return stop + 3 if tokens.low[stop : stop + 3] == ["in", "a", "row"] else None


def _plurals(tokens: Tokens, at: int) -> int | None:
    """Read "for years", "since weeks"."""
    word = tokens.at(at + 1)
    return at + 2 if word in PLURALS or word == "hours" else None


def _every(tokens: Tokens, at: int) -> int | None:
    """Read "every day", "each other Friday evening", "every second week", "every now and then", "every Christmas"."""
    if tokens.low[at + 1 : at + 4] == ["now", "and", "then"]:
        return at + 4
    for after in dict.fromkeys((tokens.skip(at + 1, "single", "other", "second"), at + 1)):
        if _is(tokens.base(after), _RECURRENT):
            return after + 2 if tokens.at(after + 1) in DAY_PARTS else after + 1
    return _holiday(tokens, at)


def _rate(tokens: Tokens, at: int) -> int | None:
    """Read "twice a week", "three times per month", "two hours every day"."""
    after: int | None = at + 1
    if tokens.at(at) not in {"once", "twice"}:
        after = _number(tokens, at)
        if after is None or not _is(tokens.at(after), _COMMON | _SPANS | DAY_PARTS | {"time"}):
            return None
        after += 1
    if after is None or tokens.at(after) not in {"a", "an", "per", "every", "each"}:
        return None
    return after + 2 if tokens.base(after + 1) in _COMMON | _SPANS | DAY_PARTS else None


def _on_days(tokens: Tokens, at: int) -> int | None:
    """Read "on weekends", "on my Mondays and Fridays"."""
    after = tokens.skip(at + 1, "my")
    word = tokens.at(after)
    if not word.endswith("s") or word[:-1] not in {"weekend", "weekday", "weeknight", *WEEKDAY_NAMES}:
        return None
    return after + 3 if tokens.at(after + 1) == "and" and _is(tokens.at(after + 2), _DAYS) else after + 1


def _in_parts(tokens: Tokens, at: int) -> int | None:
    """Read "in the evenings", "during the summer", "in spring", but no "in night shifts"."""
    after = tokens.skip(at + 1, "the")
    if not _is(tokens.base(after), _PARTS):
        return None
    if after == at + 1:
        following = tokens.at(after + 1)
        named = tokens.capital(after + 1) and not tokens.capital(after)
        if tokens.at(at) == "during" or (following[:1].isalpha() and following not in FUNCTION_WORDS and not named):
            return None
    return after + 1


def _pointed(tokens: Tokens, at: int) -> int | None:
    """Read "that summer", "all day", "the whole week", "late at night", "this time"."""
    after = at + 1
    if tokens.at(at) in {"the", "late"}:
        if tokens.at(after) not in ({"other", "whole"} if tokens.at(at) == "the" else {"at"}):
            return None
        after += 1
    word = tokens.base(after)
    return after + 1 if word == "time" or _is(word, _PERIODS) else None


def _holiday(tokens: Tokens, at: int) -> int | None:
    """Read "every Easter", "at Christmas"."""
    named = holidays.named(tokens, at + 1) if at + 1 < tokens.count else None
    return named[0] if named else None


def _clock(tokens: Tokens, at: int) -> int | None:
    """Read "at 7", "around 7:30 pm", "at 9 o'clock"; no longer number ("at 10,000")."""
    after = at + 2
    if not (tokens.at(at + 1).isdigit() and len(tokens.at(at + 1)) < 3):
        return None
    minutes = tokens.at(after + 1)
    if tokens.at(after) in {":", "."} and len(minutes) == 2 and minutes.isdigit() and tokens.glued(after + 1):
        after += 2 * tokens.glued(after)
    after = tokens.skip(after, *CLOCK)
    digits = tokens.at(after) in {".", ","} and tokens.glued(after + 1) and tokens.at(after + 1).isdigit()
    longer = tokens.glued(after) and (tokens.at(after).isalnum() or digits)
    return None if longer else after


def _at_night(tokens: Tokens, at: int) -> int | None:
    """Read "at night", "at the weekend"."""
    after = tokens.skip(at + 1, "the")
    return after + 1 if tokens.base(after) in {"night", "weekend", "weekends"} else None


def _how_often(tokens: Tokens, at: int) -> int | None:
    """Read "monthly" as the last word."""
    following = next((after for after in range(at + 1, tokens.count) if tokens.low[after][0].isalnum()), None)
    return at + 1 if following is None else None


def _phrase(tokens: Tokens, at: int) -> int | None:
    for phrase in _PHRASES_OF[tokens.low[at]]:
        if tuple(tokens.low[at : at + len(phrase)]) == phrase:
            return at + len(phrase)
    return None


Rule = Callable[[Tokens, int], int | None]

_RULES: tuple[tuple[Iterable[str], tuple[Rule, ...]], ...] = (
    (frozenset({"for", "in", "over"}), (_how_long,)),
    (frozenset({"for", "a", "an", "half", "so", *CARDINALS, *TENS, *VAGUE, *_MANY}), (_length_since,)),
    (frozenset({"every", "each"}), (_every,)),
    (frozenset({"once", "twice", "a", "an", "half", "so", *CARDINALS, *TENS, *VAGUE, *_MANY}), (_rate,)),
    (frozenset({"on"}), (_on_days,)),
    (frozenset({"in", "during"}), (_in_parts,)),
    (frozenset({"the", "all", "that", "late", "last", "this", "next"}), (_pointed,)),
    (frozenset({"at", "on"}), (_holiday,)),
    (frozenset({"at", "around"}), (_clock,)),
    (frozenset({"at"}), (_at_night,)),
    (HOW_OFTEN, (_how_often,)),
    (frozenset({"for", "since"}), (_plurals,)),
    (frozenset(_PHRASES_OF), (_phrase,)),
)
_DIGITS: tuple[Rule, ...] = (_length_since, _rate)
_BY_WORD = by_word(_RULES)


def _rules(word: str) -> tuple[Rule, ...]:
    return _DIGITS if word.isdecimal() else _BY_WORD.get(word, ())
