"""Forgetting: `POST /v1/namespaces/{namespace}/forget`, and receipts."""

from __future__ import annotations

from fastapi import APIRouter, Response
from fastapi.responses import JSONResponse

from api.http import fields
from api.http.episodes import BodyOf, ContextOf
from api.service import forget as service
from schema.errors import NotFound

router = APIRouter(prefix="/v1", tags=["forget"])


@router.post("/namespaces/{namespace}/forget")
def forget(namespace: str, body: BodyOf, context: ContextOf) -> Response:
    """Forget one scope for good: `episodes` (ids), `session_id`, `user_id` or `everything: true`. Answers a receipt."""
    data = fields.only(body.data, service.SCOPES)
    return JSONResponse(service.forget(context, namespace, **data))


@router.get("/forgettings/{receipt_id}")
def receipt(receipt_id: int, context: ContextOf) -> Response:
    """Show a receipt: what was removed, what is left, whether a vacuum has been over it."""
    if not 0 < receipt_id < 2**63:
        raise NotFound(f"receipt {receipt_id} is not in this store", field="receipt_id")
    return JSONResponse(service.receipt(context, receipt_id))
