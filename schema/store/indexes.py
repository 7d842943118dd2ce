"""Which derivations the memories of this store have: the fixed ones, one a vector space, and what was opted into."""

from __future__ import annotations

from sqlalchemy import text

from schema import derivations
from schema.db import ReadSession, WriteSession
from schema.store import spaces


def chosen(session: ReadSession) -> list[str]:
    """Return the optional derivations that this store has."""
    rows = session.execute(
        text("SELECT DISTINCT derivation FROM rules WHERE derivation = ANY(:names) ORDER BY 1"),
        {"names": list(derivations.OPTIONAL)},
    )
    return list(rows.scalars())


def of_memories(session: WriteSession) -> list[str]:
    """Return every derivation of memories, while no space may come or go: see `derivations.of_kind` for one kind."""
    return derivations.named((space.id for space in spaces.hold(session)), chosen(session), row="memory")


def fill(session: WriteSession, derivation: str) -> int:
    """Make due every active memory that has no stamp of a derivation, in the bulk lane; return how many."""
    rows = session.execute(
        text("""INSERT INTO stamps (derivation, row_id, namespace_id, lane)
                SELECT :d, m.id, m.namespace_id, 1 FROM memories m
                WHERE m.retired_at IS NULL AND m.quarantined_at IS NULL
                  AND NOT EXISTS (SELECT 1 FROM stamps s WHERE s.derivation = :d AND s.row_id = m.id)
                ORDER BY m.id ON CONFLICT DO NOTHING"""),
        {"d": derivation},
    )
    return int(rows.rowcount)  # type: ignore[attr-defined]


def drop(session: WriteSession, derivation: str) -> None:
    """Take an optional derivation out of this store: its rules, its stamps, what it wrote."""
    session.execute(text("DELETE FROM rules WHERE derivation = :d"), {"d": derivation})
    session.execute(text("DELETE FROM breakers WHERE derivation = :d"), {"d": derivation})
    session.execute(text("DELETE FROM stamps WHERE derivation = :d"), {"d": derivation})
    session.execute(text("UPDATE memories SET category = NULL WHERE category IS NOT NULL"))
