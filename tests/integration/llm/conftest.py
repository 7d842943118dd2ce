"""An endpoint for each test, and extractors that ask it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import SecretStr

from tests.support.chat import ChatServer, chat_server
from workers.derive.contract import Utterance
from workers.derive.llm import ChatExtractor

KEY = "sk-very-secret-4711"
WHEN = datetime(2024, 5, 14, 9, 30, tzinfo=UTC)


class Ledger:
    """A budget in memory."""

    def __init__(self, **limits: int) -> None:
        self.limits = {int(name.removeprefix("n")): limit for name, limit in limits.items()}
        self.spent: dict[int, int] = {}

    def allows(self, namespace_id: int) -> bool:
        return self.spent.get(namespace_id, 0) < self.limits.get(namespace_id, 10**9)

    def spend(self, namespace_id: int, tokens: int) -> None:
        assert threading.current_thread() is threading.main_thread(), "a store's session belongs to one thread"
        self.spent[namespace_id] = self.spent.get(namespace_id, 0) + tokens


def said(text: str, **other: Any) -> Utterance:
    return Utterance(text, "Ana", WHEN, **other)


@pytest.fixture
def chat() -> Iterator[ChatServer]:
    with chat_server() as running:
        yield running


@pytest.fixture
def extractor_of(chat: ChatServer) -> Callable[..., ChatExtractor]:
    def make(url: str | None = None, **settings: Any) -> ChatExtractor:
        return ChatExtractor(url or chat.url, "test-model", SecretStr(KEY), **{"timeout_seconds": 5.0, **settings})

    return make


@pytest.fixture
def extractor(extractor_of: Callable[..., ChatExtractor]) -> ChatExtractor:
    return extractor_of()
