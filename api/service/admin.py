"""What an operator does to a store: bring it up to date, look at its rules, try failed rows again, drop a namespace.

Reading is done in the API's role. What changes derived rows is a worker's business and done in a worker's role, by the
same loop that workers run, and safely beside them.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from difflib import get_close_matches
from typing import Any

from api.service.context import Context
from api.service.places import place_of
from schema.db import Database
from schema.errors import InvalidInput, ProviderUnavailable
from schema.kinds import Lane, SpaceState
from schema.settings import Settings
from schema.store import audit, health, namespaces, rules, spaces, stamps
from schema.store import progress as progress_of_store
from schema.store.namespaces import NamespaceRow
from schema.store.progress import Standing
from schema.store.stamps import EVERYTHING, Selection
from workers import spaces as vector_spaces
from workers.derivations import derivations
from workers.derivations.base import Derivation
from workers.derive.loaders import limit_threads
from workers.drain import drain_all
from workers.maintain import maintain
from workers.preview import Preview
from workers.preview import preview as run_preview
from workers.reconcile import Report, reconcile

Progress = Callable[[list[Report]], None]
EPISODE_DERIVATIONS = ("memories", "facts")
"""What makes memories, and can be looked at before it does."""


@contextmanager
def worker_database(settings: Settings) -> Iterator[Database]:
    """A worker's connection for the length of a block."""
    assert settings.database_url is not None  # noqa: S101 - a Context exists only with one
    database = Database(settings.database_url, role="worker", application="palimpsest-admin")
    try:
        yield database
    finally:
        database.dispose()


def namespace(context: Context, name: str) -> NamespaceRow:
    """Return a namespace by its name. Raises InvalidInput or NotFound."""
    with context.database.read() as session:
        return place_of(session, name)


def settle(context: Context, names: Sequence[str], *, progress: Progress | None = None) -> list[Report]:
    """Derive everything of some namespaces in this process, then do the housekeeping; return a report a derivation.

    Reports of several namespaces are added up. Returns early, saying so in the reports, when a provider is down.
    """
    totals: dict[str, Report] = {}
    with worker_database(context.settings) as database:
        prepare(database, context.settings)
        for name in names:
            chosen = Selection(namespace_id=namespace(context, name).id)
            for report in drain_all(database, context.settings, chosen=chosen, progress=progress):
                before = totals.get(report.derivation)
                totals[report.derivation] = _sum(before, report) if before else report
        maintain(database, context.settings)
    return list(totals.values())


def prepare(database: Database, settings: Settings) -> None:
    """Get this process ready to derive: all cores, and a vector space for the configured encoder."""
    limit_threads(os.cpu_count() or 1)
    vector_spaces.ensure(database, settings)


def _sum(before: Report, now: Report) -> Report:
    counts = ("rebuilt", "failed", "skipped", "deferred", "waiting", "blocked", "quarantined")
    added = {name: getattr(before, name) + getattr(now, name) for name in counts}
    return Report(now.derivation, **added, next_at=now.next_at or before.next_at, snoozed=now.snoozed or before.snoozed)


def derivation_name(context: Context, name: str) -> str:
    """Check the name of a derivation; `vectors` means those of every space. Raises InvalidInput naming those known."""
    with context.database.read() as session:
        known = [*health.names(session), "vectors"]
    if name not in known:
        near = get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(known)}"
        raise InvalidInput(f"derivation: there is no {name!r}; {hint}", field="derivation")
    return name


def sweep(
    context: Context,
    *,
    only: str | None = None,
    within: str | None = None,
    rows: int | None = None,
    seconds: float | None = None,
    progress: Progress | None = None,
) -> list[Report]:
    """Make stale rows current in this process, of one derivation or all, of one namespace or all.

    Without bounds it goes on until nothing is due or waiting; with `rows` or `seconds` it makes one pass that stops at
    whichever comes first.
    """
    settings = context.settings
    if only is not None:
        derivation_name(context, only)
    chosen = EVERYTHING if within is None else Selection(namespace_id=namespace(context, within).id)
    with worker_database(settings) as database:
        prepare(database, settings)
        if rows is None and seconds is None:
            return drain_all(database, settings, chosen=chosen, only=only, progress=progress)
        return list(_bounded(database, settings, chosen, only, rows, seconds))


def _bounded(
    database: Database, settings: Settings, chosen: Selection, only: str | None, rows: int | None, seconds: float | None
) -> Iterator[Report]:
    left = 1_000_000_000 if rows is None else rows
    deadline = time.monotonic() + (float("inf") if seconds is None else seconds)
    for derivation in derivations(database, settings):
        if only in (None, derivation.name, derivation.name.split(":")[0]):
            time_left = max(0.0, deadline - time.monotonic())
            report = reconcile(database, derivation, settings, chosen=chosen, rows=max(left, 0), seconds=time_left)
            left -= report.rebuilt + report.failed + report.skipped
            yield report


def preview(
    context: Context,
    *,
    only: str | None = None,
    within: str | None = None,
    rows: int = 200,
    progress: Callable[[str, int, int], None] = lambda _name, _done, _of: None,
) -> list[Preview]:
    """Return what the rules of this installation would change in a sample of episodes; nothing is written.

    Raises InvalidInput, NotFound, ProviderUnavailable.
    """
    if only is not None and only not in EPISODE_DERIVATIONS:
        raise InvalidInput(
            f"derivation: {only!r} makes no memories; a dry run is of {' or '.join(EPISODE_DERIVATIONS)}",
            field="derivation",
        )
    place = None if within is None else namespace(context, within).id
    with worker_database(context.settings) as database:
        limit_threads(os.cpu_count() or 1)
        return run_preview(database, context.settings, only=only, namespace_id=place, rows=rows, progress=progress)


@dataclass(frozen=True, slots=True)
class RuleReport:
    """The rules of a derivation: the head of the store, and what this installation would derive with.

    `mine` is None when it cannot be told, because a model is not installed; `why` says so then. `is_head` is also False
    for rules never registered.
    """

    derivation: str
    revision: int
    head: str | None
    registered_at: datetime | None
    mine: str | None
    mine_revision: int | None
    is_head: bool
    why: str | None = None


def rule_reports(context: Context) -> list[RuleReport]:
    """Return where the rules of this installation stand, a derivation a row. Registers nothing."""
    found = []
    installed = derivations(context.database, context.settings)
    with context.database.read() as session:
        heads = rules.heads(session)
        for derivation in installed:
            head = heads.get(derivation.name)
            mine, why = _fingerprint(derivation)
            state = rules.state(session, derivation.name, mine) if mine else None
            found.append(
                RuleReport(
                    derivation.name,
                    head.revision if head else 0,
                    head.fingerprint if head else None,
                    head.registered_at if head else None,
                    mine,
                    state.mine if state else None,
                    state is not None and state.is_head,
                    why,
                )
            )
    return found


def _fingerprint(derivation: Derivation[Any, Any]) -> tuple[str | None, str | None]:
    try:
        return derivation.fingerprint, None
    except ProviderUnavailable as error:
        return None, error.detail


def activate(context: Context, only: str | None) -> list[tuple[str, int, bool]]:
    """Make this installation's rules the head, of one derivation or of all; return (name, revision, whether it moved).

    Everything that other rules made is due from here on. Raises InvalidInput, ProviderUnavailable.
    """
    if only is not None:
        derivation_name(context, only)
    moved = []
    with worker_database(context.settings) as database:
        for derivation in derivations(database, context.settings):
            if only not in (None, derivation.name, derivation.name.split(":")[0]):
                continue
            fingerprint = derivation.fingerprint
            with database.write() as session:
                before = rules.heads(session).get(derivation.name)
                now = rules.activate(session, derivation.name, fingerprint)
            moved.append((derivation.name, now.head, before is None or before.revision != now.head))
    context.nudge(Lane.BULK)
    return moved


def failures(context: Context, limit: int) -> dict[str, Any]:
    """Return failed rows and refused input that had no caller waiting, as plain values."""
    with context.database.read() as session:
        return {
            "failures": [asdict(row) for row in stamps.failing(session, limit=limit)],
            "rejections": [asdict(row) for row in audit.rejections(session, limit=limit)],
        }


def retry(context: Context, derivation: str | None, ids: Sequence[int] | None) -> tuple[int, bool]:
    """Make failed rows due again; return how many, and whether a worker was told."""
    if derivation is not None:
        derivation_name(context, derivation)
    with context.database.read() as session:
        names = [name for name in health.names(session) if derivation in (None, name, name.split(":")[0])]
    count = 0
    with worker_database(context.settings) as database:
        for name in names:
            with database.write() as session:
                count += stamps.retry(session, name, ids)
    told = [context.nudge(lane) for lane in Lane] if count else []
    return count, bool(told) and all(told)


def standings(context: Context, names: Sequence[str]) -> tuple[list[Standing], bool]:
    """Return how far the derivations of some namespaces are, and whether all of them are current."""
    with context.database.read() as session:
        places = [namespaces.find(session, name) for name in names]
        found = progress_of_store.of_namespaces(session, [place.id for place in places if place is not None])
        return found, progress_of_store.current(session, found)


def drop(context: Context, names: Sequence[str]) -> None:
    """Delete namespaces with all that is in them: for the throw-away ones of evaluations and demonstrations."""
    with worker_database(context.settings) as database:
        for name in names:
            with database.write() as session:
                place = namespaces.find(session, name)
                # A proposed space has no table yet.
                tables = [space.id for space in spaces.everything(session) if space.state != SpaceState.PROPOSED]
                if place is not None:
                    namespaces.drop(session, place.id, tables)
