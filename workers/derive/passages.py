"""Cuts a text into passages: verbatim slices small enough for one vector and one place in a prompt.

What `cut` promises:

- a passage is `text[start:end]`, never rewritten; together the passages hold every character that is not blank;
- a passage spends at most one budget: `words` words, `cjk` characters of scripts without spaces, or a mixture (each
  counts as its share), and never more than `CHARACTERS` characters;
- it ends at the last paragraph in the second half of what fits, else at the last line, else at the last sentence,
  else between two words; only a run that alone is over the limit is cut inside, and then not inside a letter and its
  accents, an emoji sequence, a flag or a decomposed Hangul syllable;
- time is linear in the length of the text, blanks and unbroken runs of millions of characters included.

`PASSAGES` is the version that goes into the fingerprint of what is built on the cuts.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from workers.derive.text import UNSPACED

PASSAGES = "passages/1"

WORDS = 180
"""About the 256 word pieces that small sentence encoders read (all-MiniLM-L6-v2); the budget stays when the model
goes."""

CJK = 240
"""The same window in characters of a script without spaces, one piece each."""

CHARACTERS = 900
"""BEAM's long turns with code and Markdown were measured with passages of at most 900 characters (best passage counts):
R@10 .584 and MRR .515 for an even mixture of keyword and vector. It also bounds runs that have no words to count."""

_FEWEST_LETTERS = 32
"""How far back a cut inside a run looks for the start of a letter. Longer clusters exist only as a prank."""

_TOKEN = re.compile(rf"[{UNSPACED}]|[^\s{UNSPACED}]+")
_UNSPACED = re.compile(rf"[{UNSPACED}]")
_BLANKS = re.compile(r"\s*")
_BREAKS = (
    re.compile(r"(?<!\s)()\s*\n[^\S\n]*\n"),
    re.compile(r"(?<!\s)()\s*\n"),
    re.compile(r"(?<=[.!?…])([\"'”’)\]*_]{0,3})\s|(?<=[。！？｡।။။])([」』”’）]{0,3})"),
)
"""What may end a passage, dearest first: a blank line, the end of a line, the end of a sentence with its closing
quotes."""

_GAP = 64
"""Blanks after the limit that are looked at to see whether the limit itself is the end of a paragraph or a line."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A slice of a text. `start` and `end` are offsets in characters (code points)."""

    start: int
    end: int
    text: str


def cut(text: str, words: int = WORDS, cjk: int = CJK, characters: int = CHARACTERS) -> list[Passage]:
    """Passages in reading order; none for a blank text. Raises ValueError for a budget below one."""
    if min(words, cjk, characters) < 1:
        raise ValueError("every budget of a passage is at least 1")
    passages: list[Passage] = []
    length = len(text.rstrip())
    at = _skip(text, 0)
    while at < length:
        limit = _limit(text, at, length, words=words, cjk=cjk, characters=characters)
        end = limit if limit >= length else _best_end(text, at, limit)
        passages.append(Passage(at, end, text[at:end]))
        at = _skip(text, end)
    return passages


def _skip(text: str, at: int) -> int:
    blanks = _BLANKS.match(text, at)
    return blanks.end() if blanks else at


def _limit(text: str, at: int, length: int, *, words: int, cjk: int, characters: int) -> int:
    """The furthest end of a whole word that the budgets allow, or an end inside a run that alone is over them."""
    if length - at <= min(words, cjk, characters):
        return length
    furthest = min(at + characters, length)
    end, spent = at, 0
    budget = words * cjk
    for token in _TOKEN.finditer(text, at, min(furthest + 1, length)):
        spent += words if _UNSPACED.match(token[0]) else cjk
        if token.end() > furthest or spent > budget:
            break
        end = token.end()
    else:
        return end
    return _whole(text, at, end if end > at else furthest)


def _whole(text: str, at: int, end: int) -> int:
    """`end`, moved back to where a letter begins, unless that is further than any real letter is long."""
    for back in range(end, max(at, end - _FEWEST_LETTERS), -1):
        if not _inside(text, at, back):
            return back
    return end


def _inside(text: str, at: int, end: int) -> bool:
    """Whether a cut before `text[end]` would split what a reader sees as one character."""
    if end >= len(text):
        return False
    before, after = text[end - 1], text[end]
    if after in "\u200d\uff9e\uff9f" or before == "\u200d" or unicodedata.category(after)[0] == "M":
        return True
    if "\u1160" <= after <= "\u11ff" or "\U0001f3fb" <= after <= "\U0001f3ff":
        return True
    flags = 0
    while end - flags > at and flags < _FEWEST_LETTERS and _flag(text[end - 1 - flags]):
        flags += 1
    return _flag(after) and flags % 2 == 1


def _flag(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _best_end(text: str, at: int, limit: int) -> int:
    """The last and dearest break in the second half of `text[at:limit]`, else the limit."""
    half = at + (limit - at) // 2
    for pattern in _BREAKS:
        last = 0
        for found in pattern.finditer(text, half, min(limit + _GAP, len(text))):
            end = found.end(found.lastindex or 0)
            if end > limit:
                break
            last = end
        if last > half:
            return last
    return limit
