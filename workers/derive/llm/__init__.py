"""Facts from any OpenAI-compatible chat endpoint: PALIMPSEST_EXTRACTOR=llm.

One request a text, up to four at a time, with a strict JSON schema and temperature 0 (`prompt`); the answer is read
within bounds (`client`), parsed and checked (`answer`), and only what the text says word for word is kept
(`grounding`), if it is no order (`orders`). The model is never trusted: a text that talks it into something can make
it name things that were said, and nothing else.

What `extract` promises beyond the contract:

- `statements` have `valid_from` at the start of their event, in the utterance's offset, unless they are planned; the
  schema asks for no end, so `valid_to` is None. `ungrounded` counts all that was refused: no quote or no ground for a
  word, not of the schema, or an order. Duplicates, and statements after the fiftieth, are logged only.
- An unusable answer is asked for once more, with a word on what was wrong; then it is BadAnswer, the row's failure.
- Whatever was paid for is charged to its namespace, also for answers of no use. A namespace over its budget is not
  asked for: BudgetSpent. It is looked at before a batch, so one batch may go over.
- A batch of which one text fails raises, and the loop comes again row by row: what its neighbours were given is kept
  for `KEPT_SECONDS` in this process and is not asked or paid for twice. Of several failures the one that is nobody's
  fault is raised first.
"""

from __future__ import annotations

import time
from collections import Counter, OrderedDict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from threading import Lock
from typing import Protocol

from pydantic import SecretStr

from schema import log
from schema.errors import PalimpsestError, ProviderUnavailable, SettingsError
from schema.ids import digest, fingerprint
from schema.settings import Settings
from workers.derive.contract import Extraction, Turn, Utterance
from workers.derive.llm import answer
from workers.derive.llm.client import ChatClient, Meter
from workers.derive.llm.errors import BadAnswer, BudgetSpent, NoAnswerInTime
from workers.derive.llm.grounding import GROUNDING
from workers.derive.llm.prompt import STATEMENTS, VERSION, request, shown
from workers.english.orders import ORDERS

__all__ = ["BadAnswer", "Budget", "BudgetSpent", "ChatExtractor", "NoAnswerInTime"]

logger = log.get(__name__)

THREADS = 4
"""Requests at a time, as many as a batch of this derivation has rows."""

KEPT = 64
"""Answers that are remembered: sixteen batches. Fifty statements of full length are 70 kB, so 5 MB at the very most."""

KEPT_SECONDS = 600.0
"""Ten of the breaker's longest snoozes: a batch that is stopped by an outage finds its paid answers afterwards."""

FAILED_SECONDS = 5.0
"""How long a failure is remembered for the pass row by row, which follows at once and would only pay for it again."""


class Budget(Protocol):
    """Who may still spend. Called in the thread that called `extract`, outside of any transaction."""

    def allows(self, namespace_id: int) -> bool:
        """Whether the namespace may use more tokens today."""

    def spend(self, namespace_id: int, tokens: int) -> None:
        """Record tokens that were used."""


class Unlimited:
    """No limit, and no record."""

    def allows(self, namespace_id: int) -> bool:  # noqa: ARG002 - the protocol's name
        """Allow."""
        return True

    def spend(self, namespace_id: int, tokens: int) -> None:
        """Forget."""


Outcome = Extraction | PalimpsestError


@dataclass(slots=True)
class _Job:
    """One utterance of a batch: what is asked, what came of it."""

    utterance: Utterance
    body: bytes
    key: bytes
    meter: Meter = field(default_factory=Meter)
    dropped: Counter[str] = field(default_factory=Counter)
    outcome: Outcome | None = None


class _Memory:
    """Outcomes by request, oldest out first. A failure is given out once: the next attempt is a new one."""

    def __init__(self) -> None:
        self._kept: OrderedDict[bytes, tuple[float, Outcome]] = OrderedDict()
        self._lock = Lock()

    def keep(self, key: bytes, outcome: Outcome) -> None:
        seconds = KEPT_SECONDS if isinstance(outcome, Extraction) else FAILED_SECONDS
        with self._lock:
            self._kept[key] = time.monotonic() + seconds, outcome
            self._kept.move_to_end(key)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)

    def recall(self, key: bytes) -> Outcome | None:
        now = time.monotonic()
        with self._lock:
            for old in [old for old, (until, _) in self._kept.items() if until <= now]:
                del self._kept[old]
            _, found = self._kept.get(key, (now, None))
            if isinstance(found, PalimpsestError):
                del self._kept[key]
            return found


def _concerns(failure: PalimpsestError) -> int:
    """Order failures: what keeps every text from an answer comes before what is about one text or namespace."""
    return int(not isinstance(failure, ProviderUnavailable)) + int(isinstance(failure, NoAnswerInTime))


class ChatExtractor:
    """An `Extractor` over one endpoint and model. See the module."""

    costly = True

    def __init__(
        self,
        url: str,
        model: str,
        key: SecretStr | None = None,
        *,
        timeout_seconds: float = 18.0,
        retries: int = 2,
        max_answer_bytes: int = 1_000_000,
        context_turns: int = 4,
        budget: Budget | None = None,
    ) -> None:
        self.context_turns = context_turns
        self._model = model
        self._timeout = timeout_seconds
        self._budget = Unlimited() if budget is None else budget
        self._client = ChatClient(url, key, retries=retries, max_bytes=max_answer_bytes, connections=THREADS)
        self._memory = _Memory()

    @classmethod
    def from_settings(cls, settings: Settings, budget: Budget | None = None) -> ChatExtractor:
        """Return the extractor that the settings describe. They were checked at start."""
        if settings.llm_url is None or settings.llm_model is None:
            raise SettingsError("PALIMPSEST_LLM_URL and PALIMPSEST_LLM_MODEL are needed with PALIMPSEST_EXTRACTOR=llm")
        return cls(
            settings.llm_url,
            settings.llm_model,
            settings.llm_key,
            timeout_seconds=settings.llm_timeout_seconds,
            retries=settings.llm_retries,
            max_answer_bytes=settings.llm_max_answer_bytes,
            context_turns=settings.llm_context_turns,
            budget=budget,
        )

    @property
    def fingerprint(self) -> str:
        """Name model, prompt, schema, rules and context. Not the address or key: the same model elsewhere is the same.
        Nor the limits that only decide whether there is an answer: raising one is no reason to pay for all again.
        """
        return fingerprint(["llm", self._model, VERSION, GROUNDING, ORDERS, STATEMENTS, self.context_turns])

    def extract(self, batch: Sequence[Utterance]) -> list[Extraction]:
        """Return one extraction an utterance. Raises ProviderUnavailable, BudgetSpent and BadAnswer."""
        jobs = [self._job(utterance) for utterance in batch]
        asked = [job for job in jobs if job.outcome is None]
        try:
            self._ask(asked)
        finally:
            # Also when a time limit ends the batch in the middle.
            for job in asked:
                if isinstance(job.outcome, Extraction) or (
                    isinstance(job.outcome, BadAnswer | NoAnswerInTime) and len(batch) > 1
                ):
                    self._memory.keep(job.key, job.outcome)
            self._charge(asked)
            self._tell(asked, len(batch))
        failures = [job.outcome for job in jobs if isinstance(job.outcome, PalimpsestError)]
        if failures:
            raise min(failures, key=_concerns)
        return [job.outcome for job in jobs if isinstance(job.outcome, Extraction)]

    def _job(self, utterance: Utterance) -> _Job:
        """Look whether the answer is here already, and whether it may be asked for."""
        body = request(self._model, utterance, shown(utterance, self.context_turns))
        job = _Job(utterance, body, digest(body, utterance.namespace_id))
        job.outcome = self._memory.recall(job.key)
        if job.outcome is None and not self._budget.allows(utterance.namespace_id):
            job.outcome = BudgetSpent(utterance.namespace_id)
        return job

    def _ask(self, jobs: Sequence[_Job]) -> None:
        if len(jobs) < 2:
            for job in jobs:
                self._answer(job)
            return
        pool = ThreadPoolExecutor(THREADS, "llm")
        try:
            done, _ = wait([pool.submit(self._answer, job) for job in jobs])
            for one in done:
                one.result()
        finally:
            # When a time limit interrupts the wait, what is under way ends by its own deadline.
            pool.shutdown(wait=False, cancel_futures=True)

    def _answer(self, job: _Job) -> None:
        try:
            job.outcome = self._extraction(job)
        except PalimpsestError as error:
            job.outcome = error

    def _extraction(self, job: _Job) -> Extraction:
        """Ask, and ask once more if the answer is of no use."""
        deadline = time.monotonic() + self._timeout
        context = shown(job.utterance, self.context_turns)
        try:
            return self._attempt(job, job.body, context, deadline)
        except BadAnswer as error:
            first = error
        if first.note is not None:
            body = request(self._model, job.utterance, context, first.note)
            try:
                return self._attempt(job, body, context, deadline)
            except ProviderUnavailable:
                # Nothing came in the time that was left: the answer that did come was still this text's.
                pass
        raise first

    def _attempt(self, job: _Job, body: bytes, context: Sequence[Turn], deadline: float) -> Extraction:
        content = self._client.ask(body, deadline, job.meter)
        found = answer.read(content, job.utterance, context)
        job.dropped = found.dropped
        refused = sum(found.dropped[reason] for reason in ("ungrounded", "malformed", "order"))
        return Extraction(found.statements, refused, job.meter.tokens)

    def _charge(self, jobs: Sequence[_Job]) -> None:
        spent: dict[int, int] = {}
        for job in jobs:
            if job.meter.tokens:
                spent[job.utterance.namespace_id] = spent.get(job.utterance.namespace_id, 0) + job.meter.tokens
        for namespace_id, tokens in sorted(spent.items()):
            self._budget.spend(namespace_id, tokens)

    def _tell(self, asked: Sequence[_Job], texts: int) -> None:
        dropped: Counter[str] = sum((job.dropped for job in asked), Counter())
        logger.info(
            "llm_asked",
            texts=texts,
            remembered=texts - len(asked),
            requests=sum(job.meter.requests for job in asked),
            tokens=sum(job.meter.tokens for job in asked),
            statements=sum(len(job.outcome.statements) for job in asked if isinstance(job.outcome, Extraction)),
            failed=sum(not isinstance(job.outcome, Extraction) for job in asked),
            **dropped,
        )
