"""Plain sentences whose subject is a name or a thing that the small model does not know."""

from __future__ import annotations

import pytest

from tests.unit.english.facts.told import facts, statements

NAMES = "Sam Tom Vera Kofi Mark Rose Ana Bob Mei Priya Hiroshi Fatima Ngozi Maria Lars Zofia Mehmet".split()  # noqa: SIM905 - reads as words
SAID = [
    ("lives in Leeds", "live in", "Leeds"),
    ("works at Acme", "work at", "Acme"),
    ("works as a nurse in Leeds", "work as", "nurse"),
    ("plays the cello", "play", "cello"),
    ("studies law", "study", "law"),
    ("owns a van", "own", "van"),
    ("married Lena", "marry", "Lena"),
    ("reports to Dana", "report to", "Dana"),
    ("is a nurse", "be", "nurse"),
    ("is vegan", "be", "vegan"),
    ("has two sons", "have", "two sons"),
    ("is allergic to peanuts", "be allergic to", "peanuts"),
    ("is assigned to project Heron", "be assigned to", "project Heron"),
    ("was moved from project Heron to project Egret", "be moved to", "project Egret"),
]


@pytest.mark.parametrize("name", [*NAMES, "Mary Ann", "Kofi Mensah", "Priya Nair"])
@pytest.mark.parametrize("speaker", ["Ana Diaz", None])
def test_a_name_decides_nothing_about_grammar(name: str, speaker: str | None) -> None:
    for said, predicate, thing in SAID:
        assert f"{name} | {predicate} | {thing}" in facts(f"{name} {said}.", speaker=speaker), said


@pytest.mark.parametrize("name", ["kofi", "sam", "tom", "maria", "yuki"])
def test_a_name_that_lost_its_capital(name: str) -> None:
    assert facts(f"{name} lives in Leeds") == [f"{name.capitalize()} | live in | Leeds"]


def test_quotes_are_the_words_that_were_written() -> None:
    text = "ok so. kofi  lives in Tema, Mary Ann was moved to project Egret"
    assert next((s.subject, text[s.start : s.stop]) for s in statements(text)) == ("Kofi", "kofi  lives in Tema")
    (moved,) = statements("Well... Mary Ann was moved to project Egret")
    assert (moved.start, moved.stop) == (8, 43)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the pump needs grease monthly", "pump | need | grease"),
        ("The spare key costs 40 euros", "spare key | cost | 40 euros"),
        ("Locker 12 opens with a key", "Locker 12 | open with | key"),
        ("The shed is in Leeds", "shed | be in | Leeds"),
        ("My car runs on diesel", "Ana's car | run on | diesel"),
    ],
)
def test_things_at_hand(text: str, expected: str) -> None:
    assert facts(text) == [expected]


def test_how_often_is_told() -> None:
    assert statements("the pump needs grease monthly")[0].text == "The pump needs grease monthly."


@pytest.mark.parametrize(
    "text",
    [
        "Sam's lives in books",
        "house hunting in Tema",
        "House moves in Tema",
        "Book works by Austen",
        "Spring flowers in Leeds",
        "Christmas lights in Leeds",
        "Great works of art",
        "Coffee lives in my veins",
        "coffee lives in Leeds",
        "Work drives me crazy",
        "Hope is a feeling",
        "Rome wasn't built in a day",
        "Only works for independent events",
        "the sun is hot",
        "The sun has a mass",
        "The view is amazing",
        "the needs of the many",
        "Sam lives in Leeds?",
        "Does Sam live in Leeds?",
        "Let Sam live in Leeds",
        "Will works be shown?",
        "Mark my words",
    ],
)
def test_what_is_no_statement_about_somebody(text: str) -> None:
    assert facts(text) == []


def test_doubt_and_denial_are_kept() -> None:
    assert [(s.subject, s.modality.value) for s in statements("Maybe Sam lives in Leeds")] == [("Sam", "hedged")]
    assert [(s.subject, s.modality.value) for s in statements("Sam probably lives in Leeds")] == [("Sam", "hedged")]
    assert facts("Sam does not live in Leeds") == ["Sam | not live in | Leeds"]


def test_an_assistant_s_things_are_not_kept() -> None:
    assert facts("The pump needs grease monthly.", speaker="assistant", source="assistant") == []
