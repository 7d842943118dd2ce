"""Order, duplicates, strategies and the prompt: the stages that come after the score."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.recall.candidate import Ranked, SourceSpan, best_first
from api.recall.dedup import dedup
from api.recall.pack import Packed, estimate_tokens, pack
from api.recall.select import select
from api.recall.settings import RecallSettings
from api.recall.strategies import Mmr, TopK

from .memory_reader import Told, candidate, wording

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
SCORE = st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0])


def ranked(told: Told, score: float, at: int = 0) -> Ranked:
    return Ranked(candidate(told, at), {"keyword": score}, {"keyword": score}, score, wording=wording(told, at))


def in_order(rows: Iterable[Ranked]) -> list[Ranked]:
    """The rows best first, with their ranks. Ids tell them apart."""
    by_id = {row.candidate.id: row for row in rows}
    order = best_first(
        {ref: row.score for ref, row in by_id.items()}, {ref: row.candidate for ref, row in by_id.items()}
    )
    return [replace(by_id[ref], rank=place) for place, ref in enumerate(order, 1)]


POOL = st.lists(
    st.tuples(st.builds(Told, TEXT, st.sampled_from([None, "Ann", "Bo"]), st.integers(0, 3)), SCORE), max_size=12
).map(lambda rows: in_order(ranked(told, score, at) for at, (told, score) in enumerate(rows)))


def visible(rows: list[Ranked]) -> list[tuple[object, ...]]:
    return [(row.score, row.candidate.occurred_at, row.text, row.candidate.speaker) for row in rows]


@given(POOL, st.randoms(use_true_random=False))
def test_order_knows_nothing_of_ids(pool: list[Ranked], chance: random.Random) -> None:
    ids = [row.candidate.id for row in pool]
    chance.shuffle(ids)
    renamed = [replace(row, candidate=replace(row.candidate, id=ref)) for row, ref in zip(pool, ids, strict=True)]
    chance.shuffle(renamed)
    assert visible(in_order(renamed)) == visible(pool)


def test_order_is_score_then_newer_then_content() -> None:
    rows = [ranked(Told("b", days=2), 0.5), ranked(Told("a", days=1), 0.5, 1), ranked(Told("c", days=9), 0.9, 2)]
    assert [row.text for row in in_order(rows)] == ["c", "a", "b"]
    assert [row.rank for row in in_order(rows)] == [1, 2, 3]


@given(POOL)
def test_of_each_statement_the_best_row_stays(pool: list[Ranked]) -> None:
    out = dedup(pool)
    assert [row.candidate.id for row in out] == [row.candidate.id for row in pool]
    said = [(row.candidate.speaker, row.wording.content_key) for row in out]
    assert all((row.reason is None) == (said.index(said[at]) == at) for at, row in enumerate(out))


def test_a05_both_unicode_forms_are_one_statement_and_two_speakers_are_two() -> None:
    rows = [Told("café", "Ann"), Told("cafe\u0301", "Ann"), Told("CAFÉ ", "Bo"), Told("cafe", "Ann")]
    out = dedup([ranked(told, 1 - at / 10, at) for at, told in enumerate(rows)])
    assert [row.reason for row in out] == [None, "duplicate", None, None]


def test_collapse_keeps_the_best_row_of_each_episode() -> None:
    rows = [
        ranked(Told(text, episode=episode), 1 - at / 10, at)
        for at, (text, episode) in enumerate([("a", 1), ("b", 1), ("c", 2), ("d", 2)])
    ]
    two = replace(wording(Told("d")), sources=(SourceSpan(2, 1, 0, 1), SourceSpan(3, 1, 0, 1)))
    rows[3] = replace(rows[3], wording=two)
    assert [row.reason for row in dedup(rows, "source")] == [None, "duplicate", None, None]
    assert [row.reason for row in dedup(rows)] == [None] * 4


@given(POOL, st.integers(1, 5), SCORE, st.integers(0, 20), st.integers(0, 20))
def test_the_reject_window_never_changes_what_is_admitted(
    pool: list[Ranked], k: int, threshold: float, narrow: int, wide: int
) -> None:
    first = select(pool, TopK(k, threshold, narrow))
    assert first == select(pool, TopK(k, threshold, wide))
    admitted = [row for row in first if row.reason is None]
    assert admitted == [row for row in pool if row.score >= threshold][:k]


@given(POOL, st.integers(1, 4), SCORE, st.integers(0, 20), st.integers(0, 20), st.randoms(use_true_random=False))
def test_mmr_admits_as_many_and_never_by_the_reject_window(
    pool: list[Ranked], k: int, threshold: float, narrow: int, wide: int, chance: random.Random
) -> None:
    rows = [replace(row, vector=np.array([chance.random(), chance.random()])) for row in pool]
    first = select(rows, Mmr(k, threshold, narrow))
    assert [row.reason for row in first] == [row.reason for row in select(rows, Mmr(k, threshold, wide))]
    standing = [row for row in rows[: 4 * k] if row.score >= threshold]
    assert sum(row.reason is None for row in first) == min(k, len(standing))
    assert [row.reason for row in select(rows, Mmr(k, threshold, balance=1.0))].count(None) == min(k, len(standing))
    assert not rows or rows[0].score < threshold or first[0].reason is None, "the best is always in"


def test_mmr_prefers_what_is_unlike_the_first() -> None:
    vectors = ((1.0, 0.0), (0.99, 0.1), (0.0, 1.0))
    rows = [
        replace(ranked(Told(text), score, at), vector=np.array(vectors[at]))
        for at, (text, score) in enumerate([("a", 1.0), ("a again", 0.9), ("b", 0.6)])
    ]
    assert [row.reason for row in select(rows, Mmr(2))] == [None, "too-similar", None]
    assert [row.reason for row in select(rows, Mmr(2, balance=1.0))] == [None, None, "too-similar"]


def test_a_strategy_never_sees_what_was_already_turned_down() -> None:
    rows = [ranked(Told("a"), 1.0).rejected("duplicate"), ranked(Told("b"), 0.9, 1), ranked(Told("c"), 0.8, 2)]
    assert [row.reason for row in select(rows, TopK(1))] == ["duplicate", None, "beyond-k"]
    assert [row.reason for row in select(rows, TopK(5, 0.85))] == ["duplicate", None, "below-threshold"]


@given(POOL, st.integers(0, 4), st.integers(0, 200), st.integers(0, 60), st.sampled_from(["relevance", "recency"]))
def test_fragments_are_the_context_and_budgets_are_kept(
    pool: list[Ranked], entries: int, chars: int, tokens: int, order: str
) -> None:
    limits = {"max_entries": entries, "max_chars": chars, "max_tokens": tokens, "prompt_order": order}
    packed = pack(pool, RecallSettings().with_overrides(limits))
    assert packed.context == "\n\n".join(entry.fragment for entry in packed.entries)
    assert packed.context.split("\n\n") == [entry.fragment for entry in packed.entries] or not packed.entries
    assert [entry.position for entry in packed.entries] == list(range(len(packed.entries)))
    assert packed.spent.chars == len(packed.context)
    assert packed.spent.entries == len(packed.entries)
    for spent, limit in ((packed.spent.entries, entries), (packed.spent.chars, chars), (packed.spent.tokens, tokens)):
        assert not limit or spent <= limit
    assert [row.candidate.id for row in packed.ranked] == [row.candidate.id for row in pool]
    assert sum(row.reason is None for row in packed.ranked) == len(packed.entries)


def packed_texts(packed: Packed) -> list[str]:
    return [entry.ranked.text for entry in packed.entries]


def test_prompt_order_is_not_rank() -> None:
    pool = in_order([ranked(Told("old", days=9), 0.9), ranked(Told("new", days=1), 0.5, 1)])
    assert packed_texts(pack(pool, RecallSettings())) == ["old", "new"]
    recent = pack(pool, RecallSettings(prompt_order="recency"))
    assert packed_texts(recent) == ["new", "old"]
    assert [entry.ranked.rank for entry in recent.entries] == [2, 1]


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        ({"max_entries": 1}, "over-max-entries"),
        ({"max_chars": 60}, "over-char-budget"),
        ({"max_tokens": 12}, "over-token-budget"),
    ],
)
def test_the_budget_that_was_over_is_named(limits: dict[str, int], reason: str) -> None:
    pool = [ranked(Told("short"), 0.9), ranked(Told("second one"), 0.5, 1)]
    assert [row.reason for row in pack(pool, RecallSettings().with_overrides(limits)).ranked] == [None, reason]


def test_a_later_memory_may_fit_where_a_longer_one_did_not() -> None:
    pool = [ranked(Told("x" * 500), 0.9), ranked(Told("short"), 0.5, 1)]
    assert packed_texts(pack(pool, RecallSettings(max_chars=100))) == ["short"]


def test_tokens_are_estimated() -> None:
    assert estimate_tokens("") == 0
    assert estimate_tokens("12345") == 2
    assert estimate_tokens("漢字 ok") == 3
