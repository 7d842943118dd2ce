"""The one loop that makes stale rows current: claim, derive, finish.

1. Claim in one short transaction; the attempt is counted before any risk is taken.
2. Derive with no transaction open. A batch that fails is tried row by row. A row that was tried before is claimed
   alone, so one that kills its process takes no neighbour with it.
3. Finish in one transaction: only rows whose stamp still carries this claim are written. A claim that expired, a row
   made due again, edited or forgotten meanwhile is not there, so nothing is written for it.
4. Stop at the budget, or when asked; give back what was claimed and not tried; report what is left.

Only failures of the row count as attempts. When a model, a provider or the database is away, the attempt is given back
and a breaker snoozes the derivation. Any number of these may run at once, in any number of processes.
"""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from billiard.exceptions import SoftTimeLimitExceeded

from schema import log
from schema.db import Database
from schema.derivations import OPTIONAL
from schema.errors import ProviderUnavailable, StoreUnavailable
from schema.settings import Settings
from schema.store import indexes, rules, stamps
from schema.store.rules import RuleState
from schema.store.stamps import EVERYTHING, Claim, Failure, Selection
from workers.derivations.base import Derivation, Snooze

logger = log.get(__name__)

# What is no fault of the row in hand: it goes back untried, or (a time limit) is settled by whoever set the limit.
NOT_THE_ROWS = (ProviderUnavailable, StoreUnavailable, SoftTimeLimitExceeded)
# How long a pass tries to give its claims back when the database is away; afterwards their lease runs out.
GIVE_BACK_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Report:
    """What a pass did, and what is left. Counts of what is left are exact up to 10,000; one more means "at least"."""

    derivation: str
    rebuilt: int = 0
    failed: int = 0
    skipped: int = 0
    deferred: int = 0
    waiting: int = 0
    blocked: int = 0
    quarantined: int = 0
    next_at: datetime | None = None
    snoozed: str | None = None

    @property
    def busy(self) -> bool:
        """Whether there is more to do now."""
        return self.deferred > 0 and self.snoozed is None


@dataclass
class _Tally:
    rebuilt: int = 0
    failed: int = 0
    skipped: int = 0
    snoozed: str | None = None


@dataclass
class _Pass:
    """One bounded pass over one derivation."""

    database: Database
    derivation: Derivation[Any, Any]
    settings: Settings
    chosen: Selection
    should_stop: Callable[[], bool]
    tally: _Tally = field(default_factory=_Tally)

    def run(self, rows: int, deadline: float) -> RuleState | None:
        name = self.derivation.name
        try:
            state = self._rule_state()
        except ProviderUnavailable as error:
            self._trip(error)
            return None
        with self.database.read() as session:
            breaker = rules.breakers(session, [name]).get(name)
        if breaker is not None and breaker.open:
            self.tally.snoozed = breaker.reason
            return state
        while rows > 0 and time.monotonic() < deadline and not self.should_stop():
            taken = self._batch(state, min(rows, self.derivation.batch))
            if taken == 0 or self.tally.snoozed:
                break
            rows -= taken
        if breaker is not None and self.tally.rebuilt and not self.tally.snoozed:
            with self.database.write() as session:
                rules.reset(session, name)
        return state

    def _rule_state(self) -> RuleState:
        """Read where our rules stand, every pass; rules never seen before become the head."""
        fingerprint = self.derivation.fingerprint
        with self.database.read() as session:
            found = rules.state(session, self.derivation.name, fingerprint)
        if found is not None:
            return found
        if self.derivation.costly and self._has_head():
            raise ProviderUnavailable(
                f"new rules of {self.derivation.name} cost money and wait: palimpsest rules activate "
                f"{self.derivation.name}"
            )
        with self.database.write() as session:
            made = rules.register(session, self.derivation.name, fingerprint)
            if self.derivation.name in OPTIONAL:
                # What was there before the store had this derivation has no stamp of it yet.
                indexes.fill(session, self.derivation.name)
        logger.info("rules_registered", derivation=self.derivation.name, revision=made.mine)
        return made

    def _has_head(self) -> bool:
        with self.database.read() as session:
            return self.derivation.name in rules.heads(session)

    def _batch(self, state: RuleState, limit: int) -> int:
        holder = uuid.uuid4()
        with self.database.write() as session:
            claims = stamps.claim(
                session,
                self.derivation.name,
                below=state.below,
                limit=limit,
                lease=self.settings.lease_seconds,
                holder=holder,
                chosen=self.chosen,
                needs=self.derivation.needs,
            )
        if not claims:
            return 0
        if claims[0].attempts > self.settings.max_attempts:
            self._quarantine_crash_loop(state, holder, claims)
            return len(claims)
        settled = False
        try:
            self._try(state, holder, claims)
            settled = True
        except ProviderUnavailable as error:
            self._trip(error)
        except SoftTimeLimitExceeded:
            # The rows in hand keep their attempt: one of them hangs, and next time each is taken alone.
            self._fail(state, holder, dict.fromkeys([claim.row_id for claim in claims], "TimeLimitExceeded"), claims)
            settled = True
            raise
        finally:
            if not settled:
                self._give_back(holder, [claim.row_id for claim in claims])
        return len(claims)

    def _try(self, state: RuleState, holder: uuid.UUID, claims: Sequence[Claim]) -> None:
        ids = [claim.row_id for claim in claims]
        inputs, unread = self._load(ids)
        results, errors = self._derive(inputs)
        snoozed = {row_id: found for row_id, found in results.items() if isinstance(found, Snooze)}
        for row_id in snoozed:
            del results[row_id]
        self._snooze(holder, snoozed)
        vanished = [row_id for row_id in ids if row_id not in inputs and row_id not in unread]
        errors |= unread | self._finish(state, holder, results, vanished)
        if errors:
            self._fail(state, holder, errors, claims)

    def _snooze(self, holder: uuid.UUID, rows: dict[int, Snooze]) -> None:
        for moment, reason in sorted({(row.until, row.reason) for row in rows.values()}):
            ids = [row_id for row_id, row in rows.items() if (row.until, row.reason) == (moment, reason)]
            with self.database.write() as session:
                stamps.snooze(session, self.derivation.name, holder, ids, moment)
            logger.warning("rows_snoozed", derivation=self.derivation.name, rows=len(ids), reason=reason)

    def _load(self, ids: Sequence[int]) -> tuple[dict[int, Any], dict[int, str]]:
        """Read the inputs of a batch; when it cannot be read as a whole, each row's by itself."""
        try:
            with self.database.read() as session:
                return dict(self.derivation.load(session, ids)), {}
        except NOT_THE_ROWS:
            raise
        except Exception as error:  # noqa: BLE001 - a row that cannot be read is that row's failure
            if len(ids) == 1:
                return {}, {ids[0]: _describe(error)}
        inputs: dict[int, Any] = {}
        errors: dict[int, str] = {}
        for row_id in ids:
            one, failed = self._load([row_id])
            inputs |= one
            errors |= failed
        return inputs, errors

    def _derive(self, inputs: dict[int, Any]) -> tuple[dict[int, Any], dict[int, str]]:
        """Derive a batch; when it fails as a whole, each row by itself."""
        if not inputs:
            return {}, {}
        ids = list(inputs)
        try:
            return dict(zip(ids, self.derivation.derive([inputs[row_id] for row_id in ids]), strict=True)), {}
        except NOT_THE_ROWS:
            raise
        except Exception as error:  # noqa: BLE001 - whatever a row does to its rule is that row's failure
            if len(ids) == 1:
                return {}, {ids[0]: _describe(error)}
        results: dict[int, Any] = {}
        errors: dict[int, str] = {}
        for row_id in ids:
            one, failed = self._derive({row_id: inputs[row_id]})
            results |= one
            errors |= failed
        return results, errors

    def _finish(
        self, state: RuleState, holder: uuid.UUID, results: dict[int, Any], vanished: Sequence[int]
    ) -> dict[int, str]:
        """Write and stamp; when the batch cannot be written, each row in a transaction of its own."""
        try:
            self._write(state, holder, results, vanished)
        except NOT_THE_ROWS:
            raise
        except Exception as error:  # noqa: BLE001 - a row that cannot be written is that row's failure
            if len(results) == 1 and not vanished:
                return {next(iter(results)): _describe(error)}
            logger.warning("batch_not_written", derivation=self.derivation.name, error=type(error).__name__)
        else:
            return {}
        errors: dict[int, str] = {}
        for row_id, result in results.items():
            errors |= self._finish(state, holder, {row_id: result}, [])
        if vanished:
            self._write(state, holder, {}, vanished)
        return errors

    def _write(self, state: RuleState, holder: uuid.UUID, results: dict[int, Any], vanished: Sequence[int]) -> None:
        name = self.derivation.name
        if results:
            self.derivation.prepare(self.database, results)
        with self.database.write() as session:
            self.derivation.lock(session, sorted(results))
            mine = stamps.take(session, name, holder, [*results, *vanished])
            kept = {row_id: result for row_id, result in results.items() if row_id in mine}
            if kept:
                self.derivation.write(session, kept)
            stamps.finish(session, name, kept, state.mine)
            # The row is gone and its stamp outlived it: nothing to derive, now or ever.
            stamps.drop(session, [name], [row_id for row_id in vanished if row_id in mine])
        self.tally.rebuilt += len(kept)
        self.tally.skipped += len(results) + len(vanished) - len(kept)

    def _fail(self, state: RuleState, holder: uuid.UUID, errors: dict[int, str], group: Sequence[Claim]) -> None:
        attempts = {claim.row_id: claim.attempts for claim in group}
        with self.database.write() as session:
            mine = stamps.take(session, self.derivation.name, holder, sorted(errors))
            failures = [Failure(row_id, errors[row_id], self._wait(attempts[row_id])) for row_id in sorted(mine)]
            stamps.fail(session, self.derivation.name, failures, state.mine)
        self.tally.failed += len(failures)
        for failure in failures:
            logger.warning(
                "row_failed",
                derivation=self.derivation.name,
                row=failure.row_id,
                error=failure.error,
                quarantined=failure.wait is None,
            )

    def _wait(self, attempts: int) -> float | None:
        """Return the seconds until the next attempt, exponential with jitter; None after the last."""
        settings = self.settings
        if attempts >= settings.max_attempts:
            return None
        longest = min(settings.backoff_cap_seconds, settings.backoff_seconds * 2.0 ** (attempts - 1))
        return longest * random.uniform(0.5, 1.0)

    def _quarantine_crash_loop(self, state: RuleState, holder: uuid.UUID, claims: Sequence[Claim]) -> None:
        """Quarantine rows whose every attempt ended without a word: they kill the process that tries them."""
        if not claims:
            return
        with self.database.write() as session:
            reason = f"WorkerLost: the process ended in each of {self.settings.max_attempts} attempts"
            mine = stamps.take(session, self.derivation.name, holder, [claim.row_id for claim in claims])
            stamps.fail(
                session, self.derivation.name, [Failure(row_id, reason, None) for row_id in sorted(mine)], state.mine
            )
        self.tally.failed += len(mine)
        logger.error("row_quarantined", derivation=self.derivation.name, rows=sorted(mine), error="WorkerLost")

    def _give_back(self, holder: uuid.UUID, ids: Sequence[int]) -> None:
        deadline = time.monotonic() + GIVE_BACK_SECONDS
        while True:
            try:
                with self.database.write() as session:
                    stamps.release(session, self.derivation.name, holder, ids)
            except StoreUnavailable:
                if time.monotonic() >= deadline:
                    return
                time.sleep(0.5)
            else:
                return

    def _trip(self, error: ProviderUnavailable) -> None:
        self.tally.snoozed = error.detail
        with self.database.write() as session:
            rules.trip(
                session,
                self.derivation.name,
                error.detail,
                self.settings.breaker_seconds,
                self.settings.breaker_cap_seconds,
            )
        logger.warning("derivation_snoozed", derivation=self.derivation.name, reason=error.detail)


def _describe(error: Exception) -> str:
    """Return the class and, for errors whose text is ours, the message; other messages may quote content."""
    name = type(error).__name__
    detail = getattr(error, "detail", None)
    return f"{name}: {detail}" if isinstance(detail, str) and detail else name


def reconcile(
    database: Database,
    derivation: Derivation[Any, Any],
    settings: Settings,
    *,
    chosen: Selection = EVERYTHING,
    rows: int = 2000,
    seconds: float = 20.0,
    should_stop: Callable[[], bool] = lambda: False,
) -> Report:
    """Make up to `rows` stale rows of one derivation current within `seconds`, and say what is left.

    Raises StoreUnavailable when the database goes away; what was claimed is given back or its lease runs out.
    """
    work = _Pass(database, derivation, settings, chosen, should_stop)
    state = work.run(rows, time.monotonic() + seconds)
    tally = work.tally
    with database.read() as session:
        below = state.below if state is not None else _below(session, derivation.name)
        left = stamps.backlog(session, derivation.name, below=below, chosen=chosen, needs=derivation.needs)
    return Report(
        derivation.name,
        rebuilt=tally.rebuilt,
        failed=tally.failed,
        skipped=tally.skipped,
        snoozed=tally.snoozed,
        deferred=left.deferred,
        waiting=left.waiting,
        blocked=left.blocked,
        quarantined=left.quarantined,
        next_at=left.next_at,
    )


def _below(session: Any, name: str) -> int:
    head = rules.heads(session).get(name)
    return 1 if head is None else head.revision
