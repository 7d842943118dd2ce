"""Laws of extraction that hold for any text."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.english.facts.told import NOW, RULES
from workers.derive.contract import Extraction, Utterance
from workers.english.facts.screen import MOST_PIECES, pieces

SPOKEN = (
    "I i'm we my sister Ana bought moved to in Rome a boat, . ! ? \" ' - : and but who is not never think said she he"
    " it 2019 yesterday since until has been 🙂 don't im the of called Bo \n * if would"
)
WORDS = st.sampled_from(SPOKEN.split(" "))
ANY = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=120), st.lists(WORDS, max_size=25).map(" ".join)
)
SOURCES = st.sampled_from(["user", "assistant", "external"])


def _extract(*utterances: Utterance) -> list[Extraction]:
    return RULES.extract(utterances)


@settings(max_examples=150, deadline=None)
@given(ANY, SOURCES, st.sampled_from(["Ana", None]))
def test_any_text_gives_grounded_statements(text: str, source: str, speaker: str | None) -> None:
    (extraction,) = _extract(Utterance(text, speaker, NOW, source))
    for statement in extraction.statements:
        assert 0 <= statement.start < statement.stop <= len(text)
        assert text[statement.start : statement.stop].strip()
        assert statement.subject
        assert statement.predicate
        assert statement.text.endswith(".")
        assert 0 <= statement.confidence <= 1


@settings(max_examples=60, deadline=None)
@given(st.lists(ANY, min_size=1, max_size=5))
def test_what_else_is_in_a_batch_changes_nothing(texts: list[str]) -> None:
    batch = [Utterance(text, "Ana", NOW) for text in texts]
    assert _extract(*batch) == [_extract(utterance)[0] for utterance in batch] == _extract(*batch)


@given(st.text(max_size=400))
def test_pieces_are_slices_in_order_of_sentences(text: str) -> None:
    found = list(pieces(text))
    assert all(0 <= piece.start < piece.stop <= len(text) for piece in found)
    assert [piece.sentence for piece in found] == sorted(piece.sentence for piece in found)


@pytest.mark.parametrize(
    "text",
    [
        "I live in Ghent and my sister Ilse is a nurse. ",
        "a",
        " ",
        '"',
        "((",
        ", I am",
        "[a",
        "- a\n",
        "I'm so so ",
        "1,",
    ],
)
def test_a_book_is_bounded(text: str) -> None:
    long = text * (1_200_000 // len(text))
    began = time.process_time()
    assert len(list(pieces(long))) <= MOST_PIECES
    _extract(Utterance(long, "Ana", NOW))
    assert time.process_time() - began < 10
