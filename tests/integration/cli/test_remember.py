"""Telling one thing and asking for it: what comes back is what was said, whatever its script and the locale."""

from __future__ import annotations

import pytest

from .conftest import Cli

WORDS = "Zoë said: 豆腐 <b>[bold]x[/bold]</b> 😀 naïve"


def test_what_was_told_is_recalled(cli: Cli) -> None:
    told = cli("remember", "trip", WORDS, "--speaker", "Zoë", "--at", "2025-03-01T18:05:00+01:00", "--json").fine()
    assert told.json()["queued"] is True
    cli("sweep").fine()
    seen = cli("recall", "trip", "豆腐", "--json").fine().json()
    (memory,) = (item for item in seen["memories"] if item["kind"] == "passage")
    assert (memory["text"], memory["speaker"]) == (WORDS, "Zoë")
    shown = cli("recall", "trip", "豆腐", "--explain").fine().out
    assert WORDS in shown, "stored markup is not interpreted"
    assert "2025-03-01 17:05" in shown
    assert "keyword" in shown


@pytest.mark.parametrize("locale", [{"LC_ALL": "C"}, {"LC_ALL": "POSIX"}, {"LC_ALL": None, "LANG": None}])
def test_any_locale(cli: Cli, locale: dict[str, str | None]) -> None:
    cli("remember", "trip", WORDS, **locale).fine()
    cli("sweep", **locale).fine()
    assert WORDS in cli("recall", "trip", "naïve", **locale).fine().out


def test_python_told_to_be_ascii(cli: Cli) -> None:
    ascii_only = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    cli("remember", "trip", "-", stdin=WORDS.encode(), **ascii_only).fine()
    cli("sweep", **ascii_only).fine()
    assert WORDS in cli("recall", "trip", "said", **ascii_only).fine().out
    cli("remember", "trip", WORDS, **ascii_only).refused("content")


def test_standard_input_is_kept_but_for_the_shells_line_end(cli: Cli) -> None:
    cli("remember", "trip", "-", stdin=b" two\nlines caf\xe9\r\n").fine()
    cli("sweep").fine()
    (memory,) = cli("recall", "trip", "lines", "--json").fine().json()["memories"]
    assert memory["text"].strip() == "two\nlines caf\N{REPLACEMENT CHARACTER}"


def test_control_characters_do_not_reach_the_terminal(cli: Cli) -> None:
    cli("remember", "trip", "red \x1b[31malert\x07 over").fine()
    cli("sweep").fine()
    shown = cli("recall", "trip", "alert").fine().out
    assert "\x1b[31malert" not in shown
    assert "\x07" not in shown
    assert "alert" in shown


def test_telling_twice_adds_nothing_and_other_words_are_a_conflict(cli: Cli) -> None:
    first = cli("remember", "trip", "one", "--external-id", "a", "--json").fine().json()["episodes"][0]
    again = cli("remember", "trip", "one", "--external-id", "a", "--json").fine().json()["episodes"][0]
    assert (first["status"], again["status"], again["id"]) == ("accepted", "duplicate", first["id"])
    cli("remember", "trip", "two", "--external-id", "a").refused("external_id: a", code=1)


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("trip", ""), "content"),
        (("no such name", "x"), "namespace"),
        (("trip", b"caf\xe9"), "content"),
        (("trip", "x", "--at", "yesterday"), "occurred_at"),
        (("trip", "x", "--at", "2025-03-01T10:00:00"), "occurred_at"),
        (("trip", "x", "--source", "nobody"), "source"),
        (("trip", "x", "--metadata", "[1]"), "metadata"),
        (("trip", "x", "--metadata", "{"), "metadata"),
        (("trip", "x", "--metadata", '{"a": NaN}'), "metadata"),
        (("trip",), "text"),
    ],
)
def test_bad_input_is_named(cli: Cli, arguments: tuple[str | bytes, ...], word: str) -> None:
    cli("remember", *arguments).refused(word)
    assert cli("recall", "trip", "x", "--json").fine().json()["store_empty"], "nothing was half written"


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("--set", "semantic_wieght=0.2"), "semantic_weight"),
        (("--set", "k"), "name=value"),
        (("--k", "0"), "k"),
        (("--now", "soon"), "now"),
    ],
)
def test_a_bad_question_is_named(cli: Cli, arguments: tuple[str, ...], word: str) -> None:
    cli("recall", "trip", "x", *arguments).refused(word)


def test_settings_of_one_question(cli: Cli) -> None:
    for number in range(4):
        cli("remember", "trip", f"a walk number {number}").fine()
    cli("sweep").fine()
    asked = cli("recall", "trip", "walk", "--k", "2", "--set", "semantic_weight=0", "--explain", "--json").fine().json()
    assert len(asked["memories"]) == 2
    assert asked["evidence"]["weights"]["semantic"] == 0
    shown = cli("recall", "trip", "walk", "--k", "2", "--explain").fine().out
    assert "Left out" in shown
    assert "beyond the first k" in shown


def test_without_a_broker_nothing_is_queued(cli: Cli) -> None:
    assert cli("remember", "trip", "x", "--json", BROKER_URL=None).fine().json()["queued"] is False


@pytest.mark.parametrize("command", [("status",), ("recall", "a", "b"), ("sweep",), ("remember", "a", "b")])
def test_an_empty_data_directory_names_the_way_out(bare: Cli, command: tuple[str, ...]) -> None:
    bare(*command).refused("palimpsest up")


def test_a_database_that_is_away_or_empty(cli: Cli, empty_database_url: str) -> None:
    cli("status", DATABASE_URL="postgresql://127.0.0.1:1/none").refused("DATABASE_URL")
    cli("status", DATABASE_URL=empty_database_url).refused("palimpsest migrate")
    cli("migrate", DATABASE_URL=empty_database_url).fine()
    assert cli("migrate", "--json", DATABASE_URL=empty_database_url).fine().json()["migrated"] is True
    cli("status", DATABASE_URL=empty_database_url).fine()


@pytest.mark.parametrize(
    ("name", "value", "word"),
    [
        ("DATABASE_URL", "mysql://x", "DATABASE_URL"),
        ("BROKER_URL", "amqp://x", "BROKER_URL"),
        ("PALIMPSEST_ENCODRE", "x", "PALIMPSEST_ENCODER"),
        ("PALIMPSEST_POOL_SIZE", "many", "PALIMPSEST_POOL_SIZE"),
    ],
)
def test_a_wrong_setting_is_named(cli: Cli, name: str, value: str, word: str) -> None:
    cli("status", **{name: value}).refused(word)


def test_a_broker_alone_is_refused(bare: Cli) -> None:
    bare("status", BROKER_URL="redis://127.0.0.1:1/0").refused("DATABASE_URL")


def test_a_reader_that_has_seen_enough_is_no_fault(cli: Cli) -> None:
    import subprocess
    import sys

    shell = f"{sys.executable} -m api.cli.main status --json | head -c 1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", shell], env=dict(cli.env), cwd=cli.cwd, capture_output=True, check=False
    )
    assert (done.stdout, done.stderr) == (b"{", b"")
