"""Cuts prose into sentences: no code, tables or headings; a list is one sentence with the line that opens it."""

from __future__ import annotations

import re
from collections.abc import Iterator

LONGEST = 360
"""Characters of a piece. Longer runs without a full stop are data or legalese, which the rules do not read well."""

_LINE = re.compile(r"[^\n]+")
_BULLET = re.compile(r"\s*(?:[-*•–]|\d{1,2}[.)])\s+")
_NOT_PROSE = re.compile(
    r"\s*(?:#|>|\||\+\+|--|//|/\*|import |from \w+ import|def |class |return |const |let \w+ =|var |SELECT )"
)
_CODE_SIGNS = re.compile(r"[{}=;<>\\|\[\]_]")
_SENTENCE_END = re.compile(
    r"(?<!\bDr)(?<!\bMr)(?<!\bMs)(?<!\bMrs)(?<!\bSt)(?<!\bProf)(?<!\bvs)(?<!\b[A-Za-z])[.!?…]+[\"”’)\]*_]*(?=\s|$)"
    r"|[!?…]+[\"”’)\]*_]*(?=\s|$)|[\U0001F000-\U0001FAFF\u2600-\u27BF\uFE0F\u200D]+|\s[—–]\s|[;()\[\]*]"
    r"|(?<=\s)[:;][-']?[)(DP](?=\s|$)|\.\.+"
)
QUOTE = re.compile(r"[\"“]([^\"“”\n]{2,300})[\"”]|(?<!\w)['‘]([^'‘’\n]{12,300})['’](?!\w)")


def sentences(prose: str, own: bool) -> Iterator[tuple[int, int]]:
    """Spans of sentences, list items of a talker joined to the line that opens the list."""
    begin = end = None
    for line in _LINE.finditer(prose):
        start, stop = line.span()
        bullet = _BULLET.match(prose, start, stop)
        if begin is not None and end is not None:
            if bullet and own and stop - begin < LONGEST:
                end = stop
                continue
            yield begin, end
            begin = end = None
        if _NOT_PROSE.match(prose, start, stop) or (bullet and not own):
            continue
        if stop - start > 12 and len(_CODE_SIGNS.findall(prose, start, stop)) * 15 > stop - start:
            continue
        if bullet:
            start = bullet.end()
        elif prose[start:stop].rstrip().endswith(":"):
            begin, end = start, stop
            continue
        for quoted, left, right in _unquoted(prose, start, stop):
            if quoted:
                yield left, right
            else:
                yield from ends(prose, left, right)
    if begin is not None and end is not None:
        yield begin, end


def _unquoted(prose: str, start: int, stop: int) -> Iterator[tuple[bool, int, int]]:
    """The line in parts: a sentence that holds a quotation of some length is one part by itself."""
    at = start
    for quote in QUOTE.finditer(prose, start, stop):
        if len(quote[0].split()) < 3 or quote.start() < at:
            continue
        stops = [found.end() for found in _SENTENCE_END.finditer(prose, at, quote.start())]
        left = stops[-1] if stops else at
        after = _SENTENCE_END.search(prose, quote.end(), stop)
        right = after.end() if after else stop
        yield False, at, left
        yield True, left, right
        at = right
    yield False, at, stop


def ends(prose: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Spans of the sentences of one line."""
    at = start
    for found in _SENTENCE_END.finditer(prose, start, stop):
        if found.end() > at:
            yield at, found.end()
            at = found.end()
    if at < stop:
        yield at, stop
