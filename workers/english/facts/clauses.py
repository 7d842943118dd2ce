"""Finds the clauses of a parsed piece: verbs with their subjects, their tense and their negation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from schema.kinds import Modality, Polarity
from workers.english.facts import vocabulary as v
from workers.english.facts.stances import SUBJECTS, Stance, is_splice, own_subject, stance_of
from workers.english.lexicon import closed

_HEADS = frozenset({"ROOT", "conj", "ccomp", "parataxis", "relcl", "advcl", "dep"})
_LEAD = closed("advmod cc punct intj npadvmod mark prep pobj det amod nummod neg")


@dataclass(slots=True)
class Clause:
    """A verb, who does it, and how it is meant.

    `head` is the verb whose objects count; `prefix` the verbs before it ("want to", "start"). `subject` is None when it
    was left out and is whoever speaks.
    """

    verb: Any
    head: Any
    subject: Any | None
    stance: Stance
    prefix: list[str] = field(default_factory=list)
    prefix_tokens: list[Any] = field(default_factory=list)
    passive: bool = False
    negative: bool = False
    never: bool = False
    tense: str = "present"  # "past", "perfect", "future"
    progressive: bool = False
    helpers: list[Any] = field(default_factory=list)
    relative: bool = False

    @property
    def polarity(self) -> Polarity:
        return Polarity.NEGATIVE if self.negative != self.stance.flipped else Polarity.POSITIVE

    def modality(self, upcoming: bool) -> Modality:
        """The first that fits; `upcoming`: its date is after it was said."""
        if self.stance.hedged:
            return Modality.HEDGED
        if self.tense == "past":
            return Modality.PAST
        if self.tense == "future" or (upcoming and self.tense == "present"):
            return Modality.PLANNED
        if self.tense == "perfect" and not self.negative and self.head.lemma_ in _FINISHED:
            return Modality.PAST
        return Modality.ASSERTED


_FINISHED = closed(
    "buy sell move adopt book finish pass graduate quit visit sign meet complete win break book order receive"
    " get hire fire promote die arrive return"
)
"""Events: "have bought" tells what happened, "have lived" what is."""


def clauses(doc: Any) -> Iterator[Clause]:
    """The clauses of a piece that are stated, in the order of their verbs."""
    for token in doc:
        if token.dep_ not in _HEADS or token.pos_ not in {"VERB", "AUX"}:
            continue
        if token.dep_ in {"advcl", "conj", "dep"} and _taken(token):
            continue
        stance = stance_of(token)
        if stance.stated:
            yield from _built(token, stance)


def _taken(token: Any) -> bool:
    """Whether a verb belongs to another's predicate: "to buy" and "sell" in "wants to buy and sell"."""
    node = token
    while node.dep_ == "conj":
        node = node.head
    return node != token and node.dep_ in {"xcomp", "acl", "pcomp", "amod", "pobj", "dobj"} and not own_subject(token)


def _subject(verb: Any) -> tuple[Any | None, bool, bool]:
    """(subject, whether it was left out, whether the clause is a relative one)."""
    node = verb
    while True:
        near = [child for child in node.children if child.dep_ in SUBJECTS]
        own = next((child for child in reversed(near) if child.i < node.i), near[0] if near else None)
        if own is None:
            helpers = [child for child in node.children if child.dep_ in {"aux", "auxpass"}]
            own = next((inner for helper in helpers for inner in helper.children if inner.dep_ in SUBJECTS), None)
        if own is not None:
            if own.tag_ in {"WP", "WDT"} or (own.lower_ == "that" and node.dep_ == "relcl"):
                return (node.head if node.dep_ == "relcl" else None), False, True
            return own, False, False
        if node.dep_ == "conj" and node.head.pos_ in {"VERB", "AUX"}:
            node = node.head
            continue
        if (
            node.dep_ == "conj"
            and node.head.dep_ == "ROOT"
            and node.head.pos_ in {"NOUN", "PROPN"}
            and node.i > node.head.i
        ):
            return None, False, False
        break
    if node.dep_ == "ROOT" or is_splice(node):
        return None, _left_out(node), False
    return None, False, False


def _left_out(root: Any) -> bool:
    """Whether the speaker left out "I": a finished or going-on form begins the piece ("bought a kayak yesterday")."""
    for child in root.children:
        if child.i < root.i:
            if child.dep_ not in _LEAD | {"aux", "auxpass"}:
                return False
            if (
                child.dep_ in {"aux", "auxpass"}
                and child.tag_ not in {"VBD", "VBN"}
                and child.lower_ not in {"have", "am", "been", "going"}
            ):
                return False
    if root.i > 4 or root.tag_ not in {"VBD", "VBN", "VBG"} or (root.lemma_ == "be" and root.tag_ != "VBN"):
        return False
    if any(child.dep_ in {"aux", "auxpass"} and child.i > root.i for child in root.children):
        return False
    if root.tag_ != "VBG":
        return True
    # "Losing my job was hard", "Writing and hanging out!" are no statements; "still working on it", "moving to X" are.
    alone = not any(token.tag_ in {"VBZ", "VBP", "VBD", "MD"} for token in root.doc if token.i > root.i)
    return alone and (root.lemma_ in _GOING or any(c.lower_ in _STILL for c in root.children if c.i < root.i))


_GOING = closed("move go head start visit get fly travel plan leave return switch study learn train")
_STILL = closed("still just currently now finally also")


def _built(verb: Any, stance: Stance) -> Iterator[Clause]:
    subject, left_out, relative = _subject(verb)
    if subject is None and not left_out:
        return
    if subject is not None and (
        subject.dep_ == "expl"
        or subject.lower_
        in {
            "there",
            "this",
            "that",
            "you",
            "what",
            "who",
            "which",
            "everyone",
            "anyone",
            "someone",
            "something",
            "everything",
            "nothing",
        }
    ):
        return
    clause = Clause(verb, verb, subject, stance, relative=relative)
    _group(clause, verb)
    if clause.tense == "past" and any(c.dep_ == "mark" and c.lower_ in {"since", "as"} for c in verb.children):
        # "Since I was a kid" tells a time, "since I'm a nurse" a reason.
        return
    yield from _chain(clause, verb)


def _group(clause: Clause, verb: Any) -> None:
    """Tense, negation and voice, from the helpers of the verb, or of the one it is joined to."""
    helpers = [child for child in verb.children if child.dep_ in {"aux", "auxpass"}]
    node, negatives = verb, [child for child in verb.children if child.dep_ == "neg"]
    negatives += [c for c in verb.children if c.dep_ in {"advmod", "preconj"} and c.lower_ in {"never", "neither"}]
    if not helpers and verb.dep_ == "conj" and not own_subject(verb):
        while node.dep_ == "conj" and node.head.pos_ in {"VERB", "AUX"} and not helpers:
            node = node.head
            shared = [child for child in node.children if child.dep_ in {"aux", "auxpass"}]
            if node.tag_ == verb.tag_ or (shared and verb.tag_ in {"VB", "VBN", "VBG"}):
                helpers = shared
                if any(c.dep_ == "cc" and c.lower_ in {"or", "nor"} for c in node.children):
                    negatives += [child for child in node.children if child.dep_ == "neg"]
            elif verb.tag_ != "VBG":
                break
    lemmas = [helper.lemma_.lower() for helper in helpers]
    clause.helpers = helpers
    things = [c for c in verb.children if c.dep_ in {"dobj", "attr"} and c.i > verb.i]
    negatives += [c for thing in things for c in thing.children if c.dep_ == "det" and c.lower_ == "no"]
    longer = (
        c for c in verb.subtree if c.lower_ == "longer" and c.i and c.nbor(-1).lower_ == "no" and c.i <= verb.i + 3
    )
    negatives += [] if negatives else longer
    clause.negative = len(negatives) % 2 == 1
    clause.never = any(child.lower_ == "never" for child in negatives)
    clause.passive = any(helper.dep_ == "auxpass" for helper in helpers) or (
        verb.tag_ == "VBN" and lemmas[-1:] == ["be"]
    )
    clause.progressive = verb.tag_ == "VBG" and "be" in lemmas
    finite = helpers[0] if helpers else verb
    if any(helper.lower_ in v.FUTURE for helper in helpers):
        clause.tense = "future"
    elif verb.lower_ == "got" and lemmas == ["have"]:
        clause.tense = "present"
    elif "have" in lemmas and (verb.tag_ in {"VBN", "VBD", "VBG"} or "be" in lemmas):
        clause.tense = "past" if any(helper.lower_ == "had" for helper in helpers) else "perfect"
    elif not helpers and verb.lower_ == "been":
        clause.tense = "perfect"
    elif (
        (not helpers and verb.lower_ in _SAME_IN_PAST and verb.tag_ in {"VBP", "VB"})
        or finite.tag_ == "VBD"
        or (not helpers and verb.tag_ == "VBN")
    ):
        clause.tense = "past"


_SAME_IN_PAST = frozenset({"quit", "put", "cut", "hit", "spread", "shut", "split"})
"""Verbs whose past looks like their present, said in the past far more often."""


def _chain(clause: Clause, verb: Any) -> Iterator[Clause]:
    """The clause, or one for each verb its verb takes: "wants to buy and sell boats"."""
    inner = [c for c in verb.children if c.dep_ == "xcomp" and c.pos_ in {"VERB", "AUX"} and c.i > verb.i]
    if not inner and verb.lemma_.lower() in {"think", "consider"} and clause.progressive:
        clause.stance.hedged = True
        links = [c for c in verb.children if c.dep_ == "prep" and c.lower_ in {"of", "about"}]
        for target in (g for c in links for g in c.children if g.dep_ == "pcomp"):
            yield replace(clause, head=target, prefix=[], prefix_tokens=[verb], tense="future", helpers=[])
        return
    taken = _taking(clause, verb, inner[0]) if inner else None
    if taken is None:
        yield clause
        return
    prefix, tense = taken
    for target in _joined(inner[0]):
        if not any(child.dep_ == "neg" for child in target.children):
            passive = any(child.dep_ == "auxpass" for child in target.children)
            yield replace(clause, head=target, prefix=prefix, prefix_tokens=[verb], tense=tense, passive=passive)


def _taking(clause: Clause, verb: Any, inner: Any) -> tuple[list[str], str] | None:
    """What a verb that takes another adds to its predicate, and the tense of the whole; None if it takes none."""
    lemma, tense = verb.lemma_.lower(), clause.tense
    infinitive = any(child.lower_ == "to" and child.dep_ == "aux" for child in inner.children)
    would = any(helper.lower_ == "would" for helper in clause.helpers)
    coming = "past" if tense == "past" else "future"
    if infinitive and lemma == "go" and clause.progressive:
        return [], coming
    if infinitive and lemma == "use" and not any(c.dep_ == "dobj" for c in verb.children):
        return [], "past"
    if infinitive and lemma in v.INTENTION:
        return [lemma, "to"], coming
    if infinitive and lemma in v.PSYCH:
        return [lemma, "to"], "future" if would else tense
    if infinitive and lemma == "have" and tense == "present":
        return [], "duty"
    if lemma in v.PHASE:
        return ([lemma, "to"] if infinitive else [lemma]), tense
    return None


def _joined(token: Any) -> list[Any]:
    found = [token]
    for child in token.children:
        if child.dep_ == "conj" and child.pos_ in {"VERB", "AUX"} and not own_subject(child):
            found.extend(_joined(child))
    return found
