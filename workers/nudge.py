"""Nudges: one kind of message, sent at most once while the last one has not been taken.

The pending flag lives in the broker beside the message and expires, so it is lost together with the message and
trusted only for a while. Publishing never delays a write by more than its time limit: after a failure a circuit breaker
keeps quiet for some seconds, and the beat finds the rows.
"""

from __future__ import annotations

import threading
import time
from typing import Any

import redis

from schema import log
from schema.kinds import Lane
from schema.settings import Settings
from workers.app import FRESH, SWEEP, app, configure

logger = log.get(__name__)

QUIET_SECONDS = 5.0
FLAG = "palimpsest:pending:{}"
CONSUMED = "palimpsest:consumed:{}"
SENT = "palimpsest:sent:{}"
REDELIVERED = "palimpsest:redelivered"


class Nudger:
    """Sends nudges for one process. Safe for threads."""

    def __init__(self, settings: Settings, broker_url: str) -> None:
        self.settings = settings
        self.client: Any = client(broker_url, settings.publish_seconds)
        self._quiet_until = 0.0
        self._lock = threading.Lock()
        configure(settings, broker_url)

    def nudge(self, lane: int) -> bool:
        """Ask for `lane` to be drained. False when the broker is away: the rows are found by the next sweep."""
        if time.monotonic() < self._quiet_until:
            return False
        queue = FRESH if lane == Lane.FRESH else SWEEP
        try:
            if not self.client.set(FLAG.format(lane), 1, nx=True, px=int(self.settings.nudge_seconds * 1000)):
                return True
            with self._lock:
                app.send_task("palimpsest.derive", args=[lane], queue=queue, retry=False)
            self.client.incr(SENT.format(lane))
        except Exception as error:  # noqa: BLE001 - the write has committed: nothing about a message may fail it now
            self._quiet_until = time.monotonic() + QUIET_SECONDS
            logger.warning("nudge_failed", lane=lane, error=type(error).__name__)
            return False
        return True

    def taken(self, lane: int, *, again: bool = False) -> None:
        """Clear the pending flag and note that this lane's queue is being consumed; count a message that came again."""
        try:
            if again:
                self.client.incr(REDELIVERED)
            self.client.delete(FLAG.format(lane))
            self.client.set(CONSUMED.format(lane), int(time.time()))
        except redis.RedisError as error:
            logger.warning("flag_not_cleared", lane=lane, error=type(error).__name__)


def client(url: str, timeout: float) -> Any:
    """Return a client with short timeouts for a `redis://` or `redis+socket://` URL."""
    return redis.Redis.from_url(
        url.replace("redis+socket://", "unix://").replace("virtual_host=", "db="),
        socket_timeout=timeout,
        socket_connect_timeout=timeout,
        health_check_interval=10,
    )
