"""The laws of the one tokeniser."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.derive.text import content_key, normalise, term_key, terms

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=80)


@given(TEXT)
def test_normalising_twice_changes_nothing(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


@given(TEXT, st.sampled_from(["english", "german", "none"]))
def test_unicode_form_decides_nothing(text: str, language: str) -> None:
    forms = {form: unicodedata.normalize(form, text) for form in ("NFC", "NFD")}
    assert terms(forms["NFC"], language) == terms(forms["NFD"], language)
    assert normalise(forms["NFC"]) == normalise(forms["NFD"])
    assert content_key(forms["NFC"]) == content_key(forms["NFD"])


@given(st.text(st.characters(max_codepoint=127), max_size=80), st.sampled_from(["english", "french", "none"]))
def test_ascii_takes_a_faster_way_to_the_same_terms(text: str, language: str) -> None:
    assert terms(text + " 漢", language)[:-1] == terms(text, language)


@given(TEXT)
def test_every_term_is_a_term_of_what_it_came_from(text: str) -> None:
    folded = normalise(text)
    assert all(term in folded for term in terms(text, "none"))


@pytest.mark.parametrize("word", ["café", "Zürich", "señor", "감"])
def test_a05_composed_and_decomposed_words_meet(word: str) -> None:
    text = "café Zürich señor 감"
    assert set(terms(unicodedata.normalize("NFD", word))) <= set(terms(text))
    assert set(terms(word)) <= set(terms(unicodedata.normalize("NFD", text)))


def test_a05_full_width_is_the_same_text() -> None:
    assert terms("ＡＢＣ１２") == terms("ABC12") == ["abc12"]
    assert content_key("ＡＢＣ１２") == content_key("ABC12")


@pytest.mark.parametrize(
    ("text", "folded"),
    [("Crème Brûlée", "creme brulee"), ("Łódź", "lodz"), ("Straße", "strasse"), ("Ωμέγα", "ωμεγα"), ("Ёлка", "елка")],
)
def test_accents_are_folded(text: str, folded: str) -> None:
    assert normalise(text) == folded


@pytest.mark.parametrize("text", ["हिन्दी में", "ที่นี่", "がぎ", "தமிழ்", "שָׁלוֹם"])
def test_vowel_signs_are_no_accents(text: str) -> None:
    assert normalise(text) == unicodedata.normalize("NFKC", text)


def test_a_word_with_vowel_signs_is_one_word() -> None:
    assert terms("हिन्दी में", "none") == ["हिन्दी", "में"]


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        ("来週の月曜に歯医者の予約がある", "歯医者"),
        ("서울역에서 출발하는 기차표를 샀다", "기차표"),
        ("我把车停在地下二层停车场", "停车场"),
        ("ผมจะไปสนามบินพรุ่งนี้", "สนามบิน"),
    ],
)
def test_c07_a_word_is_found_inside_a_run(sentence: str, question: str) -> None:
    assert set(terms(question)) <= set(terms(sentence))
    assert not set(terms(question)) & set(terms("我的配置文件在这里"))


def test_c07_two_characters_and_three_and_one() -> None:
    assert terms("기차표를") == ["기차", "기차표", "차표", "차표를", "표를"]
    assert terms("車") == ["車"]


def test_c07_an_identifier_inside_a_run_stays_whole() -> None:
    assert {"9router", "rerank", "配置"} <= set(terms("配置9router的rerank模型"))
    assert terms("9router") == ["9router"]


@pytest.mark.parametrize(
    ("token", "expected"),
    [
        ("ZX-4471-QP", ["zx-4471-qp", "zx", "4471", "qp"]),
        ("v1.9", ["v1.9", "v1", "9"]),
        ("team:red", ["team:red", "team", "red"]),
        ("jo@x.test", ["jo@x.test", "jo", "x", "test"]),
        ("snake_case_2", ["snake_case_2", "snake", "case", "2"]),
        ("2024-05-03.", ["2024-05-03", "2024", "05", "03"]),
        ("ZX\u20114471", ["zx-4471", "zx", "4471"]),
        ("paintings/drawings", ["paintings/drawings", "paint", "draw"]),
        ("runs2", ["runs2"]),
    ],
)
def test_identifiers_are_indexed_whole_and_in_parts(token: str, expected: list[str]) -> None:
    assert terms(token) == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("What's up?", []),
        ("x or and or y", ["x", "y"]),
        ("foo & !", ["foo"]),
        ('"open', ["open"]),
        ("C:\\temp\\new", ["c", "temp", "new"]),
        (":*", []),
        ("a|b", ["b"]),
        ("(" * 10_000, []),
        ("", []),
    ],
)
def test_c09_punctuation_is_no_syntax(query: str, expected: list[str]) -> None:
    assert terms(query) == expected


def test_apostrophes() -> None:
    assert terms("Caroline\u2019s don't O'Brien she'll") == ["carolin", "o", "brien"]
    assert terms("l'avion", "french") == ["l", "avion"]


def test_languages() -> None:
    assert terms("The running dogs") == ["run", "dog"]
    assert terms("The running dogs", "none") == ["the", "running", "dogs"]
    assert terms("Häuser Haus", "german") == ["haus", "haus"]
    with pytest.raises(ValueError, match="klingon"):
        terms("nuqneH", "klingon")


def test_repetitions_keep_their_order() -> None:
    assert terms("dog cat dog") == ["dog", "cat", "dog"]


def test_content_key_tells_statements_apart() -> None:
    assert content_key("The  User likes\ttea.") == content_key("the user likes tea")
    assert content_key("the user likes tea") != content_key("the user does not like tea")
    assert content_key("10² apples") != content_key("102 apples")
    assert content_key("si") != content_key("sí")
    assert len(content_key("")) == 32


def test_term_keys_are_fixed_and_signed_and_apart() -> None:
    assert term_key("dog") == 93107464705238541
    assert term_key("기차") == -690651509307810158
    assert term_key("dog", b"entity") == -906910430596245127


@pytest.mark.parametrize("piece", ["(", "a", "a-", "a's", "'", "é", "漢", "कि", "\u0301\u0315", "ﾞ\u0301", "_"])
def test_time_is_linear(piece: str) -> None:
    """300,000 characters of anything take a second; a quadratic step anywhere would take minutes."""
    began = time.perf_counter()
    terms(piece * (300_000 // len(piece)))
    assert time.perf_counter() - began < 5


def test_a_long_token_is_found_by_its_beginning() -> None:
    assert terms("f" * 5_000) == ["f" * 256]
    assert terms("f" * 5_000 + "-7") == ["f" * 256, "f" * 256, "7"]
