"""Measuring: one JSON document with exactly the promised keys, and nothing left in the store."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from schema.db import Database
from tests.support.store import count
from tests.support.workers import until

from .conftest import Cli

FIGURES = {"recall@5", "recall@10", "recall@20", "hit@5", "hit@10", "mrr", "ndcg@10"}


def locomo(path: Path, turns: int = 30, talks: int = 2) -> Path:
    """Write a small LoCoMo file whose every question is answered by the one turn that holds its word."""

    def talk(name: str) -> dict[str, Any]:
        said = [
            {"dia_id": f"D1:{n}", "speaker": "AB"[n % 2], "text": f"about word{n} today"} for n in range(1, turns + 1)
        ]
        asked = [{"question": f"word{n}?", "evidence": [f"D1:{n}"], "category": 4} for n in range(1, 6)]
        return {
            "sample_id": name,
            "conversation": {"session_1_date_time": "1:56 pm on 8 May, 2023", "session_1": said},
            "qa": asked,
        }

    path.write_text(json.dumps([talk(f"conv-{number}") for number in range(talks)]))
    return path


def beam(path: Path) -> Path:
    """Write a small BEAM file."""
    turns = [
        {"id": n, "role": ("user", "assistant")[n % 2], "date": "March-15-2024", "text": f"on word{n}"}
        for n in range(10)
    ]
    asked = [{"id": "q", "ability": "information_extraction", "question": "word3?", "gold": [3]}]
    path.write_text(json.dumps({"id": "1", "sessions": [{"n": 1, "turns": turns}], "questions": asked}) + "\n")
    return path


def test_eval_locomo(cli: Cli, database: Database, tmp_path: Path) -> None:
    report = cli("eval", "locomo", str(locomo(tmp_path / "l.json")), "--json").fine().json()
    assert report.keys() == FIGURES | {"by_category", "n", "seconds"}
    assert (report["n"], report["recall@5"], report["mrr"]) == (10, 1.0, 1.0)
    assert report["by_category"].keys() == {"single-hop"}
    for table in ("namespaces", "episodes", "episode_revisions", "memories", "stamps", "posting_sets", "posting_tail",
                  "entities", "mentions", "vectors_1"):  # fmt: skip
        assert count(database, table) == 0, table


def test_eval_beam_kept(cli: Cli, database: Database, tmp_path: Path) -> None:
    done = cli("eval", "beam", str(beam(tmp_path / "b.jsonl")), "--json", "--keep").fine()
    assert done.json().keys() == FIGURES | {"by_ability", "n", "seconds"}
    assert "kept: eval-" in done.err
    assert count(database, "namespaces") == 1


def test_eval_shows_a_table(cli: Cli, tmp_path: Path) -> None:
    shown = cli("eval", "locomo", str(locomo(tmp_path / "l.json", talks=1))).fine().out
    assert "single-hop" in shown


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_eval_leaves_nothing(
    cli: Cli, database: Database, tmp_path: Path, ending: signal.Signals
) -> None:
    file = locomo(tmp_path / "l.json", turns=3000, talks=4)
    running = subprocess.Popen([sys.executable, "-m", "api.cli.main", "eval", "locomo", str(file)], env=dict(cli.env))
    until(lambda: count(database, "memories") > 0, what="some memories")
    running.send_signal(ending)
    assert running.wait(60) == 128 + ending
    assert count(database, "namespaces") == 0
    assert count(database, "episodes") == 0


@pytest.mark.parametrize("arguments", [("csv",), ("locomo",)])
def test_a_bad_data_set_is_named(cli: Cli, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    file = tmp_path / "bad.json"
    file.write_text("[{}]")
    cli("eval", *arguments, str(file)).refused("csv" if arguments == ("csv",) else "bad.json")


def test_bench_recall(cli: Cli, database: Database) -> None:
    report = cli("bench", "recall", "--turns", "300", "--questions", "20", "--json").fine().json()
    assert report.keys() == {"value", "floor", "ratio", "unit", "n", "detail"}
    assert (report["unit"], report["n"]) == ("ms", 20)
    assert report["value"] > report["floor"] > 0
    assert count(database, "namespaces") == 0


def test_bench_ingest(cli: Cli, database: Database) -> None:
    report = cli("bench", "ingest", "--turns", "300", "--rounds", "1", "--processes", "1", "--json").fine().json()
    assert report.keys() == {"value", "floor", "ratio", "unit", "n", "detail"}
    assert (report["unit"], report["n"], report["detail"]["worker_processes"]) == ("s", 300, 1)
    assert report["ratio"] > 0
    assert count(database, "namespaces") == 0
    cli("bench", "ingest", BROKER_URL=None).refused("BROKER_URL")


def test_bench_takes_a_data_set(cli: Cli, tmp_path: Path) -> None:
    file = locomo(tmp_path / "l.json")
    report = cli("bench", "recall", "--data", str(file), "--turns", "40", "--json").fine().json()
    assert report["detail"]["turns"] == 40
