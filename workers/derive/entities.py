"""Who and what a text names. One extractor and one normaliser serve the index and the question.

spaCy's named entities, less the kinds that say when or how many, plus whoever speaks. Of a fact, the names in its parts
(`workers.english.names`).
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from itertools import islice

from schema.kinds import Named
from workers.derive import fakes
from workers.derive.loaders import spacy_pipeline
from workers.derive.text import name_key, term_key

VERSION = "entities/3"
ENTITY_SPACE = b"entity"
# Dates, times, ordinals and amounts name nobody.
KINDS = frozenset({"PERSON", "ORG", "GPE", "LOC", "FAC", "NORP", "PRODUCT", "EVENT", "WORK_OF_ART", "LAW", "LANGUAGE"})
BATCH = 64
# A name longer than this is a parser's mistake, not a name.
LONGEST = 80
MOST = 64
# A pipeline is not safe for threads.
_parsing = threading.Lock()


def named(pairs: Iterable[tuple[str, str]]) -> list[Named]:
    """Return the entities of (name, kind) pairs, no key twice, in order of appearance."""
    found: dict[str, Named] = {}
    for name, kind in pairs:
        key = name_key(name)
        if 1 < len(key) <= LONGEST and key not in found and any(character.isalpha() for character in key):
            found[key] = Named(key, term_key(key, ENTITY_SPACE), " ".join(name.split()), kind)
    return list(islice(found.values(), MOST))


def extract(texts: Sequence[str], model: str) -> list[list[Named]]:
    """Return the entities of each text. Raises ProviderUnavailable when the pipeline is not installed."""
    with _parsing:
        if model == "fake":
            return [named(fakes.entities(text)) for text in texts]
        documents = spacy_pipeline(model).pipe(texts, batch_size=BATCH)
        return [
            named((entity.text, entity.label_) for entity in doc.ents if entity.label_ in KINDS) for doc in documents
        ]


def model_version(model: str) -> str:
    """Return the name and version of the pipeline, as its fingerprint needs it."""
    if model == "fake":
        return "fake/1"
    meta = spacy_pipeline(model).meta
    return f"{meta['lang']}_{meta['name']}/{meta['version']}"
