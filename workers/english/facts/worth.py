"""Which statements are worth keeping: objects that say something without their context, subjects that mean somebody.

What is dropped is talk ("had a great time"), what points into the conversation ("I love your idea"), what is general
knowledge, and names that may be no names. A passage is always there for what is dropped.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from workers.english.facts import vocabulary as v
from workers.english.facts.clauses import Clause
from workers.english.facts.copulas import CONDITIONS
from workers.english.facts.frames import MANNER, Frame, bare, compares, concrete, object_of
from workers.english.facts.moments import Moment
from workers.english.facts.openers import THING_VERBS
from workers.english.facts.phrases import inside, is_name, singular
from workers.english.facts.refs import Ref
from workers.english.facts.subjects import Context
from workers.english.lexicon import closed

ABSTRACT = ("ance", "ence", "ness", "ment", "ity", "ship", "dom")
POINTING = frozenset({"this", "that", "these", "those"})
_POINTS_OR_COUNTS = closed("so such what which your that this those these some much many enough both")
_POSTS = closed("work teach study live volunteer serve play coach train intern lecture adopt marry meet move")
MOVES = closed("move go travel fly return relocate drive emigrate transfer commute")


def worth_having(clause: Clause, lemma: str, noun: Any) -> bool:
    """Whether an object says something without its context."""
    if noun.pos_ in {"PRON", "DET", "ADV", "SCONJ"} and noun.lower_ not in {"it", "him", "her", "them"}:
        return False
    if noun.lower_ == "it" and lemma not in v.PSYCH:
        # "Hate it" is said of what was just named; "uploaded it" may be said of anything.
        return False
    if noun.lemma_.lower() in v.VAGUE or noun.lower_ in v.VAGUE or compares(noun) or noun.tag_ in {"VBG", "UH", "DT"}:
        return False
    if any(c.lower_ in _POINTS_OR_COUNTS and c.dep_ not in {"relcl", "acl"} for c in noun.children):
        return False
    if lemma in {"need", "hold"} and _of_a_thing(clause):
        return not any(c.lower_ in v.PRAISE - {"new"} for c in noun.children)
    if lemma in v.PSYCH and not is_name(noun) and not clause.negative:
        # "I love the colours", "I love stories that ...": what is loved is here, or is not all said.
        return not any(c.lower_ == "the" or c.dep_ in {"relcl", "acl"} for c in noun.children)
    if lemma == "turn":
        return bool(noun.pos_ == "NUM")
    if lemma == "have":
        return _possessed(noun)
    if lemma == "take" and any(c.dep_ == "prt" and c.lower_ == "up" for c in clause.head.children):
        return True
    return lemma not in v.CHATTY - {"do"} or _light_object(clause, lemma, noun)


def _of_a_thing(clause: Clause) -> bool:
    """Whether a clause in the present is about a thing at hand: "the pump", "my printer", "Locker 12"."""
    token = clause.subject
    if token is None or clause.tense != "present" or clause.progressive or singular(token) in v.PERSONS | v.PETS:
        return False
    known = any(c.lower_ in {"the", "my", "our"} or (c.dep_ == "nummod" and c.i > token.i) for c in token.children)
    return known and token.pos_ in {"NOUN", "PROPN"}


def _possessed(noun: Any) -> bool:
    if any(c.lower_ in v.PRAISE for c in noun.children):
        return False
    if noun.tag_ == "NN" and bare(noun) and noun.lower_.endswith(ABSTRACT):
        return False
    if any(c.lower_ == "the" for c in noun.children) and not is_name(noun):
        return any(c.dep_ == "prep" for c in noun.children)
    return True


def _light_object(clause: Clause, lemma: str, noun: Any) -> bool:
    """Whether the object of a light verb ("get", "take", "make") is concrete enough."""
    if any(c.lower_ in v.PRAISE for c in noun.children):
        return False
    if any(c.lower_ == "the" for c in noun.children):
        modified = any(c.dep_ in {"prep", "compound", "amod"} for c in noun.children)
        return clause.tense == "past" and (modified or place_of(clause, lemma, noun, ()) is not None)
    if lemma == "take" and clause.tense == "present" and not clause.progressive and bare(noun):
        return True
    if lemma == "get" and clause.tense == "past" and any(c.dep_ == "poss" for c in noun.children):
        return True
    return is_name(noun) or any(c.dep_ in {"nummod", "compound"} or c.lower_ in {"a", "an"} for c in noun.children)


def place_of(clause: Clause, lemma: str, noun: Any, timed: Collection[int]) -> Any | None:
    """The preposition right after an object that tells which: "his stall at the market", "the shop on Elm Row"."""
    last = max(token.i for token in inside(noun))
    for child in clause.head.children:
        if child.dep_ == "prep" and child.i == last + 1 and child.lower_ in {"at", "in", "on", "of", "from", "about"}:
            thing = object_of(child)
            if thing is None or thing.i in timed or not concrete(thing) or thing.lemma_.lower() in MANNER | v.VAGUE:
                return None
            named = is_name(thing) or singular(thing) in v.RELATIONS
            return None if named and goes_on(lemma, child.lower_) else child
    return None


def goes_on(lemma: str, preposition: str) -> bool:
    """Whether a second object of a verb is worth a statement: "lecture history at X", not "buy bread for X"."""
    if preposition == "to":
        return lemma in MOVES
    if lemma not in _POSTS and preposition != "as":
        return False
    return preposition in {"at", "in", "with", "as"} or (preposition == "from" and lemma in MOVES)


def welcome(frame: Frame, subject: Ref, moment: Moment | None, context: Context) -> bool:
    """Whether a frame is worth keeping for a subject."""
    clause, token = frame.clause, frame.clause.subject
    if (frame.dated_only or clause.tense == "duty") and (moment is None or moment.value is None):
        return False
    if not context.own and not _biographical(frame, subject):
        return False
    if token is not None and token.lower_ == "it" and frame.kind not in {"dated", "called", "place", "prep"}:
        return False
    if subject.kind == "name" and token is not None and not _trusted_name(token, frame, context):
        return False
    if subject.owner is not None or subject.kind in {"name", "speaker"}:
        return True
    if subject.kind == "person":
        return subject.definite and frame.kind == "called"
    told = frame.kind in {"called", "dated", "prep"} and clause.head.lemma_ != "go"
    return subject.definite and not subject.plural and (told or _at_hand(frame, subject, context))


def _at_hand(frame: Frame, subject: Ref, context: Context) -> bool:
    """Whether a thing that the speaker has to do with is told to have, need, hold, cost or be somewhere: "the pump
    needs grease monthly". What it is like is talk, and what things do at large is known to everybody.
    """
    clause, token = frame.clause, frame.clause.subject
    if not context.own or subject.kind != "thing" or token is None or clause.tense != "present" or clause.progressive:
        return False
    if not any(c.lower_ == "the" and c.dep_ == "det" for c in token.children) or frame.head is None:
        return False
    if subject.noun in _KNOWN_TO_ALL:
        return False
    if frame.kind == "place":
        return is_name(frame.head)
    return clause.head.lemma_.lower() in THING_VERBS and clause.verb == clause.head


_KNOWN_TO_ALL = closed(
    "sun moon earth sky sea ocean world universe planet brain body heart mind soul internet government economy law"
    " church bible country nation human weather air water language story book movie film song show game"
)
"""Things that "the" does not make the speaker's own, and works that are told about rather than had."""


def _biographical(frame: Frame, subject: Ref) -> bool:
    """Whether a document tells of somebody's life: a person by name or kin, and a verb of lives."""
    person = subject.kind == "person" and subject.owner is not None
    person = person or (subject.kind == "name" and (subject.noun in v.PERSONS | v.ROLES or " " in subject.name))
    if frame.kind == "is":
        head = frame.head
        return person and head is not None and (head.lemma_.lower() in v.PERSONS | v.ROLES or head.pos_ == "NUM")
    return person and (frame.kind in {"called", "trait"} or frame.clause.head.lemma_ in v.LIVES)


def _trusted_name(token: Any, frame: Frame, context: Context) -> bool:
    """Whether a capitalised word is a name: no ordinary word that only begins the piece."""
    if token.pos_ == "PRON" or token.text.lower() in context.named_as or not is_name(token):
        return True
    if not context.own and frame.kind in {"is", "place", "trait"}:
        return False
    if frame.kind in {"is", "place", "trait"} and any(c.lower_ == "the" for c in token.children):
        # "The Eiffel Tower is 330 metres tall" is known without anybody's memory.
        return False
    if token.lower_ not in context.known or token.tag_ == "NN":
        return True
    if context.own and token.i in token.doc.user_data.get("trusted", ()) and token.i == 0:
        return _personal(frame)
    return bool(token.tag_ == "NNP" and (token.i > 0 or context.someone))


def _personal(frame: Frame) -> bool:
    """Whether a frame can be said of the bearer of a name that is an ordinary word too: "Mark is a nurse"."""
    if frame.kind != "is" or frame.head is None:
        return True
    head = frame.head
    return (
        head.pos_ != "NOUN"
        or head.lower_ in CONDITIONS
        or singular(head) in v.PERSONS | v.ROLES
        or head.lower_.endswith(_PROFESSIONS)
    )


_PROFESSIONS = ("er", "or", "ist", "ian", "ant", "man", "woman", "ess", "smith", "nurse", "chef", "cook", "pilot")
