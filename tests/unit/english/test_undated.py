"""Expressions of time without a date: what is read as one, to the letter, and what is none."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.english.dates.undated import undated

WORDS = """for in over about the last at least a couple of half so many three hours days weekend months years ago now
    row every each other second friday evening twice per on mondays and that summer christmas 7 : 30 pm daily , . Ann"""


@pytest.mark.parametrize(
    "text",
    [
        "We have [for three weeks] been here",
        "He lived there [for about two and a half years]",
        "They talked [over the last few months now]",
        "She swims [for two hours a week]",
        "I waited [for thirteen years]",
        "We left [in half an hour]",
        "It rained [five days in a row]",
        "Noor called [two hours ago]",
        "a trip [in a fortnight]",
        "I paint [every day]",
        "We meet [every other Friday evening]",
        "They bake [every now and then]",
        "I run [every Mother's Day]",
        "He calls [twice a week]",
        "I work [one day a week]",
        "I walk [30 minutes a day]",
        "It opens [on Mondays and Fridays]",
        "I read [on weekends]",
        "I run [in the mornings]",
        "We ski [in winter]",
        "[In winter] Ann skis",
        "We moved [that summer]",
        "He works [late at night]",
        "[this weekend]'s game",
        "We met [at 7:30 pm]",
        "Call me [at 9 o’clock]",
        "I teach [at the weekend]",
        "I pay rent [monthly].",
        "I haven't seen her [for ages]",
        "We waited [for hours]",
        "I played [as a child]",
        "It is fine [for now]",
    ],
)
def test_what_is_read(text: str) -> None:
    bare = text.replace("[", "").replace("]", "")
    start, stop = text.index("["), text.index("]") - 1
    assert undated(bare) == [(start, stop)]


@pytest.mark.parametrize(
    "text",
    [
        "Ann lives in Falls Church",
        "I work in night shifts",
        "She came third in three races",
        "The monthly magazine is theirs",
        "It runs at 60fps",
        "It starts at 10,000 euros",
        "I have three years of experience",
        "Version v3 hours a day",
        "`every day` is a label",
        "She is on the second floor",
    ],
)
def test_what_is_none(text: str) -> None:
    assert undated(text) == []


@given(st.lists(st.sampled_from(WORDS.split()), max_size=12).map(" ".join) | st.text(max_size=60))
def test_spans_lie_inside_apart_and_in_order(text: str) -> None:
    edges = [edge for span in undated(text) for edge in span]
    assert edges == sorted(edges)
    assert all(0 <= start < stop <= len(text) for start, stop in undated(text))


@pytest.mark.parametrize("piece", ["over ", "daily . ", "for about the last ", "at 1", "so many ", "every second "])
def test_time_is_linear(piece: str) -> None:
    def seconds(length: int) -> float:
        text = (piece * (length // len(piece) + 1))[:length]
        began = time.process_time()
        undated(text)
        return time.process_time() - began

    assert min(seconds(40_000) for _ in range(3)) < 30 * max(min(seconds(5_000) for _ in range(3)), 0.005)
