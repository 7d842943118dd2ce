"""The laws of cutting a text into passages."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.derive.passages import CHARACTERS, CJK, WORDS, Passage, cut

PIECES = st.sampled_from(
    [
        "word ",
        "longer-word ",
        "Sentence ends. ",
        "\n",
        "\n\n",
        " \n \n",
        "漢字",
        "かな。",
        "e\u0301",
        "👨\u200d👩\u200d👧",
        "x" * 40,
    ]
)
TEXT = st.one_of(
    st.lists(PIECES, max_size=60).map("".join),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=300),
)


def assert_covers(text: str, passages: list[Passage]) -> None:
    at = 0
    for passage in passages:
        assert passage.start >= at
        assert not text[at : passage.start].strip()
        assert passage.text == text[passage.start : passage.end]
        assert passage.text == passage.text.strip() != ""
        at = passage.end
    assert not text[at:].strip()


@given(TEXT, st.integers(1, 20), st.integers(1, 20), st.integers(1, 60))
def test_passages_cover_the_text_within_their_budgets(text: str, words: int, cjk: int, characters: int) -> None:
    passages = cut(text, words, cjk, characters)
    assert_covers(text, passages)
    for passage in passages:
        assert len(passage.text) <= characters
        ideographs = sum("\u3041" <= sign <= "\u9fff" for sign in passage.text)
        assert ideographs <= cjk or ideographs == len(passage.text)


@given(TEXT)
def test_passages_cover_any_text(text: str) -> None:
    assert_covers(text, cut(text))


def test_a_short_text_is_one_passage_and_a_blank_one_none() -> None:
    assert cut("  hello there\n") == [Passage(2, 13, "hello there")]
    assert cut(" \n\t ") == cut("") == []


def test_budgets() -> None:
    assert {len(passage.text.split()) for passage in cut("one " * 500)} == {WORDS, 500 % WORDS}
    assert {len(passage.text) for passage in cut("漢" * 500)} == {CJK, 500 % CJK}
    assert max(len(passage.text) for passage in cut("characters " * 500)) <= CHARACTERS
    mixed = cut("word 漢 " * 400)[0].text
    assert mixed.count("word") / WORDS + mixed.count("漢") / CJK <= 1


@pytest.mark.parametrize("separator", ["\n\n", "\r\n\r\n", "\n", ". "])
def test_a_passage_ends_at_the_dearest_break(separator: str) -> None:
    first, second = "alpha " * 119 + "omega", "beta " * 120
    passages = cut(first + separator + second)
    assert passages[0].text == first + separator.strip()


def test_a_paragraph_is_dearer_than_a_later_line_and_sentence() -> None:
    text = "a " * 110 + "end\n\n" + "b " * 20 + "line\n" + "c " * 20 + "stop. " + "d " * 200
    assert cut(text)[0].text.endswith("end")


def test_a_sentence_keeps_its_closing_quotation_mark() -> None:
    assert cut("word " * 130 + 'said "yes." ' + "then " * 100)[0].text.endswith('"yes."')
    assert cut("漢" * 200 + "。」" + "字" * 100)[0].text.endswith("。」")


@pytest.mark.parametrize(
    "cluster", ["e\u0301", "か\u3099", "👨\u200d👩\u200d👧", "🇫🇷", "👍🏽", unicodedata.normalize("NFD", "감")]
)
def test_a_hard_cut_keeps_letters_whole(cluster: str) -> None:
    passages = cut(cluster * 700)
    assert len(passages) > 1
    assert all(passage.text == cluster * (len(passage.text) // len(cluster)) for passage in passages)


def test_a07_codes_far_apart_are_all_in_passages_that_point_at_them() -> None:
    body = ("filler words without end " * 4000)[:83_400]
    places = {1_000: "KX-1", 41_000: "KX-2", 83_000: "KX-3"}
    for at, code in places.items():
        body = body[:at] + f" {code} " + body[at + len(code) + 2 :]
    passages = cut(body)
    assert_covers(body, passages)
    for code in places.values():
        (passage,) = [passage for passage in passages if code in passage.text]
        assert body[passage.start : passage.end].count(code) == 1


@pytest.mark.parametrize("piece", ["word ", "a", "漢", "कि", " ", "\n", "a. ", "🇫🇷", "\u0301", "a" + " " * 449])
def test_a09_time_is_linear(piece: str) -> None:
    text = piece * (1_200_000 // len(piece))
    began = time.perf_counter()
    assert_covers(text, cut(text))
    assert time.perf_counter() - began < 10


def test_a_budget_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="budget"):
        cut("text", words=0)
