"""Tasks: thin shells with stable names. They carry ids and lanes, re-read everything, and may run twice.

The one exception that carries text is `palimpsest.remember`, for applications that have nothing but Celery.
"""

from __future__ import annotations

import os
from typing import Any

import structlog
from celery import Task
from celery.signals import (
    setup_logging,
    task_postrun,
    task_prerun,
    worker_init,
    worker_process_init,
    worker_shutting_down,
)

from schema import clock, intake, log
from schema.errors import InvalidInput, StoreUnavailable
from schema.kinds import Lane
from schema.settings import get as settings_of_process
from schema.store import audit, namespaces
from schema.store.stamps import EVERYTHING, Selection
from workers.app import FRESH, SWEEP, app
from workers.derive.loaders import import_libraries
from workers.drain import drain
from workers.maintain import maintain as run_maintenance
from workers.process import Process, allow_stopping, current, stop, stopping
from workers.truth.acceptance import accept

logger = log.get(__name__)


@setup_logging.connect
def _logging(**_: Any) -> None:
    log.configure(settings_of_process().log_level)


@worker_init.connect
def _before_fork(**_: Any) -> None:
    allow_stopping()


@worker_shutting_down.connect
def _stop(**_: Any) -> None:
    stop()


@worker_process_init.connect
def _after_fork(**_: Any) -> None:
    """Give each prefork child connections and models of its own.

    Libraries are imported here, where no time limit interrupts: half an import stays in a process and fails for ever.
    """
    Process.reset()
    if {FRESH, SWEEP} & set(app.amqp.queues.consume_from):
        settings = settings_of_process()
        import_libraries(settings.encoder, settings.spacy_model)


@task_prerun.connect
def _bind(task_id: str, task: Any, **_: Any) -> None:
    structlog.contextvars.bind_contextvars(task=task.name, task_id=task_id)


@task_postrun.connect
def _clear(**_: Any) -> None:
    structlog.contextvars.clear_contextvars()


@app.task(name="palimpsest.derive", bind=True)
def derive(self: Task, lane: int) -> None:
    """Drain a lane through all derivations for the time budget; nudge again if rows remain."""
    process = current()
    process.nudger.taken(lane, again=bool((self.request.delivery_info or {}).get("redelivered")))
    try:
        process.prepare()
        reports = drain(
            process.database,
            process.settings,
            chosen=Selection(lane=lane, new=True) if lane == Lane.FRESH else EVERYTHING,
            should_stop=stopping,
            help_wanted=lambda: process.nudger.nudge(lane),
        )
    except StoreUnavailable as error:
        # Nothing is lost: the rows stay due, and the next sweep finds them.
        logger.warning("store_unavailable", reason=error.detail)
        return
    logger.info(
        "drained",
        lane=lane,
        pid=os.getpid(),
        **{report.derivation: report.rebuilt for report in reports if report.rebuilt},
    )
    if any(report.busy for report in reports):
        process.nudger.nudge(lane)


@app.task(name="palimpsest.maintain")
def maintain() -> None:
    """Merge postings, drop what has expired, look after the indexes."""
    process = current()
    try:
        done = run_maintenance(process.database, process.settings, should_stop=stopping)
    except StoreUnavailable as error:
        logger.warning("store_unavailable", reason=error.detail)
        return
    logger.info("maintained", **done)


@app.task(name="palimpsest.remember", bind=True, max_retries=None)
def remember(self: Task, namespace: str, **fields: Any) -> None:
    """Take in one episode from an application that has only Celery. The task id is its idempotency key.

    Accepted when this commits. Bad input is recorded as a rejection, where `failures list` shows it.
    """
    process = current()
    task_id = str(self.request.id)
    try:
        fields.setdefault("external_id", f"task:{task_id}")
        with process.database.write() as session:
            name = intake.namespace(namespace)
            item = intake.parse(fields, process.settings)
            place = namespaces.ensure(session, name)
            accepted = accept(session, place.id, [item], clock.now())[0]
    except InvalidInput as error:
        with process.database.write() as session:
            audit.reject(session, "task", task_id, error.field, error.detail)
        logger.warning("episode_rejected", field=error.field, reason=error.detail)
        return
    except StoreUnavailable as error:
        raise self.retry(countdown=min(60, 2 ** min(self.request.retries, 6)), exc=error) from error
    process.nudger.nudge(item.lane)
    logger.info("episode_accepted", episode=accepted.id, status=accepted.status)
