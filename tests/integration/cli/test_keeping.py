"""Keeping a store true by hand: status, sweep, rules, failures, doctor."""

from __future__ import annotations

from pathlib import Path

import psycopg

from schema.db import Database
from schema.store import rules, spaces
from tests.support.store import assert_current, namespace_id, tell
from tests.support.workers import environment

from .conftest import Cli


def test_status_is_a_view(cli: Cli, database: Database) -> None:
    tell(database, "trip", ["one", "two"])
    shown = cli("status").fine()
    assert "memories" in shown.out
    assert "not everything is current" in shown.out
    seen = cli("status", "--json").fine().json()
    assert (seen["current"], seen["derivations"]["memories"]["stale"]) == (False, 2)
    cli("sweep").fine()
    assert cli("status", "--json").fine().json()["current"] is True


def test_sweep_goes_on_until_nothing_is_due(cli: Cli, database: Database) -> None:
    tell(database, "trip", [f"walk number {number}" for number in range(300)])
    report = cli("sweep", "--json").fine().json()
    assert report["derivations"]["memories"]["rebuilt"] == 300
    assert_current(database)


def test_sweep_is_bounded_when_asked(cli: Cli, database: Database) -> None:
    tell(database, "trip", [f"walk number {number}" for number in range(50)])
    report = cli("sweep", "memories", "--rows", "20", "--json").fine().json()["derivations"]["memories"]
    assert (report["rebuilt"], report["deferred"]) == (20, 30)
    report = cli("sweep", "--seconds", "0", "--json").fine().json()["derivations"]["memories"]
    assert (report["rebuilt"], report["deferred"]) == (0, 30)


def test_sweep_keeps_to_its_namespace(cli: Cli, database: Database) -> None:
    tell(database, "here", ["one"])
    tell(database, "there", ["two"])
    assert cli("sweep", "--namespace", "here", "--json").fine().json()["derivations"]["memories"]["rebuilt"] == 1
    cli("sweep", "--namespace", "nowhere").refused("nowhere")
    cli("sweep", "memoires").refused("memories")


def test_what_cannot_be_derived_ends_with_one_and_a_command(cli: Cli, database: Database) -> None:
    tell(database, "trip", ["fine", "bad «raise»"])
    cli("sweep").refused("quarantined", "palimpsest failures retry --derivation", code=1)
    seen = cli("failures", "list", "--json").fine().json()["failures"]
    assert seen
    assert all(row["quarantined"] for row in seen)
    assert "quarantined" in cli("failures", "list").fine().out
    row = str(seen[0]["row_id"])
    derivation = seen[0]["derivation"]
    assert cli("failures", "retry", "--derivation", derivation, "--row", row, "--json").fine().json() == {
        "retried": 1,
        "queued": True,
    }
    cli("sweep", derivation).refused("quarantined", code=1)
    assert cli("failures", "retry", "--all", "--json").fine().json()["retried"] == len(seen)
    cli("failures", "retry").refused("--all")
    cli("failures", "retry", "--derivation", "memoires").refused("memories")


def test_a_provider_that_is_down_is_named(cli: Cli, database: Database, tmp_path: Path) -> None:
    down = tmp_path / "down"
    encoder = f"fake:16:{down}"
    tell(database, "trip", ["one"])
    cli("sweep", PALIMPSEST_ENCODER=encoder).fine()
    tell(database, "trip", ["two"])
    down.touch()
    cli("sweep", PALIMPSEST_ENCODER=encoder).refused("vectors", "snoozed", code=1)
    down.unlink()
    with database.read() as session:
        (space,) = spaces.written(session)
    with database.write() as session:
        rules.reset(session, space.derivation)
    cli("sweep", PALIMPSEST_ENCODER=encoder).fine()
    assert_current(database)


def test_rules_move_only_when_told(cli: Cli, database: Database, database_url: str, broker_url: str) -> None:
    tell(database, "trip", ["one"])
    assert "a worker will make it the head" in cli("rules").fine().out
    cli("sweep").fine()
    assert all(row["is_head"] for row in cli("rules", "--json").fine().json())
    other = Cli(environment(database_url, broker_url, passage_words=50), cli.cwd)
    other("sweep").fine()
    mine = {row["derivation"]: row for row in cli("rules", "--json").fine().json()}["memories"]
    assert (mine["is_head"], mine["revision"], mine["mine_revision"]) == (False, 2, 1)
    cli("doctor").refused(code=1)
    moved = cli("rules", "activate", "memories", "--json").fine().json()
    assert moved == [{"derivation": "memories", "revision": 3, "moved": True}]
    assert cli("status", "--json").fine().json()["derivations"]["memories"]["stale"] == 1
    assert cli("sweep", "--json").fine().json()["derivations"]["memories"]["rebuilt"] == 1
    assert not any(row["moved"] for row in cli("rules", "activate", "--all", "--json").fine().json())
    cli("rules", "activate").refused("--all")


def checks(cli: Cli, code: int, **env: str | None) -> dict[str, dict[str, object]]:
    done = cli("doctor", "--json", **env)
    assert done.code == code, done
    seen = done.json()
    assert seen["ok"] is (code == 0)
    return {check["name"]: check for check in seen["checks"]}


def test_doctor_finds_nothing_wrong_with_a_good_store(cli: Cli, database: Database) -> None:
    tell(database, "trip", ["Ines went to Bergen"])
    cli("sweep").fine()
    seen = checks(cli, 0)
    named = (
        "database, postgresql version, pgvector, schema, roles, connections, indexes, broker, embedding model, "
        "spaCy pipeline, rules of memories, quarantine of postings, index of trip"
    )
    for name in named.split(", "):
        assert seen[name]["ok"] is True, seen[name]


def test_doctor_names_what_mends_it(cli: Cli, database: Database, database_url: str) -> None:
    tell(database, "trip", ["Ines went to Bergen", "bad «raise»"])
    cli("sweep").refused(code=1)
    with psycopg.connect(database_url.replace("+psycopg", "")) as connection:
        connection.execute(
            "UPDATE posting_sets SET length = length + 1 WHERE namespace_id = %s", [namespace_id(database, "trip")]
        )
        connection.execute("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'ix_stamps_namespace'::regclass")
    seen = checks(
        cli, 1, PALIMPSEST_ENCODER="fake:32", PALIMPSEST_SPACY_MODEL="nowhere", PALIMPSEST_API_POOL_SIZE="100",
        BROKER_URL="redis://127.0.0.1:1/0",
    )  # fmt: skip
    assert "palimpsest failures retry" in str(
        next(c["remedy"] for n, c in seen.items() if c["ok"] is False and n.startswith("quar"))
    )
    assert "PALIMPSEST_ENCODER=fake:16" in str(seen["embedding model"]["remedy"])
    assert "PALIMPSEST_SPACY_MODEL" in str(seen["spaCy pipeline"]["remedy"])
    assert "REINDEX INDEX CONCURRENTLY ix_stamps_namespace" in str(seen["indexes"]["remedy"])
    assert "PALIMPSEST_API_POOL_SIZE" in str(seen["connections"]["remedy"])
    assert "BROKER_URL" in str(seen["broker"]["remedy"])
    assert seen["index of trip"]["ok"] is False


def test_doctor_without_a_server(cli: Cli, bare: Cli, empty_database_url: str) -> None:
    assert "palimpsest up" in str(checks(bare, 1)["servers"]["remedy"])
    assert "DATABASE_URL" in str(checks(cli, 1, DATABASE_URL="postgresql://127.0.0.1:1/x")["database"]["remedy"])
    seen = checks(cli, 1, DATABASE_URL=empty_database_url)
    assert seen["schema"]["remedy"] == "palimpsest migrate"
    assert checks(cli, 0, BROKER_URL=None)["broker"]["ok"] is None
