"""A turn is read with its neighbours: those that are there now, in this session, found through an index."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import text

from schema import clock
from schema.derivations import OF_EPISODES
from schema.store import candidates, health, namespaces
from tests.support.client import KEYWORD_ONLY, Store


def talk(*said: str, session: str = "s", **fields: Any) -> list[dict[str, Any]]:
    return [{"content": content, "session_id": session, **fields} for content in said]


def considered(store: Store, query: str, **settings: Any) -> list[str]:
    """The texts of everything that was considered, best first."""
    fields: dict[str, Any] = {"settings": {**KEYWORD_ONLY, **settings}, "explain": True, "k": 100}
    return [memory["text"] for memory in store.recall("n", query, **fields)["memories"]]


def test_an_answer_is_found_by_the_question_before_it(store: Store) -> None:
    store.learn("n", *talk("So what did you plant?", "Two pear trees", "and a fig"), *talk("Rain", session="t"))
    answer = store.recall("n", "what was planted", settings=KEYWORD_ONLY, explain=True)
    assert [memory["text"] for memory in answer["memories"]] == [
        "So what did you plant?",
        "Two pear trees",
        "and a fig",
    ]
    assert [memory["legs"] for memory in answer["memories"]] == [["keyword"], [], []]
    parts = [row["part"].get("keyword", 0) for row in answer["evidence"]["candidates"]]
    assert parts == sorted(parts, reverse=True)
    assert parts[:2] == [1.0, pytest.approx((0.6 - 0.3) / (1 - 0.3))]


def test_neighbours_are_the_living_ones_whatever_their_numbers(store: Store) -> None:
    """Numbers of turns may have gaps; what was edited, forgotten or is held back is nobody's neighbour."""
    turns = talk("one", "two", "pear", "four", "five")
    for place, turn in enumerate(turns):
        turn["seq"] = place * 1_000
    ids = store.learn("n", *turns)
    assert sorted(considered(store, "pear")) == ["five", "four", "one", "pear", "two"]
    store.http.delete(f"/v1/namespaces/n/episodes/{ids[1]}").raise_for_status()
    store.http.patch(f"/v1/namespaces/n/episodes/{ids[3]}", json={"content": "vier"}).raise_for_status()
    store.drain()
    assert sorted(considered(store, "pear")) == ["five", "one", "pear", "vier"]
    assert considered(store, "pear", proximity=0, near=0) == ["pear"]


def test_long_turns_are_neighbours_by_their_passages(store: Store) -> None:
    """Two passages either way, not two turns of any length."""
    long = "\n\n".join(f"{word} " + "filler words about nothing much " * 60 for word in ("alpha", "beta", "gamma"))
    store.learn("n", *talk("before", long, "after"))
    found = considered(store, "alpha")
    assert any(item.startswith("alpha") for item in found[:1])
    assert "before" in found
    assert "after" not in found


def test_every_place_of_a_session_against_a_plain_reading(store: Store) -> None:
    sizes = [1, 3, 2, 1, 4]
    turns = ["\n\n".join(f"w{turn}x{part} " + "and so on it goes " * 90 for part in range(size))
             for turn, size in enumerate(sizes)]  # fmt: skip
    store.learn("n", *talk(*turns), *talk("pear", session="t"))
    with store.database.read() as session:
        place = namespaces.find(session, "n")
        assert place is not None
        rows = session.execute(text("SELECT id FROM memories WHERE session_id = 's' ORDER BY seq, start")).scalars()
        order = list(rows)
        found = candidates.read(session, place.id, numbers=[], ids=order, reach=2, near=None, at=clock.now())
    assert len(order) >= sum(sizes)
    for row in found:
        here = order.index(row.id)
        assert list(row.before) == order[max(0, here - 2) : here][::-1]
        assert list(row.after) == order[here + 1 : here + 3]


def test_who_speaks_is_known_whoever_named_them_first(store: Store) -> None:
    """The name of a speaker is no part of what is encoded, and the second question knows that beforehand."""
    store.learn("n", {"content": "Mira Quill said hello", "speaker": "Otto"})
    store.learn("n", {"content": "hello", "speaker": "Mira Quill"}, {"content": "The user waves", "speaker": "user"})
    asked: list[str] = []
    encoder = store.context.encoder

    def listening(space: Any) -> Any:
        found = encoder(space)

        class Ear:
            def query(self, question: str, *more: Any) -> Any:
                asked.append(question)
                return found.query(question, *more)

        return Ear()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store.context, "encoder", listening)
        first = store.recall("n", "What did Mira say?", explain=True)
        assert asked[-1] == "What did say?"
        before = len(asked)
        store.recall("n", "Is Mira sailing?")
        assert asked[before:] == ["Is sailing?"]
        store.recall("n", "Is the user sailing?")
        assert asked[-1] == "Is the user sailing?"
    assert first["evidence"]["speakers"] == 1
    assert first["memories"][0]["speaker"] == "Mira Quill"


def test_a_speaker_that_is_forgotten_is_none(store: Store) -> None:
    (mira, _) = store.learn("n", {"content": "hello", "speaker": "Mira"}, {"content": "hello", "speaker": "Otto"})
    assert store.recall("n", "What did Mira say?", explain=True)["evidence"]["speakers"] == 1
    store.http.delete(f"/v1/namespaces/n/episodes/{mira}").raise_for_status()
    store.drain()
    for _ in range(2):
        assert store.recall("n", "What did Mira say?", explain=True)["evidence"]["speakers"] == 0


def test_neighbours_and_speakers_are_found_by_their_indexes(store: Store) -> None:
    """Twenty thousand rows, analysed: a plan that reads them all would show."""
    store.learn("n", *talk("pear"))
    with store.database.write() as session:
        session.execute(
            text("""
            INSERT INTO memories (namespace_id, number, key, kind, text, text_digest, source, session_id, seq,
                                  occurred_at, trust, confidence)
            SELECT namespace_id, 1000 + n, decode(md5(n::text), 'hex'), 'passage', 'x', '', 'user', 't' || n / 50, n,
                   now(), 1, 1 FROM memories, generate_series(1, 20000) n""")
        )
        session.execute(
            text("""
            INSERT INTO entities (namespace_id, key, posting_key, name, kind, is_speaker)
            SELECT namespace_id, 'name' || n || ' x', n, 'x', 'PERSON', n % 100 = 0
            FROM memories, generate_series(1, 20000) n WHERE number < 1000""")
        )
    with store.database.write() as session:
        health.analyse(session)
    with store.database.read() as session:
        place = namespaces.find(session, "n")
        assert place is not None
        params = {"ns": place.id, "numbers": [1005, 1500, 9000], "ids": [], "reach": 2, "at": clock.now()}
        rows = session.connection().exec_driver_sql(f"EXPLAIN {candidates.statement(None)}", params)
        plan = "\n".join(row[0] for row in rows)
        asked = {
            "name": "n",
            "tenant": namespaces.DEFAULT_TENANT,
            "names": ["name100", "name5"],
            "of_episodes": list(OF_EPISODES),
        }
        who = session.execute(text(f"EXPLAIN {namespaces.FOR_RECALL}"), asked).scalars()
        people = "\n".join(who)
    assert "ix_memories_position" in plan
    assert "Seq Scan on memories" not in plan, plan
    assert "ix_entities_speaker" in people
    assert "Seq Scan on entities" not in people, people
