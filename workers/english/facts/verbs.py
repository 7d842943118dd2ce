"""Turns a clause into frames, and leaves out what is not worth keeping.

"I lecture history at Dunmore College" states two things: (lecture, history), (lecture at, Dunmore College). Which
verbs, adjectives and objects count is decided by closed classes (`vocabulary`): talk and moods never do, light verbs
only with a concrete object, a verb without an object only if it is an event of a life or a habit.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from workers.english.facts import vocabulary as v
from workers.english.facts.clauses import Clause
from workers.english.facts.copulas import CONDITIONS, called, copula, state
from workers.english.facts.frames import LIFE, Frame, joined, object_of, particles_of
from workers.english.facts.phrases import inside, members
from workers.english.facts.prepositions import Said, with_prepositions
from workers.english.facts.worth import POINTING, place_of, worth_having
from workers.english.lexicon import closed

_GETS = frozenset({"get", "gets", "got", "getting", "gotten"})
_SKILLS = closed("speak play swim drive cook read ride sing dance code ski write fly sew knit juggle type")
_GET_STATES = frozenset(["married", "divorced", "engaged", "promoted", "fired", "hired", "accepted"])
_MEETINGS = frozenset(
    ["appointment", "meeting", "interview", "call", "date", "lunch", "dinner", "session", "consultation"]
)
_NOTHING_DONE = closed("do suppose use involve touch move inspire bless fill surround make make_up mean")
"""Verbs whose passive states nothing."""
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
        yield from with_prepositions(Said(clause, f"get {state.lower_}", [state], state, LIFE), timed)
    elif lemma not in v.TALK or clause.prefix:
        yield from _active(clause, lemma, timed)


def _passive(clause: Clause, timed: Collection[int]) -> Iterator[Frame]:
    head = clause.head
    gets = any(h.lower_ in _GETS for h in [*clause.helpers, *(c for c in head.children if c.dep_ == "auxpass")])
    verb = "get" if gets else "be"
    lasting = head.lower_ in CONDITIONS or head.lemma_ in {"marry", "engage", "divorce", "separate"}
    if lasting and not gets and clause.tense != "past":
        clause.passive = False
        yield from state(clause, head, timed)
        return
    predicate = joined(clause, " ".join([verb, head.lower_, *(p.lower_ for p in particles_of(head))]))
    # "I was moved" is a feeling, "moved from one project to another" is not.
    relocated = head.lemma_ == "move" and any(c.dep_ == "prep" and c.lower_ in {"from", "to"} for c in head.children)
    if head.lemma_.lower() in v.TALK | _NOTHING_DONE and not relocated:
        return
    sure = LIFE if head.lemma_ in _BIOGRAPHY else 0.7
    yield from with_prepositions(Said(clause, predicate, [head, *particles_of(head)], head, sure, passive=True), timed)


def _active(clause: Clause, lemma: str, timed: Collection[int]) -> Iterator[Frame]:
    head = clause.head
    if lemma.endswith("l") and head.lower_.startswith(f"{lemma}l"):
        lemma += "l"  # "installed" is a form of "install", not of "instal"
    particles = particles_of(head)
    if lemma == "get" and "have" in {h.lemma_ for h in clause.helpers} and head.lower_ == "got":
        lemma, clause.tense = "have", "present"
    predicate = joined(clause, " ".join([lemma, *(p.lower_ for p in particles)]))
    objects = [c for c in head.children if c.dep_ in {"dobj", "oprd"} and c.i > head.i and c.i not in timed]
    gap = _gap(clause)
    if gap is not None and not any(c.lower_ in POINTING for c in gap.children if c.dep_ == "det"):
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
    kept = [member for member in whole if worth_having(clause, lemma, member)]
    for member in kept:
        yield from _has(clause, predicate, lemma, member, particles, timed)
    if objects and not kept:
        return
    if any(c.dep_ in {"ccomp", "xcomp"} and c.i > head.i for c in head.children) or lemma in v.PSYCH:
        return
    sure = 0.8 if not v.CHATTY & {lemma} else 0.7
    yield from with_prepositions(Said(clause, predicate, particles, head, sure), timed, further=bool(objects))


def _likes_doing(clause: Clause, predicate: str, gerund: Any) -> Iterator[Frame]:
    for member in [gerund, *(c for c in gerund.children if c.dep_ == "conj" and c.pos_ in {"VERB", "NOUN"})]:
        if any(c.lower_ in {"this", "that", "these", "those", "it", "such", "so"} for c in member.subtree):
            continue
        if any(c.dep_ == "dobj" and c.lower_ in v.VAGUE for c in member.children):
            continue
        if member.lemma_.lower() in v.TALK | {"be", "do", "have", "go"} and not any(
            c.dep_ == "dobj" for c in member.children
        ):
            continue
        tokens = [t for t in inside(member) if not any(a.dep_ in {"conj", "advcl"} for a in [t]) or t == member]
        yield Frame(clause, predicate, tokens, member, [], "plain", 0.8)


def _has(
    clause: Clause, predicate: str, lemma: str, member: Any, particles: list[Any], timed: Collection[int]
) -> Iterator[Frame]:
    place = place_of(clause, lemma, member, timed)
    tokens = [*inside(member), *([place, *inside(object_of(place))] if place is not None else [])]
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


def _ability(clause: Clause, lemma: str) -> bool:
    """Whether "can" tells a skill, or "cannot" a limit: the rest of its uses are talk."""
    if clause.negative:
        return lemma not in v.TALK | {"get", "help", "say", "stop", "take", "do", "find", "go"}
    return lemma in _SKILLS


def _get_state(head: Any) -> Any | None:
    return next((c for c in head.children if c.lower_ in _GET_STATES and c.i > head.i), None)


def _gap(clause: Clause) -> Any | None:
    """What a relative clause without an object is about: "the boat I own"."""
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
        or verb.head.pos_ not in {"NOUN", "PROPN", "ADJ"}
        or verb.head.lemma_ in v.VAGUE
    ):
        return None
    if clause.head.lemma_.lower() in v.CHATTY | {"be"} or clause.head.dep_ == "conj":
        return None
    return verb.head
