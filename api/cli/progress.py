"""Progress per derivation, from the reports of a drain in this process or from the store when workers do the work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.progress import Progress, TaskID

if TYPE_CHECKING:
    from schema.store.progress import Standing
    from workers.reconcile import Report


class Bars:
    """One bar a derivation. The length of a bar grows while earlier derivations make rows for later ones."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._tasks: dict[str, TaskID] = {}
        self._before: dict[str, int] = {}
        self._last: dict[str, int] = {}

    def reports(self, reports: Sequence[Report]) -> None:
        """Show what a drain has done. Its counts begin anew with each of its time budgets; the bars go on."""
        for report in reports:
            done = report.rebuilt + report.skipped
            if done < self._last.get(report.derivation, 0):
                self._before[report.derivation] = self._before.get(report.derivation, 0) + self._last[report.derivation]
            self._last[report.derivation] = done
            total = self._before.get(report.derivation, 0) + done
            self.show(report.derivation, total, total + report.deferred + report.waiting + report.blocked)

    def standings(self, standings: Sequence[Standing]) -> None:
        """Show how far the store is."""
        for row in standings:
            self.show(row.derivation, row.rows - row.stale, row.rows)

    def show(self, name: str, done: int, total: int) -> None:
        """Set one bar."""
        if name not in self._tasks:
            self._tasks[name] = self._progress.add_task(label(name), total=total)
        self._progress.update(self._tasks[name], completed=done, total=max(total, 1) if total else None)


def label(derivation: str) -> str:
    """Return a derivation's name as people read it, wide enough that bars begin in one column."""
    return f"{derivation:<12}"


def unwell(reports: Sequence[Report]) -> list[str]:
    """Return what a drain could not make current, and the command that mends it; empty when all is well.

    That rows are blocked is no news while what blocks them may be what a bounded pass left for the next one.
    """
    found = []
    unfinished = any(report.deferred or report.waiting for report in reports)
    for report in reports:
        name = report.derivation
        if report.snoozed:
            found.append(f"{name}: snoozed: {report.snoozed}; then `palimpsest sweep {name}`")
        if report.quarantined:
            found.append(
                f"{name}: {report.quarantined} rows quarantined; `palimpsest failures list` says why, "
                f"`palimpsest failures retry --derivation {name}` tries them again"
            )
        if report.blocked and not unfinished:
            found.append(
                f"{name}: {report.blocked} rows blocked by another derivation that is not current; `palimpsest sweep`"
            )
    return found


def figures(report: Report) -> dict[str, object]:
    """Return a report as plain values."""
    return {
        "rebuilt": report.rebuilt,
        "failed": report.failed,
        "skipped": report.skipped,
        "deferred": report.deferred,
        "waiting": report.waiting,
        "blocked": report.blocked,
        "quarantined": report.quarantined,
        "next_at": report.next_at,
        "snoozed": report.snoozed,
    }
