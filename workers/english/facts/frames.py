"""What a clause can say of its subject: a predicate and at most one object; tests that verbs and "be" share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from workers.english.facts.clauses import Clause
from workers.english.lexicon import closed

LIFE = 0.85
"""Sureness of an event of a life."""
MANNER = closed(
    "page path paths hold fire purpose peace way time moment case end fact order general advance person touch love"
    " mind total track mood need middle"
)
"""Nouns that make an adverb of their preposition: "in the end", "on time"."""


@dataclass(slots=True)
class Frame:
    """One thing that a clause says of its subject.

    `object` holds the tokens of the object, None when there is none; `head` is its head. `tokens` are further words
    that the frame rests on (the preposition, the participle). `sureness` in (0, 1] feeds the confidence.
    `dated_only`: worth keeping only with a date. `when`: the object is a date.
    """

    clause: Clause
    predicate: str
    object: list[Any] | None = None
    head: Any | None = None
    tokens: list[Any] = field(default_factory=list)
    kind: str = "plain"
    sureness: float = 0.8
    dated_only: bool = False
    when: bool = False
    told: str | None = None  # the object, where it is not in the clause


def joined(clause: Clause, predicate: str) -> str:
    if not clause.prefix:
        return predicate
    words = predicate.split(" ")
    if len(clause.prefix) == 1:
        words[0] = clause.head.lower_
    return " ".join([*clause.prefix, *words])


def object_of(preposition: Any) -> Any | None:
    return next((child for child in preposition.children if child.dep_ in {"pobj"}), None)


def particles_of(head: Any) -> list[Any]:
    return [
        c
        for c in head.children
        if c.i == head.i + 1 and (c.dep_ == "prt" or (c.dep_ == "advmod" and c.lower_ in {"back", "out", "away"}))
    ]


def concrete(noun: Any) -> bool:
    return (
        noun.pos_ in {"NOUN", "PROPN", "NUM", "X"}
        or noun.lower_ in {"us", "me", "him", "her", "them", "it"}
        or noun.text[:1].isupper()
    )


def bare(noun: Any) -> bool:
    return not any(c.dep_ in {"det", "poss", "nummod", "amod", "compound"} for c in noun.children)


def determined(noun: Any) -> bool:
    return any(c.dep_ in {"det", "nummod", "compound", "poss"} for c in noun.children)


def compares(word: Any) -> bool:
    return any(
        c.lower_ in {"as", "too", "more", "less", "than", "like", "such"}
        and c.dep_ in {"advmod", "prep", "predet", "amod"}
        for c in word.children
    )
