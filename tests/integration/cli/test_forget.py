"""Forgetting by hand: never by accident, always with a receipt, and to be seen again."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import psycopg
import pytest

from schema.db import Database
from schema.settings import Settings
from tests.support.store import assert_current, count, drain, tell
from tests.support.truth import everywhere
from tests.support.workers import until

from .conftest import Cli, Done, Here

Told = list[int]
FIRST = "the first"


@pytest.fixture
def told(database: Database, settings: Settings) -> Told:
    """Three episodes of two users in two sessions."""
    ids = tell(database, "n", ["Zelda keeps bluebird."], session_id="s", user_id="u")
    ids += tell(database, "n", ["Bo likes beer."], session_id="s", user_id="v")
    ids += tell(database, "n", ["Cy likes cider."], session_id="t", user_id="v")
    drain(database, settings)
    return ids


def test_an_episode_is_gone_and_the_receipt_says_so(
    here: Here, database: Database, settings: Settings, told: Told
) -> None:
    done = here("forget", "n", "--episode", str(told[0]), "--yes", "--json").fine().json()
    assert (done["scope"], done["episodes"], done["left"], done["logical"]) == ("episode", 1, {}, True)
    assert done["removed"]["episodes"] == 1
    assert done["vacuum"].startswith("VACUUM")
    assert everywhere(database, ["bluebird", "Zelda"]) == {}
    shown = here("forget", "n", "--receipt", str(done["id"])).fine().out
    for words in (f"receipt {done['id']}: 1 episode forgotten", "episode_revisions", "logical", "VACUUM;"):
        assert words in shown, words
    again = here("forget", "n", "--receipt", str(done["id"]), "--json").fine().json()
    assert again["removed"] == done["removed"]
    here("forget", "n", "--episode", str(told[0]), "--yes").refused("episodes", str(told[0]), "nothing was forgotten")
    drain(database, settings)
    assert_current(database)


@pytest.mark.parametrize(("scope", "left"), [(("--session", "s"), 1), (("--user", "v"), 1), (("--everything",), 0)])
def test_other_scopes_and_twice(here: Here, database: Database, told: Told, scope: tuple[str, ...], left: int) -> None:
    shown = here("forget", "n", *scope, "--yes").fine().out
    assert f"{3 - left} episodes forgotten" in shown
    assert count(database, "episodes") == left
    if left:
        assert "0 episodes forgotten" in here("forget", "n", *scope, "--yes").fine().out
    else:
        here("forget", "n", *scope, "--yes").refused("namespace")


def test_some_episodes_at_once_or_none(here: Here, database: Database, told: Told) -> None:
    here("forget", "n", "--episode", str(told[0]), "--episode", "999", "--yes").refused("999", "nothing was forgotten")
    assert count(database, "episodes") == 3
    done = here("forget", "n", "--episode", str(told[0]), "--episode", str(told[2]), "--yes", "--json").fine().json()
    assert done["episodes"] == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--everything",), ["--yes", "nothing was forgotten"]),
        (("--session", "s"), ["--yes"]),
        (("--yes",), ["exactly one", "--everything"]),
        ((), ["exactly one"]),
        (("--session", "s", "--user", "u", "--yes"), ["exactly one"]),
        (("--session", "s", "--everything", "--yes"), ["exactly one"]),
        (("--everything", "--receipt", "1", "--yes"), ["exactly one"]),
        (("--session", "", "--yes"), ["session_id"]),
        (("--user", "", "--yes"), ["user_id"]),
        (("--episode", "x", "--yes"), ["--episode"]),
        (("--episode", "0", "--yes"), ["is no id"]),
        (("--receipt", "77"), ["receipt 77"]),
        (("--receipt", str(2**63)), ["is no id"]),
    ],
)
def test_nothing_is_forgotten_by_accident(
    here: Here, database: Database, told: Told, arguments: tuple[str, ...], words: list[str]
) -> None:
    here("forget", "n", *arguments).refused(*words)
    here("forget", "m", "--everything", "--yes").refused("namespace")
    assert (count(database, "episodes"), count(database, "forgettings")) == (3, 0)


def on_a_terminal(cli: Cli, answer: str, *arguments: str) -> Done:
    """Run a command whose standard input is a terminal at which somebody types."""
    ours, theirs = pty.openpty()
    try:
        running = subprocess.Popen(
            [sys.executable, "-m", "api.cli.main", *arguments],
            env=dict(cli.env), cwd=cli.cwd, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        os.write(ours, f"{answer}\n".encode())
        out, err = running.communicate(timeout=240)
    finally:
        os.close(ours)
        os.close(theirs)
    return Done(running.returncode, out.decode(), err.decode())


@pytest.mark.parametrize(
    ("scope", "no", "yes", "words"),
    [
        (("--episode", FIRST), "n", "y", "Zelda keeps bluebird."),
        (("--user", "v"), "", "yes", "2 episodes of user v in n"),
        (("--session", "s"), "N", "Y", "2 episodes of session s in n"),
        (("--everything",), "y", "n", "3 episodes in n"),
    ],
)
def test_a_person_is_asked(
    cli: Cli, database: Database, told: Told, scope: tuple[str, ...], no: str, yes: str, words: str
) -> None:
    arguments = ["forget", "n", *(str(told[0]) if one == FIRST else one for one in scope), "--json"]
    done = on_a_terminal(cli, no, *arguments)
    assert (done.code, done.out) == (1, ""), done
    assert words in done.err
    assert "nothing was forgotten" in done.err
    assert count(database, "episodes") == 3
    done = on_a_terminal(cli, yes, *arguments)
    assert done.fine().json()["logical"] is True
    assert count(database, "episodes") < 3


def test_the_question_drives_no_terminal(cli: Cli, database: Database) -> None:
    (one,) = tell(database, "n", ["[bold]x[/bold] \x1b[31mred\x07"], session_id="[red]\x1b[0m")
    for scope in (("--episode", str(one)), ("--session", "[red]\x1b[0m")):
        done = on_a_terminal(cli, "n", "forget", "n", *scope)
        assert done.code == 1
        assert not {"\x1b", "\x07"} & set(done.err), done.err
        assert ("[bold]x[/bold]" if scope[0] == "--episode" else "[red]") in done.err


def test_something_left_ends_with_one(here: Here, database: Database, database_url: str, told: Told) -> None:
    done = here("forget", "n", "--user", "u", "--yes", "--json").fine().json()
    plain = database_url.replace("+psycopg", "")
    with psycopg.connect(plain, autocommit=True) as connection:
        connection.execute('UPDATE forgettings SET "left" = %s', ['{"postings": 3}'])
    seen = here("forget", "n", "--receipt", str(done["id"]))
    assert seen.code == 1
    assert "postings" in seen.out
    with psycopg.connect(plain, autocommit=True) as connection:
        connection.execute('UPDATE forgettings SET "left" = NULL, finished_at = NULL')
    seen = here("forget", "n", "--receipt", str(done["id"]))
    assert seen.code == 1
    assert "not finished" in seen.out


def test_the_vacuum_that_is_named_makes_it_physical(here: Here, database_url: str, told: Told) -> None:
    done = here("forget", "n", "--session", "s", "--yes", "--json").fine().json()

    def physical() -> bool:
        return bool(here("forget", "n", "--receipt", str(done["id"]), "--json").fine().json()["physical"])

    with psycopg.connect(database_url.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute("VACUUM episodes, memories")
        connection.execute("SELECT pg_stat_force_next_flush()")
        connection.execute("SELECT 1")
        assert not physical(), "tables without any vacuum still hold it"
        connection.execute(done["vacuum"])
        connection.execute("SELECT pg_stat_force_next_flush()")
        assert until(physical, 20, "the vacuum's record")
    assert "physical: a vacuum" in here("forget", "n", "--receipt", str(done["id"])).fine().out
