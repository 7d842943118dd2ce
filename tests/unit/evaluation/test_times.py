"""Scoring: what counts as right, what as invented, and files that go wrong in one place each."""

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from api.evaluation import times
from api.evaluation.datasets import DataFileError
from workers.english.dates import When

SHARED = Path(__file__).resolve().parents[4] / "shared" / "data" / "temporal" / "english-dev.jsonl"
DAY = datetime(2020, 5, 4, tzinfo=UTC)
YEARS = {"first": datetime(2014, 1, 1, tzinfo=UTC), "last": datetime(2019, 1, 1, tzinfo=UTC), "value": "2014"}


def row(text: str = "We met on 4 May.", **changes: Any) -> dict[str, Any]:
    span = {"start": 10, "end": 14, "type": "date", "values": [{"value": "2019-05-04"}, {"value": "2020-05-04"}]}
    return {"input": text, "ref": "2020-06-01T12:00:00", "spans": [span]} | changes


def write(folder: Path, *rows: Any) -> Path:
    path = folder / "times.jsonl"
    path.write_text("\n".join(json.dumps(entry) for entry in rows), encoding="utf-8")
    return path


def when(**changes: Any) -> When:
    fields: dict[str, Any] = {
        "start": 10,
        "stop": 15,
        "value": "2020-05-04",
        "first": DAY,
        "last": DAY + timedelta(days=1),
        "grain": "day",
        "kind": "date",
    }
    return When(**(fields | changes))


def finds(*found: When) -> times.Find:
    """A function under test that answers the same whatever it is asked."""

    def find(text: str, reference: datetime) -> list[When]:
        return list(found)

    return find


def test_spans_are_read_half_open_and_the_reference_aware(tmp_path: Path) -> None:
    (item,) = times.read(write(tmp_path, row()))
    assert item.reference == datetime(2020, 6, 1, 12, tzinfo=UTC)
    assert [item.text[span.start : span.stop] for span in item.spans] == ["4 May"]
    assert [value.day for value in item.spans[0].values] == ["2019-05-04", "2020-05-04"]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"input": ""}, "input"),
        ({"input": None}, "input"),
        ({"ref": "soon"}, "ref"),
        ({"spans": {}}, "spans"),
        ({"spans": [{"start": 10, "end": 99, "type": "date", "values": []}]}, "end"),
        ({"spans": [{"start": 10, "end": 14, "type": "date", "values": [{}]}]}, "value"),
        ({"spans": [{"start": 10, "end": 14, "type": "date", "values": [{"value": "4 May"}]}]}, "value"),
        ({"spans": [{"start": 10, "end": 14, "type": "daterange", "values": [{"start": 7}]}]}, "start"),
    ],
)
def test_a_malformed_line_is_named(tmp_path: Path, changes: dict[str, Any], field: str) -> None:
    path = write(tmp_path, row(), row(**changes))
    with pytest.raises(DataFileError) as caught:
        times.read(path)
    assert str(caught.value).startswith(f"{path}:2: ")
    assert field in str(caught.value)


def test_a_line_that_is_no_json_is_named(tmp_path: Path) -> None:
    path = tmp_path / "times.jsonl"
    path.write_text('{"input": ', encoding="utf-8")
    with pytest.raises(DataFileError, match=r"times\.jsonl:1: .*no JSON"):
        times.read(path)


@pytest.mark.parametrize(
    ("found", "right"),
    [
        ([when()], True),
        ([when(value="2019-05-04")], True),
        ([when(value="2021-05-04")], False),
        ([when(value="2020-05", point="2020-05-04")], True),
        ([when(start=0, stop=9)], False),
        ([when(modifier="since")], False),
        ([], False),
    ],
)
def test_a_date_is_right_by_its_day(tmp_path: Path, found: list[When], right: bool) -> None:
    scores = times.evaluate(times.read(write(tmp_path, row())), finds(*found))
    assert (scores["accuracy"], scores["accuracy_date"], scores["n_spans"]) == (float(right), float(right), 1)
    assert bool(scores["failures"]) != right


@pytest.mark.parametrize(
    ("value", "found", "right"),
    [
        ({"start": "2020-05-04", "end": "2020-05-05"}, when(), True),
        ({"start": "2020-05-04", "end": "2020-05-06"}, when(), False),
        ({"start": "2020-05-04"}, when(), False),
        ({"start": "2020-05-04"}, when(last=None, modifier="since"), True),
        ({"end": "2020-05-04"}, when(first=None, last=DAY, modifier="before"), True),
        ({"start": "2014-01-01", "end": "2018-01-01"}, when(**YEARS, ending="2018"), True),
        ({"start": "2014-01-01", "end": "2018-01-01"}, when(**YEARS), False),
        ({"start": "2020-05-04"}, when(first=DAY + timedelta(days=1), last=None, modifier="after"), True),
        ({"start": "2020-05-04"}, when(first=DAY + timedelta(days=1), last=None, modifier="since"), False),
    ],
)
def test_a_range_is_right_by_its_ends(tmp_path: Path, value: dict[str, str], found: When, right: bool) -> None:
    spans = [{"start": 10, "end": 14, "type": "daterange", "values": [value]}]
    scores = times.evaluate(times.read(write(tmp_path, row(spans=spans))), finds(found))
    assert scores["accuracy_daterange"] == float(right)


def test_only_sentences_without_any_date_can_have_an_invented_one(tmp_path: Path) -> None:
    hour = [{"start": 10, "end": 14, "type": "time", "values": []}]
    moment = [{"start": 10, "end": 14, "type": "datetime", "values": []}]
    items = times.read(write(tmp_path, row(spans=[]), row(spans=hour), row(spans=moment), row()))
    scores = times.evaluate(items, finds(when()))
    assert (scores["invented"], scores["n_without"], scores["n_spans"]) == (2, 2, 1)
    assert [failure["expected"] for failure in scores["failures"]] == [None, None]
    assert times.evaluate(items, finds())["invented"] == 0


def test_what_the_file_does_not_resolve_is_not_scored(tmp_path: Path) -> None:
    spans = [{"start": 10, "end": 14, "type": "date", "values": [{"value": "not resolved"}]}]
    scores = times.evaluate(times.read(write(tmp_path, row(spans=spans))), finds(when()))
    assert (scores["n_spans"], scores["n_without"], scores["accuracy"]) == (0, 0, 0.0)


# In CI the file is always there: then its absence is a failure.
@pytest.mark.skipif(
    not SHARED.exists() and not os.environ.get("CI"), reason=f"the file of dates is not at {SHARED}; it is not shipped"
)
def test_our_rules_hold_their_figures_on_the_development_file() -> None:
    scores = times.evaluate(times.read(SHARED))
    assert scores["accuracy_date"] >= 0.93
    assert scores["accuracy_daterange"] >= 0.93
    assert scores["invented"] <= 1
    assert (scores["n_spans"], scores["n_without"]) == (309, 107)
