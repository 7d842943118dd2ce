"""Errors at the edge: every one becomes an RFC 9457 problem that names the field, in one place. Never a stack trace."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from schema import log
from schema.errors import (
    Abandoned,
    Conflict,
    InvalidInput,
    NotFound,
    NotMigrated,
    PalimpsestError,
    ProviderUnavailable,
    StoreUnavailable,
    TooLarge,
)

logger = log.get(__name__)

# Characters of a problem's detail; the longest list of known names is half of that.
LONGEST = 1000

# First match wins, so the narrower class stands first.
STATUS: tuple[tuple[type[PalimpsestError], int, str], ...] = (
    (TooLarge, 413, "too-large"),
    (InvalidInput, 422, "invalid-input"),
    (Conflict, 409, "conflict"),
    (NotFound, 404, "not-found"),
    (NotMigrated, 503, "not-migrated"),
    (Abandoned, 499, "abandoned"),
    (StoreUnavailable, 503, "store-unavailable"),
    (ProviderUnavailable, 503, "provider-unavailable"),
    (PalimpsestError, 500, "internal"),
)


def problem(status: int, kind: str, detail: str, field: str | None = None, **more: Any) -> JSONResponse:
    """Return a problem+json response."""
    body: dict[str, Any] = {"type": f"urn:palimpsest:{kind}", "title": kind.replace("-", " "), "status": status}
    body["detail"] = _shown(detail)
    if field is not None:
        body["field"] = _shown(field)
    return JSONResponse({**body, **more}, status_code=status, media_type="application/problem+json")


def _shown(text: str) -> str:
    """Return a text that can be sent whatever a client put into the name of a field, and is no longer than one."""
    return text.encode(errors="backslashreplace").decode()[:LONGEST]


def of(error: PalimpsestError) -> JSONResponse:
    """Return the problem of one of our errors."""
    for kind, status, name in STATUS:
        if isinstance(error, kind):
            return problem(status, name, error.detail, error.field)
    raise AssertionError("PalimpsestError is in the table")


def install(app: FastAPI) -> None:
    """Make `app` answer every error as a problem."""

    @app.exception_handler(PalimpsestError)
    async def _ours(_request: Request, error: PalimpsestError) -> JSONResponse:
        return of(error)

    @app.exception_handler(RequestValidationError)
    async def _parameters(_request: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"][1:]) or str(first["loc"][0])
        return problem(422, "invalid-input", f"{field}: {first['msg']}", field)

    @app.exception_handler(HTTPException)
    async def _routing(_request: Request, error: HTTPException) -> JSONResponse:
        answer = problem(error.status_code, "http", str(error.detail))
        answer.headers.update(error.headers or {})
        return answer

    @app.exception_handler(Exception)
    async def _unexpected(_request: Request, error: Exception) -> JSONResponse:
        logger.error("unexpected_error", error=type(error).__name__, exc_info=error)
        return problem(500, "internal", "something went wrong here; the log has it under this request's id")
