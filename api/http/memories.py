"""What is known: `/v1/namespaces/{namespace}/memories`, `/facts`, `/stats`, and what people say of it."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from fastapi.encoders import jsonable_encoder
from fastapi.responses import JSONResponse

from api.http import fields
from api.http.episodes import BodyOf, ContextOf
from api.service import correct, knowledge

router = APIRouter(prefix="/v1/namespaces/{namespace}", tags=["memories"])

After = Annotated[int, Query(ge=0, lt=2**63, description="the last id of the page before")]
Limit = Annotated[int, Query(ge=1, le=500)]


def _page(name: str, rows: list[dict[str, Any]], limit: int) -> Response:
    """Answer with a page: one row more than asked for tells that there is another."""
    more = len(rows) > limit
    rows = rows[:limit]
    return JSONResponse(jsonable_encoder({name: rows, "next": rows[-1]["id"] if more else None}))


@router.get("/memories")
def page(
    namespace: str,
    context: ContextOf,
    status: str = "active",
    kind: str | None = None,
    after: After = 0,
    limit: Limit = 50,
) -> Response:
    """List memories in id order: `status` is active, quarantined, retired or all; `kind` passage or fact."""
    rows = knowledge.memories(context, namespace, status=status, kind=kind, after=after, limit=limit + 1)
    return _page("memories", rows, limit)


@router.get("/memories/{memory_id}")
def why(namespace: str, memory_id: int, context: ContextOf) -> Response:
    """Show one memory with its sources, everything that happened to it, what people said, and when it was recalled."""
    return JSONResponse(jsonable_encoder(knowledge.why(context, namespace, memory_id)))


@router.post("/memories/{memory_id}/feedback")
def feedback(namespace: str, memory_id: int, body: BodyOf, context: ContextOf) -> Response:
    """Say that a memory is right (`confirm`), `wrong` or `outdated`, and give the right words in `correction`."""
    data = fields.only(body.data, ["verdict", "correction"])
    verdict = fields.required(data, "verdict")
    return JSONResponse(correct.feedback(context, namespace, memory_id, verdict, data.get("correction")))


@router.get("/facts")
def facts(
    namespace: str,
    context: ContextOf,
    subject: str | None = None,
    predicate: str | None = None,
    object_: Annotated[str | None, Query(alias="object")] = None,
    user_id: str | None = None,
    agent_id: str | None = None,
    after: After = 0,
    limit: Limit = 50,
) -> Response:
    """Find facts by their parts, each compared in canonical form; a subject answers to every name it goes by."""
    rows = knowledge.facts(
        context,
        namespace,
        subject=subject,
        predicate=predicate,
        object_=object_,
        user_id=user_id,
        agent_id=agent_id,
        after=after,
        limit=limit + 1,
    )
    return _page("facts", rows, limit)


@router.get("/stats")
def stats(namespace: str, context: ContextOf) -> Response:
    """Show how well facts are extracted: overall, by extractor revision, by category."""
    return JSONResponse(jsonable_encoder(knowledge.stats(context, namespace)))
