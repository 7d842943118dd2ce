"""The one clock of a process: the `now` of ranking and of reports. Leases and backoff use the database's clock.

`PALIMPSEST_NOW` or `frozen()` stop it, so that the same store and the same request give the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

_frozen: datetime | None = None


def now() -> datetime:
    """Return the present moment, aware, in UTC."""
    return _frozen or datetime.now(UTC)


@contextmanager
def frozen(moment: datetime) -> Iterator[datetime]:
    """Stop the clock of this process at `moment` (aware) for the duration of the block."""
    global _frozen
    if moment.tzinfo is None:
        raise ValueError("moment: a frozen clock needs a time zone")
    before, _frozen = _frozen, moment.astimezone(UTC)
    try:
        yield _frozen
    finally:
        _frozen = before
