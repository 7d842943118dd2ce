"""`eval facts` and `eval times`: figures without a server, failures on request, and files that are wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from api.cli.main import main

FAKES = {"PALIMPSEST_SPACY_MODEL": "fake", "PALIMPSEST_ENCODER": "fake:16"}


@pytest.fixture(autouse=True)
def no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fake models, and a database that would be missed."""
    for name, value in {**FAKES, "DATABASE_URL": "postgresql://127.0.0.1:1/none"}.items():
        monkeypatch.setenv(name, value)
    # A process sets its logging up once and for all; this one is the tests'.
    monkeypatch.setattr("schema.log.configure", lambda _level: None)


def turn(name: str, text: str, **fact: Any) -> dict[str, Any]:
    known = {"polarity": "pos", "modality": "asserted", "quote": text, **fact}
    return {"id": name, "text": text, "occurred_at": "2025-03-01T10:00:00+00:00", "facts": [known] if fact else []}


def gold(path: Path, *rows: dict[str, Any]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


@pytest.fixture
def turns(tmp_path: Path) -> str:
    return gold(
        tmp_path / "gold.jsonl",
        turn("right", "Ann likes tea.", subject="Ann", predicate="likes", object="tea"),
        turn("missed", "[bold]tea[/bold] \x1b[31mis liked by Bo", subject="Bo", predicate="likes", object="tea"),
        turn("empty", "so it rained"),
        turn("invented", "Cy likes cider."),
    )


def sentences(path: Path) -> str:
    span = {"type": "date", "start": 0, "end": 7, "values": [{"value": "2025-03-02"}]}
    bad = {**span, "values": [{"value": "1999-01-01"}]}
    return gold(
        path,
        {"input": "tomorrow [b]x[/b]", "ref": "2025-03-01T10:00:00", "spans": [span]},
        {"input": "tomorrow \x1b[31m", "ref": "2025-03-01T10:00:00", "spans": [bad]},
    )


def test_facts(turns: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "facts", turns, "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert (figures["n"], figures["precision"], figures["recall"], figures["empty_kept"]) == (4, 0.5, 0.5, 0.5)
    assert "failures" not in figures
    assert main(["eval", "facts", turns, "--failures", "--json"]) == 0
    assert {one["id"] for one in json.loads(capsys.readouterr().out)["failures"]} == {"missed", "invented"}


def test_failures_are_shown_as_text(turns: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "facts", turns]) == 0
    shown = capsys.readouterr().out
    assert "precision" in shown
    assert "0.500" in shown
    assert "missed" not in shown
    assert main(["eval", "facts", turns, "--failures"]) == 0
    shown = capsys.readouterr().out
    assert "missed: [bold]tea[/bold]" in shown
    assert "wrong: Cy likes cider" in shown
    assert "\x1b" not in shown


def test_an_extractor_that_finds_nothing(
    turns: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PALIMPSEST_EXTRACTOR", "none")
    assert main(["eval", "facts", turns, "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert (figures["recall"], figures["precision"], figures["empty_kept"]) == (0.0, None, 1.0)


def test_observations(turns: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = [
        {"dia_id": "D1:1", "speaker": "Ann", "text": "I likes tea."},
        {"dia_id": "D1:2", "speaker": "Bo", "text": "ok"},
    ]
    observed = {"session_1_observation": {"Ann": [["Ann likes tea.", "D1:1"], ["Ann is cold.", "D1:2"]]}}
    dated = {"session_1_date_time": "1:56 pm on 8 May, 2023", "session_1": said}
    data = tmp_path / "locomo.json"
    data.write_text(json.dumps([{"sample_id": "c", "conversation": dated, "qa": [], "observation": observed}]))
    assert main(["eval", "facts", turns, "--data", "locomo", str(data), "--json"]) == 0
    seen = json.loads(capsys.readouterr().out)["observations"]
    assert (seen["n_observations"], seen["observations_covered"]) == (2, 0.5)
    assert main(["eval", "facts", turns, "--data", "locomo", str(data)]) == 0
    assert "observations covered" in capsys.readouterr().out


def test_times(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = sentences(tmp_path / "times.jsonl")
    assert main(["eval", "times", file, "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert {"accuracy", "accuracy_date", "accuracy_daterange", "invented"} <= figures.keys()
    assert figures["accuracy_date"] == 0.5
    assert "failures" not in figures
    assert main(["eval", "times", file, "--failures", "--json"]) == 0
    (failure,) = json.loads(capsys.readouterr().out)["failures"]
    assert failure["expected"]["values"][0]["day"] == "1999-01-01"
    assert main(["eval", "times", file, "--failures"]) == 0
    shown = capsys.readouterr().out
    assert "accuracy date" in shown
    assert "1999-01-01" in shown
    assert "\x1b" not in shown


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["facts"], ["path"]),
        (["facts", "away.jsonl"], ["away.jsonl"]),
        (["facts", "bad.jsonl"], ["bad.jsonl:1"]),
        (["times", "bad.jsonl"], ["bad.jsonl:1"]),
        (["times", "away.jsonl"], ["away.jsonl"]),
        (["facts", "good.jsonl", "--data", "beam", "good.jsonl"], ["data", "locomo"]),
        (["facts", "good.jsonl", "--data", "locomo", "away.json"], ["data", "away.json"]),
        (["images", "good.jsonl"], ["images"]),
    ],
)
def test_wrong_usage_is_named(
    arguments: list[str],
    words: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.jsonl").write_text("{nonsense\n")
    gold(Path("good.jsonl"), turn("a", "so it rained"))
    assert main(["eval", *arguments]) == 2
    heard = capsys.readouterr()
    assert heard.out == ""
    assert all(word in heard.err for word in words), heard.err
