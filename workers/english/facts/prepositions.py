"""Statements that a verb makes through its prepositions, or alone: "work in insurance", "retire", "smoke"."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from workers.english.facts import vocabulary as v
from workers.english.facts.clauses import Clause
from workers.english.facts.frames import LIFE, MANNER, Frame, concrete, determined, object_of
from workers.english.facts.phrases import inside, is_name, members, singular
from workers.english.facts.worth import POINTING, goes_on

_COMPLEMENTS = frozenset({"prep", "dobj", "xcomp", "ccomp", "acomp", "advcl", "oprd", "attr"})
_AWAY = frozenset({"abroad", "alone", "downtown", "nearby", "remotely", "overseas", "upstairs", "downstairs"})
_NOUNS = frozenset({"NOUN", "PROPN", "NUM", "X", "PRON"})


@dataclass(frozen=True, slots=True)
class Said:
    """A verb as it is said: its predicate so far, the words of it, its own token, and how sure its rule is."""

    clause: Clause
    predicate: str
    words: list[Any]
    head: Any
    sure: float
    passive: bool = False


def with_prepositions(said: Said, timed: Collection[int], *, further: bool = False) -> Iterator[Frame]:
    """The frames of a verb's prepositional objects; the bare verb where it has none and counts by itself.

    `further`: the verb has an object already, so only a name or a relation is worth another frame.
    """
    found = False
    for preposition in _prepositions(said.head):
        thing = object_of(preposition)
        if thing is None:
            continue
        if preposition.lower_ not in v.PLACES:
            if not further:
                return
            continue
        if thing.i in timed:
            if said.passive and said.clause.head.lower_ in {"born", "founded", "built"} and not found:
                found = True
                predicate, words = f"{said.predicate} {preposition.lower_}", [*said.words, preposition]
                yield Frame(said.clause, predicate, inside(thing), thing, words, "dated", said.sure, when=True)
        elif _worth(said, preposition, thing, first=not (further or found), found=found):
            for frame in _placed(said, preposition, thing):
                found = True
                yield frame
    if not found and not further:
        yield from _alone(said, timed)


def _worth(said: Said, preposition: Any, thing: Any, *, first: bool, found: bool) -> bool:
    """Whether what a preposition leads to is worth a statement; `first`: nothing has been said of the verb yet."""
    lemma, word = said.head.lemma_.lower(), preposition.lower_
    if not concrete(thing) or thing.lemma_.lower() in MANNER | v.VAGUE:
        return False
    if lemma not in v.STATES and any(c.dep_ == "det" and c.lower_ in POINTING for c in thing.children):
        return False
    named = is_name(thing) or singular(thing) in v.RELATIONS
    if not first and not (named and goes_on(lemma, word)) and not (found and word == "as"):
        return False
    return lemma not in v.CHATTY or _particular(thing) or (said.clause.tense != "present" and determined(thing))


def _particular(thing: Any) -> bool:
    named = is_name(thing) or singular(thing) in v.RELATIONS
    return named or thing.lower_ in {"me", "us"} or any(c.dep_ == "poss" for c in thing.children)


def _placed(said: Said, preposition: Any, thing: Any) -> Iterator[Frame]:
    word = preposition.lower_
    link = f"next {word}" if preposition.head.lower_ == "next" else word
    for member in members(thing):
        if member.pos_ in _NOUNS and member.lower_ not in v.VAGUE:
            tokens = [token for token in inside(member) if word != "as" or not _under_place(token, member)]
            sure = said.sure if _particular(thing) else said.sure - 0.05
            words = [*said.words, preposition]
            yield Frame(said.clause, f"{said.predicate} {link}", tokens, member, words, "prep", sure)


def _alone(said: Said, timed: Collection[int]) -> Iterator[Frame]:
    """A verb without any object: an event of a life, a habit, or something that happened on a date."""
    clause, head, lemma = said.clause, said.head, said.head.lemma_.lower()
    adverb = next((c for c in head.children if c.dep_ == "advmod" and c.lower_ in _AWAY), None)
    if adverb is not None and lemma in {"live", "work", "study", "move"}:
        yield Frame(clause, said.predicate, [adverb], adverb, said.words, "plain", 0.75)
    elif said.predicate.replace(" ", "_") in v.LIFE_EVENTS or (said.passive and lemma in _DONE_TO):
        yield Frame(clause, said.predicate, None, None, said.words, "event", LIFE)
    elif lemma in v.HABITS and clause.tense in {"present", "perfect"} and not clause.progressive and not said.passive:
        yield Frame(clause, said.predicate, None, None, said.words, "habit", 0.75)
    elif lemma in v.HAPPENINGS and not any(_completes(child, timed) for child in head.children):
        yield Frame(clause, said.predicate, None, None, said.words, "event", 0.6, dated_only=True)


_DONE_TO = frozenset({"promote", "fire", "hire", "elect"})


def _completes(child: Any, timed: Collection[int]) -> bool:
    """Whether a word tells more of a verb than when: then the bare verb would say too little."""
    if child.lower_ in {"there", "here"}:
        return True
    only_time = child.i in timed or (child.dep_ == "prep" and all(t.i in timed for t in child.subtree if t != child))
    return child.dep_ in _COMPLEMENTS and not only_time


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
        elif child.dep_ == "advmod" and child.lower_ in {"back", "together", "out", "next"}:
            yield from (c for c in child.children if c.dep_ == "prep")


def _under_place(token: Any, head: Any) -> bool:
    """Whether a token hangs on the place in "as a nurse at Saint Ives"."""
    while token != head:
        if token.head == head:
            return bool(token.dep_ == "prep" and token.lower_ in {"at", "in", "for"})
        token = token.head
    return False
