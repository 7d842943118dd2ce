"""The service as an application meets it: HTTP in the same process, with workers that drain when told to."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, cast

import httpx
import pytest
from fastapi.testclient import TestClient

from api.http.app import create_app
from api.service.context import Context
from schema.db import Database
from schema.settings import Settings
from tests.support.store import drain

NOW = "2025-06-01T12:00:00Z"
KEYWORD_ONLY: dict[str, Any] = {"semantic_weight": 0, "entity_weight": 0}
SEMANTIC_ONLY: dict[str, Any] = {"keyword_weight": 0, "entity_weight": 0}
TABLES = (
    "tenants", "namespaces", "idempotency_keys", "episodes", "episode_revisions", "memories", "memory_sources",
    "stamps", "posting_sets", "posting_tail", "posting_blocks", "entities", "mentions", "rejections",
)  # fmt: skip


class Store:
    """Tells over HTTP, drains in this process, recalls over HTTP."""

    def __init__(self, http: TestClient, database: Database, settings: Settings) -> None:
        self.http = http
        self.database = database
        self.settings = settings

    @property
    def context(self) -> Context:
        return cast(Context, cast(Any, self.http.app).state.context)

    def post(self, namespace: str, body: Any, *, to: str = "episodes", **headers: str) -> httpx.Response:
        """Send a body (bytes as they are, anything else as JSON) and return whatever comes back."""
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        sent = {
            "content-type": "application/json",
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        return self.http.post(f"/v1/namespaces/{namespace}/{to}", content=raw, headers=sent)

    def tell(self, namespace: str, *episodes: str | Mapping[str, Any]) -> list[int]:
        """Tell episodes, all of them good, and return their ids."""
        items = [{"content": item} if isinstance(item, str) else dict(item) for item in episodes]
        answer = self.post(namespace, {"episodes": items})
        assert answer.status_code == 202, answer.text
        return [item["id"] for item in answer.json()["episodes"]]

    def drain(self) -> None:
        """Make everything current that can be."""
        drain(self.database, self.settings)

    def learn(self, namespace: str, *episodes: str | Mapping[str, Any]) -> list[int]:
        """Tell and drain."""
        ids = self.tell(namespace, *episodes)
        self.drain()
        return ids

    def read(self, namespace: str, episode_id: int) -> dict[str, Any]:
        """Read one episode back."""
        answer = self.http.get(f"/v1/namespaces/{namespace}/episodes/{episode_id}")
        assert answer.status_code == 200, answer.text
        return cast(dict[str, Any], answer.json())

    def ask(self, namespace: str, query: str, **fields: Any) -> httpx.Response:
        """Ask with the clock fixed and return the response."""
        return self.post(namespace, {"query": query, "now": NOW, **fields}, to="recall")

    def recall(self, namespace: str, query: str, **fields: Any) -> dict[str, Any]:
        """Ask with the clock fixed and return the answer."""
        answer = self.ask(namespace, query, **fields)
        assert answer.status_code == 200, answer.text
        return cast(dict[str, Any], answer.json())

    def texts(self, namespace: str, query: str, **fields: Any) -> list[str]:
        """Ask and return the texts of the memories, in order."""
        return [memory["text"] for memory in self.recall(namespace, query, **fields)["memories"]]

    def by_keyword(self, namespace: str, query: str, **fields: Any) -> list[str]:
        """Ask the keyword leg alone."""
        return self.texts(namespace, query, settings=KEYWORD_ONLY, **fields)

    def rows(self) -> dict[str, int]:
        """Count the rows of every table that a write touches."""
        from sqlalchemy import text

        with self.database.read() as session:
            return {name: session.execute(text(f"SELECT count(*) FROM {name}")).scalar_one() for name in TABLES}


def serving(settings: Settings) -> TestClient:
    """Return a client of an application of its own; what fails inside is a 500, as over a wire."""
    return TestClient(create_app(settings), raise_server_exceptions=False)


@pytest.fixture
def passages_only(settings: Settings) -> Settings:
    """Settings of a store that extracts no facts, for what is said of passages and their legs."""
    return settings.model_copy(update={"extractor": "none"})


@pytest.fixture
def store(settings: Settings, database: Database) -> Iterator[Store]:
    """The service over this test's database and the run's broker, with fake models."""
    with serving(settings) as http:
        yield Store(http, database, settings)


def assert_problem(answer: httpx.Response, field: str | None = None, status: Sequence[int] = (422,)) -> dict[str, Any]:
    """The answer is a 4xx problem that names the field, and every byte of it is UTF-8."""
    assert answer.status_code in status, (answer.status_code, answer.text[:300])
    assert answer.headers["content-type"] == "application/problem+json"
    body = cast(dict[str, Any], json.loads(answer.content.decode("utf-8")))
    assert {"type", "title", "status", "detail"} <= body.keys()
    assert body["status"] == answer.status_code
    if field is not None:
        assert body.get("field") == field, body
        assert field.split(".")[-1].lower() in body["detail"].lower()
    return body


def moment(text: str) -> datetime:
    """Return the UTC moment of an ISO time."""
    return datetime.fromisoformat(text).astimezone(UTC)
