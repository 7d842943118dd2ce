"""Telling and reading back: `/v1/namespaces/{namespace}/episodes`."""

from __future__ import annotations

from dataclasses import asdict
from datetime import timedelta, timezone
from functools import partial
from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Depends, Header, Query, Request, Response
from fastapi.responses import JSONResponse

from api.http import fields
from api.http.body import Body, read_body
from api.http.waiting import Wait, WaitSeconds, until_fresh
from api.service import correct, forget, ingest, knowledge
from api.service.context import Context
from schema.errors import InvalidInput, NotFound
from schema.intake import EpisodeIn
from schema.store.episodes import EpisodeRow

router = APIRouter(prefix="/v1/namespaces/{namespace}/episodes", tags=["episodes"])

_EPISODE = EpisodeIn.model_json_schema(ref_template="#/components/schemas/{model}")
_REQUEST: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {
                    "oneOf": [
                        {k: v for k, v in _EPISODE.items() if k != "$defs"},
                        {
                            "type": "object",
                            "required": ["episodes"],
                            "properties": {"episodes": {"type": "array", "items": {"title": "EpisodeIn"}}},
                        },
                    ]
                }
            }
        },
    }
}


def context_of(request: Request) -> Context:
    """Return the process's context."""
    found: Context = request.app.state.context
    return found


ContextOf = Annotated[Context, Depends(context_of)]
BodyOf = Annotated[Body, Depends(read_body)]


@router.post("", status_code=202, openapi_extra=_REQUEST)
async def remember(
    namespace: str,
    body: BodyOf,
    context: ContextOf,
    idempotency_key: Annotated[str | None, Header(description="repeat a request safely for 24 hours")] = None,
    wait: Wait = "no",
    wait_seconds: WaitSeconds = 10.0,
) -> Response:
    """Tell one episode, or many as `{"episodes": [...]}`. 202 with ids; 207 when some of many were refused.

    They are stored when this answers, and recallable once the workers have derived them. With `wait=fresh` it answers
    then: `fresh` says whether that is so, `derivations` what is still to come.
    """
    items = [body.data]
    if "episodes" in body.data:
        if not isinstance(body.data["episodes"], list) or len(body.data) > 1:
            raise InvalidInput("episodes: must be an array, and stand alone in the body", field="episodes")
        items = body.data["episodes"]
    done = await to_thread.run_sync(
        partial(ingest.remember, context, namespace, items, key=idempotency_key, body_digest=body.digest)
    )
    ids = [item["id"] for item in done.body["episodes"] if item.get("id") is not None]
    fresh = await until_fresh(context, namespace, ids, wait_seconds) if wait == "fresh" and ids else {}
    return JSONResponse({**done.body, **fresh}, status_code=done.status)


@router.get("")
def page(
    namespace: str,
    context: ContextOf,
    after: Annotated[int, Query(ge=0, lt=2**63, description="the last id of the page before")] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    session_id: str | None = None,
) -> Response:
    """List episodes in the order they were told. `next` is the `after` of the next page, null on the last."""
    rows = ingest.page(context, namespace, after=after, limit=limit + 1, session_id=session_id)
    more = len(rows) > limit
    rows = rows[:limit]
    return JSONResponse({"episodes": [shown(row) for row in rows], "next": rows[-1].id if more else None})


@router.get("/{episode_id}/status")
def status(namespace: str, episode_id: int, context: ContextOf) -> Response:
    """Say for each derivation how far it is with one episode: current, pending, or failed with the reason."""
    found = knowledge.status(context, namespace, [_id(episode_id)])
    return JSONResponse({"id": episode_id, "derivations": {row.derivation: knowledge.shown(row) for row in found}})


@router.patch("/{episode_id}")
async def edit(
    namespace: str,
    episode_id: int,
    body: BodyOf,
    context: ContextOf,
    wait: Wait = "no",
    wait_seconds: WaitSeconds = 10.0,
) -> Response:
    """Give an episode new words, as a revision beside the old ones; what is derived from it follows."""
    content = fields.required(fields.only(body.data, ["content"]), "content")
    done = await to_thread.run_sync(correct.edit, context, namespace, _id(episode_id), content)
    fresh = await until_fresh(context, namespace, [episode_id], wait_seconds) if wait == "fresh" else {}
    return JSONResponse({**done, **fresh})


@router.delete("/{episode_id}")
def delete(namespace: str, episode_id: int, context: ContextOf) -> Response:
    """Forget an episode for good, with everything derived from it alone. The answer is the receipt."""
    return JSONResponse(forget.forget(context, namespace, episodes=[_id(episode_id)]))


def _id(value: int) -> int:
    if not 0 < value < 2**63:
        raise NotFound(f"episode {value} is not in this namespace", field="episode_id")
    return value


@router.get("/{episode_id}")
def read(namespace: str, episode_id: int, context: ContextOf) -> Response:
    """Read one episode back, exactly as it was told, with the share of it that its memories hold so far."""
    found = ingest.read(context, namespace, episode_id) if 0 < episode_id < 2**63 else None
    if found is None:
        raise NotFound(f"episode {episode_id} is not in this namespace", field="episode_id")
    row, coverage = found
    return JSONResponse({**shown(row), "coverage": asdict(coverage)})


def shown(row: EpisodeRow) -> dict[str, Any]:
    """Return an episode as JSON; its time carries the offset it was told with."""
    return {
        "id": row.id,
        "content": row.content,
        "occurred_at": row.occurred_at.astimezone(timezone(timedelta(minutes=row.utc_offset))).isoformat(),
        "recorded_at": row.recorded_at.isoformat(),
        "source": row.source,
        "kind": row.kind,
        "speaker": row.speaker,
        "session_id": row.session_id,
        "user_id": row.user_id,
        "agent_id": row.agent_id,
        "seq": row.seq,
        "external_id": row.external_id,
        "metadata": row.metadata,
        "revision": row.revision,
        "future": row.future,
        "quarantined": row.quarantined,
        "expires_at": row.expires_at.isoformat() if row.expires_at else None,
    }
