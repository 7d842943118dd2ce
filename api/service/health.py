"""Liveness, readiness, and how far behind the derived store is."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import Any

import redis

from api.service.context import Context
from schema.errors import PalimpsestError
from schema.kinds import Lane
from schema.store import audit, health, stamps
from workers.app import MAINTAIN, QUEUES
from workers.nudge import CONSUMED, REDELIVERED, SENT

# Nothing taken for this many reconcile periods while work is due: the consumers have stalled.
STALL_PERIODS = 4


def ready(context: Context) -> tuple[bool, dict[str, Any]]:
    """Return whether questions and writes can be served, with every check by name."""
    checks: dict[str, Any] = {}
    try:
        with context.database.read() as session:
            health.check(session)
        checks["database"] = "ok"
    except PalimpsestError as error:
        checks["database"] = error.detail
    checks["models"] = "ok" if context.warm else context.cold_reason
    broker = queues(context)
    # Neither stops an answer or a write, so neither takes this process out of service.
    checks["broker"] = broker.get("error", "ok")
    if checks["database"] == "ok":
        checks["consumers"] = _consumers(context, broker)
    return checks["database"] == "ok" and checks["models"] == "ok", checks


def _consumers(context: Context, broker: dict[str, Any]) -> str:
    with context.database.read() as session:
        late = sum(row.backlog.deferred for row in health.derivations(session))
    if "error" in broker:
        return "unknown: the broker is away"
    last = max((seen for seen in broker["last_consumed"].values() if seen is not None), default=None)
    limit = STALL_PERIODS * context.settings.sweep_seconds
    if late and (last is None or time.time() - last > limit):
        ago = "never" if last is None else f"{int(time.time() - last)} s ago"
        return f"stalled: {late} rows are due and the last message was taken {ago}"
    return "ok"


def queues(context: Context) -> dict[str, Any]:
    """Return queue lengths, when each lane was last consumed, and a warning when the broker may drop messages."""
    if context.nudger is None:
        return {"error": "BROKER_URL is not set"}
    client = context.nudger.client
    try:
        lengths = {name: int(client.llen(name)) for name in QUEUES}
        seen = {lane: client.get(CONSUMED.format(int(lane))) for lane in Lane}
        sent = {lane: client.get(SENT.format(int(lane))) for lane in Lane}
        again = int(client.get(REDELIVERED) or 0)
        policy = client.info("memory").get("maxmemory_policy", "noeviction")
    except (redis.RedisError, OSError) as error:
        return {"error": f"the broker cannot be reached: {type(error).__name__}"}
    found: dict[str, Any] = {
        "lengths": lengths,
        "last_consumed": {lane.name.lower(): None if at is None else int(at) for lane, at in seen.items()},
        "nudges_sent": {lane.name.lower(): int(count or 0) for lane, count in sent.items()},
        "redelivered": again,
    }
    if policy != "noeviction":
        found["warning"] = (
            f"the broker's maxmemory-policy is {policy}: it may drop messages; set it to noeviction. "
            f"Nothing is lost: the {MAINTAIN} and sweep entries of the beat find what is due"
        )
    return found


def status(context: Context) -> dict[str, Any]:
    """Return what an operator looks at first: derivations, queues, failures, rejections."""
    with context.database.read() as session:
        now = health.check(session)
        rows = health.derivations(session)
        failing = stamps.failing(session, limit=20)
        rejected = audit.rejections(session, limit=20)
    derivations = {}
    for row in rows:
        left = row.backlog
        derivations[row.derivation] = {
            "revision": row.revision,
            "fingerprint": row.fingerprint,
            "stale": left.stale,
            "deferred": left.deferred,
            "waiting": left.waiting,
            "blocked": left.blocked,
            "quarantined": left.quarantined,
            "oldest_seconds": None if left.oldest is None else round((now - left.oldest).total_seconds(), 1),
            "snoozed": row.snoozed,
            "rows_by_revision": {str(revision): count for revision, count in row.older.items()},
        }
    return {
        "current": all(row.backlog.stale == 0 and row.backlog.quarantined == 0 for row in rows),
        "derivations": derivations,
        "queues": queues(context),
        "failures": [asdict(item) for item in failing],
        "rejections": [asdict(item) for item in rejected],
    }
