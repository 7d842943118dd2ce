"""Any JSON at all, at every door: an answer or a 4xx problem, never a failure of ours, and always UTF-8."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from schema.intake import EpisodeIn
from tests.support.client import Store

# Some names that mean something, so that random bodies get past the first check.
TEXT = st.text(st.characters(exclude_categories=()), max_size=20) | st.sampled_from(
    ["", " ", "x", "\0", "\ud83d", "user", "utterance", "none", "convex", "2025-06-01T12:00:00Z", "NaN", "1e999"]
)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | TEXT
JSON: st.SearchStrategy[Any] = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4), max_leaves=8
)
EPISODES = st.dictionaries(st.sampled_from([*EpisodeIn.model_fields, "episodes"]) | TEXT, JSON, max_size=6)
NEARLY = st.fixed_dictionaries(
    {"content": TEXT},
    optional={
        "metadata": st.dictionaries(TEXT, JSON, max_size=3),
        "speaker": TEXT,
        "external_id": TEXT,
        "session_id": TEXT,
        "seq": st.integers() | SCALARS,
        "occurred_at": st.datetimes(timezones=st.timezones()).map(lambda at: at.isoformat()) | SCALARS,
    },
)
CONSTANTS = ["keyword_weight", "semantic_weight", "entity_weight", "bm25_k1", "bm25_b", "anchor_least", "anchor_share",
             "entity_surplus", "pool", "ties", "min_cosine", "min_terms", "min_overlap", "loose_share", "rrf_k", "k",
             "threshold", "reject_window", "max_entries", "max_chars", "max_tokens"]  # fmt: skip
NUMBERS = st.integers(0, 100) | st.floats(0, 100) | st.sampled_from([0, 1, 0.5, 1e-300])
QUESTIONS = st.fixed_dictionaries(
    {"query": TEXT | st.sampled_from(["Ada", "ferry noon"])},
    optional={
        "settings": st.dictionaries(st.sampled_from([*CONSTANTS, "fusion"]) | TEXT, JSON, max_size=3)
        | st.dictionaries(st.sampled_from(CONSTANTS), NUMBERS, max_size=8)
        | st.dictionaries(st.sampled_from(CONSTANTS), NUMBERS, max_size=2).map(lambda had: {**had, "fusion": "rrf"}),
        "explain": st.booleans() | JSON,
        "now": st.datetimes(timezones=st.timezones()).map(lambda at: at.isoformat()) | SCALARS,
        "k": st.integers(1, 5) | SCALARS,
        "collapse": st.sampled_from(["none", "source"]) | SCALARS,
    },
)
QUICK = settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture
def told(store: Store) -> Store:
    """A store with a little in it, read and written by every example."""
    store.learn("n", *({"content": f"Ada took the ferry at noon, day {n}", "speaker": "Ada"} for n in range(5)), "(…)")
    return store


def _answered(store: Store, body: Any, to: str) -> None:
    answer = store.post("n", body, to=to)
    assert answer.status_code < 500, (body, answer.text[:300])
    read = json.loads(answer.content.decode())
    if answer.status_code >= 400:
        assert answer.headers["content-type"] == "application/problem+json"
        assert "field" in read, body
    assert json.loads(json.dumps(read, allow_nan=False)) == read


@QUICK
@given(body=EPISODES | NEARLY | st.fixed_dictionaries({"episodes": st.lists(NEARLY | JSON, max_size=3)}) | JSON)
@example(body={"content": "x", "metadata": {"a": 10**400}})
@example(body={"content": "x", "metadata": {"a": -0.0, "b": 5e-324, "c": 1.7976931348623157e308}})
@example(body={"episodes": [{"content": "x", "external_id": "e"}, {"content": "y", "external_id": "e"}, None]})
def test_any_body_can_be_told(told: Store, body: Any) -> None:
    _answered(told, body, "episodes")


@QUICK
@given(body=QUESTIONS | JSON)
@example(body={"query": "Ada", "settings": {"bm25_k1": 0, "bm25_b": 0, "pool": 1, "ties": 0}})
@example(body={"query": "Ada", "settings": {"fusion": "rrf", "rrf_k": 0, "keyword_weight": 1e-300}})
@example(body={"query": "Ada noon", "settings": {"min_terms": 1000, "min_cosine": 1, "min_overlap": 1, "k": 1}})
@example(body={"query": "Ada", "explain": True, "settings": {"reject_window": 0, "max_chars": 1}})
def test_any_body_can_be_asked(told: Store, body: Any) -> None:
    _answered(told, body, "recall")


@QUICK
@given(body=st.binary(max_size=60) | JSON.map(lambda value: json.dumps(value).encode()).map(lambda raw: raw[:-1]))
def test_any_bytes_are_answered(told: Store, body: bytes) -> None:
    _answered(told, body, "episodes")
    _answered(told, body, "recall")


@QUICK
@given(text=st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), min_size=1, max_size=60))
def test_any_text_that_is_taken_comes_back(told: Store, text: str) -> None:
    answer = told.post("n", {"content": text, "speaker": text, "metadata": {text: [text]}})
    if answer.status_code == 202:
        back = told.read("n", answer.json()["episodes"][0]["id"])
        assert (back["content"], back["speaker"], back["metadata"]) == (text, text, {text: [text]})
