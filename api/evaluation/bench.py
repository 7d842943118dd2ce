"""Two benchmarks, each against a floor measured in the same run: what the machine needs for the unavoidable part.

- ingest: seconds from the first write until every derivation, facts included, is current, by worker processes that are
  warm. Floor: the seconds it takes to encode the passages (sentence-transformers, batches of 64, all cores) and to find
  their entities (spaCy), by themselves, while the workers have nothing to do.
- recall: milliseconds of a whole question. Floor: the milliseconds it takes to encode the question and to ask once for
  the vectors nearest to it, exactly.

A ratio of value to floor travels between machines; seconds do not. Value and floor alternate, so that a noisy moment
hits both: round by round for ingest, question by question for recall. Questions are distinct and the floor encodes past
the cache of questions, so nobody profits from the other's work. All figures are medians.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from api.evaluation.datasets import Question, Turn
from api.evaluation.sources import episode
from api.service import admin, ingest, recall
from api.service.context import Context
from schema.kinds import Lane
from schema.store import spaces, vectors
from schema.store.memories import embedded_text
from workers.derive import entities
from workers.derive.embedding import Encoder
from workers.derive.loaders import describe, encoder
from workers.derive.passages import cut

BATCH = 200
FLOOR_BATCH = 64
WARM_TURNS = 300
WARM_SECONDS = 120.0
POLL_SECONDS = 0.05
INGEST_SECONDS = 1800.0
NEAREST = 10

Say = Callable[[str], None]


class Stuck(RuntimeError):
    """The workers do not get on."""


@dataclass(frozen=True, slots=True)
class Load:
    """One namespace's worth of turns, with questions about them."""

    name: str
    turns: Sequence[Turn]
    questions: Sequence[Question] = ()


@dataclass
class Bench:
    """A benchmark over some loads, in namespaces of its own that are removed at the end."""

    context: Context
    loads: Sequence[Load]
    say: Say = lambda _what: None
    _made: list[str] = field(default_factory=list)

    @contextmanager
    def _namespaces(self) -> Iterator[None]:
        try:
            yield
        finally:
            admin.drop(self.context, self._made)

    def _name(self, load: Load) -> str:
        name = f"bench-{secrets.token_hex(4)}-{load.name}"[:100]
        self._made.append(name)
        return name

    def ingest(self, warm_workers: Callable[[], int], processes: int, rounds: int) -> dict[str, Any]:
        """Measure ingestion by workers that run beside this process; `warm_workers` counts those that have derived.

        Raises Stuck when they do not get on.
        """
        texts = [text for load in self.loads for text in self._texts(load)]
        values: list[float] = []
        floors: list[tuple[float, float]] = []
        with self._namespaces():
            self._warm(warm_workers, processes)
            self._floor(texts[:FLOOR_BATCH])
            for number in range(1, rounds + 1):
                self.say(f"round {number} of {rounds}: workers")
                values.append(self._through_workers(self.loads))
                self.say(f"round {number} of {rounds}: floor")
                floors.append(self._floor(texts))
        value, floor = median(values), median(sum(pair) for pair in floors)
        turns = sum(len(load.turns) for load in self.loads)
        detail = {
            "encode_seconds": round(median(pair[0] for pair in floors), 3),
            "entities_seconds": round(median(pair[1] for pair in floors), 3),
            "turns_per_second": round(turns / value, 1),
            "memories": len(texts),
            "worker_processes": processes,
            "rounds": [round(one, 3) for one in values],
            "floors": [round(sum(pair), 3) for pair in floors],
        }
        return _report(value, floor, "s", turns, detail)

    def _texts(self, load: Load) -> Iterator[str]:
        settings = self.context.settings
        for turn in load.turns:
            for passage in cut(turn.content, settings.passage_words, settings.passage_cjk):
                yield embedded_text(passage.text, turn.speaker)

    def _warm(self, warm_workers: Callable[[], int], processes: int) -> None:
        """Let every worker process load its models: small loads until each has derived something."""
        first = self.loads[0]
        deadline = time.monotonic() + WARM_SECONDS
        while True:
            self.say(f"warming: {warm_workers()} of {processes} worker processes have derived")
            self._through_workers([Load("warm", first.turns[:WARM_TURNS])], seconds=WARM_SECONDS)
            if warm_workers() >= processes:
                return
            if time.monotonic() > deadline:
                raise Stuck(f"only {warm_workers()} of {processes} worker processes derived anything while warming")

    def _through_workers(self, loads: Sequence[Load], seconds: float = INGEST_SECONDS) -> float:
        names = [(self._name(load), load) for load in loads]
        began = time.perf_counter()
        for name, load in names:
            for start in range(0, len(load.turns), BATCH):
                items = [episode(turn) for turn in load.turns[start : start + BATCH]]
                ingest.remember(self.context, name, items)
        while True:
            standings, current = admin.standings(self.context, [name for name, _ in names])
            taken = time.perf_counter() - began
            if current:
                break
            if taken > seconds:
                left = ", ".join(f"{row.derivation} {row.stale}" for row in standings if row.stale)
                raise Stuck(f"not current after {seconds:.0f} s: {left}")
            time.sleep(POLL_SECONDS)
        given_up = sum(row.quarantined for row in standings)
        if given_up:
            raise Stuck(f"{given_up} rows were quarantined")
        return taken

    def _floor(self, texts: list[str]) -> tuple[float, float]:
        """Return the seconds that encoding and finding entities take by themselves."""
        found = encoder(describe(self.context.settings.encoder))
        model = getattr(found, "_model", None)
        began = time.perf_counter()
        if model is None:
            found.documents(texts)
        else:
            model.encode(texts, batch_size=FLOOR_BATCH, show_progress_bar=False)
        encoded = time.perf_counter()
        entities.extract(texts, self.context.settings.spacy_model)
        return encoded - began, time.perf_counter() - encoded

    def recall(self, questions: int) -> dict[str, Any]:
        """Measure recall over a store filled in this process, with up to `questions` distinct questions."""
        asked: list[tuple[str, str]] = []
        with self._namespaces():
            for load in self.loads:
                name = self._name(load)
                self.say(f"filling {load.name}")
                for start in range(0, len(load.turns), BATCH):
                    items = [episode(turn) for turn in load.turns[start : start + BATCH]]
                    ingest.remember(self.context, name, items, lane=Lane.BULK)
                admin.settle(self.context, [name])
                asked += [(name, question.text) for question in load.questions]
            distinct = list({text: (name, text) for name, text in asked}.values())
            return self._alternate(distinct[:: max(1, len(distinct) // questions)][:questions])

    def _alternate(self, asked: Sequence[tuple[str, str]]) -> dict[str, Any]:
        places = {name: admin.namespace(self.context, name) for name, _ in asked}
        with self.context.database.read() as session:
            active = {place.space_id: spaces.get(session, place.space_id or 0) for place in places.values()}
        values: list[float] = []
        floors: list[float] = []
        stages: dict[str, list[float]] = {}
        for number, (name, text) in enumerate(asked):
            space = active[places[name].space_id]
            if space is None:
                raise Stuck("the namespace has no vector space: the embedding model could not be loaded")
            alone = encoder(space.spec)
            if number == 0:
                recall.ask(self.context, name, "warm")
                self._nearest(alone, space.id, places[name].id, "warm")
            self.say(f"question {number + 1} of {len(asked)}")
            # Whoever goes second finds warmer caches, so they take turns.
            if number % 2:
                floors.append(self._nearest(alone, space.id, places[name].id, text))
            began = time.perf_counter()
            answer = recall.ask(self.context, name, text)
            values.append((time.perf_counter() - began) * 1000)
            if not number % 2:
                floors.append(self._nearest(alone, space.id, places[name].id, text))
            for stage, milliseconds in answer.timings.items():
                stages.setdefault(stage, []).append(milliseconds)
        detail = {
            "p95": round(sorted(values)[int(0.95 * (len(values) - 1))], 3),
            "stages": {stage: round(median(taken), 3) for stage, taken in stages.items()},
            "turns": sum(len(load.turns) for load in self.loads),
        }
        return _report(median(values), median(floors), "ms", len(values), detail)

    def _nearest(self, alone: Encoder, space_id: int, namespace_id: int, text: str) -> float:
        began = time.perf_counter()
        vector = alone.query(text)
        with self.context.database.read() as session:
            vectors.nearest(session, space_id, namespace_id, vector, NEAREST)
        return (time.perf_counter() - began) * 1000


def _report(value: float, floor: float, unit: str, n: int, detail: dict[str, Any]) -> dict[str, Any]:
    return {
        "value": round(value, 3),
        "floor": round(floor, 3),
        "ratio": round(value / floor, 3),
        "unit": unit,
        "n": n,
        "detail": detail,
    }
