"""BEAM: the development file as it is handed over, and small files that go wrong in one place each."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from api.evaluation import beam
from api.evaluation.datasets import STEP, DataFileError

SHARED = Path(__file__).resolve().parents[4] / "shared" / "data" / "beam" / "beam-dev.jsonl"


def chat() -> dict[str, Any]:
    return {
        "id": "chat-1",
        "sessions": [
            {"n": 1, "turns": [{"id": 0, "role": "user", "text": "Hello."}]},
            {
                "n": 2,
                "turns": [
                    {"id": 1, "role": "user", "date": "March-15-2024", "text": "My limit is 5."},
                    {"id": 2, "role": "assistant", "text": "Noted: 5."},
                ],
            },
            {"n": 3, "turns": [{"id": 3, "role": "user", "date": "April-02-2024", "text": "Make it 6."}]},
        ],
        "questions": [
            {
                "id": "q1",
                "ability": "knowledge_update",
                "question": "?",
                "gold": [1, 3, 99],
                "older": [1],
                "newer": [3],
            },
            {"id": "q2", "ability": "preference_following", "question": "?", "gold": []},
            {"id": "q3", "ability": "summarization", "question": "?", "gold": [0, 1]},
            {"id": "q4", "ability": "abstention", "question": "?", "gold": []},
        ],
    }


def write(folder: Path, *chats: dict[str, Any]) -> Path:
    path = folder / "beam.jsonl"
    path.write_text("".join(json.dumps(one) + "\n\n" for one in chats), encoding="utf-8")
    return path


def test_turns_and_their_days(tmp_path: Path) -> None:
    (read,) = beam.read(write(tmp_path, chat()))
    march, april = datetime(2024, 3, 15, 12, tzinfo=UTC), datetime(2024, 4, 2, 12, tzinfo=UTC)
    assert [turn.occurred_at for turn in read.turns] == [march, march + STEP, march + 2 * STEP, april + 3 * STEP]
    assert [(turn.external_id, turn.session_id, turn.seq, turn.source) for turn in read.turns][1:3] == [
        ("1", "session_2", 1, "user"),
        ("2", "session_2", 2, "assistant"),
    ]


def test_only_questions_with_a_handful_of_gold_turns_remain(tmp_path: Path) -> None:
    (read,) = beam.read(write(tmp_path, chat()))
    (question,) = read.questions
    assert (question.id, question.group, question.gold) == ("q1", "knowledge_update", {"1", "3"})
    assert (question.older, question.newer) == ({"1"}, {"3"})
    assert [asked.id for asked in read.unanswerable] == ["q4"]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda data: data.pop("id"), ["id", "is missing"]),
        (lambda data: data.update(sessions={}), ["sessions", "expected a list, found an object"]),
        (lambda data: data["sessions"][1].pop("n"), ["session 2", "n", "is missing"]),
        (lambda data: data["sessions"][1]["turns"][0].pop("text"), ["session 2, turn 1", "text", "is missing"]),
        (lambda data: data["sessions"][1]["turns"][0].update(role="robot"), ["session 2, turn 1", "role", "robot"]),
        (lambda data: data["sessions"][1]["turns"][0].update(id="x"), ["session 2, turn 1", "id", "whole number"]),
        (lambda data: data["sessions"][1]["turns"][0].update(id=3), ["turns.id", "twice"]),
        (lambda data: data["sessions"][1]["turns"][0].update(date="March"), ["session 2, turn 1", "date", "full date"]),
        (lambda data: data["questions"][0].update(ability="juggling"), ["question 1", "ability", "juggling"]),
        (lambda data: data["questions"][0].update(gold=3), ["question 1", "gold", "expected a list"]),
        (lambda data: data.update(sessions=[]), ["date", "missing from every turn"]),
    ],
)
def test_a_fault_names_line_item_and_field(tmp_path: Path, change: Any, named: list[str]) -> None:
    data = chat() | {"id": "chat-2"}
    change(data)
    path = write(tmp_path, chat(), data)
    with pytest.raises(DataFileError) as raised:
        beam.read(path)
    assert raised.value.line == 3, "the first chat is on line 1, a blank line follows it"
    for part in [f"{path}:3", *named]:
        assert part in str(raised.value)


def test_reading_is_streamed_and_names_are_unique(tmp_path: Path) -> None:
    path = write(tmp_path, chat(), chat())
    stream = beam.stream(path)
    assert next(stream).name == "chat-1"
    with pytest.raises(DataFileError, match=r"beam\.jsonl:3: id: 'chat-1' occurs twice"):
        next(stream)
    path.write_text('{"id": \n', encoding="utf-8")
    with pytest.raises(DataFileError, match=r"beam\.jsonl:1: is no JSON"):
        beam.read(path)


# Its licence forbids to ship it. In CI the file is always there: then its absence is a failure.
@pytest.mark.skipif(
    not SHARED.exists() and not os.environ.get("CI"), reason=f"the BEAM file is not at {SHARED}; it may not be shipped"
)
def test_the_development_file_holds_139_questions() -> None:
    chats = beam.read(SHARED)
    assert (len(chats), sum(len(one.turns) for one in chats)) == (10, 2734)
    questions = [question for one in chats for question in one.questions]
    counts = {name: sum(question.group == name for question in questions) for name in beam.RETRIEVAL_ABILITIES}
    assert counts == dict.fromkeys(beam.RETRIEVAL_ABILITIES, 20) | {"preference_following": 19}
    assert len(questions) == 139
    assert "100K-9-preference_following-1" not in {question.id for question in questions}, "its gold is empty"
    assert sum(len(one.unanswerable) for one in chats) == 20
    for one in chats:
        assert all(a.occurred_at < b.occurred_at for a, b in zip(one.turns, one.turns[1:], strict=False))
