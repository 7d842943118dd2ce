"""The one tokeniser: index, query, grading floor and duplicate test all read text through this page.

What it promises:

- two spellings of the same text are one: NFC and NFD, full width and half width, upper and lower case, curly and
  straight quotes; accents are folded on Latin, Greek and Cyrillic letters only, since a Devanagari or Thai vowel sign
  is no accent;
- scripts written without spaces give every 2-gram and 3-gram of a run (a run of one character gives itself), so a
  word is found inside a sentence without a dictionary: `기차표` inside `기차표를`. Hangul counts among them because its
  particles are glued to the word. A Latin identifier inside such a run stays whole: `配置9router的` gives `9router`;
- other scripts give words: stop words out and Snowball stems in English, stems only in the other Snowball languages,
  words as they stand for `none`;
- a token joined inside by one of `. - _ : / @` (`ZX-4471-QP`, `v1.9`, `team:red`) gives itself and its parts. The
  whole and every part with a digit are never stemmed; a part of letters alone is a word like any other, so that
  `paintings/drawings` is found by `drawing`;
- all other punctuation only separates. A question is a bag of terms and has no query syntax: `a|b`, `"open` and `:*`
  mean their words and nothing more;
- time is linear in the length of the text, whatever the text is.

`TOKENISER` is the version that goes into the fingerprint of every derivation built on these terms. Change what
`terms` or `normalise` returns and it must change too.
"""

from __future__ import annotations

import functools
import hashlib
import re
import unicodedata
from itertools import chain
from typing import Protocol

TERM_SPACE = b"term"
FACT_SPACE = b"fact"
"""The words of facts have postings of their own: a fact repeats its passage, and must not change what a word weighs."""
TOKENISER = "terms/1"

LONGEST = 256
"""Characters of a term that count. A SHA-512 in hex has 128; what is longer is data, found by its first 256
characters."""

_STEMMED = 40
"""Longer words are not stemmed or cached: no dictionary word is longer, and base64 runs would fill the cache."""

_CACHED = 100_000
"""Tokens a language remembers before it starts anew: about 20 MB. LoCoMo and BEAM together hold 16,000
distinct ones."""

_MARKS_KEPT = 30
"""Combining marks one letter may carry, as in Unicode's Stream-Safe Text Format (UAX #15). Python sorts a run of
marks by insertion, so an endless run would cost its length squared."""

UNSPACED = (
    r"\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ecf\u0edc-\u0edf"  # Thai, Lao
    r"\u1000-\u103f\u1050-\u108f\u109a-\u109f\ua9e0-\ua9ef\uaa60-\uaa7f"  # Myanmar
    r"\u1780-\u17d3\u17d7\u17dc\u17dd"  # Khmer
    r"\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff"  # Hangul
    r"\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Han
    r"\U00020000-\U000323af"
    r"\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f\U0001aff0-\U0001b16f"  # Kana
    r"\u3105-\u312f\u31a0-\u31bf"  # Bopomofo
)
"""Scripts without spaces between words, as the inside of a regular expression's class. Digits of theirs are words."""

ENGLISH_STOP_WORDS = frozenset(
    """a about above after again against all am an and any are aren't as at be because been before being below between
    both but by can't cannot could couldn't did didn't do does doesn't doing don't down during each few for from
    further had hadn't has hasn't have haven't having he he'd he'll he's her here here's hers herself him himself his
    how how's i i'd i'll i'm i've if in into is isn't it it's its itself let's me more most mustn't my myself no nor
    not of off on once only or other ought our ours ourselves out over own same shan't she she'd she'll she's should
    shouldn't so some such than that that's the their theirs them themselves then there there's these they they'd
    they'll they're they've this those through to too under until up very was wasn't we we'd we'll we're we've were
    weren't what what's when when's where where's which while who who's whom why why's will with won't would wouldn't
    you you'd you'll you're you've your yours yourself yourselves""".split()  # noqa: SIM905 - it reads better so
)
"""The English list published with the Snowball stemmers."""

_CLITICS = frozenset({"s", "t", "d", "m", "ll", "re", "ve"})


def _marks() -> str:
    """Every combining mark of the planes in use, as ranges for a character class."""
    ranges: list[list[int]] = []
    for code in range(0x300, 0x20000):
        if unicodedata.category(chr(code))[0] == "M":
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)


_MARK = _marks()
_LONG_MARK_RUN = re.compile(f"([{_MARK}\uff9e\uff9f]{{{_MARKS_KEPT}}})[{_MARK}\uff9e\uff9f]+")
_IGNORABLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]+"
)
_ACCENTED = re.compile(
    "[\u00c0-\u058f\u1ab0-\u1aff\u1c80-\u1c8f\u1d00-\u1fff\u20d0-\u20ff\u2c60-\u2dff\ua640-\ua7ff\ufe20-\ufe2f]"
)
_ACCENTS = re.compile(
    "(?<=[a-z\u00df-\u02af\u0370-\u0482\u048a-\u052f\u1c80-\u1c8f\u1d00-\u1dbf\u2c60-\u2c7f\u2de0-\u2dff\ua640-\ua66e\ua680-\ua7ff])"
    "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+"
)
_STRAIGHT = str.maketrans(dict.fromkeys("‘’ʼ‛´", "'") | dict.fromkeys("‐‑‒–−", "-"))
_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ŧ": "t", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th"}
)
"""Letters that carry their stroke inside and so do not decompose; the replacements are those of Lucene's ASCII
folding."""

_POWERS = str.maketrans({sign: f"^{digit}" for digit, sign in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")})

_JOINER = re.compile(r"[.\-_:/@]")
_ASCII_TOKEN = re.compile(r"[a-z0-9]+(?:['.\-_:/@][a-z0-9]+)*")
_LETTER = rf"[^\W_{UNSPACED}]"
_WORD = rf"{_LETTER}+(?:[{_MARK}]+{_LETTER}*)*"
_TOKEN = re.compile(rf"[{UNSPACED}]+|{_WORD}(?:['.\-_:/@]{_WORD})*")
_RUN = re.compile(rf"[{UNSPACED}]")
_DIGIT = re.compile(r"\d")


def _compatible(text: str) -> str:
    """NFKC, case-folded, quotes and dashes straightened, invisible characters out; accents stay."""
    text = unicodedata.normalize("NFKC", _LONG_MARK_RUN.sub(r"\1", _IGNORABLE.sub("", text.translate(_STRAIGHT))))
    return unicodedata.normalize("NFKC", _IGNORABLE.sub("", text.casefold().translate(_STRAIGHT)))


def _fold(text: str) -> str:
    """Accents off, on the three scripts that have them. Scripts without spaces pass untouched."""
    if _ACCENTED.search(text) is None:
        return text
    text = _ACCENTS.sub("", unicodedata.normalize("NFKD", text)).translate(_LETTERS)
    return unicodedata.normalize("NFKC", text)


def normalise(text: str) -> str:
    """The form in which texts are compared: NFKC, case-folded, accents folded. Punctuation and blanks stay."""
    return text.lower() if text.isascii() else _fold(_compatible(text))


def content_key(text: str) -> str:
    """32 hex digits that two texts share when they say the same in the same words, whatever their Unicode form or
    blanks.

    Accents count, since `si` is not `sí`, and so do exponents: `10²` is not `102`. A final full stop does not.
    """
    plain = " ".join((text.lower() if text.isascii() else _compatible(text.translate(_POWERS))).split())
    return hashlib.blake2b(plain.rstrip(".。 ").encode(), digest_size=16).hexdigest()


def term_key(term: str, space: bytes = TERM_SPACE) -> int:
    """A term as the signed 64-bit number under which its postings stand; `space` keeps words and entities apart."""
    return int.from_bytes(hashlib.blake2b(term.encode(), digest_size=8, person=space).digest(), "big", signed=True)


def terms(text: str, language: str = "english") -> list[str]:
    """The terms of a text in order, repetitions included.

    `language` is a Snowball language or `none`. English folds accents before stemming; the others stem the accented
    word, since their endings are written with accents, and fold afterwards. Raises ValueError for a language nobody
    knows.
    """
    lexicon = _lexicon(language)
    if text.isascii():
        tokens = _ASCII_TOKEN.findall(text.lower())
    else:
        plain = _compatible(text)
        tokens = _TOKEN.findall(plain if lexicon.accents_matter else _fold(plain))
    return list(chain.from_iterable(map(lexicon.__getitem__, tokens)))


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...  # noqa: N802 - Snowball's spelling


class _Lexicon(dict[str, tuple[str, ...]]):
    """From a token to its terms in one language, remembered: a cached token costs a look-up, a new one 30 microseconds.

    Threads may share it: two that meet the same new token write the same value.
    """

    def __init__(self, language: str, stemmer: _Stemmer | None) -> None:
        super().__init__()
        self._stemmer = stemmer
        self._stops = ENGLISH_STOP_WORDS if language == "english" else frozenset[str]()
        self._english = language == "english"
        self.accents_matter = stemmer is not None and not self._english

    def __missing__(self, token: str) -> tuple[str, ...]:
        found = tuple(_grams(token) if _RUN.match(token) else self._analyse(token))
        if len(token) <= _STEMMED:
            if len(self) >= _CACHED:
                self.clear()
            self[token] = found
        return found

    def _analyse(self, token: str) -> list[str]:
        if self._english and token.endswith("'s") and token not in self._stops:
            token = token[:-2]
        parts = _JOINER.split(token)
        whole = [self._folded(token[:LONGEST])] if len(parts) > 1 else []
        return whole + [term for part in parts for term in self._word(part)]

    def _word(self, word: str) -> list[str]:
        if word in self._stops:
            return []
        if "'" in word:
            pieces = word.split("'")
            if self._english and pieces[-1] in _CLITICS:
                pieces.pop()
            return [term for piece in pieces for term in self._word(piece)]
        if self._stemmer is None or len(word) > _STEMMED or _DIGIT.search(word):
            return [self._folded(word[:LONGEST])]
        return [self._folded(self._stemmer.stemWord(word))]

    def _folded(self, term: str) -> str:
        return _fold(term) if self.accents_matter else term


def _grams(run: str) -> list[str]:
    if len(run) == 1:
        return [run]
    grams: list[str] = []
    for at in range(len(run) - 2):
        grams += (run[at : at + 2], run[at : at + 3])
    grams.append(run[-2:])
    return grams


@functools.cache
def _lexicon(language: str) -> _Lexicon:
    if language == "none":
        return _Lexicon(language, None)
    import snowballstemmer  # 18 ms for thirty languages: paid at the first use, not at import

    known = snowballstemmer.algorithms()
    if language not in known:
        raise ValueError(f"language {language!r} is not known; known: none, {', '.join(sorted(known))}")
    return _Lexicon(language, snowballstemmer.stemmer(language))


_POSSESSIVE = ("'s", "\u2019s")


def name_key(name: str) -> str:
    """Return the normalised form under which a name is the same name; empty when nothing is left of it."""
    key = normalise(name).strip(" \t\n.,:;!?\"'()[]*_-")
    for ending in _POSSESSIVE:
        key = key.removesuffix(ending)
    key = key.removeprefix("the ")
    return " ".join(key.split())
