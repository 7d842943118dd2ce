"""Echoes: what was served is known again in whatever it comes wrapped in, and nothing else is."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.derive.echo import HEAD, Trace, echoes, traces, words

KEY = b"k" * 16
OTHER = b"o" * 16
SERVED = [
    "Ann moved to Oslo in May. She likes it there!",
    "I smoke",
    "Kofi's café is called “Élan”; it opens at 9:30.",
    "来週の月曜に歯医者の予約がある。猫が好きです。",
    "Line one\nand line two\n\n- a list of things",
    'She said "never again" \\ twice',
]


def served(*texts: str) -> list[Trace]:
    return [trace for text in texts for trace in traces(text, KEY)]


def found(text: str, *texts: str) -> list[str]:
    known = served(*texts)

    def lookup(heads: Sequence[int]) -> list[Trace]:
        return [trace for trace in known if trace.head in set(heads)]

    return [text[start:stop] for start, stop in echoes(text, KEY, lookup)]


def covered(text: str, *texts: str) -> str:
    """What is left of a text beside its echoes, letters and digits only."""
    left = text
    for span in found(text, *texts):
        left = left.replace(span, "", 1)
    return "".join(character for character in left if character.isalnum())


@pytest.mark.parametrize("text", SERVED)
@pytest.mark.parametrize(
    "wrap",
    [
        lambda text: text,
        lambda text: f"  {text}  ",
        lambda text: f"> {text}".replace("\n", "\n> "),
        lambda text: json.dumps({"memories": [{"text": text}]}),
        lambda text: json.dumps({"text": text}, ensure_ascii=False),
        lambda text: f"Here is what I know:\n1. {text}\n2. Something else.",
        lambda text: f"**{text}**",
        lambda text: text.upper(),
        lambda text: f"| {text} |",
    ],
)
def test_served_text_is_known_again_in_any_wrapping(text: str, wrap: object) -> None:
    wrapped = wrap(text)  # type: ignore[operator]
    left = covered(wrapped, text)
    for word in words(text):
        if len(word.text) > 3:
            assert word.text not in left.casefold(), (wrapped, left)


def test_a_new_sentence_beside_an_echo_is_none() -> None:
    text = f"{SERVED[0]} My cat is called Pixel."
    assert found(text, SERVED[0]) == ["Ann moved to Oslo in May", "She likes it there"]


def test_part_of_a_longer_sentence_is_no_echo() -> None:
    assert found("I no longer think I like tea any more.", "I like tea") == []
    assert found("I like tea and cake.", "I like tea") == []
    assert found("Today: I like tea.", "I like tea") == ["I like tea"]


def test_another_tenant_knows_nothing_of_it() -> None:
    known = [trace for text in SERVED for trace in traces(text, OTHER)]
    assert echoes(SERVED[0], KEY, lambda _heads: known) == []


def test_our_own_marking_is_an_echo_as_a_whole() -> None:
    block = "[2025-03-01 09:00+00:00] Ann (user):\n> Something never served.\n> Second line."
    text = f"Look:\n{block}\nMy own words."
    assert found(text) == [block]
    quoted = json.dumps({"context": block})
    (span,) = found(quoted)
    assert "Something never served" in span
    assert "Second line" in span


def test_words_stand_where_they_say() -> None:
    text = "Ann's  “café”, \\u00e9t\\u00e9\\nnext"
    assert [text[word.start : word.stop] for word in words(text)][:2] == ["Ann's", "café"]


@given(st.text(max_size=200), st.lists(st.text(max_size=60), max_size=4))
def test_spans_lie_inside_apart_and_in_order(text: str, texts: list[str]) -> None:
    known = served(*texts)
    spans = echoes(text, KEY, lambda heads: [trace for trace in known if trace.head in set(heads)])
    edges = [edge for span in spans for edge in span]
    assert edges == sorted(edges)
    assert all(0 <= start < stop <= len(text) for start, stop in spans)


@given(st.text(alphabet="ab .\n", min_size=1, max_size=60))
def test_a_text_of_enough_words_is_its_own_echo(text: str) -> None:
    known = served(text)
    spans = echoes(text, KEY, lambda heads: [trace for trace in known if trace.head in set(heads)])
    assert bool(spans) == bool(known)
    assert all(trace.words >= HEAD for trace in known)


def test_a_million_characters_take_no_time_to_speak_of() -> None:
    assert echoes("[2025-01-01 10:00" * 50_000, KEY, lambda _heads: []) == []
    assert echoes("a. " * 100_000 + "(" * 100_000, KEY, lambda _heads: []) == []
