"""Vector spaces: registering one, finding the one a namespace reads."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import insert, select, text

from schema.db import ReadSession, WriteSession
from schema.derivations import space_name
from schema.kinds import Lane, SpaceSpec, SpaceState
from schema.models import Space

# Vectors are kept current in spaces of these states.
WRITTEN = (SpaceState.BUILDING, SpaceState.READY, SpaceState.ACTIVE)


@dataclass(frozen=True, slots=True)
class SpaceRow:
    """A registered space."""

    id: int
    spec: SpaceSpec
    fingerprint: str
    state: str
    is_default: bool

    @property
    def derivation(self) -> str:
        """Return the name under which its vectors are stamped."""
        return space_name(self.id)


_COLUMNS: tuple[Any, ...] = (
    Space.id,
    Space.fingerprint,
    Space.state,
    Space.is_default,
    Space.model,
    Space.weights,
    Space.dimension,
    Space.pooling,
    Space.normalised,
    Space.window,
    Space.query_prompt,
    Space.document_prompt,
    Space.template,
)


def everything(session: ReadSession) -> list[SpaceRow]:
    """List all spaces, oldest first."""
    rows = session.execute(select(*_COLUMNS).order_by(Space.id))
    return [SpaceRow(row[0], SpaceSpec(*row[4:]), row[1], row[2], row[3]) for row in rows]


def written(session: ReadSession) -> list[SpaceRow]:
    """List the spaces in which vectors are kept current."""
    return [space for space in everything(session) if space.state in WRITTEN]


def hold(session: WriteSession) -> list[SpaceRow]:
    """List the spaces in which vectors are kept current, and keep that list true until the transaction ends."""
    session.execute(text("SELECT pg_advisory_xact_lock_shared(hashtextextended('spaces', 7))"))
    return written(session)


def get(session: ReadSession, space_id: int) -> SpaceRow | None:
    """Return one space."""
    return next((space for space in everything(session) if space.id == space_id), None)


def propose(session: WriteSession, spec: SpaceSpec) -> SpaceRow:
    """Register a space. The first of a store is active and its default; a later one is only proposed.

    So a changed setting never makes a row stale by a mere restart: moving to another space is a migration.
    """
    session.execute(text("SELECT pg_advisory_xact_lock(hashtextextended('spaces', 7))"))
    known = everything(session)
    for space in known:
        if space.fingerprint == spec.fingerprint:
            return space
    first = not known
    state = SpaceState.ACTIVE if first else SpaceState.PROPOSED
    space_id = session.execute(
        insert(Space)
        .values(**asdict(spec), fingerprint=spec.fingerprint, state=state, is_default=first)
        .returning(Space.id)
    ).scalar_one()
    if first:
        session.execute(text("SELECT palimpsest_create_space(:id, :d)"), {"id": space_id, "d": spec.dimension})
        # Memories made while no model could be loaded wait for this moment.
        session.execute(
            text("""INSERT INTO stamps (derivation, row_id, namespace_id, lane)
                    SELECT :d, id, namespace_id, :lane FROM memories WHERE retired_at IS NULL ORDER BY id
                    ON CONFLICT (derivation, row_id) DO NOTHING"""),
            {"d": space_name(space_id), "lane": int(Lane.BULK)},
        )
    return SpaceRow(space_id, spec, spec.fingerprint, state, first)
