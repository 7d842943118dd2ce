"""Confidence: the posterior's laws, and a state that follows from evidence alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.truth.confidence import (
    ESTABLISHED_AT,
    LEAST,
    MOST,
    TRANSITIONS,
    Event,
    Evidence,
    State,
    advance,
    confidence,
    state,
)

weights = st.lists(st.floats(0.05, 1), max_size=6).map(tuple)
evidence = st.builds(
    Evidence,
    prior=st.floats(0, 1),
    reinforcements=weights,
    against=weights,
    confirmed=st.booleans(),
    rejected=st.booleans(),
    restated=st.booleans(),
)


@given(evidence)
def test_it_lies_between_never_and_certainly(given: Evidence) -> None:
    assert LEAST <= confidence(given) <= MOST


@given(evidence, st.floats(0.05, 1))
def test_a_source_more_never_lowers_it_and_an_objection_never_raises_it(given: Evidence, weight: float) -> None:
    more = Evidence(given.prior, (*given.reinforcements, weight), given.against, given.confirmed, given.rejected)
    less = Evidence(given.prior, given.reinforcements, (*given.against, weight), given.confirmed, given.rejected)
    assert confidence(less) <= confidence(given) <= confidence(more)


@given(evidence, st.randoms(use_true_random=False))
def test_the_order_of_sources_decides_nothing(given: Evidence, order: object) -> None:
    shuffled = list(given.reinforcements)
    order.shuffle(shuffled)  # type: ignore[attr-defined]
    other = Evidence(given.prior, tuple(shuffled), given.against, given.confirmed, given.rejected, given.restated)
    assert (confidence(other), state(other)) == (confidence(given), state(given))


def test_it_is_the_mean_of_the_beta_posterior() -> None:
    """Prior .8 worth two observations, one further source of full trust: (1.6 + 1) / (2 + 1)."""
    assert confidence(Evidence(0.8)) == 0.8
    assert confidence(Evidence(0.8, (1.0,))) == round(2.6 / 3, 6)
    assert confidence(Evidence(0.8, (), (1.0,))) == round(1.6 / 3, 6)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (Evidence(0.8), State.PROVISIONAL),
        (Evidence(0.8, (1.0,)), State.CORROBORATED),
        (Evidence(0.8, (1.0,) * (ESTABLISHED_AT - 1)), State.ESTABLISHED),
        (Evidence(0.8, confirmed=True), State.ESTABLISHED),
        (Evidence(0.8, (1.0,), (1.0,)), State.DISPUTED),
        (Evidence(0.8, against=(1.0,), confirmed=True), State.ESTABLISHED),
        (Evidence(0.8, (1.0, 1.0), rejected=True), State.REJECTED),
        (Evidence(0.8, restated=True), State.PROVISIONAL),
        (Evidence(0.8, (1.0,), restated=True), State.CORROBORATED),
    ],
)
def test_states(given: Evidence, expected: State) -> None:
    assert state(given) == expected


def test_what_is_not_in_the_table_does_not_happen() -> None:
    for current in State:
        for event in Event:
            assert advance(current, event) == TRANSITIONS.get((current, event), current)
    assert advance(State.REJECTED, Event.CORROBORATE) == State.REJECTED


def test_every_state_can_be_reached_and_left() -> None:
    reached = set(TRANSITIONS.values())
    assert reached == set(State)
    assert {before for before, _ in TRANSITIONS} == set(State)
