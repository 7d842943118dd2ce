"""What extraction providers charged, by namespace and day (UTC): the ground of daily budgets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import text

from schema.db import ReadSession, WriteSession


def tokens_today(session: ReadSession, namespace_id: int) -> int:
    """Return the tokens that a namespace has used today."""
    return int(
        session.execute(
            text("""SELECT coalesce(sum(tokens), 0) FROM provider_usage
                    WHERE namespace_id = :ns AND day = CAST(now() AT TIME ZONE 'UTC' AS date)"""),
            {"ns": namespace_id},
        ).scalar_one()
    )


def spend(session: WriteSession, namespace_id: int, tokens: int) -> None:
    """Record tokens that a namespace has used. A namespace that is gone has nobody to charge."""
    session.execute(
        text("""INSERT INTO provider_usage AS u (namespace_id, day, calls, tokens)
                SELECT id, CAST(now() AT TIME ZONE 'UTC' AS date), 1, :tokens FROM namespaces WHERE id = :ns
                ON CONFLICT (namespace_id, day)
                DO UPDATE SET calls = u.calls + 1, tokens = u.tokens + excluded.tokens"""),
        {"ns": namespace_id, "tokens": tokens},
    )


def kept(session: WriteSession, namespace_id: int, statements: int, ungrounded: int) -> None:
    """Record how many statements of a provider were kept, and how many were dropped as grounded in nothing said."""
    session.execute(
        text("""INSERT INTO provider_usage AS u (namespace_id, day, statements, ungrounded)
                VALUES (:ns, CAST(now() AT TIME ZONE 'UTC' AS date), :statements, :ungrounded)
                ON CONFLICT (namespace_id, day) DO UPDATE SET statements = u.statements + excluded.statements,
                  ungrounded = u.ungrounded + excluded.ungrounded"""),
        {"ns": namespace_id, "statements": statements, "ungrounded": ungrounded},
    )


@dataclass(frozen=True, slots=True)
class Usage:
    """What providers of extraction have cost and given so far."""

    calls: int
    tokens: int
    statements: int
    ungrounded: int


def totals(session: ReadSession, namespace_id: int | None = None) -> Usage:
    """Return the sums over all days, of one namespace or of all."""
    row: Any = session.execute(
        text("""SELECT coalesce(sum(calls), 0), coalesce(sum(tokens), 0), coalesce(sum(statements), 0),
                  coalesce(sum(ungrounded), 0) FROM provider_usage
                WHERE CAST(:ns AS bigint) IS NULL OR namespace_id = :ns"""),
        {"ns": namespace_id},
    ).one()
    return Usage(*(int(value) for value in row))
