"""Closed classes of words, written as one string each."""

from __future__ import annotations


def closed(text: str) -> frozenset[str]:
    """Return the words of a class."""
    return frozenset(text.split())
