"""When something the service needs is away, it says so, does the rest, and comes back by itself."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.engine import make_url

from schema.db import Database
from schema.settings import Settings
from tests.support.client import KEYWORD_ONLY, Store, assert_problem, serving
from tests.support.servers import admin
from tests.support.store import assert_current, backlog


@contextmanager
def _without_database(settings: Settings) -> Iterator[None]:
    """Throw everybody out of the test's database and let nobody in until the block ends."""
    assert settings.database_url is not None
    name = make_url(settings.database_url).database
    with admin(settings.database_url) as connection:
        connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name])
        try:
            yield
        finally:
            connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")


@pytest.fixture
def switch(settings: Settings, database: Database, tmp_path: Path) -> Iterator[tuple[Store, Path]]:
    """A store whose encoder is down while a file exists."""
    file = tmp_path / "down"
    with serving(settings.model_copy(update={"encoder": f"fake:16:{file}"})) as http:
        yield Store(http, database, settings.model_copy(update={"encoder": f"fake:16:{file}"})), file


def test_without_the_encoder_the_other_legs_answer(switch: tuple[Store, Path]) -> None:
    store, down = switch
    store.learn("n", "the ferry leaves at noon", "Otto waved")
    assert store.recall("n", "ferry")["degraded"] == {}
    down.touch()
    answer = store.recall("n", "ferry noon", explain=True)
    assert [memory["text"] for memory in answer["memories"]] == ["the ferry leaves at noon"]
    assert answer["degraded"].keys() == {"semantic"}
    assert answer["degraded"]["semantic"]
    assert answer["evidence"]["degraded"] == answer["degraded"]
    assert store.recall("n", "nothing known", k=3)["degraded"].keys() == {"semantic"}
    assert store.recall("n", "ferry", settings=KEYWORD_ONLY)["degraded"] == {}, "a leg nobody asked is not degraded"
    down.unlink()
    assert store.recall("n", "ferry noon tomorrow")["degraded"] == {}


def test_without_the_encoder_a_write_is_kept_and_found_by_its_words(switch: tuple[Store, Path]) -> None:
    store, down = switch
    store.learn("n", "the ferry leaves at noon")
    down.touch()
    store.learn("n", "the tram leaves at one")
    left = backlog(store.database)
    assert left["postings"] == {"stale": 0, "quarantined": 0}
    assert left["vectors:1"] == {"stale": 1, "quarantined": 0}
    answer = store.recall("n", "tram")
    assert [memory["text"] for memory in answer["memories"]] == ["the tram leaves at one"]
    assert answer["memories"][0]["stale"] == ["vectors:1"], "it says what is not yet true of it"
    down.unlink()
    time.sleep(store.settings.breaker_seconds + 0.1)
    store.drain()
    assert_current(store.database)
    assert store.recall("n", "tram again")["memories"][0]["legs"] == ["keyword", "semantic"]


def test_a_question_that_breaks_the_models_costs_their_leg_only(store: Store) -> None:
    store.learn("n", "the ferry leaves at noon", "Otto waved")
    answer = store.recall("n", "ferry and otto «raise»")
    assert {memory["text"] for memory in answer["memories"]} == {"the ferry leaves at noon", "Otto waved"}
    assert "ValueError" in answer["degraded"]["semantic"]
    assert ["entity", "keyword"] in [memory["legs"] for memory in answer["memories"]], "known names are still found"
    assert store.recall("n", "ferry")["degraded"] == {}


def test_another_model_under_the_same_name_is_never_compared(store: Store) -> None:
    """Public fault d01: vectors of other weights are not ours to measure against."""
    store.learn("n", "the ferry leaves at noon")
    with store.database.engine.connect() as connection:
        connection.execute(text("RESET ROLE"))
        connection.execute(text("UPDATE spaces SET weights = 'others', fingerprint = 'others'"))
        connection.commit()
    with serving(store.settings) as http:
        answer = Store(http, store.database, store.settings).recall("n", "ferry")
    assert "weights" in answer["degraded"]["semantic"]
    assert [memory["text"] for memory in answer["memories"]] == ["the ferry leaves at noon"]


def test_without_the_database_every_answer_is_a_503_and_the_process_lives(store: Store) -> None:
    store.learn("n", "the ferry leaves at noon")
    http = store.http
    with _without_database(store.settings):
        for _ in range(2):
            began = time.monotonic()
            for answer in (
                store.ask("n", "ferry"),
                store.post("n", {"content": "lost?"}, idempotency_key="k"),
                http.get("/v1/namespaces/n/episodes"),
                http.get("/v1/namespaces/n/episodes/1"),
                http.get("/v1/admin/status"),
            ):
                assert_problem(answer, status=(503,))
                assert "Traceback" not in answer.text
            ready = http.get("/readyz")
            assert (ready.status_code, ready.json()["ready"]) == (503, False)
            assert http.get("/healthz").json() == {"status": "alive"}
            assert time.monotonic() - began < 5
        assert_problem(store.post("n", {"content": "\0"}), "content")
    assert store.texts("n", "ferry") == ["the ferry leaves at noon"]
    assert store.post("n", {"content": "not lost"}, idempotency_key="k").status_code == 202


def test_a_database_without_schema_says_what_to_do(
    settings: Settings, empty_database_url: str, database: Database
) -> None:
    with serving(settings.model_copy(update={"database_url": empty_database_url})) as http:
        store = Store(http, database, settings)
        for answer in (store.ask("n", "ferry"), store.post("n", {"content": "x"}), http.get("/v1/admin/status")):
            problem = assert_problem(answer, status=(503,))
            assert "palimpsest migrate" in problem["detail"]
        assert http.get("/readyz").status_code == 503


@pytest.fixture
def refused() -> str:
    """A broker's URL where nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"redis://127.0.0.1:{probe.getsockname()[1]}/0"


@pytest.fixture
def silent() -> Iterator[str]:
    """A broker's URL where somebody listens and never answers."""
    with socket.socket() as hole:
        hole.bind(("127.0.0.1", 0))
        hole.listen(50)
        yield f"redis://127.0.0.1:{hole.getsockname()[1]}/0"


@pytest.mark.parametrize("kind", ["refused", "silent"])
def test_without_the_broker_a_write_is_kept_and_quick(
    settings: Settings, database: Database, kind: str, request: pytest.FixtureRequest
) -> None:
    away = settings.model_copy(update={"broker_url": request.getfixturevalue(kind)})
    with serving(away) as http:
        store = Store(http, database, away)
        took = []
        for number in range(3):
            began = time.monotonic()
            answer = store.post("n", {"content": f"the ferry number {number}"})
            took.append(time.monotonic() - began)
            assert (answer.status_code, answer.json()["queued"]) == (202, False)
        assert took[0] < 2, "the first one waits for the time limit at most"
        assert max(took[1:]) < 0.5, "then the circuit breaker is open"
        assert "cannot be reached" in http.get("/readyz").json()["checks"]["broker"]
        assert http.get("/v1/admin/status").status_code == 200
        store.drain()
        assert len(store.by_keyword("n", "ferry")) == 3


def test_a_broker_that_comes_back_is_used_again(store: Store) -> None:
    from workers import nudge

    nudger = store.context.nudger
    assert nudger is not None
    right = nudger.client
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        nudger.client = nudge.client(f"redis://127.0.0.1:{probe.getsockname()[1]}/0", 0.5)
        assert store.post("n", {"content": "one"}).json()["queued"] is False
    nudger.client = right
    assert store.post("n", {"content": "two"}).json()["queued"] is False, "still quiet"
    nudger._quiet_until = 0.0
    assert store.post("n", {"content": "three"}).json()["queued"] is True


def test_without_a_broker_at_all_the_sweep_finds_the_rows(settings: Settings, database: Database) -> None:
    alone = settings.model_copy(update={"broker_url": None})
    with serving(alone) as http:
        store = Store(http, database, alone)
        assert store.post("n", {"content": "the ferry leaves at noon"}).json()["queued"] is False
        store.drain()
        assert store.by_keyword("n", "ferry") == ["the ferry leaves at noon"]


def test_a_parser_that_is_away_is_named_and_known_names_are_still_found(store: Store) -> None:
    store.learn("n", "Mira keeps bees", "Otto keeps nothing")
    store.context.settings = store.context.settings.model_copy(update={"spacy_model": "no_such_pipeline"})
    answer = store.ask("n", "what does mira keep").json()
    assert "entity" in answer["degraded"]
    assert answer["memories"][0]["text"] == "Mira keeps bees"
