"""Reserving memory numbers for what is new, in short transactions of their own."""

from __future__ import annotations

from collections.abc import Mapping

from schema.db import Database
from schema.store import namespaces


def reserve(database: Database, wanted: Mapping[int, int]) -> dict[int, list[int]]:
    """Return that many numbers of each namespace, to be popped in order.

    No finishing transaction holds a namespace's counter; a number that is not used is a gap, which does no harm.
    """
    numbers = {}
    for namespace_id, count in sorted(wanted.items()):
        if count:
            with database.write() as session:
                first = namespaces.reserve_numbers(session, namespace_id, count)
            # Popped from the end, so that numbers follow the order of the episodes.
            numbers[namespace_id] = list(range(first + count - 1, first - 1, -1))
    return numbers
