"""What a question becomes before anybody is asked."""

from __future__ import annotations

from datetime import datetime

import numpy as np
import pytest

from api.recall.plan import ENTITY_SPACE, make_plan
from workers.derive.text import term_key

from .memory_reader import NOW, plan


def test_terms_are_distinct_and_in_order() -> None:
    made = plan("Dogs and  cats and DOGS?")
    assert made.terms == ("dog", "cat")
    assert made.term_keys == (term_key("dog"), term_key("cat"))
    assert made.normalised == "dogs and cats and dogs?"


def test_entities_have_keys_of_their_own() -> None:
    made = plan("ask Oduya", entities=["oduya", "oduya", "acme"])
    assert made.entities == ("oduya", "acme")
    assert made.entity_keys == (term_key("oduya", ENTITY_SPACE), term_key("acme", ENTITY_SPACE))


def test_the_hash_is_keyed_and_holds_no_text() -> None:
    made = plan("Where is Oduya?")
    assert made.query_hash == plan("where  is oduya?").query_hash
    assert made.query_hash != plan("where is Acme?").query_hash
    other = make_plan("Where is Oduya?", namespace="home", now=NOW, hash_key=b"another")
    assert made.query_hash != other.query_hash
    assert len(made.query_hash) == 32


def test_a_pasted_page_asks_for_a_bounded_number_of_terms() -> None:
    assert len(plan(" ".join(f"w{at}" for at in range(5_000))).terms) == 256


@pytest.mark.parametrize("vector", [[[1.0, 0.0]], [float("nan"), 1.0]])
def test_a_vector_that_is_none_is_refused(vector: list[float]) -> None:
    with pytest.raises(ValueError, match="vector"):
        make_plan("a", namespace="home", now=NOW, hash_key=b"k", vector=np.array(vector, np.float32))


def test_now_and_the_key_are_checked() -> None:
    with pytest.raises(ValueError, match="offset"):
        make_plan("a", namespace="home", now=datetime(2024, 1, 1), hash_key=b"k")  # noqa: DTZ001 - the fault it shows
    with pytest.raises(ValueError, match="key"):
        make_plan("a", namespace="home", now=NOW, hash_key=b"")
