"""Fusion: its laws, and the same numbers as ranx."""

from __future__ import annotations

import random
import warnings
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.recall.floors import Scores
from api.recall.fusion import fuse, normalise
from api.recall.settings import RecallSettings

from .memory_reader import Told, candidate

ROWS = {one.id: one for one in (candidate(Told(f"text {at}", days=at), at) for at in range(40))}
LEG = st.dictionaries(st.sampled_from(sorted(ROWS)), st.floats(-1, 30, allow_nan=False), max_size=10)
RAW = st.fixed_dictionaries({"keyword": LEG, "semantic": LEG, "entity": LEG})
CONVEX = RecallSettings(keyword_weight=0.6, semantic_weight=0.3, entity_weight=0.1)


@given(RAW, st.sampled_from(["minmax", "zeromax"]))
def test_every_part_and_score_is_within_its_share(raw: Scores, how: str) -> None:
    settings = CONVEX.with_overrides({"normalisation": how})
    for ref, fused in fuse(raw, ROWS, settings).items():
        assert set(fused.part) == {leg for leg in raw if ref in raw[leg]}
        assert all(0 <= part <= settings.weights[leg] + 1e-12 for leg, part in fused.part.items())
        assert fused.score == pytest.approx(sum(fused.part.values()), abs=1e-9)
        assert 0 <= fused.score <= 1


@given(LEG, st.sampled_from(["minmax", "zeromax"]))
def test_normalised_scores_keep_their_order_and_reach_one(scores: dict[int, float], how: str) -> None:
    normal = normalise(scores, how)
    assert all(0 <= value <= 1 for value in normal.values())
    assert not scores or max(normal.values()) == 1
    assert all(normal[a] <= normal[b] for a in scores for b in scores if scores[a] <= scores[b])


def test_c03_single_and_tied_hits_count_in_full() -> None:
    assert normalise({1: 0.2}) == {1: 1.0}
    assert normalise({1: 7.0, 2: 7.0}) == {1: 1.0, 2: 1.0}
    assert normalise({1: 0.0, 2: 0.0}, "zeromax") == {1: 1.0, 2: 1.0}
    assert normalise({}) == {}


def test_c03_a_leg_alone_claims_its_own_share_and_no_more() -> None:
    fused = fuse({"keyword": {}, "semantic": {100: 0.05, 101: 0.01}, "entity": {}}, ROWS, CONVEX)
    assert fused[100].score == 0.3
    assert fused[101].score == 0.0


def test_c03_two_keyword_hits_and_a_dense_one() -> None:
    fused = fuse({"keyword": {100: 4.0, 101: 4.0}, "semantic": {102: 0.4}}, ROWS, CONVEX)
    assert {ref: found.score for ref, found in fused.items()} == {100: 0.6, 101: 0.6, 102: 0.3}


def test_rrf_ranks_ties_by_content_whatever_their_ids() -> None:
    settings = RecallSettings(fusion="rrf", keyword_weight=1, semantic_weight=1, entity_weight=0)
    fused = fuse({"keyword": {107: 1.0, 103: 1.0, 105: 2.0}}, ROWS, settings)
    assert [ref for ref, _ in sorted(fused.items(), key=lambda pair: -pair[1].score)] == [105, 103, 107]


def runs(seed: int) -> list[dict[str, dict[int, float]]]:
    """Random questions; every leg has at least two different scores, ranks are free of ties, overlaps vary."""
    chance = random.Random(seed)
    made = []
    for _ in range(25):
        sizes = {"keyword": chance.randint(2, 15), "semantic": chance.randint(2, 15)}
        made.append(
            {
                leg: dict(zip(chance.sample(sorted(ROWS), size), chance.sample(range(-500, 3_000), size), strict=True))
                for leg, size in sizes.items()
            }
        )
    return made


def ranx_fused(raws: list[dict[str, dict[int, float]]], method: str, norm: str | None, **params: Any) -> list[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numba's, at import and at its first compilation
        from ranx import Run
        from ranx import fuse as their_fuse

        legs = [
            Run(
                {
                    f"q{at}": {str(ref): float(score) for ref, score in sorted(raw[leg].items(), key=lambda p: -p[1])}
                    for at, raw in enumerate(raws)
                }
            )
            for leg in ("keyword", "semantic")
        ]
        fused = their_fuse(runs=legs, norm=norm, method=method, params=params).to_dict()
    return [{int(ref): score for ref, score in fused[f"q{at}"].items()} for at in range(len(raws))]


def test_convex_is_what_ranx_computes() -> None:
    settings = RecallSettings(keyword_weight=0.7, semantic_weight=0.3, entity_weight=0)
    raws = runs(1)
    theirs = ranx_fused(raws, "wsum", "min-max", weights=(0.7, 0.3))
    for raw, expected in zip(raws, theirs, strict=True):
        ours = {ref: found.score for ref, found in fuse(raw, ROWS, settings).items()}
        assert ours == pytest.approx(expected, abs=1e-8)


def test_convex_is_what_ranx_computes_on_degenerate_legs() -> None:
    """ranx gives 0 to a leg whose scores are all equal, we give 1: it gets those legs normalised and sums them."""
    settings = RecallSettings(keyword_weight=0.7, semantic_weight=0.3, entity_weight=0)
    raws: list[dict[str, dict[int, float]]] = [
        {"keyword": {100: 3.0}, "semantic": {101: 0.2}},
        {"keyword": {100: 3.0, 101: 3.0}, "semantic": {101: 0.2, 102: 0.1}},
        {"keyword": {100: 3.0}, "semantic": {100: -0.2}},
    ]
    normal = [{leg: normalise(scores) for leg, scores in raw.items()} for raw in raws]
    theirs = ranx_fused(normal, "wsum", None, weights=(0.7, 0.3))
    for raw, expected in zip(raws, theirs, strict=True):
        assert {ref: found.score for ref, found in fuse(raw, ROWS, settings).items()} == pytest.approx(expected)


@pytest.mark.parametrize("k", [5, 60])
def test_rrf_is_what_ranx_computes(k: int) -> None:
    settings = RecallSettings(fusion="rrf", rrf_k=k, keyword_weight=1, semantic_weight=1, entity_weight=0)
    raws = [*runs(2), {"keyword": {100: 3.0}, "semantic": {101: 0.2}}, {"keyword": {100: 3.0}, "semantic": {100: 9.0}}]
    theirs = ranx_fused(raws, "rrf", None, k=k)
    for raw, expected in zip(raws, theirs, strict=True):
        assert {ref: found.score for ref, found in fuse(raw, ROWS, settings).items()} == pytest.approx(expected)
