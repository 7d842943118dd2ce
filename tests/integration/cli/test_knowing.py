"""Looking at what is known: facts, memories, their lineage, figures of extraction, and how far an episode is."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from schema.db import Database
from schema.settings import Settings
from schema.store.episodes import NewEpisode
from tests.support.store import drain, tell
from tests.support.truth import facts

from .conftest import Here

AT = datetime(2025, 3, 1, 17, 5, tzinfo=UTC)
NASTY = "Ann likes tea [bold]x[/bold] \x1b[31mred\x07 \u202eetihw"


def learn(database: Database, settings: Settings, *contents: str, **fields: Any) -> list[int]:
    ids = tell(database, "n", list(contents), **fields)
    drain(database, settings)
    return ids


def fact(database: Database, said: str, *, retired: bool = False) -> int:
    return int(facts(database, retired=retired)[said]["id"])


def test_facts_are_found_by_their_parts(here: Here, database: Database, settings: Settings) -> None:
    learn(database, settings, "Ann likes green tea. Bo likes tea. Ann does not eat lamb.", "Ann likes chess.")
    seen = here("facts", "n", "--subject", "ann", "--predicate", "likes", "--json").fine().json()
    assert {row["text"] for row in seen["facts"]} == {"Ann likes green tea.", "Ann likes chess."}
    assert seen["next"] is None
    shown = here("facts", "n", "--object", "tea").fine().out
    assert "Bo likes tea." in shown
    assert "provisional" in shown
    assert "green" not in shown
    assert "no fact in n matches" in here("facts", "n", "--subject", "nobody").fine().out
    assert here("facts", "elsewhere", "--json").fine().json() == {"facts": [], "next": None}


def test_pages_hold_each_once(here: Here, database: Database, settings: Settings) -> None:
    learn(database, settings, *[f"Ann likes thing{number}." for number in range(5)])
    for command, name in (("facts", "facts"), ("memories", "memories")):
        seen: list[int] = []
        after: int | None = 0
        while after is not None:
            page = here(command, "n", "--limit", "2", "--after", str(after), "--json").fine().json()
            assert 0 < len(page[name]) <= 2
            seen += [row["id"] for row in page[name]]
            after = page["next"]
        assert len(seen) == len(set(seen)) == {"facts": 5, "memories": 10}[name]
    assert "there are more: --after" in here("facts", "n", "--limit", "2").fine().out


def test_a_users_facts(here: Here, database: Database, settings: Settings) -> None:
    learn(database, settings, "Sam likes tea.", user_id="a")
    learn(database, settings, "Sam likes beer.", user_id="b", agent_id="z")
    for option, value, drink in (("--user", "a", "tea"), ("--agent", "z", "beer")):
        seen = here("facts", "n", option, value, "--json").fine().json()["facts"]
        assert [row["object"] for row in seen] == [drink]
    assert "user" in here("facts", "n").fine().out


def test_memories_by_status_and_kind(here: Here, database: Database, settings: Settings) -> None:
    learn(database, settings, "Ann likes tea.", "Bo likes beer.")
    here("feedback", "n", str(fact(database, "Bo likes beer.")), "wrong").fine()
    active = here("memories", "n", "--kind", "fact", "--json").fine().json()["memories"]
    assert [row["text"] for row in active] == ["Ann likes tea."]
    retired = here("memories", "n", "--status", "retired").fine().out
    assert "retired: rejected" in retired
    assert "Ann likes tea." not in retired
    everything = here("memories", "n", "--status", "all", "--json").fine().json()["memories"]
    assert [row["kind"] for row in everything].count("fact") == 2
    assert "no memory in n matches" in here("memories", "n", "--status", "quarantined").fine().out


def test_why_tells_the_whole_story(here: Here, database: Database, settings: Settings) -> None:
    first = NewEpisode(content="Ann likes tea.", occurred_at=AT, speaker="Bo", external_id="x7", session_id="s")
    (one, two) = tell(database, "n", [first, NewEpisode(content="Ann likes tea!", occurred_at=AT)])
    drain(database, settings)
    memory = str(fact(database, "Ann likes tea."))
    here("recall", "n", "Ann tea").fine()
    here("recall", "n", "Ann tea").fine()
    here("feedback", "n", memory, "wrong", "--correction", "Ann likes coffee.").fine()
    drain(database, settings)
    told = here("why", "n", memory, "--json").fine().json()
    assert told.keys() == {"memory", "sources", "events", "decisions", "retrievals"}
    assert len(told["retrievals"]) == 2
    shown = here("why", "n", memory).fine().out
    for words in (
        f"memory {memory}",
        "fact, retired: rejected",
        f"episode {one} (x7), revision 1",
        "Bo (user), 2025-03-01 17:05",
        "| Ann likes tea",
        "read as: Ann likes tea. (by revision 1 of the rules)",
        f"extracted from episode {one}, by revision 1 of the rules",
        f"episode {two} says it too",
        "retired as rejected: a person said it is wrong",
        f"wrong; the right words are episode {told['decisions'][0]['correction_id']}",
        "Recalled 2 times",
        "at place ",
    ):
        assert words in shown, (words, shown)
    order = [shown.index(words) for words in ("extracted from", "says it too", "retired as")]
    assert order == sorted(order)


def test_why_after_an_edit_says_what_was_withdrawn(here: Here, database: Database, settings: Settings) -> None:
    (one,) = learn(database, settings, "Ann likes tea.")
    memory = str(fact(database, "Ann likes tea."))
    here("edit", "n", str(one), "Ann likes chess.").fine()
    drain(database, settings)
    shown = here("why", "n", memory).fine().out
    assert "retired: stale" in shown
    assert "revision 1 of 2" in shown
    assert "revision 2 of the episode no longer says it" in shown
    assert f"episode {one} no longer says it" in shown
    assert "never" in shown


def test_why_of_a_passage(here: Here, database: Database, settings: Settings) -> None:
    learn(database, settings, "so it rained\nall day", speaker="Zoë")
    (passage,) = here("memories", "n", "--json").fine().json()["memories"]
    shown = here("why", "n", str(passage["id"])).fine().out
    assert "passage, active" in shown
    assert "     | so it rained\n     | all day\n" in shown
    assert "Zoë (user)" in shown


@pytest.mark.parametrize("command", ["facts", "memories", "why", "episode"])
def test_stored_text_drives_no_terminal(here: Here, database: Database, settings: Settings, command: str) -> None:
    (one,) = learn(
        database, settings, NASTY, speaker="[red]Bo\x1b[0m", external_id="e\x1b]0;title\x07", user_id="u\x9b"
    )
    memory = str(next(iter(facts(database).values()))["id"])
    arguments = {"why": [memory], "episode": [str(one)]}.get(command, [])
    shown = here(command, "n", *arguments).fine().out
    assert "[bold]x[/bold]" in shown.replace("\n", " ")
    for character in "\x1b\x07\x9b\u202e":
        assert character not in shown


def test_how_far_an_episode_is(here: Here, database: Database, settings: Settings) -> None:
    (one,) = tell(database, "n", ["Ann likes tea."], external_id="x7")
    seen = here("episode", "n", str(one), "--json").fine().json()
    assert {name: row["state"] for name, row in seen["derivations"].items()} == {
        "memories": "pending",
        "facts": "pending",
    }
    assert seen["coverage"] == {"memories": 0, "share": 0.0}
    drain(database, settings)
    seen = here("episode", "n", str(one), "--json").fine().json()
    assert {row["state"] for row in seen["derivations"].values()} == {"current"}
    assert {"memories", "facts", "postings", "entities", "triples"} < seen["derivations"].keys()
    assert (seen["coverage"]["share"], seen["external_id"], seen["revision"]) == (1.0, "x7", 1)
    shown = here("episode", "n", str(one)).fine().out
    assert "current" in shown
    assert "100.0% of it is recallable" in shown


def test_an_episode_that_failed(here: Here, database: Database) -> None:
    (one,) = tell(database, "n", ["Ann likes tea «raise»."])
    here("sweep").refused("quarantined", code=1)
    done = here("episode", "n", str(one))
    assert done.code == 1, done
    assert "failed" in done.out
    assert "ValueError" in done.out
    done = here("episode", "n", str(one), "--json")
    assert (done.code, done.json()["derivations"]["facts"]["state"]) == (1, "failed")


def test_figures_of_extraction(here: Here, database: Database, settings: Settings) -> None:
    assert "no fact has been extracted yet" in here("stats").fine().out
    learn(database, settings, "Ann likes tea.", "Bo likes beer.", "Cy likes cider.", "Di likes chess.")
    here("feedback", "n", str(fact(database, "Bo likes beer.")), "wrong").fine()
    here("feedback", "n", str(fact(database, "Ann likes tea.")), "confirm").fine()
    seen = here("stats", "n", "--json").fine().json()
    assert seen.keys() == {"overall", "by_revision", "by_category", "provider"}
    overall = seen["overall"]
    assert (overall["extracted"], overall["rejected"], overall["confirmed"], overall["accuracy"]) == (4, 1, 1, 0.75)
    shown = here("stats").fine().out
    assert "0.750" in shown
    assert "revision 1" in shown
    here("stats", "nowhere").refused("namespace")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("facts", "no such name"), ["namespace"]),
        (("facts", "n", "--subject", ""), ["subject"]),
        (("facts", "n", "--limit", "0"), ["--limit"]),
        (("facts", "n", "--limit", "501"), ["--limit"]),
        (("facts", "n", "--after", "-1"), ["--after"]),
        (("memories", "n", "--status", "gone"), ["status", "quarantined"]),
        (("memories", "n", "--kind", "image"), ["kind", "passage"]),
        (("why", "n", "1"), ["namespace", "'n'"]),
        (("why", "n", "x"), ["memory_id"]),
        (("why", "n", "0"), ["0 is no id"]),
        (("why", "n", str(2**63)), ["is no id"]),
        (("episode", "n"), ["episode_id"]),
        (("episode", "n", "7"), ["namespace"]),
    ],
)
def test_wrong_usage_is_named(here: Here, arguments: tuple[str, ...], words: list[str]) -> None:
    assert here(*arguments).refused(*words).out == ""


def test_what_is_not_here_is_named(here: Here, database: Database, settings: Settings) -> None:
    learn(database, settings, "Ann likes tea.")
    (other,) = tell(database, "m", ["Bo likes beer."])
    here("why", "n", "12345").refused("memory 12345 is not in this namespace")
    here("episode", "n", str(other)).refused(f"episode {other} is not in this namespace")
