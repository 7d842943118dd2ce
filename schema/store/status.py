"""How current some episodes are: per derivation, over their own rows and over the memories made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import text

from schema.db import ReadSession
from schema.derivations import OF_EPISODES
from schema.store import health, rules


@dataclass(frozen=True, slots=True)
class DerivationStatus:
    """How far one derivation is with some episodes, by rows.

    `pending` will be derived (not before `next_at`, if that is known); `failed` will not by these rules, for the reason
    in `error`. `snoozed` says why nothing is derived now.
    """

    derivation: str
    current: int
    pending: int
    failed: int
    error: str | None
    next_at: datetime | None
    snoozed: str | None

    @property
    def state(self) -> str:
        """One word for it: failed, pending or current."""
        return "failed" if self.failed else "pending" if self.pending else "current"


def of_episodes(session: ReadSession, episode_ids: Sequence[int]) -> list[DerivationStatus]:
    """Return how current each derivation is with some episodes, in dependency order."""
    names = health.names(session)
    heads = rules.heads(session)
    breakers = rules.breakers(session, names)
    rows = session.execute(
        text("""
        WITH heads AS (SELECT * FROM unnest(CAST(:names AS text[]), CAST(:heads AS integer[])) AS t(derivation, head)),
        mine AS (
          SELECT s.* FROM stamps s WHERE s.derivation = ANY(:derived) AND s.row_id = ANY(:ids)
          UNION ALL
          SELECT s.* FROM stamps s WHERE s.derivation = ANY(:others) AND s.row_id IN (
            SELECT memory_id FROM memory_sources WHERE episode_id = ANY(:ids) AND withdrawn_at IS NULL))
        SELECT h.derivation,
          count(*) FILTER (WHERE m.revision >= h.head AND m.not_before < 'infinity'),
          count(*) FILTER (WHERE m.revision < h.head AND m.not_before < 'infinity'),
          count(*) FILTER (WHERE m.not_before = 'infinity'),
          min(m.error),
          min(m.not_before) FILTER (WHERE m.revision < h.head AND m.not_before > now() AND m.not_before < 'infinity')
        FROM heads h JOIN mine m ON m.derivation = h.derivation GROUP BY h.derivation"""),
        {
            "names": names,
            "heads": [heads[name].revision if name in heads else 1 for name in names],
            "derived": list(OF_EPISODES),
            "others": [name for name in names if name not in OF_EPISODES],
            "ids": list(episode_ids),
        },
    )
    found: dict[str, Any] = {row[0]: row for row in rows}
    listed: list[Any] = [
        (*found[name], breakers[name].reason if name in breakers and breakers[name].open else None)
        for name in names
        if name in found
    ]
    return [DerivationStatus(*values) for values in listed]
