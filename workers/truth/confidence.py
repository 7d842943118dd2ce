"""How sure the store is of a fact: a state for people, and a number for ranking. Pure.

A fact starts `provisional`. Another source makes it `corroborated`, ESTABLISHED_AT sources or a person's word
`established`; what speaks against it makes it `disputed` until that is resolved, and a person can reject it. Every move
is in TRANSITIONS; what is not there does not happen.

The number is the mean of a Beta posterior (Gelman et al., Bayesian Data Analysis, 2.4): the extractor's own confidence
is the prior, worth PRIOR_WEIGHT observations; every further source adds its trust to the successes, a person's
confirmation CONFIRMATION of them, and what speaks against it is a failure of its own weight. So it stays in (0, 1),
rises with each independent source and never reaches certainty.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

PRIOR_WEIGHT = 2.0
"""Two observations: one extraction is worth as much as one more source of full trust takes back."""
CONFIRMATION = 4.0
"""A person who looks at the fact itself says more than a turn that implies it."""
ESTABLISHED_AT = 3
LEAST, MOST = 0.01, 0.99


class State(StrEnum):
    """How well a fact stands."""

    PROVISIONAL = "provisional"
    CORROBORATED = "corroborated"
    ESTABLISHED = "established"
    DISPUTED = "disputed"
    REJECTED = "rejected"


class Event(StrEnum):
    """What moves a fact from one state to another."""

    CORROBORATE = "corroborate"
    ESTABLISH = "establish"
    CONFIRM = "confirm"
    CONTRADICT = "contradict"
    REJECT = "reject"
    RESTATE = "restate"


TRANSITIONS: dict[tuple[State, Event], State] = {
    (State.PROVISIONAL, Event.CORROBORATE): State.CORROBORATED,
    (State.PROVISIONAL, Event.CONFIRM): State.ESTABLISHED,
    (State.PROVISIONAL, Event.CONTRADICT): State.DISPUTED,
    (State.PROVISIONAL, Event.REJECT): State.REJECTED,
    (State.CORROBORATED, Event.ESTABLISH): State.ESTABLISHED,
    (State.CORROBORATED, Event.CONFIRM): State.ESTABLISHED,
    (State.CORROBORATED, Event.CONTRADICT): State.DISPUTED,
    (State.CORROBORATED, Event.REJECT): State.REJECTED,
    (State.ESTABLISHED, Event.CONTRADICT): State.DISPUTED,
    (State.ESTABLISHED, Event.REJECT): State.REJECTED,
    (State.DISPUTED, Event.CONFIRM): State.ESTABLISHED,
    (State.DISPUTED, Event.REJECT): State.REJECTED,
    (State.REJECTED, Event.RESTATE): State.PROVISIONAL,
    (State.REJECTED, Event.CONFIRM): State.ESTABLISHED,
}


def advance(state: State, event: Event) -> State:
    """Return the state after an event; one that means nothing in this state changes nothing."""
    return TRANSITIONS.get((state, event), state)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for and against a fact.

    `prior` in [0, 1]: the extractor's confidence. `reinforcements`: the trust of every source but the first. `against`:
    the weights of what contradicts it. `confirmed`, `rejected`: a person's last word. `restated`: it was rejected, and
    a trusted source has said it again since.
    """

    prior: float
    reinforcements: tuple[float, ...] = ()
    against: tuple[float, ...] = ()
    confirmed: bool = False
    rejected: bool = False
    restated: bool = False


def confidence(evidence: Evidence) -> float:
    """Return the posterior mean, in [LEAST, MOST], rounded to 1e-6 so that the order of sums cannot show."""
    prior = min(max(evidence.prior, LEAST), MOST)
    successes = PRIOR_WEIGHT * prior + sum(sorted(evidence.reinforcements)) + CONFIRMATION * evidence.confirmed
    failures = PRIOR_WEIGHT * (1 - prior) + sum(sorted(evidence.against)) + CONFIRMATION * evidence.rejected
    return round(min(max(successes / (successes + failures), LEAST), MOST), 6)


def events(evidence: Evidence) -> Iterator[Event]:
    """Yield what happened to a fact with this evidence, in the order that makes its state independent of arrival."""
    if evidence.restated:
        yield Event.REJECT
        yield Event.RESTATE
    if evidence.reinforcements:
        yield Event.CORROBORATE
    if len(evidence.reinforcements) + 1 >= ESTABLISHED_AT:
        yield Event.ESTABLISH
    if evidence.against:
        yield Event.CONTRADICT
    if evidence.confirmed:
        yield Event.CONFIRM
    if evidence.rejected:
        yield Event.REJECT


def state(evidence: Evidence) -> State:
    """Return how a fact with this evidence stands."""
    found = State.PROVISIONAL
    for event in events(evidence):
        found = advance(found, event)
    return found
