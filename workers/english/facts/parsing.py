"""Parses pieces: words go in as `spelling` mended them, dependency trees come out, many at a time."""

from __future__ import annotations

import threading
from collections.abc import Container, Sequence
from functools import cache
from typing import Any

from workers.derive.loaders import spacy_parser
from workers.english.facts import openers
from workers.english.facts.spelling import Word
from workers.english.lexicon import closed

BATCH = 256
"""Pieces a batch; the parser gains nothing from more."""

# A pipeline is not safe for threads.
_parsing = threading.Lock()


@cache
def lexicon(model: str) -> frozenset[str]:
    """The lower-case words of English, from the tables that the pipeline's lemmatiser brings (WordNet's). Raises
    ProviderUnavailable.
    """
    pipeline: Any = spacy_parser(model)
    if not pipeline.has_pipe("lemmatizer"):
        return frozenset()
    lookups = pipeline.get_pipe("lemmatizer").lookups
    strings = pipeline.vocab.strings
    found: set[str] = set(_FUNCTION_WORDS)
    for table in ("lemma_index", "lemma_exc"):
        if lookups.has_table(table):
            for words in lookups.get_table(table).values():
                found.update(strings[word] if isinstance(word, int) else word for word in words)
    return frozenset(word.lower() for word in found)


_FUNCTION_WORDS = closed(
    "the and for with from that this these those what which who whom whose when where why how not nor but yet"
    " she her hers him his they them their theirs our ours your yours you its itself myself yourself himself"
    " herself ourselves themselves would could should might must shall will can may had has have does did"
    " doing been being was were are because since although though while until unless if into onto upon about"
    " above below under over after before between during without within against among through toward towards"
    " across behind beyond near off out everyone everybody someone somebody anyone anybody nobody nothing"
    " something anything everything than then there here very too also just only even still really again"
    " always never often ever anymore anyway maybe tomorrow yesterday today tonight email app"
)


def parse(model: str, pieces: Sequence[Sequence[Word]], known: Container[str] = ()) -> list[Any]:
    """The trees of the pieces, in order. Raises ProviderUnavailable."""
    if not pieces:
        return []
    pipeline: Any = spacy_parser(model)
    found = [openers.opener(words, known) for words in pieces]
    # Ordinary trees first, but for subjects that are surely ones.
    stood = [opener if opener is not None and opener.plain else None for opener in found]
    trees = _trees(pipeline, pieces, stood)
    again: dict[int, openers.Opener | None] = {}
    for number, (opener, tree) in enumerate(zip(found, trees, strict=True)):
        if opener is None:
            continue
        if opener.plain:
            if tree is None:
                again[number] = None
        elif openers.name_read(tree, opener):
            tree.user_data["trusted"] = frozenset(range(opener.stop))
        elif openers.may_be_name(tree, opener, pieces[number][0]):
            again[number] = opener
    second = _trees(pipeline, [pieces[number] for number in again], list(again.values()))
    for number, tree in zip(again, second, strict=True):
        trees[number] = tree if tree is not None else trees[number]
    return trees


def _trees(pipeline: Any, pieces: Sequence[Sequence[Word]], stood: Sequence[openers.Opener | None]) -> list[Any]:
    """The trees of the pieces, each with a pronoun for its opener; None where that was not read as a subject."""
    from spacy.tokens import Doc

    read = [openers.substituted(words, opener) for words, opener in zip(pieces, stood, strict=True)]
    with _parsing:
        documents = [
            Doc(
                pipeline.vocab,
                words=[word.norm for word in words],
                spaces=[_spaced(words, position) for position in range(len(words))],
            )
            for words in read
        ]
        trees = list(pipeline.pipe(documents, batch_size=BATCH))
    for number, (tree, words, opener) in enumerate(zip(trees, pieces, stood, strict=True)):
        if opener is not None and not openers.subject_read(tree):
            trees[number] = None
            continue
        if opener is not None or any(a.norm != b.norm for a, b in zip(read[number], words, strict=True)):
            spaces = [_spaced(words, position) for position in range(len(words))]
            trees[number] = openers.rebuilt(tree, words, spaces, opener)
        names = {position for position, word in enumerate(words) if word.name}
        if opener is not None and trees[number][opener.stop - 1].pos_ != "NOUN":
            names |= set(range(opener.stop))
            trees[number].user_data["trusted"] = frozenset(names)
        trees[number].user_data["names"] = frozenset(names)
    return trees


def _spaced(words: Sequence[Word], position: int) -> bool:
    return position + 1 < len(words) and words[position + 1].start > words[position].stop
