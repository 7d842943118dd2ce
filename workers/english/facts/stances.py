"""How a clause is meant, read off its own helpers and off what it hangs on.

"I think" makes it hedged, "Bram told me" makes it Bram's, "if" or "would" or an order takes it out. What is not known
to be stated is taken out: a clause that is missed costs a fact, a clause that is misread makes a false one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from workers.english.facts import vocabulary as v

SUBJECTS = frozenset({"nsubj", "nsubjpass"})
_FIRST = frozenset({"i", "we"})


@dataclass(slots=True)
class Stance:
    """How a clause is meant."""

    stated: bool = True
    hedged: bool = False
    flipped: bool = False
    sayer: Any | None = None
    claimed: bool = False  # by somebody else than who speaks


def stance_of(verb: Any) -> Stance:
    """How the clause of `verb` is meant."""
    stance = Stance()
    node = verb
    while True:
        _own_words(node, stance, lowest=node == verb)
        if not stance.stated or node.dep_ == "ROOT" or node.head == node or is_splice(node):
            break
        _hanging(node, stance)
        node = node.head
    stance.hedged = stance.hedged or _doubted(verb)
    return stance


_REMINDERS = frozenset({"remember", "note", "know", "consider"})
"""Orders whose clause is told: "remember that I'm left-handed"."""


def is_splice(node: Any) -> bool:
    """Whether a clause is only joined to the next by a comma ("Ida is six, she loves trains"): it stands alone, but the
    parser hangs it on what follows.
    """
    head = node.head
    if node.dep_ in {"ccomp", "parataxis"} and any(t.text in {"-", "–", "—"} for t in node.doc[head.i : node.i]):
        return True
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
                child.dep_ in SUBJECTS
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
    if node.dep_ == "ROOT" and is_order(node) and (lowest or node.lemma_ not in _REMINDERS):
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
    if any(child.dep_ in {*SUBJECTS, "expl", "csubj"} for child in root.children):
        return False
    return not any(child.dep_ == "aux" and child.lower_ not in {"do"} for child in root.children)


def _hanging(node: Any, stance: Stance) -> None:
    """What the clause that `node` hangs on makes of it."""
    head, dep = node.head, node.dep_
    lemma = head.lemma_.lower()
    if dep in {"ccomp", "dep"} and head.pos_ in {"VERB", "AUX", "ADJ", "ADV", "NOUN", "PROPN", "ADP"}:
        _complement(head, lemma, stance)
    elif dep in {"advcl", "xcomp", "acl", "csubj", "csubjpass", "pcomp"}:
        opener = next((child.lower_ for child in node.children if child.dep_ == "mark"), "")
        if dep != "advcl" or opener not in v.OPEN_SUBORDINATORS:
            stance.stated = False
    elif dep == "conj" and not own_subject(node):
        for child in head.children:
            if (
                child.dep_ == "aux"
                and child.lower_ in {"may", "might"}
                and not any(c.dep_ == "aux" for c in node.children)
            ):
                stance.hedged = True


def _complement(head: Any, lemma: str, stance: Stance) -> None:
    subject = next((child for child in head.children if child.dep_ in SUBJECTS), None)
    word = subject.lower_ if subject is not None else ""
    negated = any(child.dep_ == "neg" for child in head.children)
    if lemma in v.SURE or (head.pos_ in {"ADJ", "ADV"} and lemma in v.SURE):
        stance.hedged = True
        stance.stated = head.head == head or head.head.lemma_ not in {"make", "ensure"}
    elif head.pos_ == "AUX" or lemma == "be":
        _under_be(head, word, stance, negated=negated)
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
    elif (lemma in v.FACTIVE or (lemma == "turn" and subject is None)) and not _modal(head):
        if (negated and lemma not in {"know", "realise", "realize"}) or (word not in _FIRST and subject is not None):
            stance.stated = False
    else:
        stance.stated = False


def _under_be(head: Any, subject: str, stance: Stance, *, negated: bool) -> None:
    """What "I'm sure that", "I'm glad that", "it's not that", "the thing is that" make of their clause."""
    adjective = next((child.lower_ for child in head.children if child.dep_ == "acomp"), "")
    if adjective in v.SURE:
        stance.hedged = True
    elif adjective in v.GLAD and not negated:
        return
    elif negated and subject == "it":
        stance.flipped = not stance.flipped
    elif subject not in {"thing", "fact", "truth", "news"}:
        stance.stated = False


def _modal(head: Any) -> bool:
    return any(
        child.dep_ == "aux" and child.lower_ in v.UNREAL_MODALS | {"could", "may", "might"} for child in head.children
    )


def own_subject(node: Any) -> bool:
    return any(child.dep_ in SUBJECTS for child in node.children)
