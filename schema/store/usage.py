"""What extraction providers charged, by namespace and day (UTC): the ground of daily budgets."""

from __future__ import annotations

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
