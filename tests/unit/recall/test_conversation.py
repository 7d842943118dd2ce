"""Reading a row with its neighbours: against the formula written plainly, and inert where there is no session."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.recall.pipeline import recall
from api.recall.settings import RecallSettings

from .memory_reader import MemoryReader, Told, ask, plan, texts
from .test_legs import bm25

KERNEL = {-2: 0.3, -1: 0.6, 0: 1.0, 1: 0.4, 2: 0.2}
SAID = st.lists(st.sampled_from(["apple", "pear", "plum", "fig"]), min_size=1, max_size=4).map(" ".join)


def session(*said: str, name: str = "s", **more: object) -> list[Told]:
    return [Told(text, session=name, episode=at, **more) for at, text in enumerate(said)]  # type: ignore[arg-type]


@given(st.lists(SAID, min_size=1, max_size=9), SAID)
def test_keyword_is_the_best_of_each_word_within_two_passages(said: list[str], question: str) -> None:
    told = session(*said)
    settings = RecallSettings(k=100, semantic_weight=0, entity_weight=0, normalisation="zeromax", answer_bonus=0)
    answer = ask(told, question, settings)
    made = plan(question)
    own = {term: bm25(told, [term], settings.bm25_k1, settings.bm25_b) for term in made.terms}
    expected = [
        sum(
            max(weight * own[term].get(at + distance, 0.0) for distance, weight in KERNEL.items())
            for term in made.terms
        )
        for at in range(len(told))
    ]
    best = max(expected)
    found = {row.id - 100: row.part.get("keyword", 0.0) for row in answer.evidence.candidates}
    assert found == pytest.approx({at: score / best for at, score in enumerate(expected) if score}, abs=1e-6)


def test_a_word_that_was_asked_counts_for_the_answer_that_follows() -> None:
    told = session("what shall we plant?", "a pear, what else", "fine weather")
    told += session("nothing of it", "no", name="t")
    answer = ask(told, "plant")
    assert texts(answer) == ["what shall we plant?", "a pear, what else", "fine weather"]
    found = {row.id: row.found for row in answer.evidence.candidates}
    assert found == {100: ("keyword",), 101: (), 102: ()}


def test_neighbours_end_with_the_session_and_two_passages_away() -> None:
    told = [*session("a", "b", "pear", "c", "d", "e"), *session("pear", name="t"), Told("pear"), Told("zzz")]
    answer = ask(told, "pear", RecallSettings(k=50))
    assert {told[row.id - 100].text for row in answer.evidence.candidates} == {"a", "b", "pear", "c", "d"}


def test_without_sessions_context_changes_nothing() -> None:
    told = [Told(text, vector=(at / 10, 1.0)) for at, text in enumerate(["red pump", "a pump", "red", "blue"])]
    plain = RecallSettings(proximity=0, near=0)
    assert ask(told, "red pump", vector=(1.0, 0.0)).body() == ask(told, "red pump", plain, vector=(1.0, 0.0)).body()


def test_switched_off_nobodys_neighbours_are_read() -> None:
    reader = MemoryReader(session("a", "pear", "b"))
    answer = recall(plan("pear"), RecallSettings(proximity=0, near=0), reader)
    assert answer.evidence.considered == 1


def test_a_likeness_next_to_another_counts_for_more() -> None:
    told = [
        *session("one", "two", vector=(0.8, 0.6)),
        *session("three", name="t", vector=(0.8, 0.6)),
        Told("far", vector=(0.0, 1.0)),
    ]
    answer = ask(told, "x", vector=(1.0, 0.0))
    scores = {told[row.id - 100].text: row.score for row in answer.evidence.candidates}
    assert scores["one"] == scores["two"] > scores["three"] > scores["far"] == 0


def test_a_fact_stands_where_its_passage_does() -> None:
    told = session("what shall we plant?", "a pear tree", "fine weather")
    told.append(Told("Ann plants a pear tree", session="s", episode=1, kind="fact"))
    rows = {row.id: row for row in ask(told, "shall", RecallSettings(k=50)).evidence.candidates}
    assert 103 not in rows, "no leg found it, and a fact is nobody's neighbour"
    settings = RecallSettings(k=50, normalisation="zeromax")
    rows = {row.id: row for row in ask(told, "shall pear", settings).evidence.candidates}
    alone = [replace(one, session=None) for one in told]
    lonely = {row.id: row for row in ask(alone, "shall pear", settings).evidence.candidates}
    assert rows[103].part["keyword"] > lonely[103].part["keyword"], "the question before its passage counts for it"


def test_floors_hold_for_neighbours_too() -> None:
    told = session("pear", "b", vector=(0.1, 0.9))
    answer = ask(told, "pear", RecallSettings(min_cosine=0.5, min_terms=1), vector=(1.0, 0.0))
    assert texts(answer) == ["pear"]
    assert answer.withheld == 1
