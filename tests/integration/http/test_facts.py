"""Facts, lineage, feedback, edits, forgetting and settings of sources over HTTP; every misuse names its field."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.client import Store, assert_problem, store
from tests.support.truth import facts

__all__ = ["store"]

NS = "/v1/namespaces/n"


def get(store: Store, path: str, **params: Any) -> Any:
    answer = store.http.get(f"{NS}{path}", params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


def post(store: Store, path: str, body: dict[str, Any]) -> Any:
    answer = store.http.post(f"{NS}{path}", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_facts_are_found_by_their_parts_and_by_every_name(store: Store) -> None:
    store.learn("n", "Ann likes green tea. Bo likes tea. Ann does not eat lamb.", "Ann likes chess.")
    assert {one["text"] for one in get(store, "/facts", subject="ann")["facts"]} == {
        "Ann does not eat lamb.",
        "Ann likes green tea.",
        "Ann likes chess.",
    }
    assert [one["text"] for one in get(store, "/facts", predicate="LIKES", object="tea")["facts"]] == ["Bo likes tea."]
    assert get(store, "/facts", object="the green Tea")["facts"][0]["subject"] == "Ann"
    (lamb,) = get(store, "/facts", object="lamb")["facts"]
    assert (lamb["polarity"], lamb["state"], lamb["corroboration"]) == ("neg", "provisional", 1)
    assert get(store, "/facts", subject="nobody") == {"facts": [], "next": None}


def test_pages_of_facts_hold_each_once(store: Store) -> None:
    store.learn("n", *[f"Ann likes thing{number}." for number in range(7)])
    seen, after = [], 0
    while after is not None:
        page = get(store, "/facts", subject="Ann", limit=3, after=after)
        seen += [one["id"] for one in page["facts"]]
        after = page["next"]
    assert len(seen) == len(set(seen)) == 7


def test_a_user_finds_only_his_own(store: Store) -> None:
    store.learn("n", {"content": "Sam likes tea.", "user_id": "a"}, {"content": "Sam likes beer.", "user_id": "b"})
    assert [one["object"] for one in get(store, "/facts", subject="Sam", user_id="a")["facts"]] == ["tea"]


def test_why_tells_the_whole_story(store: Store) -> None:
    (first,) = store.learn("n", {"content": "Ann likes tea.", "speaker": "Bo", "external_id": "x"})
    store.learn("n", "Ann likes tea!")
    (fact,) = get(store, "/facts", subject="Ann")["facts"]
    store.recall("n", "Ann tea")
    post(store, f"/memories/{fact['id']}/feedback", {"verdict": "wrong"})
    store.drain()
    told = get(store, f"/memories/{fact['id']}")
    assert told["memory"]["retired_reason"] == "rejected"
    assert told["sources"][0]["episode_id"] == first
    assert told["sources"][0]["quote"] == "Ann likes tea"
    assert told["sources"][0]["rules"] == 1
    assert [one["kind"] for one in told["events"]] == ["extracted", "corroborated", "retired"]
    assert [one["verdict"] for one in told["decisions"]] == ["wrong"]
    assert len(told["retrievals"]) == 1
    assert [one["id"] for one in get(store, "/memories", status="retired")["memories"]] == [fact["id"]]


def test_an_edit_and_the_status_of_an_episode(store: Store) -> None:
    (first,) = store.learn("n", "Vault hint is cedar.")
    answer = store.http.patch(f"{NS}/episodes/{first}", json={"content": "Vault hint is maple."})
    assert answer.json()["revision"] == 2
    states = get(store, f"/episodes/{first}/status")["derivations"]
    assert (states["memories"]["state"], states["facts"]["state"]) == ("pending", "pending")
    assert store.texts("n", "Vault hint") in (
        ["Vault hint is cedar."],
        ["Vault hint is cedar.", "Vault hint is cedar."],
    )
    store.drain()
    states = get(store, f"/episodes/{first}/status")["derivations"]
    assert {one["state"] for one in states.values()} == {"current"}
    for query in ("cedar", "maple", "what was the hint of the vault"):
        assert not any("cedar" in found for found in store.texts("n", query))
    assert any("maple" in found for found in store.texts("n", "maple"))
    assert store.read("n", first)["content"] == "Vault hint is maple."


def test_a_failed_row_says_so_in_the_status(store: Store) -> None:
    (first,) = store.tell("n", "Ann «raise» here.")
    store.settings = store.settings.model_copy(update={"max_attempts": 1})
    store.drain()
    states = get(store, f"/episodes/{first}/status")["derivations"]
    assert states["facts"]["state"] == "failed"
    assert states["facts"]["reason"] == "ValueError"


def test_deleting_an_episode_leaves_the_slots_to_others(store: Store) -> None:
    """f01: gone by phrase, by entity, by id and from lists; the five others fill all five places."""
    (gone,) = store.learn("n", "Locker 12 opens with nine-blue-swan for Zelda")
    store.learn("n", *[f"Locker {number} opens with a key" for number in range(20, 25)])
    receipt = store.http.delete(f"{NS}/episodes/{gone}")
    assert receipt.status_code == 200
    body = receipt.json()
    assert (body["logical"], body["physical"], body["left"], body["episodes"]) == (True, False, {}, 1)
    assert "VACUUM" in body["vacuum"]
    for query in ("nine-blue-swan", "how does locker 12 open", "Zelda"):
        assert not any("swan" in found for found in store.texts("n", query, k=5))
    assert len(store.texts("n", "locker opens", k=5)) == 5
    assert store.http.get(f"{NS}/episodes/{gone}").status_code == 404
    assert store.http.get(f"{NS}/episodes/{gone}/status").status_code == 404
    assert store.http.delete(f"{NS}/episodes/{gone}").status_code == 404
    assert store.http.get(f"/v1/forgettings/{body['id']}").json()["id"] == body["id"]


def test_forgetting_one_user_leaves_the_others(store: Store) -> None:
    store.learn("n", *[{"content": f"Ann likes tea{n}.", "user_id": user} for user in "ab" for n in range(3)])
    assert post(store, "/forget", {"user_id": "a"})["episodes"] == 3
    assert len(facts(store.database)) == 3
    assert post(store, "/forget", {"user_id": "a"})["episodes"] == 0


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/forget", {}, "episodes"),
        ("/forget", {"user_id": ""}, "user_id"),
        ("/forget", {"user_id": "a", "session_id": "s"}, "session_id"),
        ("/forget", {"user": "a"}, "user"),
        ("/forget", {"everything": False}, "everything"),
        ("/forget", {"everything": "yes"}, "everything"),
        ("/forget", {"episodes": []}, "episodes"),
        ("/forget", {"episodes": ["1"]}, "episodes"),
        ("/forget", {"episodes": [True]}, "episodes"),
        ("/forget", {"session_id": "a\x00"}, "session_id"),
        ("/memories/1/feedback", {}, "verdict"),
        ("/memories/1/feedback", {"verdict": "bad"}, "verdict"),
        ("/memories/1/feedback", {"verdict": ["wrong"]}, "verdict"),
        ("/memories/1/feedback", {"verdict": "wrong", "correction": " "}, "correction"),
        ("/memories/1/feedback", {"verdict": "wrong", "correction": 5}, "correction"),
        ("/memories/1/feedback", {"verdict": "confirm", "correction": "x"}, "correction"),
        ("/memories/1/feedback", {"verdict": "wrong", "corection": "x"}, "corection"),
    ],
)
def test_misuse_names_the_field_and_changes_nothing(store: Store, path: str, body: dict[str, Any], field: str) -> None:
    store.learn("n", {"content": "Ann likes tea.", "user_id": "a"})
    before = store.rows()
    assert_problem(store.http.post(f"{NS}{path}", json=body), field)
    assert store.rows() == before


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/memories/999999", 404),
        ("GET", "/memories/0", 404),
        ("GET", "/memories/99999999999999999999", 404),
        ("GET", "/memories?status=odd", 422),
        ("GET", "/memories?kind=odd", 422),
        ("GET", "/facts?limit=0", 422),
        ("GET", "/facts?subject=%00", 422),
        ("PATCH", "/episodes/1", 422),
        ("GET", "/episodes/99999999999999999999/status", 404),
        ("DELETE", "/episodes/0", 404),
    ],
)
def test_what_is_not_there_or_no_question(store: Store, method: str, path: str, status: int) -> None:
    store.learn("n", "Ann likes tea.")
    answer = store.http.request(method, f"{NS}{path}", json={} if method == "PATCH" else None)
    assert_problem(answer, status=(status,))


def test_sources_are_trusted_held_and_released(store: Store) -> None:
    admin = "/v1/admin/namespaces/n"
    assert store.http.patch(admin, json={}).status_code == 404
    store.learn("n", {"content": "Ann likes tea.", "source": "external"})
    shown = store.http.patch(admin, json={"trust": {"external": 0.25}, "quarantine": ["external"]}).json()
    assert (shown["trust"]["external"], shown["quarantine"]) == (0.25, ["external"])
    store.drain()
    assert store.texts("n", "Ann tea") == []
    (waiting, *_) = get(store, "/memories", status="quarantined", kind="fact")["memories"]
    assert (waiting["text"], waiting["trust"]) == ("Ann likes tea.", 0.25)
    assert store.http.post(f"{admin}/release", json={"source": "external"}).json()["released"] == 1
    store.drain()
    assert store.texts("n", "Ann tea") != []
    for body, field in (
        ({"trust": {"extern": 1}}, "trust"),
        ({"trust": {"external": 2}}, "trust.external"),
        ({"trust": 5}, "trust"),
        ({"quarantine": "external"}, "quarantine"),
        ({"quarantine": ["x"]}, "quarantine"),
        ({"quaratine": []}, "quaratine"),
    ):
        assert_problem(store.http.patch(admin, json=body), field)


def test_stats_tell_how_well_facts_are_extracted(store: Store) -> None:
    store.learn("n", "Ann likes tea. Bo likes tea. Di likes tea. Ed likes tea.")
    listed = get(store, "/facts", object="tea")["facts"]
    post(store, f"/memories/{listed[0]['id']}/feedback", {"verdict": "wrong"})
    post(store, f"/memories/{listed[1]['id']}/feedback", {"verdict": "confirm"})
    post(store, f"/memories/{listed[2]['id']}/feedback", {"verdict": "outdated"})
    shown = get(store, "/stats")
    overall = shown["overall"]
    assert (overall["extracted"], overall["rejected"], overall["confirmed"], overall["outdated"]) == (4, 1, 1, 1)
    assert overall["accuracy"] == 0.75
    assert [one["name"] for one in shown["by_revision"]] == ["revision 1"]
    assert [one["name"] for one in shown["by_category"]] == ["none"]
    assert store.http.get("/v1/admin/stats").json()["overall"] == overall


def test_waiting_answers_at_the_latest_when_told(store: Store) -> None:
    """Without a worker nothing becomes current: the answer says so when the time is up, and what is to come."""
    answer = store.http.post(
        f"{NS}/episodes", params={"wait": "fresh", "wait_seconds": 0.2}, json={"content": "Ann likes tea."}
    )
    assert answer.status_code == 202
    body = answer.json()
    assert body["fresh"] is False
    assert body["derivations"]["memories"]["state"] == "pending"
    assert_problem(store.http.post(f"{NS}/episodes", params={"wait": "yes"}, json={"content": "x"}), "wait")


def test_an_expiry_is_checked_and_shown(store: Store) -> None:
    (first,) = store.tell("n", {"content": "soon gone", "expires_at": "2100-01-01T00:00:00Z"})
    assert store.read("n", first)["expires_at"] == "2100-01-01T00:00:00+00:00"
    assert_problem(store.post("n", {"content": "x", "expires_at": "2100-01-01"}), "expires_at")
    assert_problem(store.post("n", {"content": "x", "expires_at": "2000-01-01T00:00:00Z"}), "expires_at")


def test_a_repeated_request_after_forgetting_tells_that_it_was_forgotten(store: Store) -> None:
    body = {"content": "Zelda keeps bluebird.", "external_id": "x-secret"}
    (made,) = [item["id"] for item in store.post("n", body, idempotency_key="k").json()["episodes"]]
    store.drain()
    post(store, "/forget", {"episodes": [made]})
    again = store.post("n", body, idempotency_key="k")
    assert again.json()["episodes"] == [{"status": "forgotten", "id": None, "external_id": None}]
    assert store.post("n", body).json()["episodes"][0]["status"] == "forgotten"
    assert "x-secret" not in again.text
