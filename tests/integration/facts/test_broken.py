"""What fresh eyes broke in facts, correction and forgetting: each fault once, so that it does not come back."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import text

from schema.errors import NotFound
from schema.store import corrections, namespaces
from schema.store import forgetting as marking
from tests.support.client import Store, assert_problem, store
from tests.support.store import assert_current, namespace_id
from tests.support.truth import everywhere, facts
from workers.derivations import derivations
from workers.reconcile import reconcile
from workers.truth import forgetting

__all__ = ["store"]

NS = "/v1/namespaces/n"
ADMIN = "/v1/admin/namespaces/n"


def edit(store: Store, episode_id: int, content: str) -> None:
    answer = store.http.patch(f"{NS}/episodes/{episode_id}", json={"content": content})
    assert answer.status_code == 200, answer.text


def judge(store: Store, says: str, verdict: str, right: str | None = None) -> None:
    known = facts(store.database) | facts(store.database, retired=True)
    body = {"verdict": verdict} if right is None else {"verdict": verdict, "correction": right}
    answer = store.http.post(f"{NS}/memories/{known[says]['id']}/feedback", json=body)
    assert answer.status_code == 200, answer.text


def mark(store: Store, *ids: int) -> None:
    """Take the first step of a forgetting, and die."""
    with store.database.write() as session:
        door = namespaces.keyed(session, namespace_id(store.database, "n"))
        marking.mark(session, door, "episode", None, ids)


def listed(store: Store, status: str = "all") -> list[str]:
    answer = store.http.get(f"{NS}/memories", params={"status": status}).json()
    return [one["text"] for one in answer["memories"]]


HUGE = 2**63


@pytest.mark.parametrize(
    ("method", "path", "body", "field", "status"),
    [
        ("POST", f"{NS}/memories/{HUGE}/feedback", {"verdict": "wrong"}, "memory_id", 404),
        ("PATCH", f"{NS}/episodes/{HUGE}", {"content": "x"}, "episode_id", 404),
        ("POST", f"{ADMIN}/release", {"episodes": [HUGE]}, "episodes", 422),
        ("POST", f"{ADMIN}/release", {"episodes": ["a"]}, "episodes", 422),
        ("POST", f"{ADMIN}/release", {"episodes": []}, "episodes", 422),
        ("POST", f"{ADMIN}/release", {"episodes": 1}, "episodes", 422),
        ("POST", f"{ADMIN}/release", {"source": "x"}, "source", 422),
        ("POST", f"{ADMIN}/release", {"source": ["user"]}, "source", 422),
    ],
)
def test_what_cannot_be_an_id_or_a_source(
    store: Store, method: str, path: str, body: dict[str, Any], field: str, status: int
) -> None:
    store.learn("n", "Ann likes tea.")
    answer = store.http.request(method, path, json=body)
    assert (answer.status_code, answer.json().get("field")) == (status, field)


def test_huge_ids_in_this_process(store: Store) -> None:
    from api.service import correct, knowledge

    store.learn("n", "Ann likes tea.")
    for call in (
        lambda: correct.feedback(store.context, "n", HUGE, "wrong"),
        lambda: correct.edit(store.context, "n", HUGE, "x"),
        lambda: knowledge.status(store.context, "n", [HUGE]),
    ):
        with pytest.raises(NotFound):
            call()


def test_one_unknown_episode_and_nothing_is_released(store: Store) -> None:
    assert store.http.patch(ADMIN, json={"quarantine": ["external"]}).status_code == 200
    (held,) = store.learn("n", {"content": "Ann likes tea.", "source": "external"})
    body = assert_problem(store.http.post(f"{ADMIN}/release", json={"episodes": [held, 999]}), "episodes", [404])
    assert "999" in body["detail"]
    assert store.read("n", held)["quarantined"] is True
    assert store.http.post(f"{ADMIN}/release", json={"episodes": [held, held]}).json()["released"] == 1


def test_sources_are_set_before_the_first_episode(store: Store) -> None:
    assert store.http.patch(ADMIN, json={}).status_code == 404
    assert store.rows()["namespaces"] == 0
    assert store.http.patch(ADMIN, json={"trust": {"external": 0.1}}).json()["trust"]["external"] == 0.1
    assert store.rows()["namespaces"] == 1


def test_an_edit_keeps_what_was_served_of_the_episode_itself(store: Store) -> None:
    """The sentence that stays is no echo of the answer that it was served in."""
    (first,) = store.learn("n", "Ann likes tea. Ann knows Bo.")
    store.learn("n", "Ann likes tea!")
    store.recall("n", "Ann tea Bo")
    edit(store, first, "Ann likes tea. Ann knows Di.")
    store.drain()
    assert sorted(facts(store.database)) == ["Ann knows Di.", "Ann likes tea."]
    assert facts(store.database)["Ann likes tea."]["sources"] == 2


def test_an_edit_does_not_make_an_echo_its_own(store: Store) -> None:
    store.learn("n", "Ann likes tea.")
    answer = store.recall("n", "Ann tea")
    (paste,) = store.learn("n", f"{answer['context']}\n\nDi owns boat.")
    store.recall("n", "Ann tea boat")
    edit(store, paste, f"{answer['context']}\n\nDi owns ship.")
    store.drain()
    assert facts(store.database)["Ann likes tea."]["sources"] == 1
    assert "Di owns ship." in facts(store.database)


def test_a_correction_is_no_echo(store: Store) -> None:
    store.learn("n", "Ann lives Leeds.", "Ann lives Perth.")
    store.recall("n", "Ann lives Leeds Perth")
    judge(store, "Ann lives Leeds.", "wrong", "Ann lives Perth.")
    store.drain()
    assert list(facts(store.database)) == ["Ann lives Perth."]
    assert facts(store.database)["Ann lives Perth."]["sources"] == 2


def test_an_edit_may_say_otherwise_what_was_rejected(store: Store) -> None:
    """Same subject, same object, same place; but other words, by a person: not the extractor's."""
    (first,) = store.learn("n", "Ann likes tea.")
    judge(store, "Ann likes tea.", "wrong")
    store.drain()
    edit(store, first, "Ann hates tea.")
    store.drain()
    assert list(facts(store.database)) == ["Ann hates tea."]


@pytest.mark.parametrize("drained", [True, False])
def test_a_rejection_outlives_one_of_its_episodes(store: Store, drained: bool) -> None:
    """While the other one does not state it, or has not been read again; and no word of the forgotten one is left."""
    first, second = store.learn("n", "Ann likes tea. Bo plays chess.", "Ann likes Tea!")
    judge(store, "Ann likes Tea." if "Ann likes Tea." in facts(store.database) else "Ann likes tea.", "wrong")
    store.drain()
    edit(store, first, "Bo plays chess." if drained else "Ann likes tea. Bo plays darts.")
    if drained:
        store.drain()
    store.http.delete(f"{NS}/episodes/{second}")
    assert everywhere(store.database, ["Ann likes Tea!"]) == {}
    with store.database.read() as session:
        said = session.execute(text("SELECT text FROM memories WHERE retired_reason = 'rejected'")).scalars().all()
    assert said == ["Ann likes tea."]
    edit(store, first, "Ann likes tea. Bo plays darts.")
    store.drain()
    assert list(facts(store.database)) == ["Bo plays darts."]
    assert_current(store.database)
    store.http.delete(f"{NS}/episodes/{first}")
    assert everywhere(store.database, ["tea"]) == {}


def test_what_is_marked_is_listed_nowhere(store: Store) -> None:
    """Not even what was retired before: rejected facts, passages of old words."""
    (first,) = store.learn("n", "Zelda keeps bluebird. Ann likes tea.")
    judge(store, "Zelda keeps bluebird.", "wrong")
    edit(store, first, "Zelda edits bluebird.")
    store.drain()
    ids = [one["id"] for one in store.http.get(f"{NS}/memories?status=all").json()["memories"]]
    assert len(ids) > 3
    mark(store, first)
    assert [listed(store, status) for status in ("active", "quarantined", "retired", "all")] == [[], [], [], []]
    for memory_id in ids:
        assert store.http.get(f"{NS}/memories/{memory_id}").status_code == 404
        assert store.http.post(f"{NS}/memories/{memory_id}/feedback", json={"verdict": "wrong"}).status_code == 404
    forgetting.resume(store.database)
    assert everywhere(store.database, ["Zelda"]) == {}


def test_what_is_marked_cannot_be_told_again(store: Store) -> None:
    body = {"content": "Zelda keeps bluebird.", "external_id": "x"}
    (first,) = store.learn("n", body)
    store.post("n", body, idempotency_key="k")
    mark(store, first)
    for headers in ({}, {"idempotency_key": "k"}):
        answer = store.post("n", body, **headers)
        assert (answer.status_code, answer.json()["episodes"][0]["status"]) == (207, "forgotten")
        assert answer.json()["episodes"][0]["id"] is None


@pytest.mark.parametrize("whole", [True, False])
def test_a_verdict_on_what_is_forgotten_meanwhile(store: Store, monkeypatch: pytest.MonkeyPatch, whole: bool) -> None:
    (first,) = store.learn("n", "Zelda keeps bluebird.")
    memory_id = facts(store.database)["Zelda keeps bluebird."]["id"]
    real = corrections.episodes_of

    def late(session: Any, wanted: int) -> list[int]:
        if whole:
            forgetting.forget(store.database, namespace_id(store.database, "n"), "episode", ids=[first])
        else:
            mark(store, first)
        return real(session, wanted)

    monkeypatch.setattr(corrections, "episodes_of", late)
    answer = store.http.post(f"{NS}/memories/{memory_id}/feedback", json={"verdict": "wrong"})
    assert assert_problem(answer, status=[404])["field"] == "memory_id"
    assert listed(store) == []


def test_an_answer_that_leaves_after_forgetting_leaves_no_trace(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the words told anew would be an echo of what nobody has any more."""
    from api.service import recall

    (first,) = store.learn("n", "Zelda keeps bluebird.")
    real = recall._serve

    def late(*arguments: Any) -> None:
        forgetting.forget(store.database, namespace_id(store.database, "n"), "episode", ids=[first])
        real(*arguments)

    monkeypatch.setattr(recall, "_serve", late)
    store.recall("n", "bluebird")
    with store.database.read() as session:
        for table in ("recall_log", "retrievals"):
            assert session.execute(text(f"SELECT count(*) FROM {table}")).scalar_one() == 0
    store.learn("n", "Zelda keeps bluebird.")
    assert list(facts(store.database)) == ["Zelda keeps bluebird."]


def test_forgetting_a_session_takes_its_name_out_of_answers(store: Store) -> None:
    store.learn("n", "Ann likes tea.", {"content": "Bo plays chess.", "session_id": "s-secret"})
    store.recall("n", "Ann tea", session_id="s-secret")
    store.http.post(f"{NS}/forget", json={"session_id": "s-secret"})
    assert everywhere(store.database, ["s-secret"]) == {}


def test_waiting_for_what_is_forgotten_meanwhile(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    from api.service import ingest

    real = ingest.remember

    def late(*arguments: Any, **more: Any) -> Any:
        done = real(*arguments, **more)
        forgetting.forget(store.database, namespace_id(store.database, "n"), "namespace")
        return done

    monkeypatch.setattr(ingest, "remember", late)
    answer = store.http.post(f"{NS}/episodes", params={"wait": "fresh"}, json={"content": "Ann likes tea."})
    assert (answer.status_code, answer.json()["fresh"]) == (202, False)


def test_a_fact_that_goes_between_looking_and_writing_costs_no_attempt(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    (first,) = store.learn("n", "Ann likes tea.")
    store.tell("n", "Ann likes tea.")
    by_name = {one.name: one for one in derivations(store.database, store.settings)}
    reconcile(store.database, by_name["memories"], store.settings)
    real = by_name["facts"].prepare

    def late(*arguments: Any) -> None:
        real(*arguments)
        forgetting.forget(store.database, namespace_id(store.database, "n"), "episode", ids=[first])

    monkeypatch.setattr(by_name["facts"], "prepare", late)
    report = reconcile(store.database, by_name["facts"], store.settings)
    assert (report.rebuilt, report.failed) == (1, 0)
    store.drain()
    assert facts(store.database)["Ann likes tea."]["sources"] == 1
    assert_current(store.database)


def test_turns_read_with_a_held_one_are_read_again(store: Store) -> None:
    """A held turn is no context; so those that had it as context are due when that changes."""
    _, after = store.learn(
        "n",
        {"content": "Ann likes tea.", "source": "external", "session_id": "s"},
        {"content": "Bo plays chess.", "session_id": "s"},
    )
    store.http.patch(ADMIN, json={"quarantine": ["external"]})
    states = store.http.get(f"{NS}/episodes/{after}/status").json()["derivations"]
    assert (states["facts"]["state"], states["memories"]["state"]) == ("pending", "current")


def test_a_preview_shows_what_waits(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    from datetime import UTC, datetime

    from workers.derivations.base import Snooze
    from workers.derivations.facts import Facts
    from workers.preview import preview

    (first,) = store.learn("n", "Ann likes tea.")
    monkeypatch.setattr(Facts, "derive", lambda _self, batch: [Snooze(datetime.now(UTC), "later") for _ in batch])
    (found,) = preview(store.database, store.settings, only="facts")
    assert (found.episodes, found.errors, found.changes) == (1, {first: "later"}, [])


def test_a_few_served_words_inside_a_sentence_leave_it_the_speakers(store: Store) -> None:
    store.learn("n", "New York.")
    store.recall("n", "New York")
    store.learn("n", "Ann visits Albany, New York, in spring.")
    assert "Ann visits Albany, New York, in spring." in facts(store.database)


def test_a_rejected_passage_stays_rejected_when_its_episode_is_edited_elsewhere(store: Store) -> None:
    first = "all about the pump " * 60
    (told,) = store.learn("n", f"{first}\n\nold end of it")
    listed = store.http.get("/v1/namespaces/n/memories", params={"kind": "passage"}).json()["memories"]
    wrong = listed[0]["id"]
    store.http.post(f"/v1/namespaces/n/memories/{wrong}/feedback", json={"verdict": "wrong"})
    store.http.patch(f"/v1/namespaces/n/episodes/{told}", json={"content": f"{first}\n\nnew end of it"})
    store.drain()
    left = store.http.get("/v1/namespaces/n/memories", params={"kind": "passage"}).json()["memories"]
    assert listed[0]["text"] not in [one["text"] for one in left]
    assert any("new end" in one["text"] for one in left)


def test_a_memory_is_not_stale_because_an_episode_of_its_number_is(store: Store) -> None:
    """Stamps of `facts` carry the ids of episodes: a due episode says nothing of the memory with the same id."""
    store.learn("n", "it was late. Ann likes tea.")
    (due,) = store.tell("n", "Bo plays chess.")
    answer = store.recall("n", "Ann tea")
    assert due in [memory["id"] for memory in answer["memories"]]
    assert [memory["stale"] for memory in answer["memories"]] == [[] for _ in answer["memories"]]
