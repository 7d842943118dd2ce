"""The fold of a fact over its sources: whatever their order, the living decide and a person's word stands."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from schema.kinds import TRUST, Verdict
from schema.store.facts import Source
from schema.store.history import DecisionRow
from workers.truth.consolidation import fold

START = datetime(2025, 1, 1, tzinfo=UTC)


def source(number: int, **fields: Any) -> Source:
    said = {
        "text": fields.pop("text", "Ann likes tea."),
        "subject": "Ann",
        "predicate": "like",
        "object": "tea",
        "polarity": "pos",
        "modality": fields.pop("modality", "asserted"),
        "confidence": fields.pop("confidence", 0.8),
        "event": None,
        "valid_from": fields.pop("valid_from", None),
        "valid_to": None,
        "importance": None,
    }
    usual: dict[str, Any] = {
        "memory_id": 1,
        "episode_id": number,
        "revision": 1,
        "start": 0,
        "stop": 9,
        "said": said,
        "made_by": "x",
        "withdrawn": False,
        "current": True,
        "quarantined": False,
        "speaker": None,
        "source": "user",
        "session_id": None,
        "seq": None,
        "occurred_at": START + timedelta(days=number),
        "recorded_at": START + timedelta(days=number),
    }
    return Source(**(usual | fields))


sources = st.lists(
    st.builds(
        source,
        st.integers(1, 30),
        text=st.sampled_from(["Ann likes tea.", "Ann likes Tea!"]),
        modality=st.sampled_from(["asserted", "hedged"]),
        confidence=st.sampled_from([0.5, 0.8]),
        source=st.sampled_from(["user", "assistant", "external"]),
        withdrawn=st.booleans(),
        current=st.booleans(),
        quarantined=st.booleans(),
    ),
    max_size=8,
    unique_by=lambda one: one.episode_id,
)
verdicts = st.lists(
    st.builds(
        DecisionRow,
        st.just(1),
        st.sampled_from([verdict.value for verdict in Verdict]),
        st.none(),
        st.integers(0, 31).map(lambda day: START + timedelta(days=day, hours=1)),
    ),
    max_size=3,
)


@given(sources, verdicts, st.randoms(use_true_random=False))
def test_the_order_of_sources_decides_nothing(given: list[Source], said: list[DecisionRow], order: Any) -> None:
    shuffled = list(given)
    order.shuffle(shuffled)
    assert fold(shuffled, said, TRUST) == fold(given, said, TRUST)


@given(sources, verdicts)
def test_only_the_living_speak(given: list[Source], said: list[DecisionRow]) -> None:
    dead = [one for one in given if not one.current or one.withdrawn]
    alive = [one for one in given if one not in dead]
    assert fold(given, said, TRUST) == fold(alive, said, TRUST)
    folded = fold(given, said, TRUST)
    if not alive:
        assert folded.values is None
        assert folded.retired is not None
    else:
        assert folded.values is not None
        assert folded.values["text"] in {one.said["text"] for one in alive}


@given(sources)
def test_without_a_verdict_it_is_active_exactly_while_a_source_lives(given: list[Source]) -> None:
    folded = fold(given, [], TRUST)
    living = [one for one in given if one.living]
    waiting = [one for one in given if one.current and not one.withdrawn and one.quarantined]
    assert (folded.retired is None) == bool(living or waiting)
    assert folded.quarantined == (not living and bool(waiting))


@given(sources, st.integers(0, 31))
def test_a_rejection_covers_all_that_was_told_before_it(given: list[Source], day: int) -> None:
    moment = START + timedelta(days=day, hours=1)
    folded = fold(given, [DecisionRow(1, Verdict.WRONG, None, moment)], TRUST)
    living = [one for one in given if one.living] or [one for one in given if one.current and not one.withdrawn]
    since = [one for one in living if one.source == "user" and one.recorded_at > moment]
    assert (folded.retired is None) == bool(since)


@given(sources)
def test_confirming_last_brings_back_what_has_a_source(given: list[Source]) -> None:
    said = [DecisionRow(1, Verdict.WRONG, None, START), DecisionRow(1, Verdict.CONFIRM, None, START)]
    folded = fold(given, said, TRUST)
    if folded.values is not None:
        assert folded.retired is None
        assert folded.values["state"] == "established"


def test_the_best_source_gives_the_words_and_the_earliest_the_beginning() -> None:
    told = [
        source(1, text="old words", valid_from="2019-01-01T00:00:00+00:00"),
        source(2, text="perhaps", modality="hedged"),
        source(3, text="from a tool", source="external"),
        source(4, text="new words"),
    ]
    folded = fold(told, [], TRUST)
    assert folded.values is not None
    assert folded.values["text"] == "new words"
    assert folded.values["valid_from"] == datetime(2019, 1, 1, tzinfo=UTC)
    assert folded.values["corroboration"] == 4
