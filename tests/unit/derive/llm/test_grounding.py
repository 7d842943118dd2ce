"""The laws of resting a statement on a text."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.derive.contract import Turn
from workers.derive.llm.grounding import Ground, rewords

TEXT = (
    "My sister\u2019s kids\n\n said \u201cwe  love\u201d caf\u00e9 Zo\u00eb \u2014 in \uff34\uff4f\uff4b\uff59\uff4f "
    "\U0001f355 v1.9"
)


@pytest.mark.parametrize(
    ("quote", "place"),
    [
        ("My sister\u2019s", "My sister\u2019s"),
        ("My sister's kids said", "My sister\u2019s kids\n\n said"),
        (' "we love" ', "\u201cwe  love\u201d"),
        ("cafe\u0301 Zoe\u0308", "caf\u00e9 Zo\u00eb"),
        ("Zo\u00eb - in Tokyo", "Zo\u00eb \u2014 in \uff34\uff4f\uff4b\uff59\uff4f"),
        ("in To\u200bkyo", "in \uff34\uff4f\uff4b\uff59\uff4f"),
        ("my sister", None),
        ("cafe Zoe", None),
        ("sister's brother", None),
        ("", None),
        ("\n\n", None),
        ("\u2014", None),
    ],
)
def test_a_quote_is_found_where_it_was_written(quote: str, place: str | None) -> None:
    span = Ground(TEXT, (), "Ana").span(quote)
    assert (None if span is None else TEXT[slice(*span)]) == place


@given(st.text(max_size=60), st.data())
def test_every_slice_is_found_in_any_normal_form(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(start, len(text)))
    quote = text[start:stop]
    ground = Ground(text, (), "")
    if any(character.isalnum() for character in quote):
        span = ground.span(quote)
        assert span is not None
        assert text[slice(*span)] == quote.strip()
    loose = ground.span(unicodedata.normalize("NFKC", quote))
    if loose is not None:
        assert 0 <= loose[0] < loose[1] <= len(text)


def test_a_quote_of_the_context_is_none_of_the_text() -> None:
    assert Ground("yes", (Turn("Bea", "I live in Oslo"),), "Ana").span("I live in Oslo") is None


@pytest.mark.parametrize(
    ("phrase", "strangers"),
    [
        ("Ana's sister", []),
        ("sisters", []),
        ("child of the sister", []),
        ("Oslo", []),
        ("Bea", []),
        ("co-founder", []),
        ("v1.9", []),
        ("v1.8", ["v1.8"]),
        ("diamonds", ["diamonds"]),
        ("sister and diamonds", ["diamonds"]),
        ("東京", []),
        ("大阪", ["大阪"]),
        ("🍕", []),
        ("🍔 🍕", ["🍔"]),
        ("LÉA", []),
        ("", []),
    ],
)
def test_words_need_a_ground(phrase: str, strangers: list[str]) -> None:
    text = "My sister, a founder and co of Lea, has children, 東京に住む 🍕 v1.9"
    assert Ground(text, (Turn("Bea", "in Oslo?"),), "Ana").strangers(phrase) == strangers


def test_parts_of_a_number_are_not_the_number() -> None:
    ground = Ground("flight 12 of 40-A", (), "Ana")
    assert ground.strangers("40-A") == []
    assert ground.strangers("12-A") == ["12-A"]


def test_a_subject_names_somebody() -> None:
    ground = Ground("Will is of age", (), "Ana")
    assert [subject for subject in ("Will", "Ana", "of", "of the", "...", "Bob", "") if ground.names(subject)] == [
        "Will", "Ana", "of",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("predicate", "fits"),
    [
        ("have son", True),
        ("be married to", True),
        ("work as", True),
        ("know secret admin password of", False),
        ("owe 900 to", False),
        ("", False),
        ("...", False),
    ],
)
def test_a_predicate_may_be_another_wording(predicate: str, fits: bool) -> None:
    assert rewords(predicate, "my boy and my wife") is fits


@pytest.mark.parametrize("text", ["e" + "\u0301" * 300_000, " " * 300_000 + "x", "\u201c" * 300_000, "ab" * 150_000])
def test_long_runs_cost_linear_time(text: str) -> None:
    ground = Ground(text, (), "Ana")
    began = time.monotonic()
    assert ground.span("not in there") is None
    assert ground.strangers("not diamonds") == ["diamonds"]
    assert time.monotonic() - began < 5
