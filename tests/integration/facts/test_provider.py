"""The LLM extractor inside the loop: nothing is lost, every failure is visible, and an outage burns no attempt."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from schema.db import Database
from schema.settings import Settings
from schema.store import rules, stamps, usage
from tests.support.chat import ChatServer, chat_server, fact, refused_url, says, slow, status
from tests.support.store import assert_current, backlog, drain, namespace_id, stamp, tell
from tests.support.truth import facts, passages
from workers.derivations import derivations
from workers.reconcile import Report, reconcile

TOLD = ["Ann likes tea.", "Bo plays chess.", "Di owns a boat.", "nothing at all"]


@pytest.fixture
def chat() -> Iterator[ChatServer]:
    with chat_server() as server:
        yield server


@pytest.fixture
def asking(settings: Settings, chat: ChatServer) -> Settings:
    return settings.model_copy(
        update={
            "extractor": "llm",
            "llm_url": chat.url,
            "llm_model": "stub",
            "llm_timeout_seconds": 2.0,
            "llm_retries": 0,
            "breaker_seconds": 0.01,
            "breaker_cap_seconds": 0.01,
        }
    )


def _answers(chat: ChatServer) -> None:
    chat.when("Ann likes", says(fact("Ann likes tea", "Ann", "like", "tea", sentence="Ann likes tea.")))
    chat.when("Bo plays", says(fact("Bo plays chess", "Bo", "play", "chess", sentence="Bo plays chess.")))
    chat.when("Di owns", says(fact("Di owns a boat", "Di", "own", "boat", sentence="Di owns a boat.")))
    chat.when("nothing at all", says())


def _pass(database: Database, settings: Settings) -> Report:
    found = next(one for one in derivations(database, settings) if one.name == "facts")
    return reconcile(database, found, settings)


def test_good_answers_become_facts(database: Database, asking: Settings, chat: ChatServer) -> None:
    _answers(chat)
    tell(database, "n", TOLD)
    drain(database, asking)
    assert len(facts(database)) == 3
    assert len(chat.requests) == 4
    with database.read() as session:
        used = usage.totals(session, namespace_id(database, "n"))
    assert used.tokens > 0
    assert (used.statements, used.ungrounded) == (3, 0)
    assert_current(database)


@pytest.mark.parametrize("trouble", [status(429), status(500), status(401), "refused"])
def test_an_outage_burns_no_attempt_and_delays_facts_only(
    database: Database, asking: Settings, chat: ChatServer, trouble: object
) -> None:
    broken = asking
    if trouble == "refused":
        broken = asking.model_copy(update={"llm_url": refused_url()})
    else:
        chat.default = trouble  # type: ignore[assignment]
    ids = tell(database, "n", TOLD)
    reports = drain(database, broken)
    assert reports["facts"].snoozed
    assert len(passages(database)) == 4
    assert backlog(database)["vectors:1"] == {"stale": 0, "quarantined": 0}
    assert {stamp(database, "facts", row).attempts for row in ids} == {0}
    assert {stamp(database, "facts", row).error for row in ids} == {None}
    _answers(chat)
    with database.write() as session:
        rules.reset(session, "facts")
    drain(database, asking)
    assert len(facts(database)) == 3
    assert_current(database)


def test_what_nothing_said_grounds_is_dropped_and_counted(
    database: Database, asking: Settings, chat: ChatServer
) -> None:
    invented = fact("Ann owns a yacht", "Ann", "own", "yacht", sentence="Ann owns a yacht.")
    chat.when("Ann likes", says(invented, fact("Ann likes tea", "Ann", "like", "tea", sentence="Ann likes tea.")))
    tell(database, "n", TOLD[:1])
    drain(database, asking)
    assert list(facts(database)) == ["Ann likes tea."]
    with database.read() as session:
        used = usage.totals(session)
    assert (used.statements, used.ungrounded) == (1, 1)


def test_a_bad_answer_is_the_rows_own_and_is_seen(database: Database, asking: Settings, chat: ChatServer) -> None:
    from tests.support.chat import broken_json

    _answers(chat)
    chat.when("Bo plays", broken_json())
    ids = tell(database, "n", TOLD)
    settings = asking.model_copy(update={"max_attempts": 1})
    drain(database, settings)
    assert sorted(facts(database)) == ["Ann likes tea.", "Di owns a boat."]
    with database.read() as session:
        (failed,) = stamps.failing(session)
    assert (failed.row_id, failed.quarantined) == (ids[1], True)
    assert failed.error is not None
    assert failed.error.startswith("BadAnswer")
    assert "chess" not in failed.error
    _answers(chat)
    with database.write() as session:
        stamps.retry(session, "facts")
    drain(database, settings)
    assert len(facts(database)) == 3


def test_a_text_that_gets_no_answer_in_time_waits_and_no_other(
    database: Database, asking: Settings, chat: ChatServer
) -> None:
    _answers(chat)
    chat.when("Bo plays", slow(3.0))
    ids = tell(database, "n", TOLD)
    settings = asking.model_copy(update={"llm_timeout_seconds": 0.4})
    by_name = {one.name: one for one in derivations(database, settings)}
    reconcile(database, by_name["memories"], settings)
    report = _pass(database, settings)
    assert (report.rebuilt, report.waiting, report.failed) == (3, 1, 0)
    row = stamp(database, "facts", ids[1])
    assert (row.attempts, row.error) == (0, None)
    assert row.not_before is not None
    assert row.not_before > datetime.now(UTC)


def test_a_spent_budget_makes_its_namespace_wait_until_tomorrow(
    database: Database, asking: Settings, chat: ChatServer
) -> None:
    _answers(chat)
    settings = asking.model_copy(update={"llm_daily_tokens": 1})
    by_name = {one.name: one for one in derivations(database, settings)}
    (first,) = tell(database, "n", TOLD[:1])
    reconcile(database, by_name["memories"], settings)
    assert _pass(database, settings).rebuilt == 1
    (second,) = tell(database, "n", TOLD[1:2])
    tell(database, "other", TOLD[2:3])
    reconcile(database, by_name["memories"], settings)
    report = _pass(database, settings)
    assert (report.rebuilt, report.waiting) == (1, 1)
    row = stamp(database, "facts", second)
    assert row.attempts == 0
    assert row.not_before is not None
    assert (row.not_before.hour, row.not_before.minute) == (0, 0)
    assert list(facts(database, "other")) == ["Di owns a boat."]
    assert stamp(database, "facts", first).revision == 1
    assert namespace_id(database, "n") != namespace_id(database, "other")


def test_rules_that_cost_money_wait_to_be_activated(
    database: Database, settings: Settings, asking: Settings, chat: ChatServer
) -> None:
    """On a store that has facts, an LLM is asked nothing before a person says so; passages go on."""
    _answers(chat)
    tell(database, "n", TOLD[:1])
    drain(database, settings)
    tell(database, "n", TOLD[1:2])
    reports = drain(database, asking)
    assert "palimpsest rules activate facts" in (reports["facts"].snoozed or "")
    assert chat.requests == []
    assert len(passages(database)) == 2
    found = next(one for one in derivations(database, asking) if one.name == "facts")
    with database.write() as session:
        rules.activate(session, "facts", found.fingerprint)
        rules.reset(session, "facts")
    drain(database, asking)
    assert len(chat.requests) == 2
    assert sorted(facts(database)) == ["Ann likes tea.", "Bo plays chess."]
    assert_current(database)


def test_an_echo_is_dropped_whatever_the_model_makes_of_it(
    database: Database, asking: Settings, chat: ChatServer
) -> None:
    from schema.store import namespaces, recall_log
    from workers.derive.echo import traces

    _answers(chat)
    tell(database, "n", TOLD[:1])
    drain(database, asking)
    with database.write() as session:
        place = namespace_id(database, "n")
        key = namespaces.keyed(session, place).hash_key
        recall_log.record(session, place, [(1, t.head, t.whole, t.words) for t in traces(TOLD[0], key)], None)
    tell(database, "n", [f"you said: {TOLD[0]}"])
    drain(database, asking)
    assert facts(database)["Ann likes tea."]["sources"] == 1
