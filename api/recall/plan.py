"""First stage: what is asked, made ready for the legs.

A plan is plain values. The entities (from the extractor and normaliser of the write side), the query vector (from the
namespace's active space), the clock and the key of the query hash come in as arguments; nothing here loads a model or
reads a clock. The query hash is keyed, so that evidence can say that two questions were the same without keeping
either.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from workers.derive.text import FACT_SPACE, name_key, normalise, term_key, terms
from workers.derive.traits import Trait
from workers.english.dates import expressions
from workers.english.traits import wanted

ENTITY_SPACE = b"entity"
"""Entity names have postings of their own beside the words': `term_key(name, ENTITY_SPACE)`."""

_TERMS = 256
"""Distinct terms a question may have. A question has a dozen; a pasted page has thousands and asks for all of them."""


_OPEN = timedelta(days=30)
"""How far "since" and "before" reach when a question names one end only."""
_DAY = timedelta(days=1)
_MARKER = re.compile(
    r"\b(?:currently|nowadays|these days|right now|as of (?:now|today)|at (?:the moment|present)|most recent(?:ly)?"
    r"|latest)\b"
)
_WORDS = re.compile(r"[\w'’.&-]+")
_IDENTIFIER = re.compile(r"[^\W\d_].*\d|\d.*[^\W\d_]")


@dataclass(frozen=True, slots=True)
class Anchor:
    """A time that a question names: the answer was said about then, give or take `tolerance`."""

    middle: datetime
    tolerance: timedelta


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """A question ready to be answered. `terms` and `term_keys` run in parallel, distinct and in order, as do the
    entities.

    `vector` is None when the question has none, and `no_vector` then says why if it should have had one;
    `no_entities` says why the extractor could not look for names, when only those the namespace knows were found.
    `scope` is what the reader was bound to, of any type: recall carries it and never looks inside.
    `telling` are the places in `terms` of those that an exact hit holds: the identifiers of the question (letters and
    digits: `v1.9`, `ZX-4471-QP`), all of its terms when it has none.
    `speakers` are those of the namespace that the question names, `anchors` the times it names, `marker` whether it
    asks for the present, `wanted` what kind of thing an answer says.
    """

    text: str
    normalised: str
    terms: tuple[str, ...]
    term_keys: tuple[int, ...]
    fact_keys: tuple[int, ...]
    entities: tuple[str, ...]
    entity_keys: tuple[int, ...]
    vector: NDArray[np.float32] | None
    no_vector: str | None
    no_entities: str | None
    space: str | None
    query_hash: str
    namespace: str
    scope: object
    language: str
    now: datetime
    telling: tuple[int, ...]
    speakers: tuple[str, ...]
    anchors: tuple[Anchor, ...]
    marker: bool
    wanted: tuple[Trait, ...]


def make_plan(
    text: str,
    *,
    namespace: str,
    now: datetime,
    hash_key: bytes,
    entities: Sequence[str] = (),
    vector: NDArray[np.float32] | None = None,
    no_vector: str | None = None,
    no_entities: str | None = None,
    space: str | None = None,
    scope: object = None,
    language: str = "english",
    speakers: Sequence[str] = (),
) -> Plan:
    """The plan of a question.

    `entities` and `speakers` are names as the write side normalises them, `vector` a finite float32[d], `space` the
    vector space it lies in, `hash_key` 1 to 64 secret bytes. Raises ValueError for a vector, key or time that is none.
    """
    if vector is not None and (vector.ndim != 1 or not np.isfinite(vector).all()):
        raise ValueError("the query vector is one finite row")
    if now.tzinfo is None:
        raise ValueError("now carries its offset from UTC")
    if not hash_key:
        raise ValueError("the query hash needs a key")
    normalised = " ".join(normalise(text).split())
    distinct = tuple(dict.fromkeys(terms(text, language)))[:_TERMS]
    names = tuple(dict.fromkeys(entities))
    return Plan(
        text=text,
        normalised=normalised,
        terms=distinct,
        term_keys=tuple(term_key(term) for term in distinct),
        fact_keys=tuple(term_key(term, FACT_SPACE) for term in distinct),
        entities=names,
        entity_keys=tuple(term_key(name, ENTITY_SPACE) for name in names),
        vector=vector,
        no_vector=no_vector,
        no_entities=no_entities,
        space=space,
        query_hash=hashlib.blake2b(normalised.encode(), key=hash_key, digest_size=16).hexdigest(),
        namespace=namespace,
        scope=scope,
        language=language,
        now=now,
        telling=telling(distinct),
        speakers=tuple(speakers),
        anchors=anchors(text, now),
        marker=_MARKER.search(normalised) is not None,
        wanted=tuple(wanted(text)),
    )


def telling(distinct: Sequence[str]) -> tuple[int, ...]:
    """The places of the identifiers among the terms, less those that are a part of another; of all when none is one."""
    identifiers = [at for at, term in enumerate(distinct) if _IDENTIFIER.search(term)]
    whole = [
        at for at in identifiers if not any(distinct[at] in distinct[other] for other in identifiers if other != at)
    ]
    return tuple(whole or range(len(distinct)))


def anchors(text: str, now: datetime) -> tuple[Anchor, ...]:
    """The times that a question names, seen from `now`: "in March" is the last one there was."""
    found: list[Anchor] = []
    for when in expressions(text, now):
        # An open end beyond the calendar ("since 9999-12-25") anchors nothing.
        with suppress(OverflowError):
            last = when.last or (when.first + _OPEN if when.first else None)
            first = when.first or (last - _OPEN if last else None)
            if first is not None and last is not None:
                found.append(Anchor(first + (last - first) / 2, max(_DAY, (last - first) / 2)))
    return tuple(found)


def unnamed(text: str, speakers: Sequence[str], language: str = "english") -> str:
    """The question without the names of those who speak: who said it is weighed by itself, and a name in the question
    draws the vector towards everything that person ever said. (LoCoMo: R@10 +.02.)

    A question of nothing else stays as it is.
    """
    names = {word for speaker in speakers for word in speaker.split()}
    if not names:
        return text
    left = _WORDS.sub(lambda found: "" if name_key(found[0]) in names else found[0], text)
    left = " ".join(left.split())
    return left if terms(left, language) else text
