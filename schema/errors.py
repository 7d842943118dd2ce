"""One root error. The docstring of a subclass is its default message; HTTP status is mapped at the edge, once.

`ProviderUnavailable` and its kin are not failures of a row: the loop gives the attempt back and snoozes the derivation.
"""

from __future__ import annotations


class PalimpsestError(Exception):
    """Something went wrong."""

    def __init__(self, detail: str | None = None, *, field: str | None = None) -> None:
        self.detail = detail or (type(self).__doc__ or "").strip()
        self.field = field
        super().__init__(self.detail)


class InvalidInput(PalimpsestError):
    """The input is not acceptable."""


class TooLarge(InvalidInput):
    """The input is larger than this store accepts."""


class Conflict(PalimpsestError):
    """The request contradicts what the store already holds."""


class NotFound(PalimpsestError):
    """There is no such thing here."""


class SettingsError(PalimpsestError):
    """A setting is wrong."""


class StoreUnavailable(PalimpsestError):
    """The database cannot be reached."""


class NotMigrated(PalimpsestError):
    """The database has no palimpsest schema, or an older one: run `palimpsest migrate`."""


class ProviderUnavailable(PalimpsestError):
    """A model or provider that a derivation needs is not available now; its rows stay due and lose no attempt."""


class Abandoned(PalimpsestError):
    """Whoever asked has gone; the work was dropped."""


class LegUnavailable(PalimpsestError):
    """A recall leg cannot answer now; the others do, and the answer names it in `degraded`."""
