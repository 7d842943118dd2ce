"""`?wait=fresh`: answering a write when what was written is recallable, for as long as the client cares to wait."""

from __future__ import annotations

import asyncio
import time
from typing import Annotated, Any, Literal

from anyio import to_thread
from fastapi import Query

from api.service import knowledge
from api.service.context import Context
from schema.errors import NotFound

POLL_SECONDS = 0.05

Wait = Annotated[
    Literal["no", "fresh"], Query(description="fresh: answer when what was written is recallable, or the time is up")
]
WaitSeconds = Annotated[float, Query(gt=0, le=60, description="how long `wait=fresh` waits")]


async def until_fresh(context: Context, namespace: str, ids: list[int], seconds: float) -> dict[str, Any]:
    """Return `fresh` and how far each derivation is, once nothing more is to be expected, or after `seconds`.

    No thread is held between two looks, so any number of clients may wait.
    """
    deadline = time.monotonic() + seconds
    while True:
        try:
            found = await to_thread.run_sync(knowledge.status, context, namespace, ids)
        except NotFound:
            # Forgotten while somebody waits for it: the write was taken in all the same.
            return {"fresh": False, "derivations": {}}
        if knowledge.settled(found) or time.monotonic() >= deadline:
            return {
                "fresh": all(row.state == "current" for row in found),
                "derivations": {row.derivation: knowledge.shown(row) for row in found},
            }
        await asyncio.sleep(POLL_SECONDS)
