"""Forgetting: gone at once for readers, from every table soon after, whatever runs beside it or dies on the way."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import Any

import pytest
from sqlalchemy import text

from schema.db import Database
from schema.errors import NotFound
from schema.kinds import Verdict
from schema.settings import Settings
from schema.store import forgetting as store
from schema.store import leftovers
from tests.support.store import assert_current, backlog, count, digest, drain, namespace_id, tell
from tests.support.tiny import nli
from tests.support.truth import everywhere, facts, passages
from workers.derivations import derivations
from workers.reconcile import reconcile
from workers.truth import correction, forgetting

SECRET = ["bluebird", "Zelda", "u-secret", "s-secret", "x-secret"]
KEPT = ["Ann likes tea.", "Bo plays chess."]
DERIVED = (
    "memories", "memory_sources", "memory_events", "decisions", "mentions", "entities", "posting_sets",
    "posting_blocks", "posting_tail", "triples", "vectors_1", "episodes", "episode_revisions", "recall_log",
    "retrievals",
)  # fmt: skip


def _secret(database: Database, settings: Settings) -> list[int]:
    """Tell something private, judge it, edit it, and derive it in full; return the ids."""
    ids = tell(
        database,
        "n",
        ["Zelda keeps bluebird. Ann likes tea.", "Zelda bluebird words", "Zelda edits bluebird."],
        user_id=None,
        session_id="s-secret",
        speaker="Zelda",
    )
    drain(database, settings)
    where = namespace_id(database, "n")
    with database.write() as session:
        correction.edit(session, where, ids[2], "Zelda wrote bluebird again.")
    with database.write() as session:
        from datetime import UTC, datetime

        correction.judge(
            session, where, facts(database)["Zelda keeps bluebird."]["id"], Verdict.WRONG, None, datetime.now(UTC)
        )
    drain(database, settings)
    return ids


@pytest.fixture(scope="module")
def classifier(tmp_path_factory: pytest.TempPathFactory) -> str:
    return nli(tmp_path_factory.mktemp("nli") / "model", ["contradiction", "entailment", "neutral"])


def test_nothing_is_left_in_any_table(database: Database, settings: Settings, classifier: str) -> None:
    """f01: after forgetting a session of a store with every derivation, the whole database holds no word of it, and
    what others said stays."""
    settings = settings.model_copy(update={"classifier": classifier, "category_threshold": 0})
    tell(database, "n", KEPT, user_id=None)
    drain(database, settings)
    before = digest(database, "n")
    rows = {table: count(database, table) for table in ("memories", "entities", "triples", "mentions", "vectors_1")}
    _secret(database, settings)
    assert everywhere(database, SECRET)
    assert {"categories", "facts", "triples", "vectors:1"} <= backlog(database).keys()
    done = forgetting.forget(database, namespace_id(database, "n"), "session_id", value="s-secret")
    assert everywhere(database, SECRET) == {}
    assert done.left == {}
    assert (done.episodes, done.removed["episodes"], done.removed["episode_revisions"]) == (3, 3, 4)
    drain(database, settings)
    assert {table: count(database, table) for table in rows} == rows
    assert digest(database, "n") == before
    assert sorted(facts(database)) == ["Ann likes tea.", "Bo plays chess."]
    assert facts(database)["Ann likes tea."]["corroboration"] == 1
    assert_current(database)


def test_a_shared_fact_speaks_only_with_what_is_left(database: Database, settings: Settings) -> None:
    tell(database, "n", ["Ann likes Tea."])
    (second,) = tell(database, "n", ["Ann likes tea!"], session_id="s")
    tell(database, "n", ["Ann likes tea"], source="external")
    drain(database, settings)
    forgetting.forget(database, namespace_id(database, "n"), "episode", ids=[second])
    drain(database, settings)
    fact = facts(database)["Ann likes Tea."]
    assert (fact["sources"], fact["corroboration"]) == (2, 2)
    assert_current(database)


@pytest.mark.parametrize("stop_after", [0, 1, 2])
def test_killed_half_way_it_is_gone_for_readers_and_goes_on_later(
    database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch, stop_after: int
) -> None:
    monkeypatch.setattr(forgetting, "BATCH", 2)
    tell(database, "n", KEPT)
    drain(database, settings)
    before = digest(database, "n")
    tell(database, "n", [f"Zelda keeps bluebird{number}." for number in range(5)], user_id="u-secret")
    drain(database, settings)
    batches = 0
    real = store.delete

    def dies(*arguments: Any) -> None:
        nonlocal batches
        if batches == stop_after:
            raise KeyboardInterrupt
        batches += 1
        real(*arguments)

    with monkeypatch.context() as patched:
        patched.setattr(store, "delete", dies)
        with pytest.raises(KeyboardInterrupt):
            forgetting.forget(database, namespace_id(database, "n"), "user_id", value="u-secret")
    assert passages(database) == KEPT
    assert not any("bluebird" in says for says in facts(database))
    drain(database, settings)
    assert not any("bluebird" in says for says in facts(database))
    (done,) = forgetting.resume(database)
    assert (done.episodes, done.left) == (5, {})
    assert forgetting.resume(database) == []
    assert everywhere(database, SECRET) == {}
    drain(database, settings)
    assert digest(database, "n") == before
    assert_current(database)


@pytest.mark.parametrize("name", ["memories", "facts", "postings", "entities", "vectors:1", "triples"])
def test_a_worker_that_holds_the_rows_writes_nothing_back(
    database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """f05: whatever a worker had read before, its finish finds its claim gone; nothing fails, nothing comes back."""
    from workers import spaces

    spaces.ensure(database, settings)
    tell(database, "n", KEPT)
    drain(database, settings)
    tell(database, "n", ["Zelda keeps bluebird."], session_id="s-secret")
    order = [one.name for one in derivations(database, settings)]
    for before in order[: order.index(name)]:
        reconcile(database, _one(database, settings, before), settings)
    victim = _one(database, settings, name)
    real = victim.derive

    def slow(batch: Any) -> Any:
        done = real(batch)
        forgetting.forget(database, namespace_id(database, "n"), "session_id", value="s-secret")
        return done

    own = Database(database.url, role="worker")
    monkeypatch.setattr(victim, "derive", slow)
    report = reconcile(own, victim, settings)
    own.dispose()
    assert report.skipped >= 1
    assert report.failed == 0
    drain(database, settings)
    assert everywhere(database, SECRET) == {}
    assert all(row == {"stale": 0, "quarantined": 0} for row in backlog(database).values())


def _one(database: Database, settings: Settings, name: str) -> Any:
    return next(one for one in derivations(database, settings) if one.name == name)


def test_beside_workers_and_edits_there_is_no_deadlock(database: Database, settings: Settings) -> None:
    """Derive, edit and forget the same shared facts from many connections at once, for a while."""
    from workers import spaces
    from workers.drain import drain_all

    spaces.ensure(database, settings)
    where_facts = [f"Ann{number % 5} likes tea." for number in range(60)]
    ids = tell(database, "n", where_facts, session_id="a")
    drain(database, settings)
    where = namespace_id(database, "n")
    failures: list[BaseException] = []

    def each(work: Any) -> threading.Thread:
        def run() -> None:
            own = Database(database.url, role="worker")
            try:
                work(own)
            except BaseException as error:  # noqa: BLE001 - whatever it is, the test shows it
                failures.append(error)
            finally:
                own.dispose()

        return threading.Thread(target=run)

    def edits(own: Database) -> None:
        for episode_id in ids[:30]:
            with own.write() as session:
                correction.edit(session, where, episode_id, "Ann1 likes tea. Ann2 likes tea. Ann3 likes tea.")

    def judges(own: Database) -> None:
        from datetime import UTC, datetime

        for memory in [fact["id"] for fact in facts(own).values()] * 5:
            # One that rests on what is being forgotten is not there for a moment, or not any more.
            with suppress(NotFound), own.write() as session:
                correction.judge(session, where, memory, Verdict.CONFIRM, None, datetime.now(UTC))

    def forgets(own: Database) -> None:
        for episode_id in ids[30:]:
            forgetting.forget(own, where, "episode", ids=[episode_id])

    threads = [
        each(edits),
        each(judges),
        each(forgets),
        *(each(lambda own: drain_all(own, settings)) for _ in range(2)),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    drain(database, settings)
    with database.read() as session:
        assert session.execute(text("SELECT count(*) FROM stamps WHERE error IS NOT NULL")).scalar_one() == 0
        assert leftovers.pointing(session, ids[30:], []) == {}
    assert set(facts(database)) == {"Ann1 likes tea.", "Ann2 likes tea.", "Ann3 likes tea."}
    assert {fact["sources"] for fact in facts(database).values()} == {30}
    assert_current(database)


def test_what_was_forgotten_cannot_be_imported_again(database: Database, settings: Settings) -> None:
    from schema.store.episodes import NewEpisode
    from tests.support.store import START

    item = NewEpisode(content="Zelda keeps bluebird.", occurred_at=START, external_id="x-secret")
    (first,) = tell(database, "n", [item])
    drain(database, settings)
    forgetting.forget(database, namespace_id(database, "n"), "episode", ids=[first])
    assert tell(database, "n", [item]) == []
    assert everywhere(database, SECRET) == {}
    # The same words under no id are a new episode.
    (again,) = tell(database, "n", ["Zelda keeps bluebird."])
    assert again != first


def test_a_namespace_goes_with_its_name_and_may_be_told_again(database: Database, settings: Settings) -> None:
    tell(database, "n", KEPT)
    tell(database, "other", ["Ann likes tea."])
    drain(database, settings)
    old = namespace_id(database, "n")
    done = forgetting.forget(database, old, "namespace")
    assert (done.episodes, done.left) == (2, {})
    with database.read() as session:
        for table in DERIVED[:-1]:
            if table in {"memory_sources", "mentions", "decisions", "episode_revisions"}:
                continue
            rows = session.execute(
                text(f"SELECT count(*) FROM {table} WHERE namespace_id = :ns"), {"ns": old}
            ).scalar_one()
            assert rows == 0, table
        assert session.execute(text("SELECT count(*) FROM namespaces WHERE id = :ns"), {"ns": old}).scalar_one() == 0
    assert list(facts(database, "other")) == ["Ann likes tea."]
    tell(database, "n", KEPT)
    drain(database, settings)
    assert len(facts(database)) == 2
    assert_current(database)


def test_an_episode_whose_time_is_up_is_forgotten(database: Database, settings: Settings) -> None:
    from datetime import UTC, datetime, timedelta

    from schema.store.episodes import NewEpisode
    from tests.support.store import START

    soon = NewEpisode(
        content="Zelda keeps bluebird.", occurred_at=START, expires_at=datetime.now(UTC) + timedelta(seconds=0.2)
    )
    tell(database, "n", [soon, *KEPT])
    drain(database, settings)
    with database.read() as session:
        session.execute(text("SELECT pg_sleep(0.3)"))
    assert forgetting.expire(database) == 1
    assert forgetting.expire(database) == 0
    assert everywhere(database, SECRET) == {}
    assert passages(database) == KEPT


def test_the_vacuum_is_told_and_seen(database: Database, database_url: str, settings: Settings) -> None:
    """`physical` is false until a vacuum has been over every table that held something."""
    (first, *_) = tell(database, "n", ["Zelda keeps bluebird.", *KEPT])
    drain(database, settings)
    done = forgetting.forget(database, namespace_id(database, "n"), "episode", ids=[first])
    assert done.physical is False
    owner = Database(database_url, role="owner")
    tables = [*store.tables(), "vectors_1"]
    with owner.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        for table in tables:
            connection.execute(text(f"VACUUM {table}"))
        connection.execute(text("SELECT pg_stat_force_next_flush()"))
    owner.dispose()
    with database.read() as session:
        assert store.receipt(session, done.id).physical is True
