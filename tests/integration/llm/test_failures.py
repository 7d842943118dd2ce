"""Who pays when an endpoint does not answer well: the provider, the row, or nobody twice."""

from __future__ import annotations

import logging
import time
import tracemalloc
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
import structlog

from schema.errors import PalimpsestError, ProviderUnavailable
from tests.integration.llm.conftest import KEY, Ledger, said
from tests.support.chat import (
    Behaviour,
    ChatServer,
    answers,
    breaks_off,
    broken_json,
    fact,
    huge,
    raw,
    refused_url,
    says,
    slow,
    status,
)
from workers.derive.llm import BadAnswer, BudgetSpent, ChatExtractor, NoAnswerInTime

TEA = "I like tea"
GOOD = says(fact(TEA, "Ana", "like", "tea"))
Make = Callable[..., ChatExtractor]


def soon() -> str:
    return format_datetime(datetime.now(UTC) + timedelta(seconds=1))


@pytest.mark.parametrize(
    "trouble",
    [
        status(429, retry_after="0.2"),
        status(429, retry_after="nonsense"),
        status(429, retry_after=soon()),
        status(500),
        status(503, retry_after="nan"),
        breaks_off(),
    ],
)
def test_passing_trouble_is_sat_out(chat: ChatServer, extractor: ChatExtractor, trouble: Behaviour) -> None:
    chat.script(trouble, GOOD)
    (found,) = extractor.extract([said(TEA)])
    assert len(found.statements) == 1
    assert len(chat.requests) == 2


def test_retry_after_is_waited_for(chat: ChatServer, extractor: ChatExtractor) -> None:
    chat.script(status(429, retry_after="0.8"), GOOD)
    began = time.monotonic()
    extractor.extract([said(TEA)])
    assert time.monotonic() - began >= 0.8


@pytest.mark.parametrize(
    ("trouble", "requests", "says_what"),
    [
        (status(429), 3, "HTTP 429"),
        (status(502), 3, "HTTP 502"),
        (breaks_off(), 3, "connection failed"),
        (status(429, retry_after="3600"), 1, "HTTP 429"),
        (status(429, retry_after="1e999"), 1, "HTTP 429"),
        (status(401), 1, "PALIMPSEST_LLM_KEY"),
        (status(403), 1, "PALIMPSEST_LLM_KEY"),
        (status(404), 1, "PALIMPSEST_LLM_MODEL"),
        (status(302), 1, "PALIMPSEST_LLM_URL"),
    ],
)
def test_lasting_trouble_is_the_providers(
    chat: ChatServer, extractor: ChatExtractor, trouble: Behaviour, requests: int, says_what: str
) -> None:
    chat.script(*[trouble] * 3)
    with pytest.raises(ProviderUnavailable, match=says_what):
        extractor.extract([said(TEA)])
    assert len(chat.requests) == requests


def test_nobody_listens(extractor_of: Make) -> None:
    with pytest.raises(ProviderUnavailable, match="ConnectError"):
        extractor_of(refused_url(), retries=1).extract([said(TEA)])


def test_no_such_host(extractor_of: Make) -> None:
    with pytest.raises(ProviderUnavailable):
        extractor_of("http://host.invalid/v1", retries=0).extract([said(TEA)])


def test_an_answer_that_takes_too_long(chat: ChatServer, extractor_of: Make) -> None:
    ledger = Ledger()
    chat.script(slow(20), GOOD)
    began = time.monotonic()
    with pytest.raises(NoAnswerInTime):
        extractor_of(timeout_seconds=0.4, budget=ledger).extract([said(TEA)])
    assert time.monotonic() - began < 2
    assert len(chat.requests) == 1
    assert ledger.spent[0] > 0


def test_the_time_holds_for_retries_too(chat: ChatServer, extractor_of: Make) -> None:
    chat.default = status(500)
    began = time.monotonic()
    with pytest.raises(ProviderUnavailable):
        extractor_of(timeout_seconds=1, retries=10).extract([said(TEA)])
    assert time.monotonic() - began < 2
    assert len(chat.requests) < 11


def test_no_time_for_a_second_question_leaves_the_first_answer(chat: ChatServer, extractor_of: Make) -> None:
    chat.script(broken_json(), slow(20))
    with pytest.raises(BadAnswer):
        extractor_of(timeout_seconds=0.5).extract([said(TEA)])


def test_a_refused_request_is_the_rows(chat: ChatServer, extractor: ChatExtractor) -> None:
    chat.default = status(400, body=b'{"error": "maximum context length"}')
    with pytest.raises(BadAnswer, match="HTTP 400"):
        extractor.extract([said(TEA)])
    assert len(chat.requests) == 1


def test_a_huge_answer_is_not_read(chat: ChatServer, extractor_of: Make) -> None:
    ledger = Ledger()
    extractor = extractor_of(max_answer_bytes=100_000, budget=ledger)
    extractor.extract([said("warm up")])
    chat.default = huge(10_000_000)
    tracemalloc.start()
    with pytest.raises(BadAnswer, match="100000 bytes"):
        extractor.extract([said(TEA)])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2_000_000
    assert len(chat.requests) == 3
    assert ledger.spent[0] > 50_000


def test_a_compressed_answer_is_refused(chat: ChatServer, extractor: ChatExtractor) -> None:
    chat.default = raw(b"\x1f\x8b", headers={"Content-Encoding": "gzip"})
    with pytest.raises(ProviderUnavailable, match="compresses"):
        extractor.extract([said(TEA)])


@pytest.mark.parametrize("usage", [None, {}, {"total_tokens": -5}, {"total_tokens": True}, {"total_tokens": 10**30},
                                   {"prompt_tokens": 3}, [1]])  # fmt: skip
def test_without_usage_the_characters_are_counted(chat: ChatServer, extractor_of: Make, usage: Any) -> None:
    ledger = Ledger()
    chat.script(says(usage=usage))
    (found,) = extractor_of(budget=ledger).extract([said(TEA)])
    assert 1000 < found.tokens < 4000
    assert ledger.spent == {0: found.tokens}


BATCH = ["I like tea", "I like poison", "I like milk", "I like beer"]


def statements(question: dict[str, Any]) -> list[Any]:
    return [fact(question["text"], "Ana", "like", question["text"].split()[-1])]


@pytest.fixture
def four(chat: ChatServer) -> ChatServer:
    chat.default = answers(statements)
    return chat


def row_by_row(extractor: ChatExtractor, texts: list[str]) -> dict[str, Any]:
    """Do what the loop does after a batch that failed."""
    done: dict[str, Any] = {}
    for text in texts:
        try:
            done[text] = extractor.extract([said(text)])[0]
        except PalimpsestError as error:
            done[text] = error
    return done


def test_results_come_in_order(four: ChatServer, extractor: ChatExtractor) -> None:
    four.when("tea", slow(0.3, four.default))
    found = extractor.extract([said(text) for text in BATCH])
    assert [one.statements[0].object for one in found] == ["tea", "poison", "milk", "beer"]


def test_a_batch_asks_at_the_same_time(four: ChatServer, extractor: ChatExtractor) -> None:
    four.default = slow(0.4, four.default)
    began = time.monotonic()
    extractor.extract([said(text) for text in BATCH])
    assert time.monotonic() - began < 1.2


def test_a_bad_row_costs_its_neighbours_nothing(four: ChatServer, extractor_of: Make) -> None:
    extractor = extractor_of(budget=(ledger := Ledger()))
    four.when("poison", broken_json())
    with pytest.raises(BadAnswer):
        extractor.extract([said(text) for text in BATCH])
    assert len(four.requests) == 5
    done = row_by_row(extractor, BATCH)
    assert len(four.requests) == 5
    assert isinstance(done.pop("I like poison"), BadAnswer)
    assert [one.statements[0].object for one in done.values()] == ["tea", "milk", "beer"]
    assert ledger.spent == {0: 5 * 42}

    four.when("poison", four.default)
    assert row_by_row(extractor, BATCH)["I like poison"].statements
    assert len(four.requests) == 6, "the next attempt of the failed row is a new question, and the only one"


def test_an_outage_in_the_middle_keeps_what_was_paid(four: ChatServer, extractor: ChatExtractor) -> None:
    four.when("poison", status(401))
    four.when("beer", broken_json())
    with pytest.raises(ProviderUnavailable):
        extractor.extract([said(text) for text in BATCH])
    before = len(four.requests)
    four.when("poison", four.default)
    four.when("beer", four.default)
    done = row_by_row(extractor, ["I like tea", "I like milk", "I like poison"])
    assert all(one.statements for one in done.values())
    assert len(four.requests) == before + 1


def test_another_context_or_namespace_is_another_question(four: ChatServer, extractor: ChatExtractor) -> None:
    for number in (1, 2, 2):
        extractor.extract([said(TEA, namespace_id=number)])
    assert len(four.requests) == 2


def test_a_namespace_over_its_budget_is_not_asked_for(four: ChatServer, extractor_of: Make) -> None:
    extractor = extractor_of(budget=(ledger := Ledger(n7=40)))
    four.when("poison", broken_json())
    with pytest.raises(BadAnswer):
        extractor.extract([said("I like poison", namespace_id=7)])
    assert ledger.spent == {7: 84}, "answers of no use were paid for too"
    batch = [said("I like milk", namespace_id=7), said("I like beer", namespace_id=8)]
    with pytest.raises(BudgetSpent) as caught:
        extractor.extract(batch)
    assert caught.value.namespace_id == 7
    assert four.texts == ["I like poison", "I like poison", "I like beer"]
    assert extractor.extract(batch[1:])[0].statements
    assert len(four.requests) == 3
    ledger.spent.clear()
    assert extractor.extract(batch[:1])[0].statements


def test_neither_key_nor_content_is_told(
    chat: ChatServer, extractor_of: Make, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    text = "my zebra Rex has measles"
    behaviours = [
        says(fact("zebra crossing", "giraffe", "be", "tall")), broken_json(), status(401), status(400), status(500),
        huge(200_000), breaks_off(), slow(20), raw(b'{"choices": [{"message": {"content": "giraffe"}}]}'),
    ]  # fmt: skip
    told: list[str] = []
    with structlog.testing.capture_logs() as logs:
        for behaviour in behaviours:
            extractor = extractor_of(timeout_seconds=0.3, retries=0, max_answer_bytes=100_000)
            chat.default = behaviour
            try:
                extractor.extract([said(text)])
            except PalimpsestError as error:
                cause: BaseException | None = error
                while cause is not None:
                    told += [str(cause), repr(cause), repr(getattr(cause, "__dict__", {}))]
                    cause = cause.__context__
            told += [repr(extractor), repr(vars(extractor)), repr(vars(extractor._client))]
    assert len(chat.requests) > len(behaviours)
    assert len(logs) == len(behaviours)
    everything = " ".join([*told, *map(str, logs), caplog.text, *capfd.readouterr()]).lower()
    for secret in (KEY, "zebra", "measles", "giraffe"):
        assert secret not in everything
