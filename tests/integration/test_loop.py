"""The one loop's hard cases, each against a real database: claims, leases, invalidation, failures, budgets."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import pytest
from sqlalchemy import text

from schema.db import Database
from schema.errors import ProviderUnavailable, StoreUnavailable
from schema.settings import Settings
from schema.store import rules, stamps
from schema.store.stamps import Selection
from tests.support.store import assert_current, backlog, count, drain, namespace_id, stamp, tell
from workers import spaces
from workers.derivations import Entities, Memories, Postings, derivations
from workers.reconcile import reconcile


def _revised(settings: Settings, **change: Any) -> Settings:
    return settings.model_copy(update=change)


class Watched(Entities):
    """Entities that let a test act while a batch is being derived, and remember the batches they saw."""

    def __init__(self, settings: Settings, act: Callable[[Sequence[Any]], None] = lambda _batch: None) -> None:
        super().__init__(settings)
        self.act = act
        self.seen: list[list[str]] = []

    def derive(self, batch: Sequence[Any]) -> Any:
        self.seen.append([item.text for item in batch])
        self.act(batch)
        return super().derive(batch)


def _with_passages(database: Database, settings: Settings, contents: Sequence[str]) -> list[int]:
    """Tell, derive memories only, and return memory ids in the order told."""
    spaces.ensure(database, settings)
    tell(database, "n", contents)
    reconcile(database, Memories(settings), settings)
    with database.read() as session:
        return list(session.execute(text("SELECT id FROM memories ORDER BY occurred_at")).scalars())


def test_what_is_told_becomes_current_in_every_derivation(database: Database, settings: Settings) -> None:
    tell(database, "n", [f"Mira told Otto number {index}" for index in range(150)])
    reports = drain(database, settings)
    assert {name: report.rebuilt for name, report in reports.items()} == dict.fromkeys(
        ["memories", "facts", "triples"], 150
    ) | dict.fromkeys(["postings", "entities", "vectors:1"], 300)
    assert_current(database)


def test_a_second_pass_does_nothing(database: Database, settings: Settings) -> None:
    tell(database, "n", ["once"])
    drain(database, settings)
    assert all(report.rebuilt == report.failed == 0 for report in drain(database, settings).values())


def test_two_workers_share_and_never_claim_the_same_row(database: Database, settings: Settings) -> None:
    _with_passages(database, settings, [f"Name{index} spoke" for index in range(300)])
    rivals = [Watched(settings) for _ in range(2)]
    for rival in rivals:
        rival.batch = 20
    threads = [threading.Thread(target=reconcile, args=(database, rival, settings)) for rival in rivals]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seen = [content for rival in rivals for batch in rival.seen for content in batch]
    assert len(seen) == len(set(seen)) == 300


def test_an_expired_claim_writes_nothing(database: Database, settings: Settings) -> None:
    _with_passages(database, settings, ["Ada was here"])
    late = _revised(settings, lease_seconds=0.05)

    def overtake(_batch: Sequence[Any]) -> None:
        time.sleep(0.1)
        assert reconcile(database, Entities(settings), settings).rebuilt == 1

    slow = Watched(late, overtake)
    report = reconcile(database, slow, late)
    assert (report.rebuilt, report.skipped) == (0, 1)
    assert_current_entities(database, 1)


def assert_current_entities(database: Database, mentions: int) -> None:
    """No entity row is stale and there are this many mentions."""
    assert backlog(database)["entities"] == {"stale": 0, "quarantined": 0}
    assert count(database, "mentions") == mentions


def test_a_row_made_due_while_it_is_derived_is_derived_again(database: Database, settings: Settings) -> None:
    (memory_id,) = _with_passages(database, settings, ["Ada was here"])

    def invalidate(_batch: Sequence[Any]) -> None:
        with database.write() as session:
            stamps.make_due(session, "entities", [memory_id])

    watched = Watched(settings, invalidate)
    watched.batch = 1
    report = reconcile(database, watched, settings, rows=1)
    assert (report.rebuilt, report.skipped, report.deferred) == (0, 1, 1)
    assert count(database, "mentions") == 0
    assert reconcile(database, Entities(settings), settings).rebuilt == 1
    assert_current_entities(database, 1)


def test_a_bad_row_is_alone_in_its_trouble(database: Database, settings: Settings) -> None:
    ids = _with_passages(database, settings, ["Ada spoke", "Bob «raise» spoke", "Cleo spoke"])
    report = reconcile(database, Entities(settings), settings)
    assert (report.rebuilt, report.failed) == (2, 1)
    bad = stamp(database, "entities", ids[1])
    assert (bad.attempts, bad.error, bad.quarantined) == (1, "ValueError", False)


def test_a_bad_row_backs_off_and_is_quarantined_with_its_reason(database: Database, settings: Settings) -> None:
    ids = _with_passages(database, settings, ["Ada spoke", "Bob «raise» spoke"])
    deadline = time.monotonic() + 10
    while reconcile(database, Entities(settings), settings).quarantined == 0:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    bad = stamp(database, "entities", ids[1])
    assert (bad.attempts, bad.error, bad.quarantined) == (settings.max_attempts, "ValueError", True)
    again = Watched(settings)
    assert reconcile(database, again, settings).quarantined == 1
    assert again.seen == [], "a quarantined row is not tried again by the same rules"


def test_new_rules_try_a_quarantined_row_again(database: Database, settings: Settings) -> None:
    ids = _with_passages(database, settings, ["Bob «raise» spoke"])
    once = _revised(settings, max_attempts=1)
    assert reconcile(database, Entities(once), once).quarantined == 1
    with database.write() as session:
        rules.activate(session, "entities", "better rules")

    class Better(Entities):
        fingerprint = "better rules"  # type: ignore[assignment]

        def derive(self, batch: Sequence[Any]) -> Any:
            return list(map(_no_entities, batch))

    assert reconcile(database, Better(settings), settings).rebuilt == 1
    assert stamp(database, "entities", ids[0]).error is None


def _no_entities(item: Any) -> Any:
    from schema.store.entities import EntitySet

    return EntitySet(item.id, item.namespace_id, item.number, [])


def test_retry_mends_what_was_quarantined(database: Database, settings: Settings) -> None:
    _with_passages(database, settings, ["Bob «raise» spoke"])
    once = _revised(settings, max_attempts=1)
    assert reconcile(database, Entities(once), once).quarantined == 1
    with database.write() as session:
        assert stamps.retry(session, "entities") == 1
    assert backlog(database)["entities"] == {"stale": 1, "quarantined": 0}


def test_a_row_tried_before_is_taken_alone(database: Database, settings: Settings) -> None:
    ids = _with_passages(database, settings, ["Ada spoke", "Bob spoke", "Cleo spoke"])
    with database.write() as session:
        session.execute(
            text("UPDATE stamps SET attempts = 1 WHERE derivation = 'entities' AND row_id = :id"), {"id": ids[1]}
        )
    watched = Watched(settings)
    reconcile(database, watched, settings)
    assert sorted(map(len, watched.seen)) == [1, 2]
    assert ["Bob spoke"] in watched.seen


def test_a_row_that_ends_its_process_each_time_is_quarantined_unasked(database: Database, settings: Settings) -> None:
    ids = _with_passages(database, settings, ["Ada spoke", "Bob spoke"])
    with database.write() as session:
        # What a killer leaves behind: attempts on record, a holder that is gone, a lease that ran out.
        session.execute(
            text("""UPDATE stamps SET attempts = :n, holder = :h, not_before = now() - interval '1 s'
                    WHERE derivation = 'entities' AND row_id = :id"""),
            {"n": settings.max_attempts, "h": uuid.uuid4(), "id": ids[1]},
        )
    watched = Watched(settings)
    report = reconcile(database, watched, settings)
    assert (report.rebuilt, report.quarantined) == (1, 1)
    assert watched.seen == [["Ada spoke"]]
    assert "WorkerLost" in str(stamp(database, "entities", ids[1]).error)


def test_a_provider_that_is_down_costs_no_attempt(database: Database, settings: Settings) -> None:
    ids = _with_passages(database, settings, ["Ada spoke", "Bob spoke"])

    def down(_batch: Sequence[Any]) -> None:
        raise ProviderUnavailable("the model is away")

    for _ in range(settings.max_attempts + 2):
        report = reconcile(database, Watched(settings, down), settings)
        assert (report.snoozed, report.failed, report.busy) == ("the model is away", 0, False)
        time.sleep(0.21)
    assert {stamp(database, "entities", row_id).attempts for row_id in ids} == {0}
    assert reconcile(database, Entities(settings), settings).rebuilt == 2
    with database.read() as session:
        assert rules.breakers(session) == {}


def test_an_open_breaker_keeps_every_process_quiet(database: Database, settings: Settings) -> None:
    _with_passages(database, settings, ["Ada spoke"])
    with database.write() as session:
        rules.trip(session, "entities", "429", 30, 60)
    watched = Watched(settings)
    assert reconcile(database, watched, settings).snoozed == "429"
    assert watched.seen == []


def test_budgets_end_a_pass_and_the_report_says_what_is_left(database: Database, settings: Settings) -> None:
    _with_passages(database, settings, [f"Name{index} spoke" for index in range(30)])
    watched = Watched(settings)
    watched.batch = 10
    report = reconcile(database, watched, settings, rows=20)
    assert (report.rebuilt, report.deferred) == (20, 10)
    assert reconcile(database, watched, settings, seconds=0).rebuilt == 0
    assert reconcile(database, watched, settings, should_stop=lambda: True).rebuilt == 0


def test_a_pass_that_is_asked_to_stop_claims_no_more(database: Database, settings: Settings) -> None:
    ids = _with_passages(database, settings, ["Ada spoke", "Bob spoke", "Cleo spoke"])
    with database.write() as session:
        session.execute(text("UPDATE stamps SET attempts = 1 WHERE derivation = 'entities'"))
    asked = iter([False, True])
    report = reconcile(database, Watched(settings), settings, should_stop=lambda: next(asked))
    assert (report.rebuilt, report.deferred) == (1, 2)
    assert [stamp(database, "entities", row_id).attempts for row_id in ids] == [0, 1, 1]


def test_a_killer_costs_its_neighbours_one_attempt_at_most(database: Database, settings: Settings) -> None:
    ids = _with_passages(database, settings, ["Ada spoke", "Bob spoke", "Cleo spoke"])
    short = _revised(settings, lease_seconds=0.05)

    class Killed(BaseException):
        """Ends a pass as a signal would: nothing after it runs."""

    def kill(batch: Sequence[Any]) -> None:
        if any("Bob" in item.text for item in batch):
            raise Killed

    for _ in range(settings.max_attempts):
        with pytest.MonkeyPatch.context() as patch, suppress(Killed):
            # A dead process gives nothing back.
            patch.setattr(stamps, "release", lambda *_args: 0)
            reconcile(database, Watched(short, kill), short)
        time.sleep(0.06)
    report = reconcile(database, Watched(short, kill), short)
    assert report.quarantined == 1
    assert stamp(database, "entities", ids[1]).quarantined
    assert backlog(database)["entities"] == {"stale": 0, "quarantined": 1}
    assert count(database, "mentions") == 2


def test_selection_by_namespace_lane_and_id(database: Database, settings: Settings) -> None:
    tell(database, "a", ["one"])
    (two,) = tell(database, "b", ["two"])
    tell(database, "b", ["three"], lane=1)
    memories = Memories(settings)
    only_a = Selection(namespace_id=namespace_id(database, "a"))
    assert reconcile(database, memories, settings, chosen=only_a).rebuilt == 1
    assert reconcile(database, memories, settings, chosen=Selection(ids=[two])).rebuilt == 1
    assert reconcile(database, memories, settings, chosen=Selection(lane=0)).rebuilt == 0
    assert reconcile(database, memories, settings, chosen=Selection(lane=1)).rebuilt == 1
    newer = _revised(settings, passage_words=20)
    assert reconcile(database, Memories(newer), newer, chosen=Selection(new=True)).rebuilt == 0
    assert reconcile(database, Memories(newer), newer).rebuilt == 3, "what new rules make stale is not what is new"


def test_a_process_that_is_not_head_takes_only_what_was_never_derived(database: Database, settings: Settings) -> None:
    old, new = settings, _revised(settings, passage_words=20)
    first = tell(database, "n", ["told under the old rules"])
    assert reconcile(database, Memories(old), old).rebuilt == 1
    assert reconcile(database, Memories(new), new).rebuilt == 1, "new rules become the head and make rows stale"
    second = tell(database, "n", ["told beside both"])
    assert reconcile(database, Memories(old), old).rebuilt == 1, "an old worker keeps new writes flowing"
    assert stamp(database, "memories", first[0]).revision == 2
    assert stamp(database, "memories", second[0]).revision == 1
    assert reconcile(database, Memories(old), old).rebuilt == 0, "and never undoes a new one's work"
    assert reconcile(database, Memories(new), new).rebuilt == 1


def test_activating_the_older_rules_rebuilds_what_the_newer_made(database: Database, settings: Settings) -> None:
    old, new = settings, _revised(settings, passage_words=20)
    words = " ".join(f"word{index}" for index in range(60))
    tell(database, "n", [words])
    drain(database, old)
    before = count(database, "memories WHERE retired_at IS NULL")
    drain(database, new)
    assert count(database, "memories WHERE retired_at IS NULL") > before
    with database.write() as session:
        state = rules.activate(session, "memories", Memories(old).fingerprint)
    assert (state.mine, state.head) == (3, 3)
    drain(database, old)
    assert count(database, "memories WHERE retired_at IS NULL") == before
    assert_current(database)


def test_rules_are_registered_once_by_many(database: Database, settings: Settings) -> None:
    def run() -> None:
        with database.write() as session:
            rules.register(session, "memories", "same")

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with database.read() as session:
        assert [row.revision for row in rules.history(session)] == [1]


def test_a_row_waits_for_the_derivations_it_needs(database: Database, settings: Settings) -> None:
    _with_passages(database, settings, ["Ada spoke"])

    class Needy(Watched):
        needs = ("postings",)

    first = reconcile(database, Needy(settings), settings)
    assert (first.rebuilt, first.blocked, first.deferred) == (0, 1, 0)
    assert reconcile(database, Postings(), settings).rebuilt == 1
    assert reconcile(database, Needy(settings), settings).rebuilt == 1


def test_a_lost_connection_costs_no_attempt(database: Database, settings: Settings) -> None:
    (memory_id,) = _with_passages(database, settings, ["Ada spoke"])

    def cut(_batch: Sequence[Any]) -> None:
        with database.read() as session:
            session.execute(
                text("""SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                                    WHERE datname = current_database() AND pid <> pg_backend_pid()""")
            )
        raise StoreUnavailable("gone")

    with pytest.raises(StoreUnavailable):
        reconcile(database, Watched(settings, cut), settings)
    assert stamp(database, "entities", memory_id).attempts == 0
    assert reconcile(database, Entities(settings), settings).rebuilt == 1


def test_a_stamp_that_outlived_its_row_is_dropped(database: Database, settings: Settings) -> None:
    (memory_id,) = _with_passages(database, settings, ["Ada spoke"])
    with database.write() as session:
        session.execute(text("DELETE FROM memories WHERE id = :id"), {"id": memory_id})
    report = reconcile(database, Entities(settings), settings)
    assert (report.rebuilt, report.failed, report.skipped, report.deferred) == (0, 0, 1, 0)
    with database.read() as session:
        assert stamps.of_rows(session, ["entities"], [memory_id]) == []


def test_finishing_and_making_due_in_opposite_order_do_not_deadlock(database: Database, settings: Settings) -> None:
    ids = _with_passages(database, settings, [f"Name{index} spoke" for index in range(40)])
    stop = threading.Event()
    failures: list[BaseException] = []

    def invalidate() -> None:
        while not stop.is_set():
            try:
                with database.write() as session:
                    stamps.make_due(session, "entities", list(reversed(ids)))
            except BaseException as error:  # noqa: BLE001 - the test shows it
                failures.append(error)

    thread = threading.Thread(target=invalidate)
    thread.start()
    try:
        for _ in range(10):
            reconcile(database, Entities(settings), settings)
    finally:
        stop.set()
        thread.join()
    assert failures == []
    reconcile(database, Entities(settings), settings)
    assert backlog(database)["entities"]["stale"] == 0


def test_derivations_come_in_dependency_order(database: Database, settings: Settings) -> None:
    spaces.ensure(database, settings)
    names = [item.name for item in derivations(database, settings)]
    assert names == ["memories", "postings", "entities", "vectors:1", "facts", "triples"]


def test_a_row_that_cannot_be_read_is_alone_in_its_trouble(database: Database, settings: Settings) -> None:
    ids = _with_passages(database, settings, ["Ada spoke", "Bob spoke", "Cleo spoke"])

    class Unreadable(Entities):
        def load(self, session: Any, wanted: Sequence[int]) -> Any:
            if ids[1] in wanted:
                raise ValueError("a value this driver cannot hold")
            return super().load(session, wanted)

    report = reconcile(database, Unreadable(settings), settings)
    assert (report.rebuilt, report.failed) == (2, 1)
    assert stamp(database, "entities", ids[1]).error == "ValueError"
