"""Metrics: worked examples, laws for any ranking, and agreement with ranx."""

import math
import warnings
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.evaluation import metrics

IDS = st.sampled_from([f"t{number}" for number in range(30)])
RANKINGS = st.lists(IDS, max_size=40)
GOLD = st.frozensets(IDS, max_size=8)


def test_a_worked_example() -> None:
    ranking, gold = ["a", "x", "b", "y", "z", "c"], {"a", "b", "c", "never"}
    assert metrics.recall(ranking, gold, 5) == 0.5
    assert metrics.recall(ranking, gold, 10) == 0.75
    assert metrics.hit(ranking, gold, 1) == 1.0
    assert metrics.mrr(ranking, gold) == 1.0
    assert metrics.mrr(["x", "y", "b"], gold) == pytest.approx(1 / 3)
    gained = 1 + 1 / math.log2(4) + 1 / math.log2(7)
    best = 1 + 1 / math.log2(3) + 1 / math.log2(4) + 1 / math.log2(5)
    assert metrics.ndcg(ranking, gold) == pytest.approx(gained / best)


def test_nothing_found_and_nothing_to_find_are_zero() -> None:
    for ranking, gold in (([], {"a"}), (["a"], set()), ([], set()), (["x"], {"a"})):
        assert metrics.score(ranking, gold) == dict.fromkeys(metrics.FIGURES, 0.0)
    assert metrics.mean([]) == dict.fromkeys(metrics.FIGURES, 0.0)


@pytest.mark.parametrize("k", [0, -1])
def test_a_cut_below_one_is_refused(k: int) -> None:
    for metric in (metrics.recall, metrics.hit, metrics.ndcg):
        with pytest.raises(ValueError, match="k: expected 1 or more"):
            metric(["a"], {"a"}, k)


@given(RANKINGS, GOLD)
def test_figures_lie_between_zero_and_one_and_repeats_change_nothing(ranking: list[str], gold: frozenset[str]) -> None:
    figures = metrics.score(ranking, gold)
    assert all(0.0 <= value <= 1.0 + 1e-12 for value in figures.values())
    assert figures["recall@5"] <= figures["recall@10"] <= figures["recall@20"]
    assert metrics.score(metrics.collapse(ranking), gold) == figures


@given(GOLD.filter(bool))
def test_the_best_ranking_scores_one(gold: frozenset[str]) -> None:
    figures = metrics.score(sorted(gold), gold)
    assert figures["ndcg@10"] == figures["mrr"] == figures["recall@10"] == 1.0


def test_ranx_agrees() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # raised while numba compiles, in code that is not ours
        import ranx
    random = Random(11)
    names = [f"t{number}" for number in range(60)]
    rankings = {f"q{number}": random.sample(names, 30) for number in range(25)}
    gold = {question: random.sample(names, random.randint(1, 15)) for question in rankings}
    run = {
        question: {name: 1 - place / 100 for place, name in enumerate(ranking)}
        for question, ranking in rankings.items()
    }
    truth = {question: dict.fromkeys(answers, 1) for question, answers in gold.items()}
    theirs = {"recall@5", "recall@10", "recall@20", "hit_rate@5", "hit_rate@10", "mrr", "ndcg@10"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = ranx.evaluate(ranx.Qrels(truth), ranx.Run(run), sorted(theirs))
    ours = metrics.mean([metrics.score(ranking, gold[question]) for question, ranking in rankings.items()])
    for name, value in expected.items():
        assert ours[name.replace("hit_rate", "hit")] == pytest.approx(value), name
