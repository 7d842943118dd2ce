"""How far a namespace trusts each source, and the sources whose memories wait for release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import cast, select, update
from sqlalchemy.dialects.postgresql import JSONB

from schema.db import ReadSession, WriteSession
from schema.kinds import TRUST
from schema.models import Namespace


def levels(session: ReadSession, namespace_ids: Sequence[int]) -> dict[int, dict[str, float]]:
    """Return the trust of each source in each namespace: the defaults, and what the namespace sets otherwise."""
    rows = session.execute(select(Namespace.id, Namespace.trust).where(Namespace.id.in_(namespace_ids)))
    return {row.id: {**TRUST, **row.trust} for row in rows}


def set_levels(session: WriteSession, namespace_id: int, levels: Mapping[str, float]) -> None:
    """Set the trust of some sources of a namespace, beside those it sets already."""
    session.execute(
        update(Namespace)
        .where(Namespace.id == namespace_id)
        .values(trust=Namespace.trust.concat(cast(dict(levels), JSONB)))
    )


def set_quarantine(session: WriteSession, namespace_id: int, sources: Sequence[str]) -> None:
    """Set the sources of a namespace whose memories wait for release."""
    session.execute(update(Namespace).where(Namespace.id == namespace_id).values(quarantine=list(sources)))
