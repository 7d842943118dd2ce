"""A namespace is a wall: nothing of one shows in another, not a text, not a count, not a name."""

from __future__ import annotations

from tests.support.client import KEYWORD_ONLY, SEMANTIC_ONLY, Store

NAMES = ["test", "test1", "Test", "te_t", "te-t", "te.t", "test.", "TEST"]


def test_names_that_look_alike_are_different_places(store: Store) -> None:
    """Public fault g03."""
    for name in NAMES:
        store.tell(name, {"content": f"the vault of {name} opens at dawn", "speaker": f"Keeper {name}"})
    store.drain()
    for name in NAMES:
        for settings in ({}, KEYWORD_ONLY, SEMANTIC_ONLY, {"keyword_weight": 0, "semantic_weight": 0}):
            answer = store.recall(name, f"vault Keeper {name}", settings=settings, explain=True)
            assert [memory["text"] for memory in answer["memories"]] == [f"the vault of {name} opens at dawn"]
            assert answer["evidence"]["considered"] == 1
            assert answer["evidence"]["namespace"] == name


def test_the_neighbour_changes_nothing(store: Store) -> None:
    """The same words next door move no score: statistics, anchors and known names are a namespace's own."""
    told = [{"content": f"Mira showed Otto room {n}", "speaker": "Mira"} for n in range(6)]
    store.learn("one", *told, "Zelda was here once")
    asked = ("mira", "Zelda", "zelda", "room 3", "otto rooms")
    before = [store.ask("one", query, explain=True).content for query in asked]
    store.learn("two", *told * 5, *[f"Zelda and zelda met Zelda {n}" for n in range(40)], "secretword")
    assert [store.ask("one", query, explain=True).content for query in asked] == before
    for query in ("secretword", *asked):
        answer = store.ask("one", query, explain=True)
        assert b"secretword" not in answer.content
        ids = {span["episode_id"] for row in answer.json()["evidence"]["candidates"] for span in row["sources"]}
        assert ids <= set(range(1, 8))


def test_an_entity_is_an_anchor_by_its_own_namespace(store: Store) -> None:
    """Many next door mention her, so that a shared count would make her no anchor here."""
    entity_only = {"keyword_weight": 0, "semantic_weight": 0}
    store.learn("many", *(f"Quilla spoke, {n}" for n in range(60)))
    store.learn("few", "Quilla spoke once", *(f"someone spoke {n}" for n in range(9)))
    assert store.texts("many", "Quilla", settings=entity_only) == []
    assert store.texts("few", "Quilla", settings=entity_only) == ["Quilla spoke once"]
    assert store.recall("few", "Otto", settings=entity_only, explain=True)["evidence"]["entities"] == 1
    assert store.recall("none", "Quilla", settings=entity_only, explain=True)["evidence"]["entities"] == 0


def test_an_episode_is_read_in_its_own_namespace_only(store: Store) -> None:
    (episode_id,) = store.tell("one", {"content": "x", "session_id": "s"})
    store.tell("two", {"content": "y", "session_id": "s"})
    assert store.http.get(f"/v1/namespaces/two/episodes/{episode_id}").status_code == 404
    rows = store.http.get("/v1/namespaces/two/episodes", params={"session_id": "s"}).json()["episodes"]
    assert [(row["content"], row["seq"]) for row in rows] == [("y", 1)]
    assert "x" not in [value for row in rows for value in row.values()]
