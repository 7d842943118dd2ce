"""The Celery application: queues, serialisation, acknowledgement, limits. Nothing else.

The broker carries nudges, not work: everything that has to be done is in the store's stamps, so it may be flushed,
restarted or away, and messages may come twice.
"""

from __future__ import annotations

import random

from celery import Celery
from kombu import Queue

from schema.settings import Settings
from schema.settings import get as settings_of_process

FRESH = "fresh"
SWEEP = "sweep"
MAINTAIN = "maintain"
QUEUES = (FRESH, SWEEP, MAINTAIN)

app = Celery("palimpsest", include=["workers.tasks"])


def configure(settings: Settings, broker_url: str | None = None) -> Celery:
    """Configure the one application from settings. The single place where Celery is set up."""
    from workers.schedule import beat

    limit = 2 * settings.drain_seconds
    app.conf.update(
        broker_url=broker_url or settings.broker_url,
        task_default_queue=FRESH,
        task_queues=[Queue(name) for name in QUEUES],
        task_create_missing_queues=False,
        task_serializer="json",
        accept_content=["json"],
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        task_ignore_result=True,
        task_store_errors_even_if_ignored=False,
        task_time_limit=limit + 30,
        task_soft_time_limit=limit,
        worker_prefetch_multiplier=1,
        worker_hijack_root_logger=False,
        worker_send_task_events=False,
        worker_proc_alive_timeout=120,
        worker_cancel_long_running_tasks_on_connection_loss=False,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        broker_transport_options={
            # The broker serves whoever has waited longest, and a poll that ends begins at the end of the line. Polls of
            # one second under a beat of whole seconds kept their phase: a new worker beside an old one took nothing for
            # a minute. Longer polls of unlike length take turns.
            "polling_interval": random.uniform(4.0, 8.0),
            "visibility_timeout": settings.visibility_seconds,
            # What a dead worker had in hand is looked for this often, not at the hundred seconds of the default.
            "unacked_restore_interval": max(1.0, min(10.0, settings.visibility_seconds / 10)),
            "unacked_restore_throttle": 1,
            "queue_order_strategy": "priority",
            "socket_timeout": 30,
            "socket_connect_timeout": settings.publish_seconds,
            "health_check_interval": 10,
        },
        enable_utc=True,
        timezone="UTC",
        beat_schedule=beat(settings),
        beat_max_loop_interval=5,
    )
    return app


def configured() -> Celery:
    """Return the application, configured from this process's settings: the entry point of `celery -A`."""
    return configure(settings_of_process())
