"""Turns a clause into frames, and leaves out what is not worth keeping.

"I teach chemistry at Brannock High" states two things: (teach, chemistry) and (teach at, Brannock High). Which verbs,
adjectives and objects count is decided by closed classes (`vocabulary`): talk and moods never do, light verbs only with
a concrete object, a verb without an object only if it is an event of a life or a habit.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from workers.derive.facts import vocabulary as v
from workers.derive.facts.clauses import Clause
from workers.derive.facts.copulas import called, copula
from workers.derive.facts.frames import (
    bare,
    LIFE,
    MANNER,
    Frame,
    compares,
    concrete,
    determined,
    joined,
    object_of,
    particles_of,
)
from workers.derive.facts.subjects import inside, is_name, members, singular
from workers.derive.facts.vocabulary import closed

_MOVES = closed("move go travel fly return relocate drive emigrate transfer commute")
_SKILLS = closed("speak play swim drive cook read ride sing dance code ski write fly sew knit juggle type")
_ABSTRACT = ("ance", "ence", "ness", "ment", "ity", "ship", "dom")
_GET_STATES = frozenset(["married", "divorced", "engaged", "promoted", "fired", "hired", "accepted"])
_MEETINGS = frozenset(
    ["appointment", "meeting", "interview", "call", "date", "lunch", "dinner", "session", "consultation"]
)
_ROLE_PREPOSITIONS = closed("as at in for with to from on into near after by under of")
_BIOGRAPHY = closed(
    "bear raise name hire fire promote diagnose elect award accept invite bury adopt base locate write build"
    " make found own"
)


def frames(clause: Clause, timed: Collection[int]) -> Iterator[Frame]:
    """What a clause says, by its verb. `timed` holds the positions of tokens that only tell a time."""
    head, lemma = clause.head, clause.head.lemma_.lower()
    names = called(clause)
    if names is not None:
        yield from names
    elif lemma == "be" and not clause.passive:
        yield from copula(clause, timed)
    elif clause.passive:
        yield from _passive(clause, timed)
    elif lemma == "get" and (state := _get_state(head)) is not None:
        yield from _with_prepositions(clause, f"get {state.lower_}", [state], state, timed, LIFE)
    elif lemma not in v.TALK or clause.prefix:
        yield from _active(clause, lemma, timed)


def _passive(clause: Clause, timed: Collection[int]) -> Iterator[Frame]:
    head = clause.head
    predicate = joined(clause, " ".join(["be", head.lower_, *(p.lower_ for p in particles_of(head))]))
    if head.lemma_.lower() in v.TALK | {
        "do",
        "suppose",
        "use",
        "involve",
        "touch",
        "move",
        "inspire",
        "bless",
        "fill",
        "surround",
        "make",
        "make_up",
    } or head.lemma_ in {"mean"}:
        return
    sure = LIFE if head.lemma_ in _BIOGRAPHY else 0.7
    yield from _with_prepositions(clause, predicate, [head, *particles_of(head)], head, timed, sure, passive=True)


def _active(clause: Clause, lemma: str, timed: Collection[int]) -> Iterator[Frame]:
    head = clause.head
    particles = particles_of(head)
    if lemma == "get" and "have" in {h.lemma_ for h in clause.helpers} and head.lower_ == "got":
        lemma, clause.tense = "have", "present"
    predicate = joined(clause, " ".join([lemma, *(p.lower_ for p in particles)]))
    objects = [c for c in head.children if c.dep_ in {"dobj", "oprd"} and c.i > head.i and c.i not in timed]
    gap = _gap(clause)
    if gap is not None:
        yield Frame(clause, predicate, inside(gap), gap, particles, "gap", 0.75)
    if clause.verb.dep_ == "relcl" and not clause.relative:
        return
    if any(h.lower_ == "can" for h in clause.helpers) and not _ability(clause, lemma):
        return
    gerunds = [c for c in head.children if c.dep_ in {"xcomp", "pcomp"} and c.tag_ == "VBG" and c.i > head.i]
    if not objects and gerunds and lemma in v.PSYCH:
        yield from _likes_doing(clause, predicate, gerunds[0])
        return
    whole = [m for o in objects[-1:] for m in members(o) if m.i not in timed]
    kept = [member for member in whole if _worth_having(clause, lemma, member)]
    for member in kept:
        yield from _has(clause, predicate, lemma, member, particles)
    if objects and not kept:
        return
    if any(c.dep_ in {"ccomp", "xcomp"} and c.i > head.i for c in head.children) or lemma in v.PSYCH:
        return
    sure = 0.8 if not v.CHATTY & {lemma} else 0.7
    yield from _with_prepositions(clause, predicate, [*particles], head, timed, sure, further=bool(objects))


def _likes_doing(clause: Clause, predicate: str, gerund: Any) -> Iterator[Frame]:
    for member in [gerund, *(c for c in gerund.children if c.dep_ == "conj" and c.pos_ in {"VERB", "NOUN"})]:
        if any(c.lower_ in {"this", "that", "these", "those", "it"} for c in member.subtree):
            continue
        if member.lemma_.lower() in v.TALK | {"be", "do", "have", "go"} and not any(
            c.dep_ == "dobj" for c in member.children
        ):
            continue
        tokens = [t for t in inside(member) if not any(a.dep_ in {"conj", "advcl"} for a in [t]) or t == member]
        yield Frame(clause, predicate, tokens, member, [], "plain", 0.8)


def _has(clause: Clause, predicate: str, lemma: str, member: Any, particles: list[Any]) -> Iterator[Frame]:
    tokens = inside(member)
    if lemma in {"have", "get"} and member.lemma_ in _MEETINGS:
        link = next((c for c in member.children if c.dep_ == "prep" and c.lower_ == "with"), None)
        other = object_of(link) if link is not None else None
        if link is not None and other is not None:
            yield Frame(clause, f"have {member.lower_} with", inside(other), other, [member, link], "meeting", 0.85)
            return
    sure = 0.9 if lemma in v.PSYCH | {"have", "own", "speak", "play", "study", "teach"} else 0.8
    yield Frame(
        clause,
        predicate,
        tokens,
        member,
        particles,
        "has" if lemma == "have" else "plain",
        sure if lemma not in v.CHATTY - {"have"} else 0.65,
    )


def _worth_having(clause: Clause, lemma: str, noun: Any) -> bool:
    """Whether an object says something without its context."""
    if noun.pos_ in {"PRON", "DET", "ADV", "SCONJ"} and noun.lower_ not in {"it", "him", "her", "them"}:
        return False
    if noun.lemma_.lower() in v.VAGUE or noun.lower_ in v.VAGUE or compares(noun) or noun.tag_ in {"VBG", "UH", "DT"}:
        return False
    if lemma in v.PSYCH and not is_name(noun) and not clause.negative:
        # "I love the colours", "I love stories that ...": what is loved is here, or is not all said.
        if any(c.lower_ == "the" or c.dep_ in {"relcl", "acl"} for c in noun.children):
            return False
    if lemma == "have" and noun.tag_ == "NN" and bare(noun) and noun.lower_.endswith(_ABSTRACT):
        return False
    if any(
        c.lower_
        in {"so", "such", "what", "which", "your", "that", "this", "those", "these", "some", "much", "enough", "both"}
        and c.dep_ in {"det", "poss", "predet", "advmod", "amod"}
        for c in noun.children
    ):
        return False
    if lemma == "turn":
        return bool(noun.pos_ == "NUM")
    if lemma in v.CHATTY - {"have", "do"}:
        if any(c.lower_ == "the" for c in noun.children):
            return clause.tense == "past" and any(c.dep_ in {"prep", "compound", "amod"} for c in noun.children)
        return (
            is_name(noun)
            or any(c.dep_ in {"nummod", "poss"} or c.lower_ in {"a", "an", "my"} for c in noun.children)
            or any(c.dep_ in {"compound"} for c in noun.children)
        )
    if lemma == "have" and noun.tag_ == "NN":
        return (
            any(c.dep_ in {"det", "poss", "nummod", "amod", "compound"} for c in noun.children)
            or clause.negative
            or is_name(noun)
            or noun.pos_ == "NOUN"
        )
    return True


def _with_prepositions(
    clause: Clause,
    predicate: str,
    words: list[Any],
    head: Any,
    timed: Collection[int],
    sure: float,
    *,
    passive: bool = False,
    further: bool = False,
) -> Iterator[Frame]:
    """The frames of a verb's prepositional objects; the bare verb where it has none and counts by itself.

    `further`: the verb has an object already, so only a name or a relation is worth another frame.
    """
    found = False
    lemma = head.lemma_.lower()
    for preposition in _prepositions(head):
        thing = object_of(preposition)
        first = preposition.lower_
        if thing is None:
            continue
        if first not in v.PLACES:
            if not further:
                return
            continue
        if thing.i in timed:
            if passive and clause.head.lower_ in {"born", "founded", "built"} and not found:
                yield Frame(
                    clause,
                    f"{predicate} {first}",
                    inside(thing),
                    thing,
                    [*words, preposition],
                    "dated",
                    sure,
                    when=True,
                )
                found = True
            continue
        if not concrete(thing) or thing.lemma_.lower() in MANNER | v.VAGUE:
            continue
        named = is_name(thing) or singular(thing) in v.RELATIONS
        particular = named or any(c.dep_ == "poss" for c in thing.children)
        if (further or found) and not (named and _goes_on(lemma, first)) and not (found and first == "as"):
            continue
        if lemma in v.CHATTY and not particular and not (clause.tense != "present" and determined(thing)):
            continue
        for member in members(thing):
            if member.pos_ in {"NOUN", "PROPN", "NUM", "X", "PRON"}:
                tokens = [t for t in inside(member) if first != "as" or not _under_place(t, member)]
                yield Frame(
                    clause,
                    f"{predicate} {first}",
                    tokens,
                    member,
                    [*words, preposition],
                    "prep",
                    sure if particular else sure - 0.05,
                )
                found = True
    if found or further:
        return
    key = predicate.replace(" ", "_")
    adverb = next(
        (
            c
            for c in head.children
            if c.dep_ == "advmod"
            and c.lower_ in {"abroad", "alone", "downtown", "nearby", "remotely", "overseas", "upstairs"}
        ),
        None,
    )
    if adverb is not None and lemma in {"live", "work", "study", "move"}:
        yield Frame(clause, predicate, [adverb], adverb, words, "plain", 0.75)
    elif key in v.LIFE_EVENTS or (passive and lemma in {"promote", "fire", "hire", "elect", "accept"}):
        yield Frame(clause, predicate, None, None, words, "event", LIFE)
    elif lemma in v.HABITS and clause.tense in {"present", "perfect"} and not clause.progressive and not passive:
        yield Frame(clause, predicate, None, None, words, "habit", 0.75)
    elif lemma not in v.TALK:
        yield Frame(clause, predicate, None, None, words, "event", 0.6, dated_only=True)


def _goes_on(lemma: str, preposition: str) -> bool:
    """Whether a second object of a verb is worth a statement: "teach chemistry at X", not "buy bread for X"."""
    if preposition == "to":
        return lemma in _MOVES
    return preposition in {"at", "in", "with", "as", "by"} or (preposition == "from" and lemma in _MOVES)


def _prepositions(head: Any) -> Iterator[Any]:
    for child in head.children:
        if child.dep_ in {"prep", "agent"} and child.i > head.i:
            yield child
            role = object_of(child)
            if child.lower_ == "as" and role is not None:
                yield from (c for c in role.children if c.dep_ == "prep" and c.lower_ in {"at", "in", "for"})
            inner = next((c for c in child.children if c.dep_ == "prep"), None)
            if inner is not None and object_of(child) is None:
                yield inner
        elif child.dep_ == "advmod" and child.lower_ in {"back", "together", "out"}:
            yield from (c for c in child.children if c.dep_ == "prep")


def _under_place(token: Any, head: Any) -> bool:
    """Whether a token hangs on the place in "as a nurse at Saint Ives"."""
    while token != head:
        if token.head == head:
            return bool(token.dep_ == "prep" and token.lower_ in {"at", "in", "for"})
        token = token.head
    return False


def _ability(clause: Clause, lemma: str) -> bool:
    """Whether "can" tells a skill, or "cannot" a limit: the rest of its uses are talk."""
    if clause.negative:
        return lemma not in v.TALK | {"get", "help", "say", "stop", "take", "do", "find", "go"}
    return lemma in _SKILLS


def _get_state(head: Any) -> Any | None:
    return next((c for c in head.children if c.lower_ in _GET_STATES and c.i > head.i), None)


def _gap(clause: Clause) -> Any | None:
    """What a relative clause without an object is about: "the flat I rent"."""
    verb = clause.verb
    if verb.dep_ != "relcl" or clause.relative or verb.head.i > verb.i:
        return None
    if any(
        c.dep_ in {"dobj", "attr", "oprd", "acomp", "ccomp"} and c.tag_ not in {"WDT", "WP"}
        for c in clause.head.children
    ):
        return None
    if (
        any(c.dep_ == "prep" for c in clause.head.children)
        or verb.head.pos_ not in {"NOUN", "PROPN"}
        or verb.head.lemma_ in v.VAGUE
    ):
        return None
    if clause.head.lemma_.lower() in v.CHATTY | {"be"} or clause.head.dep_ == "conj":
        return None
    return verb.head
