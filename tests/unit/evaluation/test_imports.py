"""Import readers: every field that may come, and every fault with its line and field."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from api.evaluation import imports
from api.evaluation.datasets import DataFileError, Turn
from schema.errors import InvalidInput

GOOD = {"content": "The key is under the pot.", "occurred_at": "2025-03-01T18:05:00+01:00"}


def write(folder: Path, *rows: Any) -> Path:
    path = folder / "talk.jsonl"
    path.write_bytes(b"".join(row if isinstance(row, bytes) else json.dumps(row).encode() + b"\n" for row in rows))
    return path


def read(path: Path) -> list[Turn]:
    return [turn for _, turn in imports.turns(path, "jsonl")]


def test_a_full_line_is_kept_whole(tmp_path: Path) -> None:
    row = GOOD | {
        "external_id": "a-1",
        "session_id": "s",
        "seq": 3,
        "speaker": "Ada",
        "source": "external",
        "user_id": "u",
        "agent_id": "g",
        "kind": "document",
        "metadata": {"tags": ["钥匙", "key"], "depth": {"n": 1}},
    }
    ((suffix, turn),) = imports.turns(write(tmp_path, row), "jsonl")
    assert suffix == ""
    assert turn.occurred_at.utcoffset() == timedelta(hours=1)
    kept = {name: getattr(turn, name) for name in imports.FIELDS} | {"occurred_at": row["occurred_at"]}
    assert kept == row


def test_a_bare_line_gets_defaults_and_a_stable_name(tmp_path: Path) -> None:
    path = write(tmp_path, b"\xef\xbb\xbf", GOOD, b"\n", GOOD | {"speaker": None}, GOOD | {"content": "Gone."})
    first, same, other = read(path)
    assert (first.speaker, first.source, first.kind, first.seq, first.session_id) == (
        "user",
        "user",
        "utterance",
        None,
        None,
    )
    assert first.external_id == same.external_id == read(path)[0].external_id
    assert first.external_id != other.external_id


def test_a_line_separator_inside_text_does_not_end_the_line(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_text(json.dumps(GOOD | {"content": "one\u2028two\u0085three"}, ensure_ascii=False), encoding="utf-8")
    assert [turn.content for turn in read(path)] == ["one\u2028two\u0085three"]


@pytest.mark.parametrize(
    ("row", "field", "said"),
    [
        (b'{"content": \n', "", "is no JSON"),
        (b'{"content": "\xff"}\n', "", "is no UTF-8: byte 14"),
        (b"[1]\n", "", "expected an object, found a list"),
        (b"[" * 200_000 + b"\n", "", "is no JSON"),
        ({"occurred_at": GOOD["occurred_at"]}, "content", "is missing"),
        (GOOD | {"content": " \n"}, "content", "is blank"),
        (GOOD | {"content": 7}, "content", "expected text, found a number"),
        (GOOD | {"content": "half \ud83d"}, "content", "lone surrogate at position 6"),
        (GOOD | {"content": "a\x00b"}, "content", "NUL character at position 2"),
        (GOOD | {"metadata": {"a": ["\ud83d"]}}, "metadata", "lone surrogate"),
        (GOOD | {"metadata": {"a\x00": 1}}, "metadata", "NUL"),
        (GOOD | {"metadata": []}, "metadata", "expected an object, found a list"),
        (GOOD | {"metadata": {"a": float("nan")}}, "", "NaN is no number"),
        (b'{"metadata": {"a": 1e999}}\n', "", "1e999 is no number"),
        (GOOD | {"metadata": {"a": json.loads("[" * 64 + "]" * 64)}}, "metadata", "nested more than 64 deep"),
        (GOOD | {"metadata": {"a": json.loads("[" * 900 + "]" * 900)}}, "metadata", "nested more than 64 deep"),
        ({"content": "x"}, "occurred_at", "is missing"),
        (GOOD | {"occurred_at": "2025-03-01T18:05:00"}, "occurred_at", "has no offset from UTC"),
        (GOOD | {"occurred_at": "yesterday"}, "occurred_at", "is no ISO 8601 moment"),
        (GOOD | {"occurred_at": 1740850000}, "occurred_at", "expected text, found a number"),
        (GOOD | {"occurred_at": "0001-01-01T00:00:00+05:00"}, "occurred_at", "outside the calendar"),
        (GOOD | {"source": "robot"}, "source", "expected user or assistant or external or system, found 'robot'"),
        (GOOD | {"kind": "song"}, "kind", "expected utterance or document"),
        (GOOD | {"seq": True}, "seq", "expected a whole number, found true or false"),
        (GOOD | {"seq": -1}, "seq", "expected 0 to"),
        (GOOD | {"external_id": ""}, "external_id", "is blank"),
        (GOOD | {"occured_at": "x"}, "occured_at", "did you mean occurred_at?"),
        (GOOD | {"Text": "x"}, "Text", "did you mean content?"),
        (GOOD | {"role": "user"}, "role", "did you mean source?"),
        (GOOD | {"zzz": 1}, "zzz", "the fields are external_id, session_id"),
        (GOOD | {"\ud83d": 1}, r"\ud83d", "is no field of a turn"),
    ],
)
def test_a_fault_names_file_line_and_field(tmp_path: Path, row: Any, field: str, said: str) -> None:
    path = write(tmp_path, GOOD, b"\n", row)
    stream = imports.turns(path, "jsonl")
    assert next(stream)[1].content == GOOD["content"], "turns before the fault are handed out"
    with pytest.raises(DataFileError) as raised:
        next(stream)
    assert str(raised.value).startswith(f"{path}:3: {field}: " if field else f"{path}:3: ")
    assert said in str(raised.value)
    assert raised.value.field == field
    str(raised.value).encode()


def test_conversations_of_data_sets_get_a_namespace_each(tmp_path: Path) -> None:
    turn = {"speaker": "Ada", "dia_id": "D1:1", "text": "Hi."}
    talk = {"session_1_date_time": "1:56 pm on 8 May, 2023", "session_1": [turn]}
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps([{"sample_id": f"conv-{n}", "conversation": talk, "qa": []} for n in (1, 2)]), "utf-8")
    assert [(suffix, one.external_id) for suffix, one in imports.turns(path, "locomo")] == [
        ("conv-1", "D1:1"),
        ("conv-2", "D1:1"),
    ]
    path = tmp_path / "beam.jsonl"
    said = {"id": 0, "role": "user", "date": "March-15-2024", "text": "half \ud83d"}
    path.write_text(json.dumps({"id": "c", "sessions": [{"n": 1, "turns": [said]}], "questions": []}), "utf-8")
    with pytest.raises(DataFileError, match="c, turn 0: content: holds a lone surrogate"):
        list(imports.turns(path, "beam"))


def test_an_unknown_form_is_refused_at_the_call(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="format: 'csv' is unknown; it is one of jsonl, locomo, beam"):
        imports.turns(tmp_path / "none", "csv")
