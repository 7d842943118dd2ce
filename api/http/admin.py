"""What an operator asks over HTTP: `/v1/admin`."""

from __future__ import annotations

from fastapi import APIRouter, Response
from fastapi.encoders import jsonable_encoder
from fastapi.responses import JSONResponse

from api.http import fields
from api.http.episodes import BodyOf, ContextOf
from api.service import correct, health, knowledge

router = APIRouter(prefix="/v1/admin", tags=["admin"])


@router.patch("/namespaces/{namespace}")
def configure(namespace: str, body: BodyOf, context: ContextOf) -> Response:
    """Set which sources a namespace trusts how much (`trust`), and which wait for release (`quarantine`)."""
    data = fields.only(body.data, ["trust", "quarantine"])
    return JSONResponse(correct.configure(context, namespace, **data))


@router.post("/namespaces/{namespace}/release")
def release(namespace: str, body: BodyOf, context: ContextOf) -> Response:
    """Let what waits be recalled: the episodes of a `source`, or these `episodes`; all when neither is given."""
    data = fields.only(body.data, ["source", "episodes"])
    return JSONResponse(correct.release(context, namespace, **data))


@router.get("/stats")
def stats(context: ContextOf) -> Response:
    """Show how well facts are extracted in the whole store."""
    return JSONResponse(jsonable_encoder(knowledge.stats(context)))


@router.get("/status")
def status(context: ContextOf) -> Response:
    """Return how far behind each derivation is, the queues, and what failed."""
    return JSONResponse(jsonable_encoder(health.status(context)))
