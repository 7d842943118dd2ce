"""`sweep --dry-run`: what other rules would make of what was told, with nothing written."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from schema.db import Database
from schema.settings import Settings
from tests.support.store import drain, tell

from .conftest import Here

LONG = "Ann likes tea. " + " ".join(f"word{number}" for number in range(60)) + "."
SHORTER = {"PALIMPSEST_PASSAGE_WORDS": "20"}


def contents(database_url: str) -> Iterator[tuple[str, int, str]]:
    """Yield every table with its number of rows and a digest of all of them."""
    with psycopg.connect(database_url.replace("+psycopg", ""), autocommit=True) as connection:
        tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1").fetchall()
        for (table,) in tables:
            row = connection.execute(
                f"SELECT count(*), coalesce(md5(string_agg(t::text, '|' ORDER BY t::text)), '') FROM \"{table}\" t"  # type: ignore[arg-type]
            ).fetchone()
            assert row is not None
            yield table, row[0], row[1]


@pytest.fixture
def told(database: Database, settings: Settings) -> list[int]:
    ids = tell(database, "n", [LONG, "Bo likes beer."])
    tell(database, "m", ["Cy likes cider."])
    drain(database, settings)
    return ids


def test_nothing_would_change(here: Here, told: list[int]) -> None:
    seen = here("sweep", "--dry-run", "--json").fine().json()["derivations"]
    assert seen.keys() == {"memories", "facts"}
    assert seen["facts"] == {
        "episodes": 3, "added": 0, "changed": 0, "retired": 0, "unchanged": 3, "errors": {}, "changes": [],
    }  # fmt: skip
    assert "nothing would change" in here("sweep", "--dry-run").fine().out


def test_a_changed_setting_shows_its_difference_and_writes_nothing(
    here: Here, database_url: str, told: list[int]
) -> None:
    before = list(contents(database_url))
    assert len(before) > 10
    seen = here("sweep", "memories", "--dry-run", "--json", **SHORTER).fine().json()["derivations"]
    assert seen["memories"]["added"] > 1
    assert seen["memories"]["retired"] + seen["memories"]["changed"] >= 1
    assert seen["memories"]["unchanged"] == 2
    assert seen["facts"]["changes"] == []
    assert {change["episode_id"] for change in seen["memories"]["changes"]} == {told[0]}
    shown = here("sweep", "memories", "--dry-run", **SHORTER).fine().out
    assert f"memories, episode {told[0]}: added" in shown
    assert "   + " in shown
    assert "nothing was written" in shown
    assert list(contents(database_url)) == before
    here("sweep", **SHORTER).fine()
    assert list(contents(database_url)) != before, "the same without --dry-run does write"


def test_what_is_not_derived_yet_would_be_added(here: Here, database: Database) -> None:
    tell(database, "n", ["Ann likes tea [bold]x[/bold] \x1b[31mred."])
    done = here("sweep", "facts", "--dry-run").fine()
    assert "+ Ann likes tea [bold]x[/bold]" in done.out
    assert "\x1b" not in done.out + done.err


def test_a_sample_of_a_namespace(here: Here, told: list[int]) -> None:
    seen = here("sweep", "facts", "--dry-run", "--rows", "1", "--namespace", "n", "--json").fine().json()["derivations"]
    assert {name: row["episodes"] for name, row in seen.items()} == {"facts": 1}


def test_more_differences_than_are_shown(here: Here, database: Database) -> None:
    tell(database, "n", [f"so it rained on day {number}" for number in range(30)])
    shown = here("sweep", "--dry-run").fine().out
    assert shown.count(": added") == 20
    assert "and 10 more; --json has all" in shown


def test_an_episode_that_cannot_be_derived(here: Here, database: Database) -> None:
    fine, bad = tell(database, "n", ["Ann likes tea.", "Bo likes «raise»."])
    done = here("sweep", "facts", "--dry-run", "--json").refused(f"episode {bad}", "ValueError", code=1)
    seen = done.json()["derivations"]["facts"]
    assert (seen["errors"], seen["added"]) == ({str(bad): "ValueError"}, 1)
    assert seen["changes"][0]["episode_id"] == fine


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("vectors",), ["derivation", "memories"]),
        (("memoires",), ["derivation", "memories"]),
        (("--namespace", "nowhere"), ["nowhere"]),
        (("--seconds", "3"), ["--seconds", "--rows"]),
        (("--rows", "0"), ["--rows"]),
    ],
)
def test_wrong_usage_is_named(here: Here, arguments: tuple[str, ...], words: list[str]) -> None:
    assert here("sweep", "--dry-run", *arguments).refused(*words).out == ""
