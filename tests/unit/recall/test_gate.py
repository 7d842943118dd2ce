"""Abstaining, trimming and attribution: off unless asked for, never against a word of the question."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.recall.settings import RecallSettings

from .memory_reader import Told, ask, texts

FAR = [Told("fine weather", vector=(0.2, 0.98)), Told("rain again", vector=(0.1, 0.99))]


def test_it_abstains_only_when_told_to_and_says_why() -> None:
    assert len(ask(FAR, "xylophone", vector=(1.0, 0.0)).memories) == 2
    answer = ask(FAR, "xylophone", RecallSettings(abstain_below=0.3), vector=(1.0, 0.0))
    assert texts(answer) == []
    assert answer.context == ""
    assert answer.body()["abstained"] == "the best likeness is 0.200, below 0.3, and no row holds a word asked for"
    assert {row.reason for row in answer.evidence.candidates} == {"abstained"}
    assert answer.evidence.considered == answer.evidence.rejected == 2
    assert not answer.store_empty


@pytest.mark.parametrize(
    ("question", "vector", "bar"),
    [
        ("xylophone", (1.0, 0.0), 0.2),  # equal to the bar is near enough
        ("weather", (1.0, 0.0), 0.9),  # a word of the question is there
        ("xylophone", None, 0.9),  # nothing has a likeness
    ],
)
def test_every_other_case_answers(question: str, vector: tuple[float, float] | None, bar: float) -> None:
    told = [*FAR, Told("no vector here")]
    answer = ask(told, question, RecallSettings(abstain_below=bar), vector=vector, entities=["x"])
    assert answer.evidence.abstained is None


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.floats(0, 1))
def test_what_is_trimmed_is_far_behind_the_best(cosines: list[float], share: float) -> None:
    told = [Told(f"row {at}", vector=(cosine, 0.0)) for at, cosine in enumerate(cosines)]
    answer = ask(told, "xylophone", RecallSettings(trim=share, k=100), vector=(1.0, 0.0))
    rows = answer.evidence.candidates
    best = max(row.score for row in rows)
    assert all((row.reason == "trimmed") == (row.score < share * best) for row in rows)


def test_another_speaker_who_matches_better_is_named() -> None:
    told = [Told("I adopted two kittens in May", "Otto"), Told("kittens are sweet", "Mira"), Told("hello", None)]
    asked = ask(told, "When did Mira adopt her kittens in May?", speakers=["mira"])
    assert asked.body()["attributed_to"] == "Otto"
    assert asked.evidence.margin is not None
    assert asked.evidence.margin < -0.2
    assert ask(told, "When did Otto adopt kittens?", speakers=["otto"]).body()["attributed_to"] is None
    assert ask(told, "When did she adopt kittens?").evidence.margin is None
    assert ask(told, "Did Mira adopt?", RecallSettings(attribution=0), speakers=["mira"]).evidence.attributed_to is None
    assert ask([], "Did Mira adopt?", speakers=["mira"]).evidence.margin is None, "nothing is left of what she said"
    assert ask(told[1:], "Did Mira adopt kittens?", speakers=["mira"]).evidence.attributed_to is None
