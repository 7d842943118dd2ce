"""Openings of sentences that state nothing: cheers, feelings, talk about what was just said.

Half of what friends write to each other begins like this ("Sounds great", "I'm so happy", "It was amazing"). A piece
that does is parsed only if it names somebody further on: these tests cost microseconds, the parser milliseconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from workers.english.dates.words import MONTH_NAMES, WEEKDAY_NAMES
from workers.english.facts import vocabulary as v
from workers.english.facts.openers import PERSONAL_FORMS, THING_FORMS


def _one_of(words: Iterable[str]) -> str:
    """A pattern of alternatives, the longest first."""
    return f"(?:{'|'.join(sorted(map(re.escape, words), key=lambda word: (-len(word), word)))})"


RELATION = re.compile(
    rf"\b(?:my|our|his|her)\s+(?:[a-z]+\s+){{0,2}}{_one_of(v.RELATIONS | {'gf', 'bf'})}\b", re.IGNORECASE
)
"""A relation as people name it: "my older sister"."""

PLAIN = re.compile(
    rf"\W*(?:[A-Za-z][\w’-]{{2,}}\s+(?:{_one_of(PERSONAL_FORMS)}\b|(?:is|was)\s+(?:an?|born|allergic|assigned|moved|vegan)\b"
    rf"|(?:has|needs)\s+\w)|(?:[Tt]he\s+(?:[\w-]+\s+){{1,4}}?|[A-Z]\w+\s+\d+\s+){_one_of(THING_FORMS)}\b)"
)
"""A subject and what is plainly said of it: "kofi lives", "Hope has a", "the garage door opens"."""

_SOFTENERS = (
    r"(?:(?:so|really|super|just|also|always|still|very|too|pretty|kinda|all|totally|definitely|actually|truly|even"
    r"|\w+ly|a bit|not|never)\s+)*"
)
_LEAD = re.compile(
    rf"\W*(?:(?:{_one_of(v.FILLERS)}|because|cause|'cause|though)\b\W+)*(?:[A-Z]\w+[,!.]\W*)?",
    re.IGNORECASE,
)
_CHEER = re.compile(
    r"(?:sounds|glad|great|good|awesome|appreciate|congrats|congratulations|keep|let['’]?s|way to|can['’]?t wait"
    r"|cannot wait|long time|see you|take care"
    r"|have a|have fun|looks|looking forward|so (?:glad|happy|excited|proud|sorry|much|many|cool)|sorry|no (?:worries"
    r"|problem|doubt)|nice|love (?:it|that|this|the|your|how)"
    r"|check|talk|bye|what an?|hope|excited|happy|amazing|believe|go for|hang in|stay|wish|proud|good luck|best of"
    r"|rock|welcome|remember to"
    r"|such|got it|how|same here|me too|you|your|thank)\b",
    re.IGNORECASE,
)
_IT = re.compile(
    r"(?:it|its|it['’]\w+|that|that['’]\w+|thats|this|these|those|here['’]?s?|there['’]?s?|everything|nothing|who"
    r"|what)\b",
    re.IGNORECASE,
)
_KEPT_IT = re.compile(
    rf"\d|\b(?:called|named|belongs?|who|my|our|{_one_of({*MONTH_NAMES, *WEEKDAY_NAMES} - {'may'})}|tomorrow|tonight"
    r"|next|not that)\b",
    re.IGNORECASE,
)
_FEELING = (
    v.MOODS
    - set(v.KEPT_ADJECTIVES)
    - frozenset("back due out in over about like up down done certain sure positive".split())  # noqa: SIM905 - reads as words
)
_TALKING = {word + ending for word in v.TALK - v.HEDGE_VERBS for ending in ("", "d", "ed")} | {"felt", "knew", "heard"}
_FEELS = re.compile(
    r"(?:i|we|he|she|they)(?:['’]?m| am| was|['’]?ve been| have been|['’]re| are| were|['’]?s| is| feel| felt| get"
    r"| got)"
    rf"\s+{_SOFTENERS}{_one_of(_FEELING)}\b"
    r"|(?:i|we)(?:['’]?ll|['’]?d|['’]?ve|['’]m)?\s+(?:do |did |don['’]?t |dont |can |can['’]?t |could |would |will "
    r"|have "
    rf"|gotta |need to |wanted to |want to )?{_SOFTENERS}{_one_of(_TALKING)}\b",
    re.IGNORECASE,
)
_GERUND = re.compile(
    r"(?!going|moving|starting|getting|visiting|heading|leaving|travel|planning|learning|studying|training|working"
    r"|flying)\w{3,}ing\b",
    re.IGNORECASE,
)
_SOMEBODY = re.compile(r"\b(?:I|i|My|im|ive|my|he|she|his|her|we|our|mine)\b|\bi['’]|(?<=\s)[A-Z][a-z]+")


def is_idle(part: str) -> bool:
    """Whether a piece opens in a way that states nothing worth keeping, and names nobody further on."""
    lead = _LEAD.match(part)
    rest = part[lead.end() :] if lead else part
    if len(rest.split()) < 2:
        return True
    if _CHEER.match(rest):
        return not PLAIN.match(part)
    if _IT.match(rest):
        return not (_KEPT_IT.search(rest) or RELATION.search(rest))
    opener = _FEELS.match(rest) or _GERUND.match(rest)
    return opener is not None and not _SOMEBODY.search(rest, opener.end())
