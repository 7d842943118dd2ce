"""Floors stand on raw scores, and each leg is judged by its own."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from api.recall.floors import Scores, apply_floors
from api.recall.settings import RecallSettings

from .memory_reader import Told, candidate, plan, wording

RAW = st.fixed_dictionaries(
    {
        "keyword": st.dictionaries(st.integers(100, 104), st.floats(0.1, 9)),
        "semantic": st.dictionaries(st.integers(100, 104), st.floats(-1, 1)),
        "entity": st.dictionaries(st.integers(100, 104), st.floats(0.01, 1)),
    }
)
TOLD = [
    Told(text, speaker)
    for text, speaker in [
        ("red pump", None),
        ("pump", "Ann"),
        ("a pump in red and green", None),
        ("the", None),
        ("green", None),
    ]
]
ROWS = {100 + at: candidate(told, at) for at, told in enumerate(TOLD)}
WORDS = {100 + at: wording(told, at) for at, told in enumerate(TOLD)}
QUESTION = plan("red pump green")


@given(RAW)
def test_no_floor_drops_nothing(raw: Scores) -> None:
    floored = apply_floors(raw, ROWS, QUESTION, RecallSettings(), WORDS)
    assert floored.raw == raw
    assert floored.profile == "strict"
    assert not any(floored.dropped.values())


@given(RAW, st.floats(0, 1), st.integers(0, 4), st.floats(0, 1))
def test_what_is_kept_and_dropped_add_up(raw: Scores, cosine: float, count: int, overlap: float) -> None:
    settings = RecallSettings(min_cosine=cosine, min_terms=count, min_overlap=overlap)
    floored = apply_floors(raw, ROWS, QUESTION, settings, WORDS)
    assert {leg: len(floored.raw[leg]) + floored.dropped[leg] for leg in raw} == {leg: len(raw[leg]) for leg in raw}
    assert all(score >= floored.floors.min_cosine for score in floored.raw["semantic"].values() if cosine)
    assert all(score >= floored.floors.min_overlap for score in floored.raw["entity"].values() if overlap)
    loose, strict = floored.floors, settings
    assert loose.min_cosine <= strict.min_cosine
    assert loose.min_terms <= strict.min_terms
    assert loose.min_overlap <= strict.min_overlap
    assert (loose.min_terms == 0) == (strict.min_terms == 0)
    if floored.profile == "loose":
        assert not any(score >= cosine for score in raw["semantic"].values())


def test_equal_to_the_floor_is_kept() -> None:
    settings = RecallSettings(min_cosine=0.3, min_overlap=0.2)
    raw = {"semantic": {100: 0.3, 101: 0.299}, "entity": {100: 0.2, 101: 0.199}}
    assert apply_floors(raw, ROWS, QUESTION, settings, WORDS).raw == {"semantic": {100: 0.3}, "entity": {100: 0.2}}


def test_the_bar_of_terms_never_exceeds_what_a_text_has() -> None:
    raw = {"keyword": dict.fromkeys(ROWS, 1.0)}
    kept = apply_floors(raw, ROWS, QUESTION, RecallSettings(min_terms=2), WORDS).raw["keyword"]
    # 101 has two terms, its speaker's name being one as in the index, and one was asked; 103 has none, 104 one.
    assert set(kept) == {100, 102, 103, 104}


def test_if_nobody_passes_one_loose_pass_follows() -> None:
    settings = RecallSettings(min_cosine=0.8)
    floored = apply_floors({"semantic": {100: 0.65, 101: 0.5}}, ROWS, QUESTION, settings, WORDS)
    assert floored.raw == {"semantic": {100: 0.65}}
    assert (floored.profile, floored.floors.min_cosine) == ("loose", 0.8 * 0.75)


def test_nothing_found_is_not_a_matter_of_floors() -> None:
    assert apply_floors({"semantic": {}}, ROWS, QUESTION, RecallSettings(min_cosine=0.8), WORDS).profile == "strict"
