"""Reads casual text for the parser: a mended copy of the words, each with the place it has in the original.

The small tagger learnt from edited text: "im", "dont", a lower-case "i" or a smiley derail it, and so do
contractions where "'s" can be three things. So a sentence is cut into words here, contractions are written out
("dont" -> "do", "not"), fillers and smileys are left out, and common misspellings are mended. Nothing of this touches
the text: a word keeps `start` and `stop` in the original, and quotes are cut from there.
"""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass

from workers.english.facts import vocabulary
from workers.english.lexicon import closed

LONGEST_WORD = 40
"""Longer runs are data, not words."""

_TOKEN = re.compile(
    r"\d{4}-\d{2}-\d{2}|\d{1,2}[:.]\d{2}(?:am|pm)?\b|\d+(?:[.,:/–-]\d+)*\w*|[^\W\d_]\.(?:[^\W\d_]\.)+|(?:Dr|Mr|Mrs|Ms"
    r"|St|Prof|Jr|Sr)\."
    r"|v\d+(?:\.\d+)+|[^\W_]+(?:[-'’&/][^\W_]+)*|[\"“”(),:;!?.…/$€£%#&+\-–—]"
)
_SMILEY = re.compile(r"(?<!\w)[:;=8xX][-'o]?[)(DPpOo/\\|*3]+(?!\w)|<3|[)(]+[:;=](?!\w)")

IDIOMS = re.compile(
    r"\b(?:as|so) far as (?:i|we) (?:know|remember|recall|can tell)\b,?|\bif (?:i|we) (?:remember"
    r"|recall)(?: correctly| right(?:ly)?)?\b,?"
    r"|\bif i['’]?m not (?:mistaken|wrong)\b,?|\bdon['’]?t quote me(?: on (?:that|this))?\b,?",
    re.IGNORECASE,
)
"""Whole clauses that only say how sure somebody is: they hedge the rest and are not parsed."""

_WHOLE: dict[str, tuple[str, ...]] = {
    "i": ("I",), "im": ("I", "am"), "ive": ("I", "have"), "u": ("you",), "ur": ("your",), "youre": ("you", "are"),
    "hes": ("he", "is"), "shes": ("she", "is"), "theyre": ("they", "are"), "thats": ("that", "is"),
    "theres": ("there", "is"), "whats": ("what", "is"), "dont": ("do", "not"), "doesnt": ("does", "not"),
    "didnt": ("did", "not"), "isnt": ("is", "not"), "arent": ("are", "not"), "wasnt": ("was", "not"),
    "werent": ("were", "not"), "havent": ("have", "not"), "hasnt": ("has", "not"), "hadnt": ("had", "not"),
    "cant": ("can", "not"), "cannot": ("can", "not"), "wont": ("will", "not"), "couldnt": ("could", "not"),
    "wouldnt": ("would", "not"), "shouldnt": ("should", "not"), "gonna": ("going", "to"), "wanna": ("want", "to"),
    "gotta": ("have", "to"), "can't": ("can", "not"), "won't": ("will", "not"), "shan't": ("shall", "not"),
    "ain't": ("is", "not"), "aint": ("is", "not"), "let's": ("let", "us"), "bc": ("because",), "cuz": ("because",),
    "coz": ("because",), "'cause": ("because",), "&": ("and",), "n": ("and",), "y'all": ("you",), "w": ("with",),
    "gf": ("girlfriend",), "bf": ("boyfriend",), "hubby": ("husband",), "tmrw": ("tomorrow",), "yrs": ("years",),
    "bday": ("birthday",), "fave": ("favourite",), "fav": ("favourite",), "ppl": ("people",), "abt": ("about",),
    "dunno": ("do", "not", "know"),
}  # fmt: skip
_CLITICS = {"'m": "am", "'re": "are", "'ve": "have", "'ll": "will"}
_HAS = closed("got been had gone become started moved finished lived worked lost")
_HAD = frozenset({"been", "gone", "had", "never", "already", "better"})
_IS_SUBJECTS = closed("he she it that there who what where how here this")
_AFTER_IS = closed(
    "a an the not in on at from going getting called named allergic afraid my our his her so very really"
    " always never still now also only into out back off due pregnant married engaged vegan vegetarian about"
    " turning moving working coming leaving over"
)

VERB_FORMS = closed(
    "like love hate live work have want need eat play study speak move buy bought go went start started moved"
    " worked lived studied loved liked hated enjoy prefer drink sold sell adopted adopt married visit visited"
    " teach taught own bought learn learning drive drove finish finished quit got get make made read write"
    " wrote swim run know think believe moved moving working living playing studying join joined graduated"
    " travel broke born called named met saw gave sent wrote ran won lost took kept left found came told spent became"
    " began fell grew drew flew slept sat signed turned passed tried applied received cooked baked painted decided"
)
"""Forms that a misspelt word after "I" or "she" most often means."""
_BEFORE_VERB = closed("i we not to he she they never also just who")
_BEFORE_NAME = vocabulary.RELATIONS | closed("called named in at from to support visit dr mr mrs ms saint")
"""Words after which one that English does not have is a name that lost its capital."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word as the parser shall read it, and where it stands: `text[start:stop]` is what was written."""

    norm: str
    start: int
    stop: int
    name: bool = False  # begins with a capital and is no word of English
    raised: bool = False  # was written without its capital, and may be no name


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def words(text: str, start: int, stop: int, known: Container[str] = ()) -> list[Word]:
    """The words of `text[start:stop]`. `known` holds the lower-case words of English; without it nothing is mended."""
    piece = IDIOMS.sub(_blank, _SMILEY.sub(_blank, text[start:stop]))
    raw = [(found[0], start + found.start(), start + found.end()) for found in _TOKEN.finditer(piece)]
    raw = [entry for entry in raw if entry[0].lower() not in vocabulary.DROPPED and len(entry[0]) <= LONGEST_WORD]
    raw = _without_addressed(raw)
    found: list[Word] = []
    for position, (word, begin, end) in enumerate(raw):
        following = raw[position + 1][0].lower() if position + 1 < len(raw) else ""
        for norm, left, right in _expanded(word.replace("’", "'"), following):
            name = False
            if known:
                norm, name = _read(norm, found[-1].norm.lower() if found else "", known)
            found.append(Word(norm, begin + left, begin + right if right else end, name))
    return found


def _without_addressed(raw: list[tuple[str, int, int]]) -> list[tuple[str, int, int]]:
    """The words without the name of who is spoken to: "Hey Mel, ...", "..., Mel!"."""
    norms = [word for word, _, _ in raw]
    lead = 0
    while lead < len(norms) and (norms[lead].lower() in vocabulary.FILLERS or norms[lead] in {",", "!", "."}):
        lead += 1
    if 0 < lead < len(norms) - 1 and norms[lead][:1].isupper() and norms[lead] != "I" and norms[lead + 1] in {",", "!"}:
        raw, norms = raw[lead + 2 :], norms[lead + 2 :]
    end = len(norms)
    while end and not norms[end - 1][:1].isalnum():
        end -= 1
    if end >= 5 and norms[end - 2] == "," and norms[end - 1][:1].isupper() and norms[end - 1] != "I":
        owned = {word.lower() for word in norms[max(0, end - 6) : end - 2]} & {
            "my",
            "our",
            "his",
            "her",
            "is",
            "are",
            "and",
        }
        if not owned:
            raw = [*raw[: end - 2], *raw[end:]]
    return raw


def _read(word: str, before: str, known: Container[str]) -> tuple[str, bool]:
    """The word to parse, and whether it is surely a name."""
    if word[:1].isupper():
        lower = word.lower()
        if not before and lower in known and (lower in VERB_FORMS or lower.endswith("ed")) and word[1:].islower():
            return lower, False
        return word, len(word) > 1 and not is_known(lower, known)
    mended = _mended(word, before, known)
    if mended == word and before in _BEFORE_NAME and word.islower() and len(word) > 2 and not is_known(word, known):
        return word[:1].upper() + word[1:], True
    return mended, False


def _expanded(word: str, following: str) -> list[tuple[str, int, int]]:
    """A written word as (norm, offset, end offset or 0 for the word's own end)."""
    lower = word.lower()
    if lower == "its" and following in _AFTER_IS:
        return [("it", 0, 2), ("is", 2, 0)]
    if lower in _WHOLE:
        return [(norm, 0, 0) for norm in _WHOLE[lower]]
    if lower.endswith("n't") and len(lower) > len("n't"):
        return [(word[:-3], 0, len(word) - 3), ("not", len(word) - 3, 0)]
    cut = word.rfind("'")
    if cut <= 0:
        return [(word, 0, 0)]
    head, clitic = word[:cut], lower[cut:]
    head = "I" if head == "i" else head
    if clitic in _CLITICS:
        return [(head, 0, cut), (_CLITICS[clitic], cut, 0)]
    if clitic == "'d":
        return [(head, 0, cut), ("had" if following in _HAD else "would", cut, 0)]
    if clitic == "'s":
        return [(head, 0, cut), (_meaning_of_s(head.lower(), following), cut, 0)]
    return [(word, 0, 0)]


def _meaning_of_s(head: str, following: str) -> str:
    """What "'s" after `head` stands for: "has", "is" or the possessive."""
    is_subject = head in _IS_SUBJECTS
    if following in _HAS and (is_subject or following in {"got", "been"}):
        return "has"
    if is_subject or following in _AFTER_IS:
        return "is"
    return "'s"


def _mended(word: str, before: str, known: Container[str]) -> str:
    """The word meant by a lower-case word that English does not have, where one is near at hand; else the word."""
    if not word.isascii() or not word.isalpha() or not word.islower() or len(word) < 3 or is_known(word, known):
        return word
    swapped = [word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in range(len(word) - 1)]
    added = [word[:i] + letter + word[i:] for i in range(len(word) + 1) for letter in "etiaonrslhdcumpgbykvw"]
    dropped = [word[:i] + word[i + 1 :] for i in range(len(word))]
    if before in _BEFORE_VERB or not before:
        for candidates in (swapped, added, dropped):
            for candidate in candidates:
                if candidate in VERB_FORMS:
                    return candidate
    if len(word) >= 7:
        for candidates in (swapped, added):
            fitting = {candidate for candidate in candidates if is_known(candidate, known)}
            if len(fitting) == 1:
                return fitting.pop()
    return word


def is_known(word: str, known: Container[str]) -> bool:
    """Whether English has the lower-case word, as it stands or as a regular form of a word it has."""
    if word in known or "-" in word or "'" in word:
        return True
    for ending, replacements in _ENDINGS:
        if word.endswith(ending):
            stem = word[: -len(ending)]
            if any(stem + replacement in known for replacement in replacements):
                return True
            if len(stem) > 3 and stem[-1] == stem[-2] and stem[:-1] in known:
                return True
    return False


_ENDINGS = (
    ("ies", ("y",)),
    ("es", ("", "e")),
    ("s", ("",)),
    ("ied", ("y",)),
    ("ed", ("", "e")),
    ("ing", ("", "e")),
    ("er", ("", "e")),
    ("est", ("", "e")),
    ("ly", ("", "le")),
)
