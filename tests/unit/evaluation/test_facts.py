"""The measure of facts: what matches, what counts, and how malformed files are refused."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from api.evaluation import facts
from api.evaluation.datasets import DataFileError
from schema.kinds import Modality, Polarity
from workers.derive import fakes
from workers.derive.contract import Extraction, Statement, Utterance

NOW = datetime(2024, 6, 12, 10, tzinfo=UTC)
LABEL: dict[str, Any] = {
    "subject": "Ana", "predicate": "live in", "object": "Ghent", "polarity": "pos", "modality": "asserted",
    "event_date": None, "quote": "I live in Ghent",
}  # fmt: skip
ROW: dict[str, Any] = {
    "id": "one", "speaker": "Ana", "occurred_at": "2024-06-12T10:00:00Z", "text": "I live in Ghent", "facts": [LABEL],
}  # fmt: skip
TOLD = Statement("Ana lives in Ghent.", "Ana", "live in", "Ghent", Polarity.POSITIVE, Modality.ASSERTED, 0.8, 0, 15)


class Told:
    """An extractor that says what it was given, by text."""

    fingerprint, context_turns, costly = "told/1", 0, False

    def __init__(self, told: dict[str, tuple[Statement, ...]]) -> None:
        self._told = told

    def extract(self, batch: Sequence[Utterance]) -> list[Extraction]:
        return [Extraction(self._told.get(utterance.text, ())) for utterance in batch]


def _file(tmp_path: Path, *rows: object) -> Path:
    path = tmp_path / "gold.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


def _never(left: Sequence[str], right: Sequence[str]) -> list[float]:
    return [0.0 for _ in zip(left, right, strict=True)]


def _always(left: Sequence[str], right: Sequence[str]) -> list[float]:
    return [1.0 for _ in zip(left, right, strict=True)]


def _figures(tmp_path: Path, *statements: Statement, similarity: facts.Similarity = _never) -> dict[str, Any]:
    items = facts.read(_file(tmp_path, ROW))
    return facts.evaluate(items, Told({"I live in Ghent": statements}), similarity, failures=True)


def test_the_same_fact_matches(tmp_path: Path) -> None:
    figures = _figures(tmp_path, TOLD)
    assert (figures["precision"], figures["recall"], figures["f1"], figures["n"]) == (1, 1, 1, 1)
    assert figures["failures"] == []


@pytest.mark.parametrize(
    ("change", "matches"),
    [
        ({"subject": "  ANA "}, True),
        ({"subject": "Bo"}, False),
        ({"polarity": Polarity.NEGATIVE}, False),
        ({"object": "Ghent, Belgium"}, True),
        ({"object": "a small flat in Ghent"}, False),
        ({"object": None}, False),
        ({"predicate": "live at"}, True),
        ({"predicate": "reside in"}, False),
        ({"modality": Modality.PAST}, True),
    ],
)
def test_what_a_match_asks_for(tmp_path: Path, change: dict[str, Any], matches: bool) -> None:
    assert _figures(tmp_path, replace(TOLD, **change))["recall"] == float(matches)


def test_another_wording_matches_when_the_statements_are_near(tmp_path: Path) -> None:
    told = replace(TOLD, predicate="reside in")
    assert _figures(tmp_path, told, similarity=_always)["recall"] == 1
    assert _figures(tmp_path, told, similarity=_never)["recall"] == 0


def test_a_label_is_matched_once(tmp_path: Path) -> None:
    figures = _figures(tmp_path, TOLD, replace(TOLD, predicate="live near"))
    assert (figures["precision"], figures["recall"]) == (0.5, 1)
    assert figures["failures"][0]["wrong"] == ["Ana live near Ghent"]


def test_modality_and_date_are_judged_on_what_matched(tmp_path: Path) -> None:
    figures = _figures(tmp_path, replace(TOLD, modality=Modality.PAST, event="2020"))
    assert (figures["modality_accuracy"], figures["date_accuracy"]) == (0, 0)
    assert figures["by_modality"]["asserted"]["recall"] == 1


def test_turns_with_nothing_to_keep(tmp_path: Path) -> None:
    quiet, noisy = ({**ROW, "id": name, "text": name, "facts": []} for name in ("quiet", "noisy"))
    items = facts.read(_file(tmp_path, quiet, noisy))
    figures = facts.evaluate(items, Told({"noisy": (TOLD,)}), _never)
    assert figures["empty_kept"] == 0.5
    assert figures["recall"] is None


def test_phenomena_are_broken_down_where_the_file_has_them(tmp_path: Path) -> None:
    items = facts.read(_file(tmp_path, {**ROW, "phenomenon": "plain"}))
    figures = facts.evaluate(items, Told({}), _never)
    assert figures["by_phenomenon"]["plain"]["recall"] == 0


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({**ROW, "text": " "}, "text"),
        ({**ROW, "occurred_at": "soon"}, "occurred_at"),
        ({**ROW, "facts": None}, "facts"),
        ({**ROW, "facts": [{**LABEL, "quote": "not there"}]}, "quote"),
        ({**ROW, "facts": [{**LABEL, "polarity": "maybe"}]}, "polarity"),
        ("no object", "object"),
    ],
)
def test_a_malformed_line_is_named(tmp_path: Path, row: object, says: str) -> None:
    with pytest.raises(DataFileError, match=says) as fault:
        facts.read(_file(tmp_path, ROW, row))
    assert ":2" in str(fault.value)


def test_a_line_that_is_no_json_is_named(tmp_path: Path) -> None:
    path = tmp_path / "gold.jsonl"
    path.write_text("{", encoding="utf-8")
    with pytest.raises(DataFileError, match="no JSON"):
        facts.read(path)


def test_the_cosine_of_an_encoder() -> None:
    near = facts.similarity(fakes.FakeEncoder(fakes.space("fake:64")))
    same, other = near(["a boat", "a boat"], ["a boat", "quite something else"])
    assert same == pytest.approx(1, abs=1e-5)
    assert other < same
    assert near([], []) == []


def test_observations_are_covered_by_facts_of_their_turns(tmp_path: Path) -> None:
    sample = {
        "sample_id": "conv-1",
        "conversation": {
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Ana", "dia_id": "D1:1", "text": "I live in Ghent"},
                {"speaker": "Bo", "dia_id": "D1:2", "text": "nice"},
            ],
        },
        "qa": [],
        "observation": {
            "session_1_observation": {
                "Ana": [["Ana lives in Ghent.", "D1:1"], ["Ana has a home.", ["D1:2"]], ["Nothing named", "here"]]
            }
        },
    }
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps([sample]), encoding="utf-8")
    extractor = Told({"I live in Ghent": (TOLD,)})
    figures = facts.observations(path, extractor, facts.similarity(fakes.FakeEncoder(fakes.space("fake:64"))))
    assert figures == {
        "n_observations": 2, "observations_covered": 0.5, "observations_with_a_fact": 0.5, "facts": 1,
    }  # fmt: skip
