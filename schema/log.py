"""Logging, configured in one function: JSON lines on stderr, ids and counts only, never content.

Bad units in a string (a lone surrogate in a path, say) are replaced, so that every line is valid UTF-8.
"""

from __future__ import annotations

import logging
import sys
from typing import Any

import orjson
import structlog


def _dumps(event: Any, **_: Any) -> str:
    try:
        return orjson.dumps(event, default=str).decode()
    except (TypeError, ValueError):
        return orjson.dumps({key: ascii(value) for key, value in event.items()}).decode()


def configure(level: str = "INFO") -> None:
    """Send structlog and the standard library's loggers through one JSON renderer. Call once, at process start."""
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                _without_values,
                structlog.processors.JSONRenderer(serializer=_dumps),
            ],
        )
    )
    handler.addFilter(_without_arguments)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for noisy in ("httpx", "httpcore", "sentence_transformers", "urllib3", "filelock"):
        logging.getLogger(noisy).setLevel(logging.WARNING)


def _without_arguments(record: logging.LogRecord) -> bool:
    """Celery writes a failed task's arguments and exception into its message; keep the fact, drop the values."""
    if record.name.startswith("celery.app.trace") and record.levelno >= logging.WARNING:
        record.msg, record.args = "task_failed", ()
    return True


def _without_values(_logger: Any, _name: str, event: Any) -> Any:
    """Keep an exception's type and place; drop its message, which may quote what a user said."""
    failure = event.pop("exc_info", None)
    if failure:
        error = failure[1] if isinstance(failure, tuple) else sys.exc_info()[1]
        event["error"] = type(error).__name__ if error is not None else None
        trace = error.__traceback__ if error is not None else None
        places = []
        while trace is not None:
            places.append(f"{trace.tb_frame.f_code.co_filename.rsplit('/', 2)[-1]}:{trace.tb_lineno}")
            trace = trace.tb_next
        event["places"] = places[-6:]
    return event


def get(name: str) -> Any:
    """Return the structured logger called `name`."""
    return structlog.get_logger(name)
