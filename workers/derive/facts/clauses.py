"""Finds the clauses of a parsed piece, and how each is meant.

A clause is a verb with its subject. Its `Stance` is read off the verb's own helpers and off what it hangs on: "I think"
makes it hedged, "Jonas told me" makes it Jonas's, "if" or "would" or an order takes it out. What is not known to be
stated is taken out: a clause that is missed costs a fact, a clause that is misread makes a false one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from schema.kinds import Modality, Polarity
from workers.derive.facts import vocabulary as v
from workers.derive.facts.vocabulary import closed

_SUBJECTS = frozenset({"nsubj", "nsubjpass"})
_HEADS = frozenset({"ROOT", "conj", "ccomp", "parataxis", "relcl", "advcl", "dep"})
_FIRST = frozenset({"i", "we"})
_LEAD = closed("advmod cc punct intj npadvmod mark prep pobj det amod nummod neg")


@dataclass(slots=True)
class Stance:
    """How a clause is meant."""

    stated: bool = True
    hedged: bool = False
    flipped: bool = False
    sayer: Any | None = None
    claimed: bool = False  # by somebody else than who speaks


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
    " get hire fire promote marry divorce die arrive return"
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
            stance.hedged = stance.hedged or _doubted(token)
            yield from _built(token, stance)


def stance_of(verb: Any) -> Stance:
    """How the clause of `verb` is meant."""
    stance = Stance()
    node = verb
    while True:
        _own_words(node, stance, lowest=node == verb)
        if not stance.stated or node.dep_ == "ROOT" or node.head == node or is_splice(node):
            break
        _hanging(node, stance, verb)
        node = node.head
        if not stance.stated:
            break
    return stance


def is_splice(node: Any) -> bool:
    """Whether a clause is only joined to the next by a comma ("Saga is six, she loves trains"): it stands alone, but the
    parser hangs it on what follows.
    """
    head = node.head
    if node.dep_ not in {"ccomp", "advcl", "parataxis", "dep"} or node.i > head.i or node.pos_ not in {"VERB", "AUX"}:
        return False
    if any(child.dep_ == "mark" for child in node.children) or head.lemma_.lower() in v.REPORTING | v.HEDGE_VERBS:
        return False
    return any(token.text in {",", ":", "-", "–", ";"} for token in node.doc[node.i : head.i])


def _doubted(verb: Any) -> bool:
    """Whether "I think" stands loose in the verb's own stretch between commas, or alone in the next."""
    doc = verb.doc
    left = max((token.i for token in doc[: verb.i] if token.text == ","), default=-1)
    commas = [token.i for token in doc[verb.i :] if token.text == ","] + [len(doc), len(doc)]
    for token in doc[left + 1 : commas[1]]:
        if token.lemma_.lower() in v.HEDGE_VERBS and token.i and doc[token.i - 1].lower_ in _FIRST:
            loose = not any(child.dep_ in {"ccomp", "dobj", "prep"} for child in token.children) or token.dep_ in {
                "parataxis"
            }
            if loose and (token.i < commas[0] or token.i - commas[0] <= 2) and token != verb:
                return True
    return False


def _own_words(node: Any, stance: Stance, *, lowest: bool) -> None:
    for child in node.children:
        word = child.lower_
        if (child.dep_ == "mark" and word in v.SUBORDINATORS | {"if", "like"}) or (
            child.dep_ == "advmod" and child.tag_ in {"WRB"} and node.dep_ in {"advcl", "ccomp"}
        ):
            stance.stated = False
        elif (lowest and child.dep_ in {"advmod", "amod"} and word in v.HEDGE_WORDS) or (
            lowest and child.dep_ == "aux" and word in {"may", "might"}
        ):
            stance.hedged = True
        elif (
            (child.dep_ == "aux" and word in v.UNREAL_MODALS | {"could"} and not _would_like(node, word))
            or (
                child.dep_ in _SUBJECTS
                and child.tag_ in {"WP", "WDT", "WRB"}
                and node.dep_ in {"ccomp", "csubj", "ROOT", "pcomp"}
            )
            or (
                child.dep_ in {"dobj", "attr", "advmod", "pobj"}
                and child.tag_ in {"WP", "WRB", "WDT"}
                and child.i < node.i
                and node.dep_ != "relcl"
            )
            or (child.dep_ == "advcl" and _conditional(child))
        ):
            stance.stated = False
        elif (
            child.dep_ in {"ccomp", "parataxis", "advcl"}
            and child.lemma_ in v.HEDGE_VERBS
            and lowest
            and child.i > node.i
        ):
            stance.hedged = True
    if node.dep_ == "ROOT" and is_order(node):
        stance.stated = False


def _would_like(node: Any, word: str) -> bool:
    return (
        word == "would"
        and node.lemma_ in {"like", "love", "prefer", "hate"}
        and any(c.dep_ == "xcomp" for c in node.children)
    )


def _conditional(child: Any) -> bool:
    return any(grand.lower_ in {"if", "unless"} for grand in child.children if grand.dep_ in {"mark", "advmod"})


def is_order(root: Any) -> bool:
    """Whether a root verb gives an order: its base form, with nobody doing it."""
    if root.tag_ not in {"VB", "VBP"} or root.pos_ != "VERB":
        return False
    if any(child.dep_ in {*_SUBJECTS, "expl", "csubj"} for child in root.children):
        return False
    return not any(child.dep_ == "aux" and child.lower_ not in {"do"} for child in root.children)


def _hanging(node: Any, stance: Stance, verb: Any) -> None:
    """What the clause that `node` hangs on makes of it."""
    head, dep = node.head, node.dep_
    lemma = head.lemma_.lower()
    if dep in {"ccomp", "dep"} and head.pos_ in {"VERB", "AUX", "ADJ", "ADV", "NOUN", "PROPN", "ADP"}:
        _complement(head, lemma, stance)
    elif dep in {"advcl", "xcomp", "acl", "csubj", "csubjpass", "pcomp"}:
        opener = next((child.lower_ for child in node.children if child.dep_ == "mark"), "")
        if dep != "advcl" or opener not in v.OPEN_SUBORDINATORS:
            stance.stated = False
    elif dep == "conj" and not _own_subject(node):
        for child in head.children:
            if (
                child.dep_ == "aux"
                and child.lower_ in {"may", "might"}
                and not any(c.dep_ == "aux" for c in node.children)
            ):
                stance.hedged = True


def _complement(head: Any, lemma: str, stance: Stance) -> None:
    subject = next((child for child in head.children if child.dep_ in _SUBJECTS), None)
    word = subject.lower_ if subject is not None else ""
    negated = any(child.dep_ == "neg" for child in head.children)
    if lemma in v.SURE or (head.pos_ in {"ADJ", "ADV"} and lemma in v.SURE):
        stance.hedged = True
    elif head.pos_ == "AUX" or lemma == "be":
        adjective = next((child.lower_ for child in head.children if child.dep_ == "acomp"), "")
        if adjective in v.SURE:
            stance.hedged = True
        elif adjective in v.GLAD and not negated:
            return
        elif negated and word == "it":
            stance.flipped = not stance.flipped
        elif word not in {"thing", "fact", "truth", "news"}:
            stance.stated = False
    elif head.pos_ == "ADJ" and lemma in v.GLAD:
        return
    elif lemma in v.HEDGE_VERBS and (word in _FIRST or subject is None):
        stance.hedged = True
        stance.flipped ^= negated
    elif lemma in v.REPORTING or lemma in {"let"}:
        if word in {"you"} or negated or _modal(head):
            stance.stated = False
        elif subject is not None and word not in _FIRST:
            stance.sayer, stance.claimed = stance.sayer or subject, True
    elif lemma in v.FACTIVE and not _modal(head):
        if (negated and lemma not in {"know", "realise", "realize"}) or (word not in _FIRST and subject is not None):
            stance.stated = False
    else:
        stance.stated = False


def _modal(head: Any) -> bool:
    return any(
        child.dep_ == "aux" and child.lower_ in v.UNREAL_MODALS | {"could", "may", "might"} for child in head.children
    )


def _own_subject(node: Any) -> bool:
    return any(child.dep_ in _SUBJECTS for child in node.children)


def _taken(token: Any) -> bool:
    """Whether a verb belongs to another's predicate: "to buy" and "sell" in "wants to buy and sell"."""
    node = token
    while node.dep_ == "conj":
        node = node.head
    return node != token and node.dep_ in {"xcomp", "acl", "pcomp", "amod", "pobj", "dobj"} and not _own_subject(token)


def _subject(verb: Any) -> tuple[Any | None, bool, bool]:
    """(subject, whether it was left out, whether the clause is a relative one)."""
    node = verb
    while True:
        own = next((child for child in node.children if child.dep_ in _SUBJECTS), None)
        if own is None:
            helpers = [child for child in node.children if child.dep_ in {"aux", "auxpass"}]
            own = next((inner for helper in helpers for inner in helper.children if inner.dep_ in _SUBJECTS), None)
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
    if root.i > 4 or root.tag_ not in {"VBD", "VBN", "VBG"} or root.lemma_ == "be":
        return False
    if any(child.dep_ in {"aux", "auxpass"} and child.i > root.i for child in root.children):
        return False
    if root.tag_ != "VBG":
        return True
    # "Losing my job was hard", "Writing and hanging out!" are no statements; "still working on it", "moving to X" are.
    alone = not any(token.tag_ in {"VBZ", "VBP", "VBD", "MD"} for token in root.doc if token.i > root.i)
    return alone and (root.lemma_ in _GOING or any(c.lower_ in _STILL for c in root.children if c.i < root.i))


_GOING = v.closed("move go head start visit get fly travel plan leave return switch study learn train")
_STILL = v.closed("still just currently now finally also")


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
    yield from _chain(clause, verb)


def _group(clause: Clause, verb: Any) -> None:
    """Tense, negation and voice, from the helpers of the verb, or of the one it is joined to."""
    helpers = [child for child in verb.children if child.dep_ in {"aux", "auxpass"}]
    node, negatives = verb, [child for child in verb.children if child.dep_ == "neg"]
    negatives += [c for c in verb.children if c.dep_ in {"advmod", "preconj"} and c.lower_ in {"never", "neither"}]
    if not helpers and verb.dep_ == "conj" and not _own_subject(verb):
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
    clause.negative = len(negatives) % 2 == 1
    clause.never = any(child.lower_ == "never" for child in negatives)
    clause.passive = any(helper.dep_ == "auxpass" for helper in helpers) or (
        verb.tag_ == "VBN" and lemmas[-1:] == ["be"]
    )
    clause.progressive = verb.tag_ == "VBG" and "be" in lemmas
    finite = helpers[0] if helpers else verb
    if any(helper.lower_ in v.FUTURE for helper in helpers):
        clause.tense = "future"
    elif "have" in lemmas and (verb.tag_ in {"VBN", "VBD", "VBG"} or "be" in lemmas):
        clause.tense = "past" if any(helper.lower_ == "had" for helper in helpers) else "perfect"
    elif finite.tag_ == "VBD" or (not helpers and verb.tag_ == "VBN"):
        clause.tense = "past"


def _chain(clause: Clause, verb: Any) -> Iterator[Clause]:
    """The clause, or one for each verb its verb takes: "wants to buy and sell boats"."""
    lemma = verb.lemma_.lower()
    inner = [
        child for child in verb.children if child.dep_ == "xcomp" and child.pos_ in {"VERB", "AUX"} and child.i > verb.i
    ]
    if not inner:
        yield clause
        return
    infinitive = any(child.lower_ == "to" and child.dep_ == "aux" for child in inner[0].children)
    if lemma == "go" and clause.progressive and infinitive:
        prefix: list[str] = []
        clause.tense = "past" if clause.tense == "past" else "future"
    elif lemma == "use" and infinitive:
        prefix, clause.tense = [], "past"
    elif lemma in v.INTENTION and infinitive:
        prefix = [lemma, "to"]
        clause.tense = "past" if clause.tense == "past" else "future"
        if any(helper.lower_ == "would" for helper in clause.helpers):
            clause.tense = "future"
    elif lemma in v.PSYCH and infinitive:
        prefix = [lemma, "to"]
        if any(helper.lower_ == "would" for helper in clause.helpers):
            clause.tense = "future"
    elif lemma in v.PHASE:
        prefix = [lemma, "to"] if infinitive else [lemma]
    elif lemma == "have" and infinitive and clause.tense == "present":
        prefix, clause.tense = [], "duty"
    else:
        yield clause
        return
    for target in _joined(inner[0]):
        if any(child.dep_ == "neg" for child in target.children):
            continue
        made = Clause(
            verb, target, clause.subject, clause.stance, list(prefix), [verb], clause.passive, clause.negative,
            clause.never, clause.tense, clause.progressive, clause.helpers, clause.relative,
        )  # fmt: skip
        made.passive = any(child.dep_ == "auxpass" for child in target.children)
        yield made


def _joined(token: Any) -> list[Any]:
    found = [token]
    for child in token.children:
        if child.dep_ == "conj" and child.pos_ in {"VERB", "AUX"} and not _own_subject(child):
            found.extend(_joined(child))
    return found
