"""What people decide by hand: verdicts, other words, trust and quarantine; and telling that waits until it counts."""

from __future__ import annotations

import subprocess
import sys

import pytest

from schema.db import Database
from schema.settings import Settings
from tests.support.store import count, drain, tell
from tests.support.truth import facts, passages
from tests.support.workers import until

from .conftest import Cli, Here


def ids_of(database: Database, settings: Settings, *contents: str, source: str = "user") -> list[int]:
    ids = tell(database, "n", list(contents), source=source)
    drain(database, settings)
    return ids


def test_a_verdict_and_the_right_words(here: Here, database: Database, settings: Settings) -> None:
    ids_of(database, settings, "Ann likes tea.", "Bo likes beer.")
    tea, beer = (facts(database)[said]["id"] for said in ("Ann likes tea.", "Bo likes beer."))
    done = here("feedback", "n", str(tea), "confirm", "--json").fine().json()
    assert (done["state"], done["retired"], done["queued"], done["correction_id"]) == ("established", None, True, None)
    shown = here("feedback", "n", str(beer), "outdated", "--correction", "Bo likes wine.").fine().out
    assert f"memory {beer}: retired as outdated" in shown
    assert "the right words are episode" in shown
    drain(database, settings)
    assert facts(database).keys() == {"Ann likes tea.", "Bo likes wine."}
    assert "no broker was told" in here(
        "feedback", "n", str(tea), "wrong", "--correction", "Ann likes milk.", BROKER_URL=None
    ).fine().out  # fmt: skip


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        (("maybe",), ["verdict", "outdated"]),
        ((), ["verdict"]),
        (("confirm", "--correction", "Ann likes milk."), ["correction"]),
        (("wrong", "--correction", " "), ["correction"]),
    ],
)
def test_a_wrong_verdict_changes_nothing(
    here: Here, database: Database, settings: Settings, verdict: tuple[str, ...], words: list[str]
) -> None:
    ids_of(database, settings, "Ann likes tea.")
    here("feedback", "n", str(facts(database)["Ann likes tea."]["id"]), *verdict).refused(*words)
    assert (count(database, "decisions"), count(database, "episodes")) == (0, 1)


def test_a_verdict_on_nothing(here: Here, database: Database, settings: Settings) -> None:
    here("feedback", "n", "1", "wrong").refused("namespace")
    ids_of(database, settings, "Ann likes tea.")
    here("feedback", "n", "12345", "wrong").refused("memory 12345")
    here("feedback", "n", str(2**63), "wrong").refused("is no id")


def test_other_words(here: Here, database: Database, settings: Settings) -> None:
    (one,) = ids_of(database, settings, "Ann likes tea.")
    assert here("edit", "n", str(one), "Ann likes chess.", "--json").fine().json() == {
        "id": one,
        "revision": 2,
        "queued": True,
    }
    assert "revision 3" in here("edit", "n", str(one), stdin="Ann likes 豆腐.\n".encode()).fine().out
    assert "revision 4" in here("edit", "n", str(one), "-", stdin=b"Ann likes milk.").fine().out
    drain(database, settings)
    assert facts(database).keys() == {"Ann likes milk."}
    for arguments, words in (
        ((str(one), ""), "content"),
        ((str(one),), "content"),
        (("999", "x"), "episode 999"),
        (("x", "x"), "episode_id"),
    ):
        here("edit", "n", *arguments).refused(words)
    assert count(database, "episode_revisions") == 4


def test_trust_is_shown_and_set(here: Here, database: Database, settings: Settings) -> None:
    ids_of(database, settings, "Ann likes tea.", source="external")
    assert facts(database)["Ann likes tea."]["trust"] == 0.5
    seen = here("trust", "n", "--json").fine().json()
    assert seen == {
        "namespace": "n",
        "trust": {"user": 1.0, "assistant": 0.7, "external": 0.5, "system": 0.3},
        "quarantine": [],
    }
    seen = here("trust", "n", "external=0.2", "assistant=.9", "--json").fine().json()
    assert (seen["trust"]["external"], seen["trust"]["assistant"], seen["quarantine"]) == (0.2, 0.9, [])
    drain(database, settings)
    assert facts(database)["Ann likes tea."]["trust"] == 0.2
    assert "0.200" in here("trust", "n").fine().out


def test_quarantine_and_release(here: Here, database: Database, settings: Settings) -> None:
    one, _ = ids_of(database, settings, "Ann likes tea.", "Bo likes beer.", source="external")
    ids_of(database, settings, "Cy likes cider.", source="system")
    assert "waits for release" in here("trust", "n", "--quarantine", "external").fine().out
    seen = here("trust", "n", "--quarantine", "system", "--json").fine().json()
    assert seen["quarantine"] == ["external", "system"], "one more, and none released"
    drain(database, settings)
    assert passages(database) == []
    assert "waits for release" in here("memories", "n", "--status", "quarantined").fine().out
    assert "it waits for release" in here("episode", "n", str(one)).fine().out
    assert "1 episode released" in here("trust", "n", "--release-episode", str(one)).fine().out
    drain(database, settings)
    assert passages(database) == ["Ann likes tea."]
    seen = here("trust", "n", "--release", "external", "--json").fine().json()
    assert (seen["released"], seen["quarantine"]) == (1, ["external", "system"])
    drain(database, settings)
    assert passages(database) == ["Ann likes tea.", "Bo likes beer."]
    assert here("trust", "n", "--unquarantine", "system", "--json").fine().json()["quarantine"] == ["external"]
    ids_of(database, settings, "Di likes chess.", source="external")
    assert passages(database) == ["Ann likes tea.", "Bo likes beer.", "Cy likes cider."]
    assert here("trust", "n", "--release", "all", "--json").fine().json()["released"] == 1
    drain(database, settings)
    assert len(passages(database)) == 4


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("external",), ["trust", "source=level"]),
        (("external=high",), ["trust", "source=level"]),
        (("external=2",), ["trust.external"]),
        (("external=nan",), ["trust.external"]),
        (("nobody=0.5",), ["trust", "nobody", "external"]),
        (("--quarantine", "nobody"), ["quarantine", "nobody"]),
        (("--release", "nobody"), ["release", "nobody", "all"]),
        (("--release-episode", "999"), ["episode 999"]),
        (("--release-episode", "0"), ["is no id"]),
        (("--quarantine", "user", "--unquarantine", "user"), ["unquarantine", "user"]),
    ],
)
def test_wrong_trust_changes_nothing(
    here: Here, database: Database, settings: Settings, arguments: tuple[str, ...], words: list[str]
) -> None:
    ids_of(database, settings, "Ann likes tea.")
    here("trust", "n", "user=0.9", "--quarantine", "system", *arguments).refused(*words)
    seen = here("trust", "n", "--json").fine().json()
    assert (seen["trust"]["user"], seen["quarantine"]) == (1.0, [])


def test_trust_of_nowhere(here: Here) -> None:
    here("trust", "nowhere").refused("namespace")
    here("trust", "no such name").refused("namespace")


def test_telling_waits_until_it_counts(cli: Cli, here: Here, database: Database) -> None:
    arguments = ["remember", "n", "Ann likes tea.", "--wait", "--seconds", "120", "--json"]
    telling = subprocess.Popen(
        [sys.executable, "-m", "api.cli.main", *arguments], env=dict(cli.env), cwd=cli.cwd, stdout=subprocess.PIPE
    )
    until(lambda: count(database, "episodes") == 1, what="the telling")
    assert telling.poll() is None, "it waits"
    here("sweep").fine()
    out, _ = telling.communicate(timeout=60)
    assert telling.returncode == 0
    assert b'"fresh": true' in out


def test_telling_waits_no_longer_than_it_may(here: Here, database: Database) -> None:
    done = here("remember", "n", "Ann likes tea.", "--wait", "--seconds", "0.2", "--json")
    done.refused("memories: not derived yet", "palimpsest sweep", code=1)
    assert (done.json()["fresh"], done.json()["derivations"]["memories"]["state"]) == (False, "pending")
    assert count(database, "episodes") == 1
    (one,) = (row["id"] for row in done.json()["episodes"])
    here("edit", "n", str(one), "Ann likes milk.", "--wait", "--seconds", "0").refused("not derived yet", code=1)
