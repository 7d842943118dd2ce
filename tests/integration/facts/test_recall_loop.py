"""e01: what this store served and is told back makes no fact and corroborates none, now or at any later sweep."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import text

from tests.integration.facts.test_correction import derive_everything_again
from tests.support.client import Store, store
from tests.support.truth import facts

__all__ = ["store"]

TOLD = ["Ann likes tea. Ann knows Bo.", "Bo plays chess. the weather was fine."]
QUERY = "Ann Bo tea chess weather"


def _http(answer: dict[str, Any]) -> str:
    return json.dumps(answer)


def _pretty(answer: dict[str, Any]) -> str:
    return json.dumps(answer, indent=2, ensure_ascii=False)


def _context(answer: dict[str, Any]) -> str:
    return str(answer["context"])


def _bare(answer: dict[str, Any]) -> str:
    return "\n".join(memory["text"] for memory in answer["memories"])


def _bullets(answer: dict[str, Any]) -> str:
    return "here is what I remember:\n" + "\n".join(f"- {memory['text']}" for memory in answer["memories"])


def _printed(answer: dict[str, Any]) -> str:
    from rich.console import Console

    from api.cli.recall import _print

    console = Console(record=True, width=60, force_terminal=False)
    with console.capture():
        _print(console, "n", answer, None)
    return console.export_text()


@pytest.mark.parametrize(
    ("shape", "rounds"), [(_http, 10), (_pretty, 2), (_context, 2), (_bare, 2), (_bullets, 2), (_printed, 2)]
)
def test_rounds_of_our_own_output_add_only_what_is_new(
    store: Store, shape: Callable[[dict[str, Any]], str], rounds: int
) -> None:
    store.learn("n", *TOLD)
    before = facts(store.database)
    assert sorted(before) == ["Ann knows Bo.", "Ann likes tea.", "Bo plays chess."]
    for number in range(rounds):
        answer = store.recall("n", QUERY, k=50)
        assert answer["memories"]
        store.learn("n", {"content": f"{shape(answer)}\n\nDi owns boat{number}.", "source": "user"})
    after = facts(store.database)
    assert sorted(after) == sorted([*before, *(f"Di owns boat{number}." for number in range(rounds))])
    for says, fact in before.items():
        assert (after[says]["sources"], after[says]["confidence"]) == (fact["sources"], fact["confidence"])
    derive_everything_again(store.database, store.settings)
    assert facts(store.database) == after


def test_an_edit_that_pastes_our_output_is_known_too(store: Store) -> None:
    store.learn("n", *TOLD)
    (other,) = store.learn("n", "nothing in particular")
    answer = store.recall("n", QUERY)
    url = f"/v1/namespaces/n/episodes/{other}"
    assert store.http.patch(url, json={"content": f"{answer['context']}\n\nDi owns boat."}).status_code == 200
    store.drain()
    found = facts(store.database)
    assert "Di owns boat." in found
    assert found["Ann likes tea."]["sources"] == 1


def test_what_was_never_served_is_heard_whoever_else_said_it(store: Store) -> None:
    """A user who says by himself what was said before is a source; nobody was told it in between."""
    store.learn("n", *TOLD)
    store.learn("n", "Ann likes tea.")
    assert facts(store.database)["Ann likes tea."]["sources"] == 2


def test_another_namespace_was_not_served(store: Store) -> None:
    store.learn("n", *TOLD)
    store.recall("n", QUERY)
    store.learn("other", "Ann likes tea.")
    assert list(facts(store.database, "other")) == ["Ann likes tea."]


def test_the_passage_is_always_there(store: Store) -> None:
    """An echo is stored and can be found; it only means nothing."""
    store.learn("n", *TOLD)
    answer = store.recall("n", QUERY)
    store.learn("n", {"content": f"walrus {answer['context']}", "session_id": "paste"})
    assert any("walrus" in found for found in store.by_keyword("n", "walrus"))


def test_what_is_served_is_on_record_as_digests_and_uses(store: Store) -> None:
    store.learn("n", "Zelda keeps bluebird.")
    answer = store.recall("n", "bluebird", session_id="s")
    store.ask("n", "bluebird", explain=True)
    with store.database.read() as session:
        served = session.execute(text("SELECT memory_id, session_id FROM recall_log")).all()
        used = session.execute(text("SELECT memory_id, session_id, position FROM retrievals ORDER BY position")).all()
    assert {row.memory_id for row in served} == {memory["id"] for memory in answer["memories"]}
    assert [tuple(row) for row in used] == [
        (memory["id"], "s", place) for place, memory in enumerate(answer["memories"])
    ]


def test_the_same_question_gets_the_same_answer_however_often_it_is_asked(store: Store) -> None:
    store.learn("n", *TOLD)
    assert len({store.ask("n", QUERY).content for _ in range(3)}) == 1
