"""What an operator asks over HTTP: `/v1/admin`."""

from __future__ import annotations

from fastapi import APIRouter, Response
from fastapi.encoders import jsonable_encoder
from fastapi.responses import JSONResponse

from api.http.episodes import ContextOf
from api.service import health

router = APIRouter(prefix="/v1/admin", tags=["admin"])


@router.get("/status")
def status(context: ContextOf) -> Response:
    """Return how far behind each derivation is, the queues, and what failed."""
    return JSONResponse(jsonable_encoder(health.status(context)))
