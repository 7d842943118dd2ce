"""Asking: `POST /v1/namespaces/{namespace}/recall`."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from datetime import datetime
from typing import Any

from anyio import to_thread
from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse
from pydantic import AwareDatetime, TypeAdapter, ValidationError

from api.http import fields
from api.http.episodes import BodyOf, ContextOf
from api.service import recall as service
from api.service.context import Context
from schema import intake
from schema.errors import InvalidInput

router = APIRouter(prefix="/v1/namespaces/{namespace}/recall", tags=["recall"])

WATCH_SECONDS = 0.2
# Fields of the request that are not constants of ranking.
_OWN = {"query", "explain", "now", "session_id", "settings"}
_SHORTHANDS = {"k", "max_entries", "max_chars", "max_tokens", "collapse", "prompt_order"}
_MOMENT: TypeAdapter[datetime] = TypeAdapter(AwareDatetime)
_REQUEST: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {
                    "type": "object",
                    "required": ["query"],
                    "properties": {
                        "query": {"type": "string"},
                        "explain": {"type": "boolean", "description": "also return the evidence"},
                        "now": {"type": "string", "format": "date-time", "description": "the present, for ranking"},
                        "session_id": {"type": "string", "description": "the conversation that the answer goes into"},
                        "settings": {"type": "object", "description": "any constant of ranking, by name"},
                        **{name: {} for name in sorted(_SHORTHANDS)},
                    },
                }
            }
        },
    }
}


@router.post("", openapi_extra=_REQUEST)
async def ask(namespace: str, body: BodyOf, context: ContextOf, request: Request) -> Response:
    """Answer a question: packed context, the memories in it, and with `explain` the evidence.

    Same store, same request, same `now`: the same bytes. Milliseconds a stage are in the `Server-Timing` header.
    """
    gone = threading.Event()
    watch = asyncio.create_task(_watch(request, gone))
    try:
        return await to_thread.run_sync(
            _answer, context, namespace, body.data, gone.is_set, limiter=request.app.state.questions
        )
    finally:
        watch.cancel()


async def _watch(request: Request, gone: threading.Event) -> None:
    """Notice when the client hangs up, so that nothing more is computed for it."""
    while not await request.is_disconnected():
        await asyncio.sleep(WATCH_SECONDS)
    gone.set()


def _answer(context: Context, namespace: str, data: dict[str, Any], abandoned: Callable[[], bool]) -> Response:
    fields.only(data, _OWN | _SHORTHANDS)
    if "query" not in data:
        raise InvalidInput("query: is required", field="query")
    explain = data.get("explain", False)
    if not isinstance(explain, bool):
        raise InvalidInput("explain: must be true or false", field="explain")
    settings = data.get("settings", {})
    if not isinstance(settings, dict):
        raise InvalidInput("settings: must be an object", field="settings")
    overrides = {**settings, **{name: data[name] for name in _SHORTHANDS if name in data}}
    session_id = data.get("session_id")
    asked = service.ask(
        context,
        namespace,
        data["query"],
        overrides=overrides,
        now=_now(data.get("now")),
        abandoned=abandoned,
        session_id=None if session_id is None else intake.name(session_id, "session_id"),
        counted=not explain,
        explain=explain,
    )
    answer = asked.answer.body()
    if explain:
        answer["evidence"] = asked.answer.explain()
    timing = ", ".join(f"{name};dur={value:.2f}" for name, value in asked.timings.items())
    return JSONResponse(answer, headers={"Server-Timing": timing})


def _now(value: Any) -> datetime | None:
    if value is None:
        return None
    try:
        # A bare number, or one in a string, would be taken for seconds or milliseconds, whichever looks likelier.
        return _MOMENT.validate_python(value if isinstance(value, str) and ":" in value else None)
    except ValidationError:
        raise InvalidInput("now: must be a time with its offset, such as 2026-01-31T12:00:00Z", field="now") from None
