"""LoCoMo: the development file as it is handed over, and small files that go wrong in one place each."""

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from api.evaluation import locomo
from api.evaluation.datasets import DataFileError

SHARED = Path(__file__).resolve().parents[4] / "shared" / "data" / "locomo" / "locomo-dev.json"


def sample() -> dict[str, Any]:
    return {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Ada",
            "speaker_b": "Bo",
            "session_10_date_time": "12:09 am on 2 March, 2024",
            "session_10": [{"speaker": "Bo", "dia_id": "D10:1", "text": "Back again."}],
            "session_2_date_time": "1:56 pm on 8 May, 2023",
            "session_2": [
                {"speaker": "Ada", "dia_id": "D2:1", "text": "Look!", "blip_caption": "a photo of a kite"},
                {"speaker": "Bo", "dia_id": "D2:2", "text": "Lovely."},
            ],
        },
        "qa": [
            {"question": "What did Ada show?", "evidence": ["D2:1; D10:1", "D"], "category": 1},
            {"question": "What is lost?", "evidence": ["D9:9"], "category": 2},
            {"question": "What never happened?", "evidence": ["D2:2"], "category": 5},
        ],
    }


def write(folder: Path, *samples: dict[str, Any]) -> Path:
    path = folder / "locomo.json"
    path.write_text(json.dumps(samples, indent=1), encoding="utf-8")
    return path


def test_turns_keep_order_time_and_the_photo(tmp_path: Path) -> None:
    (talk,) = locomo.read(write(tmp_path, sample()))
    assert [(turn.external_id, turn.session_id, turn.seq) for turn in talk.turns] == [
        ("D2:1", "session_2", 1),
        ("D2:2", "session_2", 2),
        ("D10:1", "session_10", 1),
    ]
    assert talk.turns[0].content == "Look! [photo: a photo of a kite]"
    assert talk.turns[0].occurred_at == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    assert timedelta() < talk.turns[1].occurred_at - talk.turns[0].occurred_at < timedelta(seconds=10)
    assert talk.turns[2].occurred_at == datetime(2024, 3, 2, 0, 9, tzinfo=UTC)
    assert {turn.source for turn in talk.turns} == {"user"}


def test_a_photo_without_words_is_still_a_turn(tmp_path: Path) -> None:
    data = sample()
    data["conversation"]["session_2"][0]["text"] = ""
    (talk,) = locomo.read(write(tmp_path, data))
    assert talk.turns[0].content == "[photo: a photo of a kite]"


def test_gold_is_what_the_pattern_finds_among_the_turns(tmp_path: Path) -> None:
    (talk,) = locomo.read(write(tmp_path, sample()))
    (question,) = talk.questions
    assert (question.group, question.gold) == ("multi-hop", {"D2:1", "D10:1"})
    assert [(asked.text, asked.gold) for asked in talk.unanswerable] == [("What never happened?", frozenset())]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda data: data.pop("sample_id"), ["sample 1", "sample_id", "is missing"]),
        (lambda data: data.pop("conversation"), ["conv-1", "conversation", "is missing"]),
        (lambda data: data["conversation"].update(session_2=7), ["conv-1", "session_2", "expected a list"]),
        (lambda data: data["conversation"]["session_2"].append("x"), ["session_2 turn 3", "expected an object"]),
        (lambda data: data["conversation"]["session_2"][1].pop("dia_id"), ["session_2 turn 2", "dia_id", "is missing"]),
        (lambda data: data["conversation"]["session_2"][1].update(text=" "), ["session_2 turn 2", "text", "is blank"]),
        (lambda data: data["conversation"]["session_2"][1].update(dia_id="D2:1"), ["conv-1", "dia_id", "twice"]),
        (lambda data: data["conversation"].pop("session_2_date_time"), ["session_2_date_time", "is missing"]),
        (lambda data: data["conversation"].update(session_2_date_time="soon"), ["session_2_date_time", "no date"]),
        (lambda data: data["conversation"].update(session_2_date_time="May"), ["session_2_date_time", "no full date"]),
        (lambda data: data["qa"][0].update(category=9), ["question 1", "category", "found 9"]),
        (lambda data: data["qa"][0].update(category=True), ["question 1", "category", "true or false"]),
        (lambda data: data["qa"][1].pop("evidence"), ["question 2", "evidence", "is missing"]),
    ],
)
def test_a_fault_names_file_item_and_field(tmp_path: Path, change: Any, named: list[str]) -> None:
    data = sample()
    change(data)
    path = write(tmp_path, data)
    with pytest.raises(DataFileError) as raised:
        locomo.read(path)
    for part in [str(path), *named]:
        assert part in str(raised.value)


def test_a_name_given_twice_and_no_json_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataFileError, match="sample 2: sample_id: 'conv-1' occurs twice"):
        locomo.read(write(tmp_path, sample(), sample()))
    path = tmp_path / "broken.json"
    for broken, said in (
        (b'[\n{"a": }]', r"broken\.json:2: is no JSON"),
        (b"{}", "expected a list"),
        (b"\xff", "JSON"),
    ):
        path.write_bytes(broken)
        with pytest.raises(DataFileError, match=said):
            locomo.read(path)


# Its licence forbids to ship it. In CI the file is always there: then its absence is a failure.
@pytest.mark.skipif(
    not SHARED.exists() and not os.environ.get("CI"),
    reason=f"the LoCoMo file is not at {SHARED}; it may not be shipped",
)
def test_the_development_file_holds_760_questions() -> None:
    talks = locomo.read(SHARED)
    assert [(talk.name, len(talk.turns)) for talk in talks] == [
        ("conv-26", 419),
        ("conv-30", 369),
        ("conv-41", 663),
        ("conv-42", 629),
        ("conv-43", 680),
    ]
    questions = [question for talk in talks for question in talk.questions]
    assert len(questions) == 760
    assert len({question.id for question in questions}) == 760
    counts = {group: sum(question.group == group for question in questions) for group in locomo.CATEGORIES.values()}
    assert counts == {"multi-hop": 142, "temporal": 156, "open-domain": 44, "single-hop": 418, "adversarial": 0}
    for talk in talks:
        known = {turn.external_id for turn in talk.turns}
        assert all(question.gold <= known and question.gold for question in talk.questions)
        times = [turn.occurred_at for turn in talk.turns]
        assert times == sorted(set(times))
