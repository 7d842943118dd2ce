"""The beat table. An entry expires after its interval, and every task may run twice: two beats at once do no harm."""

from __future__ import annotations

from typing import Any

from schema.kinds import Lane
from schema.settings import Settings

MAINTAIN_SECONDS = 60.0


def beat(settings: Settings) -> dict[str, dict[str, Any]]:
    """Return Celery's beat schedule."""
    return {
        "sweep": {
            "task": "palimpsest.derive",
            "schedule": settings.sweep_seconds,
            "args": (int(Lane.BULK),),
            "options": {"queue": "sweep", "expires": settings.sweep_seconds},
        },
        "maintain": {
            "task": "palimpsest.maintain",
            "schedule": MAINTAIN_SECONDS,
            "options": {"queue": "maintain", "expires": MAINTAIN_SECONDS},
        },
    }
