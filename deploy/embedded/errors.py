"""The one error a caller of the embedded servers sees: what is wrong, where, and what to do about it."""

from __future__ import annotations


class EmbeddedError(RuntimeError):
    """The embedded servers cannot run as asked. The message names the place and the remedy, fit for a terminal."""
