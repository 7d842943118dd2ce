"""The HTTP application. Handlers are plain functions in the thread pool, so a slow model never blocks the loop."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import structlog
from anyio import CapacityLimiter
from fastapi import FastAPI, Response
from fastapi.responses import JSONResponse

from api.http import admin, episodes, forget, memories, problems, recall
from api.http.requests import RequestId
from api.service import health
from api.service.context import Context
from schema import log
from schema.settings import Settings
from schema.settings import get as settings_of_process

QUESTIONS = 16


def create_app(settings: Settings | None = None) -> FastAPI:
    """Return the application over the store that `settings` (or the environment) name."""
    context = Context(settings or settings_of_process())
    if not structlog.is_configured():
        # However this is served, what users said stays out of the log.
        log.configure(context.settings.log_level)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        # Questions have threads of their own: any number of them leaves writes theirs.
        _app.state.questions = CapacityLimiter(QUESTIONS)
        context.warm_up()
        yield
        context.close()

    app = FastAPI(
        title="palimpsest",
        summary="Long-term memory for LLM agents",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
    )
    app.state.context = context
    problems.install(app)
    app.add_middleware(RequestId)

    # On the event loop and asking nobody: this process is alive even when the store is not.
    @app.get("/healthz", tags=["health"])
    async def healthz() -> dict[str, str]:
        return {"status": "alive"}

    @app.get("/readyz", tags=["health"])
    def readyz() -> Response:
        ready, checks = health.ready(context)
        return JSONResponse({"ready": ready, "checks": checks}, status_code=200 if ready else 503)

    app.include_router(episodes.router)
    app.include_router(recall.router)
    app.include_router(memories.router)
    app.include_router(forget.router)
    app.include_router(admin.router)
    return app
