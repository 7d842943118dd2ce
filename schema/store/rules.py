"""Rule revisions, their head, and breakers. The head is read again at every pass of the loop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, func, select, text
from sqlalchemy.dialects.postgresql import distinct_on, insert

from schema.db import ReadSession, WriteSession
from schema.models import Breaker, Rule


@dataclass(frozen=True, slots=True)
class RuleRow:
    """A revision of a derivation's rules."""

    derivation: str
    revision: int
    fingerprint: str
    registered_at: datetime


@dataclass(frozen=True, slots=True)
class RuleState:
    """A process's rules beside the store's: its own newest revision (`mine`), and the newest there is (`head`)."""

    mine: int
    head: int

    @property
    def is_head(self) -> bool:
        """Whether this process's rules are the current ones."""
        return self.mine == self.head

    @property
    def below(self) -> int:
        """Claim rows stamped below this. A process that is not head takes only what was never derived."""
        return self.head if self.is_head else 1


def heads(session: ReadSession) -> dict[str, RuleRow]:
    """Return the head revision of every derivation that has one."""
    rows = session.execute(
        select(Rule.derivation, Rule.revision, Rule.fingerprint, Rule.registered_at)
        .ext(distinct_on(Rule.derivation))
        .order_by(Rule.derivation, Rule.revision.desc())
    )
    return {row.derivation: RuleRow(*row) for row in rows}


def state(session: ReadSession, derivation: str, fingerprint: str) -> RuleState | None:
    """Return the newest revision of `fingerprint` beside the head, or None when it was never registered."""
    row = session.execute(
        select(func.max(Rule.revision).filter(Rule.fingerprint == fingerprint), func.max(Rule.revision)).where(
            Rule.derivation == derivation
        )
    ).one()
    return None if row[0] is None else RuleState(row[0], row[1])


def register(session: WriteSession, derivation: str, fingerprint: str) -> RuleState:
    """Make a fingerprint never seen the new head; leave one seen before where it is."""
    _lock(session, derivation)
    found = state(session, derivation, fingerprint)
    return found or _add(session, derivation, fingerprint)


def activate(session: WriteSession, derivation: str, fingerprint: str) -> RuleState:
    """Make `fingerprint` the head, with a revision of its own even when it was seen before."""
    _lock(session, derivation)
    found = state(session, derivation, fingerprint)
    return found if found is not None and found.is_head else _add(session, derivation, fingerprint)


def _lock(session: WriteSession, derivation: str) -> None:
    session.execute(text("SELECT pg_advisory_xact_lock(hashtextextended(:d, 7))"), {"d": f"rules:{derivation}"})


def _add(session: WriteSession, derivation: str, fingerprint: str) -> RuleState:
    head = session.execute(select(func.coalesce(func.max(Rule.revision), 0)).where(Rule.derivation == derivation))
    revision = head.scalar_one() + 1
    session.execute(insert(Rule).values(derivation=derivation, revision=revision, fingerprint=fingerprint))
    return RuleState(revision, revision)


def history(session: ReadSession) -> list[RuleRow]:
    """List every revision, newest first within its derivation."""
    rows = session.execute(
        select(Rule.derivation, Rule.revision, Rule.fingerprint, Rule.registered_at).order_by(
            Rule.derivation, Rule.revision.desc()
        )
    )
    return [RuleRow(*row) for row in rows]


@dataclass(frozen=True, slots=True)
class BreakerRow:
    """A derivation that is snoozed because what it needs is away."""

    derivation: str
    failures: int
    until: datetime
    reason: str
    open: bool


def breakers(session: ReadSession, derivations: Sequence[str] | None = None) -> dict[str, BreakerRow]:
    """Return the breakers on record; `open` says whether one forbids claims now."""
    query = select(Breaker.derivation, Breaker.failures, Breaker.until, Breaker.reason, Breaker.until > func.now())
    if derivations is not None:
        query = query.where(Breaker.derivation.in_(derivations))
    return {row.derivation: BreakerRow(*row) for row in session.execute(query)}


def trip(session: WriteSession, derivation: str, reason: str, first: float, cap: float) -> None:
    """Snooze a derivation: `first` seconds, doubling to `cap` while it keeps failing."""
    session.execute(
        text("""INSERT INTO breakers (derivation, failures, until, reason)
                VALUES (:d, 1, now() + make_interval(secs => :first), :reason)
                ON CONFLICT (derivation) DO UPDATE SET failures = breakers.failures + 1, reason = excluded.reason,
                    until = now() + make_interval(secs => least(:cap, :first * power(2, least(breakers.failures, 20))))
                WHERE breakers.until <= now()"""),
        {"d": derivation, "first": float(first), "cap": float(cap), "reason": reason},
    )


def reset(session: WriteSession, derivation: str) -> None:
    """Close a derivation's breaker: what it needs is back."""
    session.execute(delete(Breaker).where(Breaker.derivation == derivation))
