"""Cuts a turn into the few pieces that are worth parsing, by tests that cost microseconds.

The parser reads some 12,000 words a second, and most of what people type states nothing: in LoCoMo two fifths of the
sentences survive. A piece is a sentence, or a clause of one where casual writing strings them together with commas.
What goes: code, tables, headings, quotations that nobody is said to have said, questions, orders' openings,
conditionals, make-believe, whatever has no person in it. Questions and orders may still name a relation ("a poem for my
daughter Ines"): such a piece is kept with `relations_only`.

Time is linear in the length of the text, and no more than MOST_PIECES pieces come out of one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from workers.english.facts import vocabulary
from workers.english.facts.openings import PLAIN, RELATION, is_idle
from workers.english.facts.sentences import LONGEST, QUOTE, ends, sentences
from workers.english.facts.spelling import IDIOMS

MOST_PIECES = 120
"""Pieces parsed of one text: what a person states about life in one turn is far less (LoCoMo: at
most 6; of BEAM's turns one in a thousand has more than 35), and it bounds a pasted book to about a second."""

MOST_CHARACTERS = 200_000
"""Characters looked at; BEAM's longest turn has 53,000."""

SHORTEST = 6
"""Characters of a piece."""


@dataclass(frozen=True, slots=True)
class Piece:
    """`text[start:stop]`, to be parsed by itself.

    `sentence` numbers the sentence it is cut from. `sayer` says that the piece only names who says the quotation that
    follows, and `quoted` that it is one. `relations_only`: nothing is claimed in it, it may name a relation.
    """

    start: int
    stop: int
    sentence: int
    relations_only: bool = False
    sayer: bool = False
    quoted: bool = False


_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[^\n]*\n.*?(?:^[ \t]*(?:```|~~~)[^\n]*$|\Z)", re.DOTALL | re.MULTILINE)
_INLINE = re.compile(r"`[^`\n]{1,200}`|\$\$[^$]{1,2000}\$\$|https?://\S+|<[a-zA-Z/][^<>\n]{0,200}>|\[[^\]\n]{0,500}\]")
_BIOGRAPHY = re.compile(
    r"\b(?:live[sd]?|living|work(?:s|ed|ing)?|married|moved|stud(?:ies|ied|ying)|graduated|born|died|retired|joined"
    r"|hired|promoted"
    r"|founded|teaches|taught|adopted|bought|visited|turn(?:s|ed)|called|named|user['’]s|years old|divorced|engaged"
    r"|allergic|diagnosed|son|daughter|wife|husband"
    r"|brother|sister|mother|father|colleague|manager)\b"
)
"""What a document or an assistant's answer must speak of to be worth parsing: somebody's life."""
_SUBJECT = r"(?:i|i['’]\w+|im|ive|we|we['’]\w+|he|she|they|it|it['’]s|(?:he|she|they)['’]\w+|hes|shes)"
_LINK = (
    r"(?:(?:and|but|so|or|though|although|because|cuz|bc|since|as|then|plus|also|yet|while|whereas|even|hence|now|well"
    r"|yeah|anyway|btw|honestly|actually|lol|haha)\s+)"
)
_QUESTION = (
    r"(?:can|could|would|will|do|does|did|is|are|am|was|were|have|has|should|shall|may|what|what['’]?s|how|who|whom"
    r"|whose|which|where|why|any|isn['’]?t|aren['’]?t|don['’]?t|doesn['’]?t|didn['’]?t|won['’]?t|can['’]?t)"
)
_CLAUSE = re.compile(
    rf"[,:]\s*(?P<comma>{_LINK}{{0,3}}(?:{_SUBJECT}|you|that['’]?s|there['’]?s|please|if)\s)"
    rf"|[,:]\s*(?P<asked>{_LINK}{{0,2}}(?:(?:can|could|would|will|do|does|did|is|are|am|was|were|have|has|should"
    rf"|shall|may|isn['’]?t|aren['’]?t|don['’]?t|doesn['’]?t"
    rf"|didn['’]?t|won['’]?t|can['’]?t)\s(?:i|you|we|he|she|it|they|there|this|that|the|my|your|its)|what|what['’]?s"
    rf"|how|why|any)\s)"
    rf"|[,:]\s*(?P<wh>{_LINK}{{0,2}}(?:who|whose|which|where|when)\s)"
    rf"|\s(?P<link>{_LINK}{{1,3}}(?:{_SUBJECT})\s)"
    rf"|\s(?P<link_asked>(?:and|but|so)\s+(?:can|could|would|will|do|what|how|where|why|any|should)\s(?:i|you|we|it"
    rf"|is|are|to|would|should|can|do)\b)",
    re.IGNORECASE,
)
_HAS_CLAUSE = re.compile(
    rf"\b(?:{_SUBJECT}|who|that|there)\s+\w|\b(?:i|we|he|she|they|it|there|that)['’]\w|\b(?:im|ive|is|are|was|were"
    rf"|am)\b",
    re.IGNORECASE,
)
_WAITING = re.compile(
    r"\s*(?:and |but |so |also |or )*(?:when|while|whenever|after|before|once|until|till|as soon as|every time"
    r"|each time"
    r"|the (?:day|year|time|moment))\b",
    re.IGNORECASE,
)
"""A clause that waits for its main clause: the two are parsed together."""
_CONDITION = re.compile(
    r"\s*(?:and |but |so |or |even |only |then )*(?:if|unless|in case|should|had i|were)\b", re.IGNORECASE
)
_IF = re.compile(r"\b(?:if|unless|whether|wish(?:es|ed)?|would have|could have|should have|as though)\b", re.IGNORECASE)
_UNREAL = re.compile(
    rf"\W*(?:(?:so|ok|okay|now|and|but|well|hey|hi)\W+)*(?:{vocabulary.UNREAL_OPENERS})\b", re.IGNORECASE
)
_ROLE_PLAY = re.compile(rf"\W*(?:(?:so|ok|okay|now|and|please)\W+)*(?:{vocabulary.ROLE_PLAY})\b", re.IGNORECASE)
_ANYWHERE_UNREAL = re.compile(
    r"\bhypothetical|\bin (?:my|a|the) dream\b|\bonce there was\b|\bmy characters?\b", re.IGNORECASE
)
_JOKE = re.compile(
    rf"\W*(?:{vocabulary.JOKES})\b\W*$|.*[,.!]\s*(?:jk|just kidding|kidding|joking)\W*$", re.IGNORECASE | re.DOTALL
)
_ASKS = re.compile(
    rf"\W*(?:(?:and|but|so|or|also|ok|okay|well|oh|hey|hi|please|pls|wow|cool|great|btw|anyway|then)\W+)*"
    rf"(?:{_QUESTION}|when|remind me|tell me|let me know|any)\s",
    re.IGNORECASE,
)
_QUESTION_PROPER = re.compile(
    r"\W*(?:(?:and|but|so|or|also|ok|okay|well|oh|hey|hi|wow|btw|anyway|then)\W+)*"
    r"(?:(?:can|could|would|will|do|does|did|is|are|am|was|were|have|has|should|shall)(?:n['’]?t)? (?:i|you|we|he|she"
    r"|it|they|there|this|that|the|my|your|any\w*|its|\w+ing)\b"
    r"|what|how|who|whom|whose|which|where|why|when (?:is|are|do|does|did|was|were|will|can)\b)",
    re.IGNORECASE,
)
_PERSONAL = re.compile(
    r"\b(?:i|im|ive|my|mine|me|we|our|us|he|she|they|his|her|their|hes|shes|theyre|its|it|grand\w+|gran|nan|mum|mom"
    r"|dad|allerg\w+)\b|\bi['’]",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<![.!?:]\s)(?<!^)\b[A-Z][a-zà-ÿ]+|^\W*[A-Z][a-zà-ÿ]+(?:['’]s)? (?:[a-z]|[A-Z])")
_FIRST = re.compile(r"\b(?:i|im|ive|my|mine|me|we|our|us)\b|\bi['’]|\bwe['’]", re.IGNORECASE)
_DROPPED_SUBJECT = re.compile(
    r"\W*(?:(?:and|but|so|also|just|finally|already|recently|yesterday|today|oh|ok|btw|well|update|yay|then|actually"
    r"|haha|hey|never)\W+)*"
    r"(?:\w{3,}ed|got|bought|went|met|saw|ran|won|lost|made|took|gave|had|sold|left|quit|broke|began|found"
    r"|became|taught|wrote|read|"
    r"built|came|drove|ate|swam|flew|moving|going|heading|starting|getting|visiting|working|planning|learning"
    r"|thinking)\s",
    re.IGNORECASE,
)
_YOURS = re.compile(
    r"\W*(?:you|your|you['’]\w+|thanks|thank|that['’]?s|this is|that is|those|these|here['’]?s|there['’]?s|there is"
    r"|there are)\b",
    re.IGNORECASE,
)
_SAYS = (
    r"(?:said|says|told (?:me|us)|tells me|replied|goes|shouted|wrote|texted(?: me)?|whispered|answered|announced"
    r"|claims)"
)
_WHO = r"(?:(?:my|our|his|her|the)\s+)?[\w'’-]+(?:\s+[\w'’-]+)?"
_SAID_AFTER = re.compile(rf"\s*[,]?\s*(?P<who>{_WHO})\s+{_SAYS}\b(?P<more>[^,.;!?]*)", re.IGNORECASE)
_SAID_BACK = re.compile(rf"\s*[,]?\s*(?:said|says|replied)\s+(?P<who>{_WHO})", re.IGNORECASE)
_SAID_BEFORE = re.compile(
    rf"(?:^|[.,;!?]\s*|\b(?:and|but|so|then|as)\s+)(?P<who>{_WHO})\s+(?:just |always |once )?{_SAYS}\s*[:,]?\s*$",
    re.IGNORECASE,
)
_CLAIMS = re.compile(r"\b(?:i|my|we|our|me|i['’]m|is|are|was|he|she|has|have)\b", re.IGNORECASE)


def pieces(text: str, own: bool = True) -> Iterator[Piece]:
    """The pieces of `text` worth parsing, in order. `own`: the text is somebody's talk, not a document or an
    assistant's answer, whose lists, questions and first person are of no interest.
    """
    yield from islice(_worthwhile(text[:MOST_CHARACTERS], own), MOST_PIECES)


def _worthwhile(text: str, own: bool) -> Iterator[Piece]:
    prose = _INLINE.sub(_blanked, _FENCE.sub(_blanked, text) if "```" in text or "~~~" in text else text)
    waiting: list[Piece] = []
    for number, (start, stop) in enumerate(sentences(prose, own)):
        sentence = prose[start:stop]
        if _ROLE_PLAY.match(sentence):
            yield from waiting
            return
        if _JOKE.match(sentence):
            waiting = []
            continue
        yield from waiting
        waiting = list(_clauses(prose, start, stop, number, own))
    yield from waiting


def _blanked(found: re.Match[str]) -> str:
    return "".join("\n" if character == "\n" else " " for character in found[0])


def _clauses(prose: str, start: int, stop: int, number: int, own: bool) -> Iterator[Piece]:
    """The pieces of one sentence."""
    if not own:
        told = SHORTEST < stop - start < LONGEST and prose[start:stop].rstrip()[-1:] not in {"?", ":"}
        if told and _BIOGRAPHY.search(prose, start, stop) and _NAME.search(prose[start:stop]):
            yield Piece(start, stop, number)
        return
    sentence = prose[start:stop]
    if _UNREAL.match(sentence) or _ANYWHERE_UNREAL.search(sentence):
        return
    quote = QUOTE.search(prose, start, stop)
    if quote and len(quote[0].split()) >= 3:
        yield from _quotation(prose, start, stop, number, quote)
        return
    asks = sentence.rstrip().endswith("?")
    parts = _parts(prose, start, stop, asks=asks)
    skip = False
    for position, (left, right) in enumerate(parts):
        part = prose[left:right]
        last = position == len(parts) - 1
        conditional = bool(_CONDITION.match(part))
        following = prose[slice(*parts[position + 1])] if not last else ""
        relations = (
            skip
            or conditional
            or bool(_IF.search(IDIOMS.sub(" ", part)))
            or (asks and last)
            or bool(_QUESTION_PROPER.match(part))
        )
        relations = relations or bool(re.match(r"[,\s]*(?:if|unless)\b", following, re.IGNORECASE))
        skip = conditional and not last
        yield from _piece(prose, left, right, number, relations)


def _piece(prose: str, start: int, stop: int, number: int, relations: bool) -> Iterator[Piece]:
    part = prose[start:stop]
    if not len(part.strip()) >= SHORTEST or stop - start > LONGEST:
        return
    if relations or _ASKS.match(part):
        if RELATION.search(part):
            yield Piece(start, stop, number, relations_only=True)
        elif relations:
            return
    if not relations and is_idle(part):
        return
    if _YOURS.match(part) and not _FIRST.search(part):
        return
    somebody = _PERSONAL.search(part) or _NAME.search(part) or _DROPPED_SUBJECT.match(part) or PLAIN.match(part)
    if not relations and (somebody or " is " in part or "'s" in part):
        yield Piece(start, stop, number)


def _parts(prose: str, start: int, stop: int, *, asks: bool = False) -> list[tuple[int, int]]:
    """The sentence cut where a new clause begins, except after a clause that waits for its main clause."""
    cuts, at = [], start
    for found in _CLAUSE.finditer(prose, start, stop):
        group = found.lastgroup or ""
        cut = found.start(group)
        if group == "wh" and not asks:
            continue
        before = prose[at:cut]
        if _WAITING.match(before) or (group not in {"asked", "link_asked"} and not _HAS_CLAUSE.search(before)):
            continue
        if group == "comma" and re.search(
            r"\b(?:think|thinks|believe|guess|says?|said|told me|that|maybe|perhaps)\s*,?\s*$", before, re.IGNORECASE
        ):
            continue
        cuts.append((at, cut))
        at = cut
    return [*cuts, (at, stop)]


def _quotation(prose: str, start: int, stop: int, number: int, quote: re.Match[str]) -> Iterator[Piece]:
    """The pieces of a sentence with a quotation: its words belong to who said them, or to nobody."""
    inside = quote.span(1) if quote[1] is not None else quote.span(2)
    after = _SAID_AFTER.match(prose, quote.end(), stop) or _SAID_BACK.match(prose, quote.end(), stop)
    before = None if after else _SAID_BEFORE.search(prose[start : quote.start()])
    if after is None and before is None:
        if not _CLAIMS.search(quote[0]):
            yield from _piece(prose, start, stop, number, relations=bool(_ASKS.match(prose[start:stop])))
        return
    if before is not None:
        yield Piece(start + before.start("who"), start + before.end("who"), number, sayer=True)
    elif after is not None:
        yield Piece(*after.span("who"), number, sayer=True)
    for left, right in ends(prose, *inside):
        if not prose[left:right].rstrip().endswith("?"):
            for begin, end in _parts(prose, left, right):
                if end - begin >= SHORTEST:
                    yield Piece(begin, end, number, quoted=True)
    if after is not None:
        for left, right in _parts(prose, after.end(), stop):
            yield from _piece(prose, left, right, number, relations=prose[start:stop].rstrip().endswith("?"))
