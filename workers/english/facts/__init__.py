"""Open information extraction by rules over spaCy's dependency trees: turns in, statements out, no LLM asked.

    Ana: "im allergic to nuts since 2019. my sister Eva lives in Porto"
      ->  Ana be allergic to nuts (2019); Ana have sister Eva; Eva live in Porto

Precision before recall: a statement that was not made is worse than one that is missed, because the passage is kept
beside the facts. `Rules` is the `Extractor` of `workers.derive.contract`; each step is one module:

    screen      text to pieces: sentences and clauses of prose; no code, questions, quoted or made-up text
    spelling    a piece to words: contractions and common misspellings mended, offsets into the original kept
    lists       "Things I never cook: squid, tripe" to a sentence an item
    openers     a rare name that opens a sentence is parsed as a pronoun, which the small model reads without fault
    parsing     words to dependency trees, in batches
    clauses     a tree to its verbs with their subjects; `stances` tells stated from denied, doubted, planned, claimed
    subjects    subjects to people and things; pronouns resolved, possessives made relations
    verbs       a clause to frames (predicate, object): `copulas` for "be", `prepositions` for "live in Oslo"
    worth       which frames are kept
    asides      statements without a verb of their own: appositions, "allergic to nuts btw"
    moments     which verb a date or a length of time belongs to; `workers.english.dates` finds them
    wording     a frame to a sentence that stands alone
    reading     the steps from clauses on for one turn, piece by piece

`vocabulary` holds the closed word classes; `sentences` cuts prose for `screen`; `refs` are the people and things that
statements are about; `phrases` and `frames` answer what several steps ask of a noun phrase or a frame.

`confidence` in (0, 1] is that of the rule (.9 a relation with a name, .85 "is a nurse", .8 a verb with its object, .65
a light verb or a quality, .6 an event known by its date only), times a factor for each thing that makes it less sure:
doubt .6, somebody else's claim, a pronoun, a subject left out, a thing for a subject, a text that is nobody's talk.
"""

from __future__ import annotations

from collections.abc import Sequence

from workers.derive.contract import Extraction, Utterance
from workers.derive.entities import model_version
from workers.english.dates import TIMES
from workers.english.facts.lists import spoken
from workers.english.facts.openers import titled
from workers.english.facts.parsing import lexicon, parse
from workers.english.facts.reading import Parsed, Reader
from workers.english.facts.screen import Piece, pieces
from workers.english.facts.spelling import Word, words

VERSION = "facts/3"

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
