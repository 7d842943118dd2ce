"""Waiting, for a bounded time, until an episode is recallable: the same question that `?wait=fresh` asks over HTTP."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from api.cli.terminal import say

if TYPE_CHECKING:
    from api.service.context import Context

POLL_SECONDS = 0.1

Wait = Annotated[bool, typer.Option("--wait", help="Return when it is recallable.")]
Seconds = Annotated[float, typer.Option(help="Longest that --wait waits.", min=0)]


def until_fresh(found: Context, namespace: str, episode_id: int, seconds: float) -> dict[str, Any]:
    """Return `fresh` and how far each derivation is, once nothing more is to be expected, or after `seconds`."""
    from api.service import knowledge

    deadline = time.monotonic() + seconds
    while True:
        rows = knowledge.status(found, namespace, [episode_id])
        if knowledge.settled(rows) or time.monotonic() >= deadline:
            return {
                "fresh": all(row.state == "current" for row in rows),
                "derivations": {row.derivation: knowledge.shown(row) for row in rows},
            }
        time.sleep(POLL_SECONDS)


def missing(fresh: Mapping[str, Any]) -> bool:
    """Say what is not recallable after waiting, and why; return whether something is not."""
    if fresh.get("fresh", True):
        return False
    for name, row in fresh["derivations"].items():
        if row["state"] == "failed":
            say(f"{name}: failed: {row['reason']}; `palimpsest failures list` says more")
        elif row["state"] == "pending":
            why = row["reason"] or "the time is up; does a worker run? `palimpsest sweep` does it here"
            say(f"{name}: not derived yet: {why}")
    return True
