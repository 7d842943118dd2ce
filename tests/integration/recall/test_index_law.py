"""Whatever happened to the packed index, the keyword leg scores as a plain BM25 over the active texts would."""

from __future__ import annotations

import math
from collections import Counter
from itertools import count as counting
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from api.recall.settings import RecallSettings
from schema.kinds import Retirement
from schema.store import compaction, health, memories, namespaces, rules
from schema.store.memories import embedded_text
from tests.support.client import KEYWORD_ONLY, Store
from workers import spaces
from workers.derivations import Memories
from workers.derive.text import terms

VOCABULARY = [
    "ferry",
    "ferries",
    "noon",
    "Otto",
    "v1.9",
    "ZX-4471-QP",
    "é",
    "the",
    "歯医者",
    "기차표를",
    "a@b.test",
    "10",
]
TEXTS = st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=70).map(" ".join)
TOLD = st.tuples(st.just("tell"), st.lists(TEXTS, min_size=1, max_size=4), st.sampled_from([None, "Otto", "Zoë noon"]))
STEPS = st.lists(
    TOLD
    | st.tuples(st.just("rules"), st.sampled_from([20, 33, 180]), st.sampled_from([20, 240]))
    | st.tuples(st.just("retire"), st.integers(0, 10_000), st.just(0))
    | st.tuples(st.just("merge"), st.just(0), st.just(0)),
    min_size=2,
    max_size=7,
)
_names = (f"law{number}" for number in counting())


@pytest.fixture
def lawful(store: Store) -> Store:
    spaces.ensure(store.database, store.settings)
    return store


def reference(rows: list[tuple[int, str, str | None]], query: str) -> dict[int, float]:
    """BM25 (Robertson and Zaragoza 2009, Lucene's idf) of every row that holds a term of the query, by id."""
    k1, b = RecallSettings().bm25_k1, RecallSettings().bm25_b
    documents = {row_id: Counter(terms(embedded_text(body, speaker))) for row_id, body, speaker in rows}
    total = sum(sum(document.values()) for document in documents.values())
    found: dict[int, float] = {}
    for term in dict.fromkeys(terms(query)):
        holders = [row_id for row_id, document in documents.items() if term in document]
        idf = math.log(1 + (len(documents) - len(holders) + 0.5) / (len(holders) + 0.5))
        for row_id in holders:
            tf, length = documents[row_id][term], sum(documents[row_id].values())
            part = idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length * len(documents) / total))
            found[row_id] = found.get(row_id, 0.0) + part
    return found


def _check(store: Store, name: str, place: int) -> None:
    with store.database.read() as session:
        found = health.drift(session, place)
        assert found.clean, found
        rows: list[Any] = list(
            session.execute(
                text("SELECT id, text, speaker FROM memories WHERE namespace_id = :ns AND retired_at IS NULL"),
                {"ns": place},
            )
        )
    for query in ("ferry", "the noon Otto", "ZX-4471-QP v1.9 4471", "歯医者 기차표 é", "a@b.test 10 ferries"):
        answer = store.recall(name, query, explain=True, settings={**KEYWORD_ONLY, "reject_window": 1000})
        held = {row["id"]: row["raw"]["keyword"] for row in answer["evidence"]["candidates"]}
        wanted = reference([tuple(row) for row in rows], query)
        assert held.keys() == wanted.keys(), query
        assert all(math.isclose(held[row_id], wanted[row_id], abs_tol=2e-9, rel_tol=1e-9) for row_id in held), query


def _step(store: Store, name: str, place: int, step: tuple[str, Any, Any]) -> None:
    kind, first, second = step
    if kind == "tell":
        store.tell(name, *({"content": content, "speaker": second} for content in first))
    elif kind == "rules":
        store.settings = store.settings.model_copy(update={"passage_words": first, "passage_cjk": second})
        with store.database.write() as session:
            rules.activate(session, "memories", Memories(store.settings).fingerprint)
    elif kind == "merge":
        with store.database.write() as session:
            compaction.merge(session, place)
    else:
        with store.database.write() as session:
            ids = list(
                session.execute(
                    text("SELECT id FROM memories WHERE namespace_id = :ns AND retired_at IS NULL ORDER BY id"),
                    {"ns": place},
                ).scalars()
            )
            gone = ids[first % len(ids) :][:2] if ids else []
            memories.retire(session, gone, Retirement.STALE, ["postings", "entities", "vectors:1"])
    store.drain()


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(steps=STEPS)
@example(steps=[("tell", ["ferry noon " * 30], "Otto"), ("merge", 0, 0), ("rules", 20, 20), ("rules", 180, 240),
                ("merge", 0, 0), ("retire", 0, 0), ("rules", 20, 240), ("merge", 0, 0)])  # fmt: skip
@example(steps=[("tell", ["the", "ferry"], None), ("merge", 0, 0), ("retire", 0, 0), ("merge", 0, 0)])
def test_the_keyword_leg_is_bm25_whatever_happened_to_the_index(
    lawful: Store, steps: list[tuple[str, Any, Any]]
) -> None:
    name = next(_names)
    with lawful.database.write() as session:
        place = namespaces.ensure(session, name).id
    for step in steps:
        _step(lawful, name, place, step)
        _check(lawful, name, place)
    with lawful.database.write() as session:
        namespaces.drop(session, place, [1])


def test_counts_beyond_a_byte_and_a_long_text_are_capped_not_wrapped(store: Store) -> None:
    store.settings = store.settings.model_copy(update={"passage_words": 400})
    store.learn("n", "ha " * 300, "ha once", "nothing at all")
    with store.database.write() as session:
        compaction.merge(session, namespaces.ensure(session, "n").id)
    scores = {
        memory["text"][:7]: memory["score"] for memory in store.recall("n", "ha", settings=KEYWORD_ONLY)["memories"]
    }
    assert scores.keys() == {"ha ha h", "ha once"}
    with store.database.read() as session:
        found = namespaces.find(session, "n")
        assert found is not None
        assert health.drift(session, found.id).clean
