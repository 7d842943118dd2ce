"""First stage: what is asked, made ready for the legs.

A plan is plain values. The entities (from the extractor and normaliser of the write side), the query vector (from the
namespace's active space), the clock and the key of the query hash come in as arguments; nothing here loads a model or
reads a clock. The query hash is keyed, so that evidence can say that two questions were the same without keeping
either.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from workers.derive.text import FACT_SPACE, normalise, term_key, terms

ENTITY_SPACE = b"entity"
"""Entity names have postings of their own beside the words': `term_key(name, ENTITY_SPACE)`."""

_TERMS = 256
"""Distinct terms a question may have. A question has a dozen; a pasted page has thousands and asks for all of them."""


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """A question ready to be answered. `terms` and `term_keys` run in parallel, distinct and in order, as do the
    entities.

    `vector` is None when the question has none, and `no_vector` then says why if it should have had one;
    `no_entities` says why the extractor could not look for names, when only those the namespace knows were found.
    `scope` is what the reader was bound to, of any type: recall carries it and never looks inside.
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
) -> Plan:
    """The plan of a question.

    `entities` are names as the write side normalises them, `vector` a finite float32[d], `space` the vector space it
    lies in, `hash_key` 1 to 64 secret bytes. Raises ValueError for a vector, key or time that is none.
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
    )
