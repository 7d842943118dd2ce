"""Draining: all derivations in dependency order, in small bites, until nothing is due or the budget is spent.

Bites keep a long repair from delaying a new write: every claim takes never-derived rows of the fresh lane first, so a
fresh episode waits for at most one bite of each derivation.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from schema.db import Database
from schema.settings import Settings
from schema.store.stamps import EVERYTHING, Selection
from workers.derivations import derivations
from workers.reconcile import Report, reconcile

Progress = Callable[[list[Report]], None]


def drain(
    database: Database,
    settings: Settings,
    *,
    chosen: Selection = EVERYTHING,
    only: str | None = None,
    seconds: float | None = None,
    should_stop: Callable[[], bool] = lambda: False,
    progress: Progress | None = None,
    help_wanted: Callable[[], object] | None = None,
) -> list[Report]:
    """Run bites of every derivation (or of `only` one) until none is busy; return one summed report a derivation.

    `help_wanted` is called once, when a first bite leaves work behind: another process may join in.
    """
    deadline = time.monotonic() + (settings.drain_seconds if seconds is None else seconds)
    totals: dict[str, Report] = {}
    while True:
        busy = moved = False
        for derivation in derivations(database, settings):
            if only not in (None, derivation.name, derivation.name.split(":")[0]):
                continue
            left = deadline - time.monotonic()
            report = reconcile(
                database,
                derivation,
                settings,
                chosen=chosen,
                rows=derivation.batch,
                seconds=max(left, 0.0),
                should_stop=should_stop,
            )
            moved = moved or report.rebuilt + report.failed + report.skipped > 0
            busy = busy or report.busy
            before = totals.get(report.derivation)
            totals[report.derivation] = _add(before, report) if before else report
        if progress is not None:
            progress(list(totals.values()))
        if busy and help_wanted is not None:
            help_wanted()
            help_wanted = None
        if not (busy or moved) or should_stop() or time.monotonic() >= deadline:
            return list(totals.values())


def _add(before: Report, now: Report) -> Report:
    return replace(
        now,
        rebuilt=before.rebuilt + now.rebuilt,
        failed=before.failed + now.failed,
        skipped=before.skipped + now.skipped,
    )


def drain_all(
    database: Database,
    settings: Settings,
    *,
    chosen: Selection = EVERYTHING,
    only: str | None = None,
    should_stop: Callable[[], bool] = lambda: False,
    progress: Progress | None = None,
) -> list[Report]:
    """Drain without a time limit, sleeping while rows wait for their turn, until nothing is due or waiting.

    Ends early, saying so in the reports, when what is left is snoozed: a provider is down.
    """
    totals: dict[str, Report] = {}
    while True:
        for report in drain(database, settings, chosen=chosen, only=only, should_stop=should_stop, progress=progress):
            before = totals.get(report.derivation)
            totals[report.derivation] = _add(before, report) if before else report
        left = [report for report in totals.values() if report.deferred or report.waiting]
        if not left or should_stop() or all(report.snoozed for report in left):
            return list(totals.values())
        if not any(report.busy for report in left):
            time.sleep(0.25)
