"""Nothing there is an answer too, and each kind of nothing looks like itself."""

from __future__ import annotations

from tests.support.client import KEYWORD_ONLY, SEMANTIC_ONLY, Store
from workers.drain import drain_all
from workers.maintain import maintain


def test_a_store_nobody_wrote_to_answers(store: Store) -> None:
    """Public fault a17."""
    for query in ("anything", "the of and", "😀"):
        for settings in ({}, KEYWORD_ONLY, SEMANTIC_ONLY):
            answer = store.recall("fresh", query, settings=settings, explain=True)
            assert (answer["memories"], answer["context"], answer["withheld"]) == ([], "", 0)
            assert answer["store_empty"]
            assert answer["degraded"] == {}
    assert store.http.get("/v1/namespaces/fresh/episodes").json() == {"episodes": [], "next": None}
    assert store.http.get("/v1/admin/status").status_code == 200
    assert maintain(store.database, store.settings) == {
        "tables_analysed": 0,
        "tail_rows_merged": 0,
        "idempotency_keys_pruned": 0,
        "entities_pruned": 0,
        "forgettings_resumed": 0,
        "episodes_expired": 0,
        "retrievals_pruned": 0,
        "served_pruned": 0,
    }
    assert all(report.rebuilt == 0 for report in drain_all(store.database, store.settings))


def test_told_but_not_yet_derived_is_not_an_error(store: Store) -> None:
    store.tell("n", "the ferry leaves at noon")
    answer = store.recall("n", "ferry")
    assert answer["memories"] == []
    assert "semantic" in answer["degraded"], "no worker has run: the dense leg says so"
    store.drain()
    assert store.texts("n", "ferry") == ["the ferry leaves at noon"]


def test_no_match_in_a_full_store_is_not_an_empty_store(store: Store) -> None:
    store.learn("n", "the ferry leaves at noon")
    for query in ("qwzzkx", "the of and", "😀"):
        answer = store.recall("n", query, settings=KEYWORD_ONLY)
        assert answer["memories"] == []
        assert not answer["store_empty"]
        assert store.ask("n", query).status_code == 200


def test_what_has_no_word_is_kept_and_breaks_nothing(store: Store) -> None:
    odd = ["😀", "…", "???", "the of and", "(((("]
    store.learn("n", *odd, "the ferry leaves at noon")
    assert store.by_keyword("n", "ferry") == ["the ferry leaves at noon"]
    assert set(store.texts("n", "ferry")) == {*odd, "the ferry leaves at noon"}
