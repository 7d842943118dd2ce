"""Statements in canonical form: keys under which the same fact said in other words of the same kind is found again.

- Subject: the normalised name (`text.name_key`), without a leading article.
- Predicate: lemmas as the extractor gives them, folded; its negation is a field of its own.
- Object: its terms by the one tokeniser (stemmed, stop words out), in order; a text without a term keeps its name key.

Two statements are the same fact when these, the polarity, and whether it is so, was so or will be so agree; something
that happened or will happen is told apart by its date too, since people go to the dentist more than once.

A predicate is functional when its subject has one such object at a time (a home, an age); any other is plural ("like",
"visit", "have friend"), and two of its objects never contradict each other. The lists are closed classes of English;
what is not in them is plural, which costs a contradiction unseen and never a true fact.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from schema.ids import digest
from schema.kinds import Modality, Polarity
from workers.derive.contract import Statement
from workers.derive.text import name_key, terms

TRIPLES = "triples/1"

FUNCTIONAL = frozenset(
    {
        "be born in",
        "be born on",
        "be engaged to",
        "be married to",
        "be named",
        "be called",
        "be aged",
        "have birthday on",
        "live in",
        "live at",
        "live on",
        "live with",
        "reside in",
        "reside at",
        "stay at",
        "turn",
        "weigh",
        "work as",
        "work at",
        "work for",
        "work in",
    }
)
ALIASES = frozenset(
    {"go by", "be called", "be known as", "be nicknamed", "be short for", "call oneself", "have nickname"}
)
"""Predicates whose object is another name of their subject."""
_ARTICLES = ("the ", "a ", "an ")
LONGEST_KEY = 300
"""Characters of a key: a longer object is told apart by its digest, so that an index entry stays small."""


@dataclass(frozen=True, slots=True)
class Triple:
    """A statement's keys. `functional`: see the module; `alias`: the object is another name of the subject."""

    subject_key: str
    predicate_key: str
    object_key: str | None
    positive: bool
    functional: bool
    alias: bool


def subject_key(name: str) -> str:
    """Return the key of a subject, or of an object that is a name."""
    key = name_key(name)
    for article in _ARTICLES:
        key = key.removeprefix(article)
    return _bounded(key or " ".join(name.casefold().split()))


def predicate_key(predicate: str) -> str:
    """Return the key of a predicate in its lemma form."""
    return _bounded(" ".join(predicate.casefold().split()))


def object_key(text: str | None) -> str | None:
    """Return the key of an object."""
    if text is None:
        return None
    return _bounded(" ".join(terms(text)) or subject_key(text))


def _bounded(key: str) -> str:
    return key if len(key) <= LONGEST_KEY else f"{key[:LONGEST_KEY]}#{digest(key, size=8).hex()}"


def canonical(subject: str, predicate: str, object_: str | None, polarity: str) -> Triple:
    """Return the canonical form of a statement."""
    name = predicate_key(predicate)
    # "My number is ..." has one value; "I am ..." has many.
    owned = name == "be" and ("'s " in subject or "’s " in subject)
    return Triple(
        subject_key(subject),
        name,
        object_key(object_),
        polarity == Polarity.POSITIVE,
        name in FUNCTIONAL or owned,
        name in ALIASES and object_ is not None,
    )


def fact_key(statement: Statement) -> bytes:
    """Return what identifies the fact that a statement states, inside its scope."""
    triple = canonical(statement.subject, statement.predicate, statement.object, statement.polarity)
    happens = statement.modality in {Modality.PAST, Modality.PLANNED}
    return digest(
        "fact",
        triple.subject_key,
        triple.predicate_key,
        triple.object_key,
        statement.polarity,
        statement.modality if happens else "holds",
        statement.event if happens else None,
    )


def said(statement: Statement) -> dict[str, Any]:
    """Return a statement as plain JSON values, as its source keeps it."""
    return {
        "text": statement.text,
        "subject": statement.subject,
        "predicate": statement.predicate,
        "object": statement.object,
        "polarity": str(statement.polarity),
        "modality": str(statement.modality),
        "confidence": round(statement.confidence, 6),
        "event": statement.event,
        "valid_from": statement.valid_from.isoformat() if statement.valid_from else None,
        "valid_to": statement.valid_to.isoformat() if statement.valid_to else None,
        "importance": statement.importance,
    }
