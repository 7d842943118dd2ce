"""Whether a text says what a model says it says.

A quote is found in the text exactly, or else when both are compared with NFKC, any run of blanks as one, curly
quotation marks and dashes as straight ones, and invisible format characters left out. The offsets are always those of
the original, so `text[start:stop]` is what was really written. Case and accents have to agree. Context is never
searched.

Words are grounded when the text, its context or the name of a speaker has them:

- a word counts in its Snowball stem, with case and accents folded ("sisters" for "sister"), plus a few irregular
  plurals;
- English function words and possessive endings need no ground (so a statement may still turn "not" into "never");
- a compound ("co-founder", "v1.9") needs all of its parts, and has to stand there as a whole if it has a digit;
- in a script without spaces a word has to stand in the text as it is;
- of signs without any letter or digit (an emoji) each has to stand in the text.

A subject or object with one word found nowhere is ungrounded. The predicate may be another wording of the quote ("have
son" for "my boy"), so two of its words may be new to it, if they hold no digit. A sentence may use the words of the
text, of the predicate and of the date.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence, Set
from functools import cache, cached_property, lru_cache

from workers.derive.contract import Turn
from workers.derive.text import UNSPACED, normalise, terms

GROUNDING = "grounding/1"

NEW_WORDS = 2
"""Words of a predicate that its quote need not have. Of the 126 in the facts gold set none has more than one."""

_LONGEST_CLUSTER = 32
"""Sorting a run of combining marks costs its length squared; UAX #15 lets a letter carry thirty."""

_STRAIGHT = str.maketrans(
    dict.fromkeys("‘’‚‛ʼ´`′", "'") | dict.fromkeys("“”„‟«»″", '"') | dict.fromkeys("‐‑‒–—―−", "-")
)
_IRREGULAR = {"children": "child", "men": "man", "women": "woman", "peopl": "person", "wive": "wife", "feet": "foot",
              "teeth": "tooth", "mice": "mous", "knive": "knife", "halv": "half", "shelv": "shelf"}  # fmt: skip
"""From the stem of a plural to the stem of its singular."""

_FUNCTION_WORDS = """across ago along already also among another anymore around besides can despite ever except get got
however instead longer may might must near never one onto per rather shall since still though thus together toward
towards unless unlike until upon via whether within without yet"""
"""What the Snowball list of stop words leaves out."""

_UNSPACED = re.compile(rf"[{UNSPACED}]")
_JOINER = re.compile(r"[.\-_:/@‐‑‒–—―]+")
_DIGIT = re.compile(r"\d")
_LETTER = re.compile(r"[^\W_]")


class Ground:
    """What one text, its context and the names of those who speak give to rest a statement on."""

    def __init__(self, text: str, context: Sequence[Turn], speaker: str) -> None:
        self._text = text
        # Line ends between the parts keep a word of one from meeting a word of the next.
        parts = [text, speaker, *(part for turn in context for part in (turn.speaker or "", turn.text))]
        self._all = "\n".join(parts)

    def span(self, quote: str) -> tuple[int, int] | None:
        """Return the offsets of the first place where the text has this quote."""
        quote = quote.strip()
        if not _LETTER.search(quote):
            return None
        start = self._text.find(quote)
        if start >= 0:
            return start, start + len(quote)
        wanted = "".join(part for part, _, _ in _plain(quote)).strip()
        plain, starts, stops = self._plain
        start = plain.find(wanted) if wanted else -1
        return None if start < 0 else (starts[start], stops[start + len(wanted) - 1])

    def names(self, subject: str) -> bool:
        """Whether a subject names somebody or something here. One of function words only is a name if it stands there
        as it is ("Will", and not "of the").
        """
        known = bool(stems(subject)) or subject in self._all
        return bool(_LETTER.search(subject)) and known and not self.strangers(subject)

    def strangers(self, phrase: str, known: Set[str] = frozenset()) -> list[str]:
        """Return the words of a phrase that are found nowhere; `known` holds stems that need no ground."""
        if not _LETTER.search(phrase):
            return [sign for sign in phrase.split() if sign not in self._all]
        return [word for word in phrase.split() if not self._has(word, known)]

    def _has(self, word: str, known: Set[str]) -> bool:
        if _UNSPACED.search(word):
            return all(run in self._folded or run in known for run in re.findall(r"\w+", normalise(word)))
        found = stems(word)
        if found <= _function_stems() or found <= self._stems:
            return True
        parts = set().union(*map(stems, _JOINER.split(word)))
        whole = found - parts
        if whole and _DIGIT.search(word):
            return found <= known
        return all(part in self._stems or part in known for part in parts)

    @cached_property
    def _stems(self) -> frozenset[str]:
        return stems(self._all)

    @cached_property
    def _folded(self) -> str:
        return normalise(self._all)

    @cached_property
    def _plain(self) -> tuple[str, list[int], list[int]]:
        """Return the text in its plain form, and for each of its characters where the original starts and stops."""
        plain: list[str] = []
        starts: list[int] = []
        stops: list[int] = []
        for part, start, stop in _plain(self._text):
            plain.append(part)
            starts += [start] * len(part)
            stops += [stop] * len(part)
        return "".join(plain), starts, stops


def rewords(predicate: str, quote: str) -> bool:
    """Whether a predicate may be another wording of what a quote says."""
    new = Ground(quote, (), "").strangers(predicate)
    return bool(_LETTER.search(predicate)) and len(new) <= NEW_WORDS and not any(map(_DIGIT.search, new))


def stems(text: str) -> frozenset[str]:
    """Return the stems of the words that carry meaning."""
    return frozenset(_IRREGULAR.get(term, term) for term in terms(text))


@cache
def _function_stems() -> frozenset[str]:
    return stems(_FUNCTION_WORDS)


def _plain(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the plain form piece by piece with the offsets each piece comes from; a run of blanks is one piece."""
    at = 0
    while at < len(text):
        end = at + 1
        if text[at].isspace():
            while end < len(text) and text[end].isspace():
                end += 1
            yield " ", at, end
        else:
            while end < len(text) and end - at < _LONGEST_CLUSTER and _extends(text[end]):
                end += 1
            yield _form(text[at:end]), at, end
        at = end


def _extends(character: str) -> bool:
    """Whether NFKC may join a character with the one before it."""
    if character.isascii():
        return False
    return unicodedata.category(character)[0] == "M" or "\u1160" <= character <= "\u11ff" or character in "\uff9e\uff9f"


@lru_cache(4096)
def _form(cluster: str) -> str:
    if cluster.isascii():
        return cluster.translate(_STRAIGHT)
    straight = unicodedata.normalize("NFKC", cluster.translate(_STRAIGHT)).translate(_STRAIGHT)
    return "".join(character for character in straight if unicodedata.category(character) != "Cf")
