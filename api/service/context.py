"""What a serving process holds: the store, the way to nudge workers, and models that warm up in the background."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor

from schema import log
from schema.db import Database
from schema.errors import PalimpsestError, ProviderUnavailable, SettingsError
from schema.ids import digest
from schema.settings import Settings
from schema.store.spaces import SpaceRow
from workers.derive.echo import Trace, traces
from workers.derive.embedding import CachedQueries
from workers.derive.entities import extract
from workers.derive.loaders import describe, encoder, limit_threads
from workers.nudge import Nudger

logger = log.get(__name__)

CORRECTIONS = 2
"""Connections for corrections of one process: they are rare and short."""
TRACES = 10_000
"""Memories whose served digests are kept at hand; about a kilobyte each."""


class Context:
    """Built once a process. `nudger` is None where no broker is configured: the beat finds what was written."""

    def __init__(self, settings: Settings, *, pool_size: int | None = None) -> None:
        if settings.database_url is None:
            raise SettingsError(
                "DATABASE_URL: nothing to connect to; `palimpsest up` runs a server of its own", field="DATABASE_URL"
            )
        self.settings = settings
        self.database = Database(settings.database_url, role="api", pool_size=pool_size or settings.api_pool_size)
        self.nudger = Nudger(settings, settings.broker_url) if settings.broker_url else None
        # One: a pipeline is not safe for threads, and a question that is dropped while it waits costs nothing.
        self.threads = ThreadPoolExecutor(1, thread_name_prefix="parse")
        # The space each namespace read when it was asked last, and who was known to speak in it.
        self.places: dict[str, tuple[SpaceRow | None, frozenset[str]]] = {}
        self.url = settings.database_url
        self._worker: Database | None = None
        self._traces: OrderedDict[bytes, frozenset[Trace]] = OrderedDict()
        self._encoders: dict[str, CachedQueries] = {}
        self._lock = threading.Lock()
        self._warm = threading.Event()
        self._closed = threading.Event()
        self.cold_reason: str | None = "models are loading"

    def nudge(self, lane: int) -> bool:
        """Ask for work to be done; False when it has to wait for the next sweep."""
        return self.nudger is not None and self.nudger.nudge(lane)

    def encoder(self, space: SpaceRow) -> CachedQueries:
        """Return the encoder of a space, loaded from its row. Raises ProviderUnavailable."""
        with self._lock:
            found = self._encoders.get(space.fingerprint)
            if found is None:
                found = self._encoders[space.fingerprint] = CachedQueries(encoder(space.spec))
            return found

    @property
    def worker(self) -> Database:
        """The store in the worker's role: what people decide changes derived rows, which this process's own may not."""
        with self._lock:
            if self._worker is None:
                self._worker = Database(
                    self.url, role="worker", pool_size=CORRECTIONS, application="palimpsest-corrections"
                )
            return self._worker

    def traces(self, text: str, key: bytes) -> frozenset[Trace]:
        """Return the digests of the sentences of a text that leaves; the same memories leave again and again.

        What is kept is digests only, so that a forgotten text is in no cache.
        """
        name = digest(key, text)
        with self._lock:
            found = self._traces.get(name)
            if found is not None:
                self._traces.move_to_end(name)
                return found
        made = frozenset(traces(text, key))
        with self._lock:
            self._traces[name] = made
            if len(self._traces) > TRACES:
                self._traces.popitem(last=False)
        return made

    @property
    def warm(self) -> bool:
        """Whether questions can be encoded without first loading a model."""
        return self._warm.is_set()

    def warm_up(self) -> None:
        """Load models in the background; never blocks the start.

        No daemon: an interpreter that ends under a thread in native code aborts. The end waits for the load in hand.
        """
        threading.Thread(target=self._load, name="warm-up").start()

    def _load(self) -> None:
        limit_threads(os.cpu_count() or 1)
        while not self._warm.is_set() and not self._closed.is_set():
            try:
                encoder(describe(self.settings.encoder)).query("warm")
                if not self._closed.is_set():
                    extract(["Warm"], self.settings.spacy_model)
            except ProviderUnavailable as error:
                self.cold_reason = error.detail
                logger.warning("models_unavailable", reason=error.detail)
                self._closed.wait(self.settings.breaker_seconds)
            except PalimpsestError as error:
                self.cold_reason = error.detail
                return
            else:
                self.cold_reason = None
                self._warm.set()

    def close(self) -> None:
        """Let go of connections and threads."""
        self._closed.set()
        self.threads.shutdown(wait=False, cancel_futures=True)
        self.database.dispose()
        if self._worker is not None:
            self._worker.dispose()
