"""Settings name the field that is wrong."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from api.recall import settings
from api.recall.settings import RecallSettings
from schema.errors import InvalidInput


def test_every_field_is_validated() -> None:
    named = {field.name for field in fields(RecallSettings)}
    assert named == set(settings._RANGES) | set(settings._CHOICES)


@pytest.mark.parametrize("name", sorted(settings._RANGES))
@pytest.mark.parametrize("value", [-1, "3", None, float("nan"), float("inf"), True, 1e12, [1]])
def test_a_bad_number_is_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(InvalidInput, match=name) as caught:
        RecallSettings().with_overrides({name: value})
    assert caught.value.field == name


@pytest.mark.parametrize("name", sorted(settings._CHOICES))
def test_a_bad_choice_is_refused_by_name(name: str) -> None:
    with pytest.raises(InvalidInput, match=name) as caught:
        RecallSettings().with_overrides({name: "best"})
    assert caught.value.field == name


def test_an_unknown_name_meets_a_suggestion() -> None:
    with pytest.raises(InvalidInput, match="did you mean min_cosine"):
        RecallSettings().with_overrides({"min_cosin": 0.3})
    with pytest.raises(InvalidInput, match="known: abstain_below"):
        RecallSettings().with_overrides({"zzz": 1})


def test_overrides_replace_and_leave_the_original() -> None:
    original = RecallSettings()
    changed = original.with_overrides({"k": 3, "semantic_weight": 1})
    assert (changed.k, changed.weights["semantic"], original.k) == (3, 1.0, 10)


def test_no_leg_at_all_is_refused() -> None:
    with pytest.raises(InvalidInput, match="at least one leg"):
        RecallSettings(keyword_weight=0, semantic_weight=0, entity_weight=0)
