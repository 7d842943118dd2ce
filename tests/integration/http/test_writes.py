"""A write is accepted once, whole or by parts that are named, however often and from however many sides it comes."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tests.support.client import Store, assert_problem
from tests.support.store import assert_current, count


def _at_once(*calls: Callable[[], httpx.Response]) -> list[httpx.Response]:
    """Run calls at the same moment and return their answers in the order given."""
    gate = threading.Barrier(len(calls))
    answers: dict[int, httpx.Response] = {}

    def run(place: int, call: Callable[[], httpx.Response]) -> None:
        gate.wait(10)
        answers[place] = call()

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return [answers[place] for place in range(len(calls))]


def test_a_bad_episode_is_refused_alone(store: Store) -> None:
    """Public fault a01: numbers 1 and 3 are stored and recallable whatever happens to number 2."""
    bad = {"content": "alpha\0beta", "metadata": {"k\0": "v\0"}}
    answer = store.post("n", {"episodes": [{"content": "walnut"}, bad, {"content": "chestnut"}]})
    assert answer.status_code == 207
    first, second, third = answer.json()["episodes"]
    assert (first["status"], third["status"]) == ("accepted", "accepted")
    assert (second["status"], second["code"], second["field"]) == ("refused", 422, "episodes.1.content")
    assert count(store.database, "episodes") == 2
    store.drain()
    assert store.by_keyword("n", "walnut") == ["walnut"]
    assert store.by_keyword("n", "chestnut") == ["chestnut"]
    assert store.by_keyword("n", "alpha beta") == []
    assert_current(store.database)


def test_every_kind_of_bad_episode_is_refused_alone(store: Store) -> None:
    long = "w" * (store.settings.max_content_chars + 1)
    bad: dict[str, Any] = {
        "content": {"content": " "},
        "metadata": {"content": "x", "metadata": {"k\0": 1}},
        "occurred_at": {"content": "x", "occurred_at": "2025-06-01T12:00:00"},
        "speeker": {"content": "x", "speeker": "Ada"},
        "episode": 5,
        "seq": {"content": "x", "seq": -1},
    }
    items: list[Any] = [{"content": "good one"}]
    for item in [*bad.values(), {"content": long}]:
        items += [item, {"content": f"good {len(items)}"}]
    answer = store.post("n", {"episodes": items})
    assert answer.status_code == 207
    results = answer.json()["episodes"]
    refused = [(result["code"], result["field"]) for result in results if result["status"] == "refused"]
    names = [*bad, "content"]
    assert refused == [
        (413 if at == len(bad) else 422, f"episodes.{1 + 2 * at}.{name}") for at, name in enumerate(names)
    ]
    assert count(store.database, "episodes") == len(items) - len(names)


def test_the_same_key_and_body_repeats_the_first_answer(store: Store) -> None:
    """Public fault a11: to the byte, its status included, and however the first one ended."""
    bodies: dict[str, Any] = {
        "one": {"content": "Otto paid the plumber", "metadata": {"b": 1, "a": 2}},
        "many": {"episodes": [{"content": "one", "external_id": "zz"}, {"content": " "}, {"content": "three"}]},
        "long": {"content": "ballast " * 3_000},
    }
    for key, body in bodies.items():
        first, *others = [store.post("n", body, idempotency_key=key) for _ in range(3)]
        assert first.status_code == (207 if key == "many" else 202)
        for other in others:
            assert (other.status_code, other.content) == (first.status_code, first.content)
    assert count(store.database, "episodes") == 4


def test_a_key_names_one_request(store: Store) -> None:
    """Public fault a11: a new key is a new episode and no second memory in the answer; another text is a conflict."""
    body = {"content": "Otto paid the plumber", "occurred_at": "2025-06-01T12:00:00Z"}
    ids = {store.post("n", body, idempotency_key="k1").json()["episodes"][0]["id"] for _ in range(3)}
    assert len(ids) == 1
    again = store.post("n", body, idempotency_key="k2").json()["episodes"][0]
    assert again["status"] == "accepted"
    assert again["id"] not in ids
    before = store.rows()
    assert_problem(store.post("n", {**body, "content": "Otto did not pay"}, idempotency_key="k1"), status=(422,))
    assert store.rows() == before
    store.drain()
    assert store.texts("n", "who paid the plumber") == ["Otto paid the plumber"]
    assert store.by_keyword("n", "Otto") == ["Otto paid the plumber"]


def test_a_key_belongs_to_its_namespace(store: Store) -> None:
    for name in ("one", "two"):
        assert store.post(name, {"content": f"told to {name}"}, idempotency_key="same").status_code == 202
    assert count(store.database, "episodes") == 2


def test_a_key_of_a_refused_request_is_free(store: Store) -> None:
    assert_problem(store.post("n", {"content": " "}, idempotency_key="k"), "content")
    assert store.post("n", {"content": "mended"}, idempotency_key="k").status_code == 202


@pytest.mark.parametrize("same", [True, False])
def test_one_key_at_once_makes_one_episode(store: Store, same: bool) -> None:
    """Public fault a11: a retry that overtakes the first request waits for its answer."""
    bodies = [{"content": "told once" if same else f"told by {place}"} for place in range(6)]
    answers = _at_once(*(lambda body=body: store.post("n", body, idempotency_key="k") for body in bodies))
    assert count(store.database, "episodes") == 1
    if same:
        assert {(answer.status_code, answer.content) for answer in answers} == {(202, answers[0].content)}
    else:
        assert sorted(answer.status_code for answer in answers) == [202, *[422] * 5]


def test_telling_again_under_an_external_id_adds_nothing(store: Store) -> None:
    item = {"content": "the boiler is serviced in May", "external_id": "e1", "session_id": "s"}
    (first,) = store.post("n", item).json()["episodes"]
    before = store.rows()
    again = store.post("n", item)
    assert again.status_code == 202
    assert again.json()["episodes"] == [{**first, "status": "duplicate"}]
    assert store.rows() == before
    other = store.post("n", {**item, "content": "the boiler is serviced in June"})
    assert other.status_code in {207, 409}
    assert other.json()["episodes"] == [{**first, "status": "conflict"}]
    assert store.rows() == before
    assert store.read("n", first["id"])["content"] == item["content"]


def test_an_external_id_twice_in_one_batch(store: Store) -> None:
    batch = [{"content": text, "external_id": "e"} for text in ("first", "first", "second")]
    answer = store.post("n", {"episodes": [*batch, {"content": "no id"}]})
    assert [item["status"] for item in answer.json()["episodes"]] == ["accepted", "duplicate", "conflict", "accepted"]
    assert count(store.database, "episodes") == 2


def test_an_external_id_belongs_to_its_namespace(store: Store) -> None:
    (one,) = store.tell("one", {"content": "x", "external_id": "e"})
    (two,) = store.tell("two", {"content": "y", "external_id": "e"})
    assert one != two


def test_external_ids_from_many_sides_make_one_row_each(store: Store) -> None:
    """The same import four times at once: no error, every id once, the same id for all."""
    items = [{"content": f"turn {n}", "external_id": f"e{n}", "session_id": f"s{n % 3}"} for n in range(120)]
    orders = [items, items[10:], items[::2], items]
    answers = _at_once(*(lambda order=order: store.post("n", {"episodes": order}) for order in orders))
    assert [answer.status_code for answer in answers] == [202] * len(orders), [a.text[:200] for a in answers]
    assert count(store.database, "episodes") == len(items)
    assert count(store.database, "episode_revisions") == len(items)
    named: dict[str, set[int]] = {}
    statuses: dict[str, list[str]] = {}
    for answer in answers:
        for result in answer.json()["episodes"]:
            named.setdefault(result["external_id"], set()).add(result["id"])
            statuses.setdefault(result["external_id"], []).append(result["status"])
    assert all(len(ids) == 1 for ids in named.values())
    assert all(sorted(seen) == ["accepted", *["duplicate"] * (len(seen) - 1)] for seen in statuses.values())


def test_turns_from_many_sides_get_places_of_their_own(store: Store) -> None:
    batches = [[{"content": f"{side} {n}", "session_id": "s"} for n in range(20)] for side in range(4)]
    _at_once(*(lambda batch=batch: store.post("n", {"episodes": batch}) for batch in batches))
    rows = store.http.get("/v1/namespaces/n/episodes", params={"session_id": "s", "limit": 500}).json()["episodes"]
    assert sorted(row["seq"] for row in rows) == list(range(1, 81))
    for side in range(4):
        own = [row["seq"] for row in rows if row["content"].startswith(f"{side} ")]
        assert own == sorted(own)


def test_pages_hold_every_episode_once(store: Store) -> None:
    """Public fault c15, for episodes told in one transaction."""
    moment = "2025-06-01T12:00:00Z"
    ids = store.tell("n", *({"content": f"row {n}", "occurred_at": moment} for n in range(45)))
    store.tell("other", "not this one")
    seen: list[int] = []
    after: int | None = 0
    while after is not None:
        page = store.http.get("/v1/namespaces/n/episodes", params={"after": after, "limit": 10}).json()
        seen += [row["id"] for row in page["episodes"]]
        after = page["next"]
    assert seen == ids


def test_an_answer_is_json_whatever_was_told(store: Store) -> None:
    odd = "\ufffe\uffff\U0010ffff \u2028\u2029\x01\x1f\x7f\x85 \u202e end"
    (episode_id,) = store.learn("n", {"content": odd, "speaker": "\x01\u2028", "metadata": {"\ufffe": "\x7f"}})
    assert store.read("n", episode_id)["content"] == odd
    answer = store.ask("n", "end", explain=True)
    assert json.loads(answer.content.decode())["memories"][0]["text"] == odd.rstrip()
