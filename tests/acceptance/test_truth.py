"""Facts with real processes: written and fresh in one request, corrected, forgotten beside workers that derive."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from schema.db import Database
from tests.acceptance.conftest import QUICK
from tests.support.store import assert_current, backlog
from tests.support.truth import everywhere, facts
from tests.support.workers import api, environment, free_port, running, until, worker


@pytest.fixture
def env(database_url: str, broker_url: str) -> dict[str, str]:
    """The environment of processes that extract facts."""
    return environment(database_url, broker_url, **{**QUICK, "extractor": "rules"})


def settled(database: Database) -> bool:
    left = backlog(database)
    return len(left) > 4 and all(not any(row.values()) for row in left.values())


def test_write_wait_ask_correct_forget(env: dict[str, str], store: Database, tmp_path: Path) -> None:
    """`wait=fresh` answers when the fact is there; what is judged and forgotten is gone from the next answer on."""
    with (
        worker(env, tmp_path / "worker.log"),
        running(["beat"], env, tmp_path / "beat.log"),
        api(env, tmp_path / "api.log", port=free_port()) as (_, client),
    ):
        told = client.post(
            "/v1/namespaces/n/episodes",
            params={"wait": "fresh", "wait_seconds": 20},
            json={"content": "Zelda keeps bluebird. Ann likes tea."},
        ).json()
        assert told["fresh"] is True, told
        assert {row["state"] for row in told["derivations"].values()} == {"current"}
        found = client.get("/v1/namespaces/n/facts", params={"subject": "Zelda"}).json()["facts"]
        assert [one["text"] for one in found] == ["Zelda keeps bluebird."]
        answer = client.post("/v1/namespaces/n/recall", json={"query": "Zelda bluebird"}).json()
        assert any("bluebird" in memory["text"] for memory in answer["memories"])

        judged = client.post(
            f"/v1/namespaces/n/memories/{found[0]['id']}/feedback",
            json={"verdict": "wrong", "correction": "Zelda keeps canary."},
        ).json()
        assert judged["retired"] == "rejected"
        until(lambda: settled(store), 30, "the correction")
        assert set(facts(store)) == {"Ann likes tea.", "Zelda keeps canary."}

        episode = told["episodes"][0]["id"]
        edited = client.patch(
            f"/v1/namespaces/n/episodes/{episode}",
            params={"wait": "fresh", "wait_seconds": 20},
            json={"content": "Ann likes tea."},
        ).json()
        assert (edited["revision"], edited["fresh"]) == (2, True)
        receipt = client.delete(f"/v1/namespaces/n/episodes/{episode}").json()
        assert (receipt["logical"], receipt["left"]) == (True, {})
        assert everywhere(store, ["bluebird"]) == {}
        until(lambda: settled(store), 30, "what is left")
        assert set(facts(store)) == {"Zelda keeps canary."}
    assert_current(store)


def test_forgetting_beside_a_busy_worker_writes_nothing_back(
    env: dict[str, str], store: Database, tmp_path: Path
) -> None:
    """f05: a user is forgotten while workers derive that user's and others' words; after a sweep nothing is back."""
    with (
        worker(env, tmp_path / "worker.log"),
        running(["beat"], env, tmp_path / "beat.log"),
        api(env, tmp_path / "api.log", port=free_port()) as (_, client),
    ):

        def write(user: str, word: str) -> None:
            for number in range(40):
                client.post(
                    "/v1/namespaces/n/episodes",
                    json={"content": f"Ann{number} keeps {word}{number}. Ann likes tea.", "user_id": user},
                ).raise_for_status()

        others = threading.Thread(target=write, args=("other", "canary"))
        others.start()
        write("gone", "bluebird")
        receipt = client.post("/v1/namespaces/n/forget", json={"user_id": "gone"}).json()
        assert receipt["episodes"] == 40
        others.join()
        until(lambda: settled(store), 60, "the rest")
        assert everywhere(store, ["bluebird"]) == {}
        assert len(facts(store)) == 41
        with store.read() as session:
            from schema.store import stamps

            assert stamps.failing(session) == []
    assert_current(store)
