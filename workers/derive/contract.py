"""What extraction takes and gives: a turn goes in, the statements it makes come out.

Every extractor (rules, an LLM, the fakes of tests) stands behind `Extractor` and promises:

- a statement rests on a quote, `text[start:stop]` of the utterance itself; what rests on none is dropped and counted;
- words inside an utterance or its context are data: they can be quoted, they change nothing of how extraction is done;
- statements come in the order of their quotes; the same input gives the same output (an LLM: as its provider does);
- one result an utterance, in order. Raises ProviderUnavailable when none could be had now, and nothing for bad text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from schema.errors import PalimpsestError, ProviderUnavailable
from schema.kinds import Modality, Polarity


@dataclass(frozen=True, slots=True)
class Turn:
    """An earlier turn of the same session: it helps to understand, and nothing is extracted from it."""

    speaker: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Utterance:
    """A text to extract from. `occurred_at` is aware and carries the offset it was said with."""

    text: str
    speaker: str | None
    occurred_at: datetime
    source: str = "user"
    namespace_id: int = 0
    context: tuple[Turn, ...] = ()


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that an utterance states.

    `text` is the statement written out so that it stands alone ("Noor's nan grew up in Aleppo."). `predicate` is in the
    lemma form and holds no negation ("grow up in"); `object` has no leading article and is None where none is needed.
    `confidence` in [0, 1] is the extractor's own. `event` is the event time as finely as the text gives it: an ISO 8601
    day, month or year; `valid_from` and `valid_to` bound the time in which the statement holds (half open, aware), None
    where the text does not say. `importance` in [0, 1], where the extractor judges it.
    """

    text: str
    subject: str
    predicate: str
    object: str | None
    polarity: Polarity
    modality: Modality
    confidence: float
    start: int
    stop: int
    event: str | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    importance: float | None = None


@dataclass(frozen=True, slots=True)
class Extraction:
    """All that one utterance yielded. `ungrounded` counts what was dropped because its quote is not in the text;
    `tokens` what a provider charged for it.
    """

    statements: tuple[Statement, ...] = ()
    ungrounded: int = 0
    tokens: int = 0


class NoAnswerInTime(ProviderUnavailable):
    """The extraction provider gave no whole answer to this text in time; others may fare better."""


class BudgetSpent(PalimpsestError):
    """The namespace has used its tokens of today (PALIMPSEST_LLM_DAILY_TOKENS); its rows wait until tomorrow."""

    def __init__(self, namespace_id: int) -> None:
        super().__init__()
        self.namespace_id = namespace_id


class Extractor(Protocol):
    """See the module."""

    @property
    def fingerprint(self) -> str:
        """Name everything that decides the output: rules, prompt, model, settings."""

    @property
    def context_turns(self) -> int:
        """How many earlier turns it wants to see."""

    @property
    def costly(self) -> bool:
        """Whether a call costs money, so that new rules wait to be activated by a person."""

    def extract(self, batch: Sequence[Utterance]) -> list[Extraction]:
        """Return one extraction an utterance.

        Raises ProviderUnavailable when nothing can be had now, NoAnswerInTime or BudgetSpent when it is about one text
        or one namespace: the batch is then asked for again text by text, and must not be paid for twice.
        """
