"""Importing files: idempotent, resumable, bad lines named and good ones in."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from schema.db import Database
from tests.support.store import assert_current, count
from tests.support.workers import until

from .conftest import Cli, jsonl, turn


def test_again_adds_nothing(cli: Cli, database: Database, tmp_path: Path) -> None:
    file = jsonl(tmp_path / "trip.jsonl", *(turn(number, f"walk number {number}") for number in range(500)))
    first = cli("import", str(file), "--json").fine().json()
    assert (first["namespaces"], first["new"], first["already_there"]) == ({"trip": 500}, 500, 0)
    again = cli("import", str(file), "--wait", "--json").fine().json()
    assert (again["new"], again["already_there"], again["refused"], again["conflicts"]) == (0, 500, 0, [])
    assert count(database, "episodes") == 500
    assert_current(database)


def test_wait_makes_everything_recallable(cli: Cli, database: Database, tmp_path: Path) -> None:
    file = jsonl(tmp_path / "a.jsonl", turn(1, "Ines bought a kayak"), turn(2, "Teo bought a tent"))
    done = cli("import", str(file), "--namespace", "trip", "--wait").fine()
    assert "derived: memories 2" in done.out
    assert_current(database)
    assert "Ines bought a kayak" in cli("recall", "trip", "kayak", "--json").fine().json()["memories"][0]["text"]


def test_bad_lines_are_named_and_good_ones_go_in(cli: Cli, database: Database, tmp_path: Path) -> None:
    file = jsonl(
        tmp_path / "trip.jsonl",
        turn(1, "one"),
        b"{not json",
        turn(3, "three", occurred_at="2025-03-01T10:00:00"),
        turn(4, "four", sepaker="Ines"),
        b"\xff\xfe",
        turn(6, " \u200b "),
        turn(7, "seven"),
        turn(8, "nul \x00 byte"),
        turn(9, "nine", external_id="x" * 300),
    )
    done = cli("import", str(file))
    done.refused(code=1)
    for line, word in ((2, "JSON"), (3, "occurred_at"), (4, "speaker"), (5, "UTF-8"), (6, "content"), (8, "content"),
                       (9, "external_id")):  # fmt: skip
        assert any(f"{file}:{line}: " in told and word in told for told in done.err.splitlines()), (line, done.err)
    assert count(database, "episodes") == 2
    told = cli("import", str(file), "--json")
    assert (told.code, told.json()["already_there"], told.json()["refused"]) == (1, 2, 7)


def test_a_file_of_nothing_but_faults(cli: Cli, tmp_path: Path) -> None:
    file = jsonl(tmp_path / "trip.jsonl", turn(1, "a\u200b"), turn(2, "\u200b\u200b"), turn(3, "\u2063"))
    file.write_bytes(file.read_bytes().split(b"\n", 1)[1])
    done = cli("import", str(file), "--json")
    assert (done.code, done.json()["new"], done.json()["refused"]) == (1, 0, 2)


def test_conflicts_are_listed(cli: Cli, tmp_path: Path) -> None:
    cli("import", str(jsonl(tmp_path / "trip.jsonl", turn(1, "one"), turn(2, "two")))).fine()
    done = cli("import", str(jsonl(tmp_path / "trip.jsonl", turn(1, "one"), turn(2, "not two"))), "--json")
    assert (done.code, done.json()["conflicts"], done.json()["already_there"]) == (1, ["t2"], 1)


def test_an_interrupted_import_goes_on(cli: Cli, database: Database, tmp_path: Path) -> None:
    file = jsonl(tmp_path / "trip.jsonl", *(turn(number, f"walk {number} " + "x" * 200) for number in range(20_000)))
    running = subprocess.Popen(
        [sys.executable, "-m", "api.cli.main", "import", str(file)], env=dict(cli.env), stderr=subprocess.PIPE
    )
    until(lambda: count(database, "episodes") > 400, what="some turns")
    running.send_signal(signal.SIGINT)
    _, told = running.communicate(timeout=30)
    assert running.returncode == 130, told
    assert b"again" in told
    before = count(database, "episodes")
    assert 400 < before < 20_000
    done = cli("import", str(file), "--json").fine().json()
    assert done["already_there"] == before
    assert count(database, "episodes") == 20_000


def test_a_quarantined_row_ends_waiting_with_one(cli: Cli, tmp_path: Path) -> None:
    file = jsonl(tmp_path / "trip.jsonl", turn(1, "fine"), turn(2, "bad «raise»"))
    cli("import", str(file), "--wait").refused("quarantined", "palimpsest failures", code=1)


def test_conversations_have_namespaces_of_their_own(cli: Cli, tmp_path: Path) -> None:
    talk = {
        "conversation": {
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [{"dia_id": "D1:1", "speaker": "Caro", "text": "I adopted a cat."}],
        },
        "qa": [],
    }
    file = tmp_path / "locomo.json"
    file.write_text(json.dumps([{"sample_id": "conv-1", **talk}, {"sample_id": "conv-2", **talk}]))
    done = cli("import", str(file), "--format", "locomo", "--json").fine().json()
    assert done["namespaces"] == {"locomo-conv-1": 1, "locomo-conv-2": 1}
    done = cli("import", str(file), "--format", "locomo", "--namespace", "mine", "--json").fine().json()
    assert done["namespaces"] == {"mine-conv-1": 1, "mine-conv-2": 1}


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("missing.jsonl",), "missing.jsonl"),
        ((".",), "path"),
        (("trip.jsonl", "--format", "csv"), "csv"),
        (("bad name.jsonl",), "--namespace"),
        (("trip.jsonl", "--namespace", "a/b"), "namespace"),
    ],
)
def test_wrong_usage(cli: Cli, tmp_path: Path, arguments: tuple[str, ...], word: str) -> None:
    for name in ("trip.jsonl", "bad name.jsonl"):
        jsonl(tmp_path / name, turn(1, "one"))
    cli("import", *arguments).refused(word)


def test_without_a_server_it_starts_its_own_and_leaves_none(bare: Cli, tmp_path: Path) -> None:
    import tempfile

    from deploy.embedded import attach, erase

    file = jsonl(tmp_path / "trip.jsonl", turn(1, "Ines bought a kayak"))
    room = Path(tempfile.mkdtemp(prefix="pc-"))
    room.chmod(0o711)
    env = {"PALIMPSEST_DATA_DIR": str(room / "d")}
    try:
        assert bare("import", str(file), "--wait", "--json", **env).fine().json()["new"] == 1
        assert attach(room / "d") is None
        assert bare("import", str(file), "--json", **env).fine().json()["already_there"] == 1
        bare("status", **env).refused("palimpsest up")
    finally:
        erase(room / "d")
        room.rmdir()
