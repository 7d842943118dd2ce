"""Same store, same request, same now: the same bytes. Same words told another way: the same answer, same order."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count as counting
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from schema.db import Database
from schema.settings import Settings
from schema.store import compaction, namespaces
from tests.support.client import KEYWORD_ONLY, SEMANTIC_ONLY, Store, serving
from tests.support.store import START
from workers.maintain import maintain

QUERIES = ("ferry", "Otto noon", "when does the ferry leave", "mira", "歯医者")
SENTENCES = [
    "the ferry leaves at noon",
    "Otto missed the ferry",
    "Mira waved to Otto",
    "noon",
    "歯医者の予約",
    "gulls",
    "Otto",
]
TURNS = st.lists(
    st.tuples(
        st.sampled_from(SENTENCES), st.sampled_from([None, "Otto", "Mira"]), st.integers(0, 3), st.sampled_from("ab")
    ),
    min_size=1,
    max_size=14,
)
_names = (f"order{number}" for number in counting())


def _turns(rows: list[tuple[str, str | None, int, str]]) -> list[dict[str, Any]]:
    return [
        {
            "content": content,
            "speaker": speaker,
            "session_id": session_id,
            "seq": place,
            "occurred_at": (START + timedelta(minutes=minutes)).isoformat(),
        }
        for place, (content, speaker, minutes, session_id) in enumerate(rows)
    ]


def _shown(store: Store, name: str, **fields: Any) -> list[Any]:
    """What a reader sees, in order; not which of two identical rows carries which id."""
    keys = ("text", "speaker", "occurred_at", "session_id", "seq", "score", "similarity", "legs", "rank")
    answers = [store.recall(name, query, **fields) for query in QUERIES]
    return [(answer["context"], [[memory[key] for key in keys] for memory in answer["memories"]]) for answer in answers]


def _tell(store: Store, name: str, turns: list[dict[str, Any]], size: int, *, merge: bool) -> None:
    for at in range(0, len(turns), size):
        store.learn(name, *turns[at : at + size])
        if merge:
            with store.database.write() as session:
                compaction.merge(session, namespaces.ensure(session, name).id)


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(rows=TURNS, order=st.randoms(use_true_random=False), sizes=st.tuples(st.integers(3, 14), st.integers(4, 14)))
@example(rows=[("noon", None, 0, "a")] * 4 + [("noon", "Otto", 0, "a")] * 3, order=None, sizes=(7, 2))
def test_another_order_of_writing_gives_the_same_answer(
    store: Store, rows: list[tuple[str, str | None, int, str]], order: Any, sizes: tuple[int, int]
) -> None:
    one, two = next(_names), next(_names)
    turns = _turns(rows)
    shuffled = turns[::-1]
    if order is not None:
        order.shuffle(shuffled)
    _tell(store, one, turns, sizes[0], merge=False)
    _tell(store, two, shuffled, sizes[1], merge=True)
    for fields in (
        {},
        {"settings": KEYWORD_ONLY},
        {"settings": {"fusion": "rrf"}},
        {"k": 2, "prompt_order": "recency"},
    ):
        assert _shown(store, one, **fields) == _shown(store, two, **fields)


def test_the_same_question_gets_the_same_bytes(store: Store) -> None:
    store.learn("n", *_turns([(content, "Otto", place % 3, "a") for place, content in enumerate(SENTENCES * 4)]))
    for query in QUERIES:
        for fields in ({}, {"explain": True}, {"explain": True, "settings": SEMANTIC_ONLY}, {"k": 3, "max_chars": 90}):
            first, *others = [store.ask("n", query, **fields) for _ in range(3)]
            assert first.status_code == 200
            assert all(other.content == first.content for other in others)


def test_a_merge_changes_no_byte(store: Store) -> None:
    store.learn("n", *_turns([(content, "Otto", place % 3, "a") for place, content in enumerate(SENTENCES * 4)]))
    before = [store.ask("n", query, explain=True).content for query in QUERIES]
    eager = store.settings.model_copy(update={"tail_rows": 1})
    assert maintain(store.database, eager)["tail_rows_merged"] > 0
    assert [store.ask("n", query, explain=True).content for query in QUERIES] == before
    assert maintain(store.database, eager)["tail_rows_merged"] == 0


def test_another_process_gives_the_same_bytes(store: Store) -> None:
    """A second application over the same store, with caches of its own."""
    store.learn("n", *_turns([(content, None, place % 3, "a") for place, content in enumerate(SENTENCES * 3)]))
    with serving(store.settings) as http:
        other = Store(http, store.database, store.settings)
        for query in QUERIES:
            assert other.ask("n", query, explain=True).content == store.ask("n", query, explain=True).content


def test_now_is_only_the_readers(store: Store) -> None:
    """Public fault e09: no date, however far, gives a score outside [0, 1] or an advantage."""
    ends = ["2099-01-01T00:00:00Z", "2025-06-02T12:00:00Z", "2025-06-01T12:00:00Z", "2024-06-01T12:00:00Z"]
    store.learn("n", *({"content": "the ferry leaves at noon", "speaker": f"s{n}", "occurred_at": at}
                       for n, at in enumerate(ends)))  # fmt: skip
    scores = set()
    for now in ("2025-06-01T12:00:00Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "2025-05-31T12:00:00+14:00"):
        memories = store.recall("n", "ferry", now=now, settings=KEYWORD_ONLY)["memories"]
        assert len(memories) == len(ends)
        scores |= {memory["score"] for memory in memories}
    assert len(scores) == 1
    assert all(0 <= score <= 1 for score in scores)


TALK = ["Mira: I moved to Lisbon in the spring", "the tram to Belém is always full", "my sister Ana plays the cello",
        "we adopted a grey cat called Pixel", "the landlord fixed the boiler on Tuesday", "I am allergic to walnuts",
        "the book club meets every second Thursday", "Otto lent me his bicycle", "rain ruined the picnic",
        "the dentist appointment is at four", "she speaks Portuguese and some Greek", "my hint is the lighthouse",
        "the ferry across the river costs two euros", "I prefer tea in the morning", "the neighbours have twins",
        "Ana's concert was sold out", "the cat broke a vase", "we painted the kitchen yellow",
        "the gym closes early on Sundays", "flight 447 was delayed by fog", "I finished the marathon in four hours",
        "the bakery sells almond cakes", "my phone fell into the sea", "the museum of tiles is free"]  # fmt: skip


@pytest.fixture
def real(settings: Settings) -> Settings:
    return settings.model_copy(update={"encoder": "all-MiniLM-L6-v2"})


@pytest.mark.filterwarnings("default")
def test_another_order_gives_the_same_answer_with_a_real_model(real: Settings, database: Database) -> None:
    """Batches of other sizes move a vector's seventh decimal; the order of an answer does not move."""
    start = datetime(2025, 3, 1, tzinfo=UTC)
    turns = [
        {
            "content": content,
            "speaker": ("Mira", "Otto")[place % 2],
            "occurred_at": (start + timedelta(hours=place)).isoformat(),
        }
        for place, content in enumerate(TALK)
    ]
    queries = ["What pet does she have?", "cello", "When is the book club?", "how much is the boat", "allergies"]
    with serving(real) as http:
        store = Store(http, database, real)
        _tell(store, "one", turns, 24, merge=False)
        _tell(store, "two", turns[::-1], 7, merge=True)
        for query in queries:
            one, two = (store.recall(name, query) for name in ("one", "two"))
            assert one["degraded"] == {}
            assert one["context"] == two["context"], query
            for left, right in zip(one["memories"], two["memories"], strict=True):
                assert left["score"] == pytest.approx(right["score"], abs=1e-5)
        assert store.texts("one", "What pet does she have?")[0] == "we adopted a grey cat called Pixel"
        assert store.texts("one", "how much is the boat", settings=SEMANTIC_ONLY)[0].startswith("the ferry")
        first, second = (store.ask("one", "allergies", explain=True).content for _ in range(2))
        assert first == second
