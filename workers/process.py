"""What one worker process holds: its connections, its nudger, and whether it has been asked to stop.

Built on first use, so after the fork: neither connections nor models may be shared with a parent.
"""

from __future__ import annotations

import multiprocessing
import os
from multiprocessing.synchronize import Event
from typing import ClassVar

from schema.db import Database
from schema.errors import SettingsError
from schema.settings import Settings
from schema.settings import get as settings_of_process
from workers import spaces
from workers.derive.loaders import limit_threads
from workers.nudge import Nudger

_stop: Event | None = None


def allow_stopping() -> None:
    """Make the flag that parent and children share. Call before the fork."""
    global _stop
    _stop = multiprocessing.Event()


def stop() -> None:
    """Ask every child to finish the bite in hand and no other."""
    if _stop is not None:
        _stop.set()


def stopping() -> bool:
    """Whether this worker has been asked to stop."""
    return _stop is not None and _stop.is_set()


class Process:
    """The context of this process's tasks."""

    _current: ClassVar[Process | None] = None

    def __init__(self, settings: Settings) -> None:
        if settings.database_url is None or settings.broker_url is None:
            missing = "DATABASE_URL" if settings.database_url is None else "BROKER_URL"
            raise SettingsError(f"{missing}: a worker needs it; `palimpsest up` sets it for its own", field=missing)
        self.settings = settings
        self.database = Database(settings.database_url, role="worker", pool_size=settings.pool_size)
        self.nudger = Nudger(settings, settings.broker_url)
        self._prepared = False

    def prepare(self) -> None:
        """Cap native threads and make sure that the configured encoder has its space."""
        if not self._prepared:
            limit_threads(max(1, (os.cpu_count() or 1) // self.settings.worker_processes))
            self._prepared = spaces.ensure(self.database, self.settings) is None

    @classmethod
    def reset(cls) -> None:
        """Forget what a parent process built."""
        if cls._current is not None:
            cls._current.database.dispose(inherited=True)
        cls._current = None


def current() -> Process:
    """Return this process's context."""
    if Process._current is None:
        Process._current = Process(settings_of_process())
    return Process._current
