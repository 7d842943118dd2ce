"""The conversation that ships: readable by the importer, and a fair stage for its questions."""

import json
from itertools import groupby
from pathlib import Path

import pytest

import api.cli
from api.evaluation import imports
from api.evaluation.datasets import Turn

FOLDER = Path(api.cli.__file__).parent
QUESTIONS = json.loads((FOLDER / "demo_questions.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def turns() -> dict[str, Turn]:
    read = [turn for _, turn in imports.turns(FOLDER / "demo.jsonl", "jsonl")]
    named = {turn.external_id: turn for turn in read}
    assert len(named) == len(read)
    return named


def test_sessions_follow_each_other(turns: dict[str, Turn]) -> None:
    told = list(turns.values())
    assert [turn.occurred_at for turn in told] == sorted(turn.occurred_at for turn in told)
    sessions = [(name, list(group)) for name, group in groupby(told, key=lambda turn: turn.session_id)]
    assert len({name for name, _ in sessions}) == len(sessions) == 13
    for _, group in sessions:
        assert [turn.seq for turn in group] == list(range(1, len(group) + 1))
    assert {turn.speaker for turn in told} == {"Ines", "Teo", "Su Qing", "Assistant"}
    assert all((turn.source == "assistant") == (turn.speaker == "Assistant") for turn in told)


def test_questions_point_at_turns(turns: dict[str, Turn]) -> None:
    assert len(QUESTIONS) == 5
    for question in QUESTIONS:
        assert set(question) == {"question", "why", "expect"}
        assert question["expect"]
        assert set(question["expect"]) <= set(turns)


def test_the_identifier_and_the_chinese_word_mark_exactly_the_expected_turns(turns: dict[str, Turn]) -> None:
    for question, mark in ((QUESTIONS[0], "VK-20817-TR"), (QUESTIONS[3], "疫苗")):
        assert mark in question["question"]
        assert {name for name, turn in turns.items() if mark in turn.content} == set(question["expect"])


def test_the_paraphrase_shares_no_word_that_counts(turns: dict[str, Turn]) -> None:
    (expected,) = QUESTIONS[1]["expect"]
    assert "pastries" in QUESTIONS[1]["question"]
    assert not any("pastr" in turn.content for turn in turns.values())
    assert "220 degrees" in turns[expected].content
