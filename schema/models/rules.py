"""Which rules made what: revisions per derivation, and breakers for the providers they need."""

from __future__ import annotations

from sqlalchemy import Index, Integer, Text
from sqlalchemy.orm import Mapped, mapped_column

from schema.models.base import Base, Moment, Recorded


class Rule(Base):
    """One revision of a derivation's rules. The highest is the head; anything stamped lower is stale."""

    __tablename__ = "rules"
    __table_args__ = (Index("ix_rules_fingerprint", "derivation", "fingerprint"),)

    derivation: Mapped[str] = mapped_column(Text, primary_key=True)
    revision: Mapped[int] = mapped_column(Integer, primary_key=True)
    fingerprint: Mapped[str] = mapped_column(Text)
    registered_at: Mapped[Recorded]


class Breaker(Base):
    """A derivation whose provider is down: nobody claims its rows before `until`."""

    __tablename__ = "breakers"

    derivation: Mapped[str] = mapped_column(Text, primary_key=True)
    failures: Mapped[int] = mapped_column(Integer)
    until: Mapped[Moment]
    reason: Mapped[str] = mapped_column(Text)
