"""The offline extractor: dependency rules over a small spaCy pipeline. It finds what a turn states about people and
their things, and would rather miss a fact than invent one: the passage is always there.

The way of a turn, one page each:

    screen      cuts it into the pieces worth parsing
    spelling    mends a copy of the words; offsets stay those of the original
    openers     a pronoun stands for the subject of a plain sentence while it is parsed
    parsing     trees, many pieces at a time
    clauses     verbs with their subjects, and how each is meant: stated, doubted, planned, denied, somebody else's
    subjects    whom "I", "my sister", "she" mean; relations that possessives make
    frames      predicate and object, and whether they are worth keeping
    asides      what is stated without a verb
    dates       when
    wording     the statement as a sentence that stands alone
    reading     puts these together, piece by piece, with what the turn has named so far

`confidence` is the sureness of the rule (.9 a named relation, .85 "is a nurse", .8 a plain verb with its object, .65 a
light verb or a quality, .6 an event known only by its date), times a factor for each thing that makes it less clear:
doubt .6, somebody else's claim, a pronoun, a subject left out, a thing for a subject, a text that is nobody's talk.
"""

from __future__ import annotations

from collections.abc import Sequence

from workers.derive.contract import Extraction, Utterance
from workers.derive.entities import model_version
from workers.derive.facts.lists import spoken
from workers.derive.facts.openers import titled
from workers.derive.facts.parsing import lexicon, parse
from workers.derive.facts.reading import Parsed, Reader
from workers.derive.facts.screen import Piece, pieces
from workers.derive.facts.spelling import Word, words
from workers.derive.times import TIMES

VERSION = "facts/2"

MOST_WORDS = 80
"""A piece of more words is not prose."""


class Rules:
    """The extractor. Safe for threads; deterministic."""

    context_turns = 0
    costly = False

    def __init__(self, model: str) -> None:
        """`model` names the spaCy pipeline; it loads on first use."""
        self._model = model

    @property
    def fingerprint(self) -> str:
        """Raises ProviderUnavailable."""
        return f"{VERSION}:{TIMES}:{model_version(self._model)}"

    def extract(self, batch: Sequence[Utterance]) -> list[Extraction]:
        """See `contract`. Raises ProviderUnavailable when the pipeline is not installed."""
        known = lexicon(self._model)
        found: list[tuple[int, Piece, list[Word]]] = []
        for number, utterance in enumerate(batch):
            own = utterance.source == "user"
            for piece in pieces(utterance.text, own):
                read = titled(words(utterance.text, piece.start, piece.stop, known), known)
                if 0 < len(read) <= MOST_WORDS:
                    found.extend((number, piece, sentence) for sentence in spoken(read))
        trees = parse(self._model, [read for _, _, read in found], known)
        parsed: list[list[Parsed]] = [[] for _ in batch]
        for (number, piece, read), tree in zip(found, trees, strict=True):
            parsed[number].append(Parsed(piece, read, tree))
        return [
            Extraction(tuple(Reader(utterance, known).read(entries)))
            for utterance, entries in zip(batch, parsed, strict=True)
        ]
