"""Echoes: which parts of a text repeat what this store served before. Pure; the store keeps only keyed digests.

Served text leaves as sentences, each reduced to its words: folded, without punctuation, blanks, line breaks, quoting or
JSON escapes, so that it is known again whatever it was wrapped in. A sentence is kept as two digests under the tenant's
key, of its first HEAD words (to be looked up by) and of all its words. In a new text every run of words that a known
sentence could begin at is tried.

A run counts only between boundaries: the text's ends, punctuation, brackets, quotes, a line break. So "I like tea" is
no echo inside "I no longer think I like tea any more". A whole fragment of a prompt (`fragment`) counts as an echo,
whatever it holds.

Sentences of fewer than HEAD words state nothing and are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from schema.ids import digest
from workers.derive.fragment import quoted
from workers.derive.text import UNSPACED, normalise

HEAD = 2
"""Words by which a sentence is looked up: the shortest statement has two ("I smoke")."""
LONGEST = 400
"""Words of one served sentence; a longer one is cut there, on both sides alike."""

_WORD = re.compile(rf"[{UNSPACED}]|(?:[^\W{UNSPACED}]|['’](?=\w))+")
_ESCAPE = re.compile(r'\\u[0-9a-fA-F]{4}|\\[nrt"\\/bf]')
_ESCAPED = {"n": "\n", "r": "\n", "t": "\t", "b": " ", "f": "\n"}
_SENTENCE_END = re.compile(r"[.!?…]+(?=[\s\"'”’)\]*_]|$)|[。！？\n]")


@dataclass(frozen=True, slots=True)
class Word:
    """A folded word and where it stands, in characters. `opens`, `closes`: a boundary stands before, or after it."""

    text: str
    start: int
    stop: int
    opens: bool
    closes: bool


@dataclass(frozen=True, slots=True)
class Trace:
    """A served sentence: what it is looked up by, what it is recognised by, and its number of words."""

    head: int
    whole: bytes
    words: int


def words(text: str) -> list[Word]:
    """Return the words of a text. Linear in its length."""
    plain, starts, stops = _unescaped(text) if "\\" in text else (text, None, None)
    spans = [found.span() for found in _WORD.finditer(plain)]
    found = []
    for at, (start, stop) in enumerate(spans):
        before = plain[spans[at - 1][1] if at else 0 : start]
        after = plain[stop : spans[at + 1][0] if at + 1 < len(spans) else len(plain)]
        opens = at == 0 or _bounds(before)
        closes = at + 1 == len(spans) or _bounds(after)
        first = start if starts is None else starts[start]
        end = stop if stops is None else stops[stop - 1]
        found.append(Word(normalise(plain[start:stop]).strip("'"), first, end, opens, closes))
    return found


def _unescaped(text: str) -> tuple[str, list[int], list[int]]:
    """Return a text with JSON's escapes read, and for each of its characters where it starts and stops in the text."""
    parts: list[str] = []
    starts: list[int] = []
    stops: list[int] = []
    last = 0
    for escape in (*_ESCAPE.finditer(text), None):
        until = len(text) if escape is None else escape.start()
        parts.append(text[last:until])
        starts.extend(range(last, until))
        stops.extend(range(last + 1, until + 1))
        if escape is not None:
            kind = escape[0][1]
            parts.append(chr(int(escape[0][2:], 16)) if kind == "u" else _ESCAPED.get(kind, kind))
            starts.append(escape.start())
            stops.append(escape.end())
            last = escape.end()
    return "".join(parts), starts, stops


def _bounds(gap: str) -> bool:
    return bool(gap.strip(" \u00a0\u200b"))


def traces(text: str, key: bytes) -> set[Trace]:
    """Return the sentences of a text that is served, under the tenant's key."""
    found = set()
    start = 0
    for end in [*(match.end() for match in _SENTENCE_END.finditer(text)), len(text)]:
        said = [word.text for word in words(text[start:end])][:LONGEST]
        start = end
        if len(said) >= HEAD:
            found.add(Trace(_head(said[:HEAD], key), _whole(said, key), len(said)))
    return found


def _head(said: Sequence[str], key: bytes) -> int:
    return int.from_bytes(digest(key, "head", *said, size=8), signed=True)


def _whole(said: Sequence[str], key: bytes) -> bytes:
    return digest(key, "whole", *said)


Lookup = Callable[[Sequence[int]], Iterable[Trace]]
"""Returns the served sentences that begin with any of these heads."""


def echoes(text: str, key: bytes, lookup: Lookup) -> list[tuple[int, int]]:
    """Return the spans of a text, as (start, stop), that repeat what was served, in order and apart."""
    spans = quoted(text)
    said = words(text)
    heads: dict[int, list[int]] = {}
    for at in range(len(said) - HEAD + 1):
        if said[at].opens:
            heads.setdefault(_head([word.text for word in said[at : at + HEAD]], key), []).append(at)
    known: dict[int, dict[int, set[bytes]]] = {}
    for trace in lookup(sorted(heads)):
        known.setdefault(trace.head, {}).setdefault(trace.words, set()).add(trace.whole)
    for head, lengths in known.items():
        for at in heads.get(head, ()):
            spans += _matches(said, at, lengths, key)
    return _joined(spans)


def _matches(said: Sequence[Word], at: int, lengths: Mapping[int, set[bytes]], key: bytes) -> Iterable[tuple[int, int]]:
    for length, wholes in lengths.items():
        last = at + length - 1
        ends = last < len(said) and (said[last].closes or length == LONGEST)
        if ends and _whole([word.text for word in said[at : last + 1]], key) in wholes:
            yield said[at].start, said[last].stop


def _joined(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for start, stop in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(stop, joined[-1][1]))
        else:
            joined.append((start, stop))
    return joined
