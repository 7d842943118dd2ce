"""Runs a data set through the whole store and scores what comes back.

Every conversation gets a namespace of its own with a name nobody else has, so an evaluation may run beside anything
and two may run at once. Turns are told through the service, derived in this process by the workers' own loop, and each
question is asked through the service's recall: what is measured is what an application gets. Memories are mapped to
turns through the episodes they rest on. The namespaces are removed at the end, however it ends, unless they are kept.

Questions are asked as if the conversation had just ended: `now` is the moment of its last turn, so that the figures do
not depend on the day they are taken. 50 results, at most one for each set of sources; no budget, so that what the
prompt holds is the ranking. Asking is no use: nothing is counted, and `seconds` is the time all questions took.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from api.evaluation.datasets import Conversation, Question
from api.evaluation.report import Answer, Grouping, summarise
from api.evaluation.sources import episode
from api.service import admin, ingest, recall
from api.service.context import Context
from schema.kinds import Lane
from schema.store import episodes
from workers.reconcile import Report

OVERRIDES: dict[str, Any] = {"k": 50, "collapse": "source", "max_entries": 0, "max_chars": 0, "max_tokens": 0}
BATCH = 200

Step = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and of how much."""


class NotCurrent(RuntimeError):
    """Some rows could not be derived, so the figures would be those of another store."""


@dataclass
class Run:
    """One evaluation. `names` are the namespaces it has made, by conversation."""

    context: Context
    conversations: Sequence[Conversation]
    grouping: Grouping
    step: Step = lambda _what, _done, _of: None
    prefix: str = field(default_factory=lambda: f"eval-{secrets.token_hex(4)}-")
    names: dict[str, str] = field(default_factory=dict)

    def __call__(self, *, keep: bool = False) -> dict[str, Any]:
        """Return the report. Raises NotCurrent when something could not be derived."""
        try:
            self._tell()
            self._derive()
            return self._ask()
        finally:
            if not keep:
                admin.drop(self.context, list(self.names.values()))

    def _tell(self) -> None:
        total = sum(len(conversation.turns) for conversation in self.conversations)
        done = 0
        for conversation in self.conversations:
            name = f"{self.prefix}{conversation.name}"[:100]
            self.names[conversation.name] = name
            for start in range(0, len(conversation.turns), BATCH):
                turns = conversation.turns[start : start + BATCH]
                answer = ingest.remember(self.context, name, [episode(turn) for turn in turns], lane=Lane.BULK)
                refused = [result for result in answer.body["episodes"] if result["status"] != "accepted"]
                if refused:
                    raise NotCurrent(f"{conversation.name}: {len(refused)} turns were refused: {refused[0]}")
                done += len(turns)
                self.step("telling", done, total)

    def _derive(self) -> None:
        rebuilt: dict[str, int] = {}

        def progress(reports: list[Report]) -> None:
            for report in reports:
                rebuilt[report.derivation] = max(rebuilt.get(report.derivation, 0), report.rebuilt)

        for done, name in enumerate(self.names.values(), start=1):
            rebuilt.clear()
            reports = admin.settle(self.context, [name], progress=progress)
            wrong = [report for report in reports if report.quarantined or report.blocked or report.snoozed]
            if wrong:
                why = wrong[0].snoozed or f"{wrong[0].quarantined} rows quarantined, {wrong[0].blocked} blocked"
                raise NotCurrent(f"{wrong[0].derivation}: {why}")
            self.step("deriving", done, len(self.names))

    def _ask(self) -> dict[str, Any]:
        total = sum(len(conversation.questions) for conversation in self.conversations)
        answers: list[Answer] = []
        seconds = 0.0
        for conversation in self.conversations:
            name = self.names[conversation.name]
            now = max(turn.occurred_at for turn in conversation.turns)
            if conversation.questions:
                # What loads models on the first question of a process is not asking.
                recall.ask(self.context, name, "warm", overrides=OVERRIDES, now=now, served=False)
            for question in conversation.questions:
                began = time.perf_counter()
                asked = recall.ask(self.context, name, question.text, overrides=OVERRIDES, now=now, served=False)
                seconds += time.perf_counter() - began
                answers.append(self._answer(question, asked))
                self.step("asking", len(answers), total)
        return summarise(answers, grouping=self.grouping, seconds=seconds)

    def _answer(self, question: Question, asked: recall.Asked) -> Answer:
        if asked.answer.degraded:
            leg, why = next(iter(asked.answer.degraded.items()))
            raise NotCurrent(f"the {leg} leg could not answer: {why}")
        words = [entry.ranked.wording for entry in asked.answer.memories]
        ids = [span.episode_id for wording in words if wording is not None for span in wording.sources]
        with self.context.database.read() as session:
            known = episodes.external_ids(session, ids)
        return Answer(question, tuple(known[episode_id] for episode_id in ids if episode_id in known))
