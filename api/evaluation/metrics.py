"""Retrieval metrics over one ranking and a set of right answers: pure, defined for every input, never NaN.

A ranking is ids, best first. A result may rest on a turn that an earlier one gave already: `collapse` keeps the first
place of each id, and every metric counts ranks after it, so that saying a thing twice neither helps nor hurts.

- recall@k: share of the gold ids among the first k.
- hit@k: 1 if any gold id is among the first k.
- mrr: 1 / rank of the first gold id over the whole ranking, 0 if there is none (Voorhees, TREC-8 question answering,
  1999).
- ndcg@k: gain 1 for gold, discounted by log2(rank + 1), over the same sum for the best ranking (Jarvelin and
  Kekalainen, Cumulated gain-based evaluation of IR techniques, 2002).

With no gold at all every metric is 0: there was nothing to find, and nothing was found. Readers never hand out such
questions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import fsum, log2

RECALL_AT = (5, 10, 20)
HIT_AT = (5, 10)
NDCG_AT = 10
FIGURES = (*(f"recall@{k}" for k in RECALL_AT), *(f"hit@{k}" for k in HIT_AT), "mrr", f"ndcg@{NDCG_AT}")
"""Names of the figures a report shows, in order."""


def collapse(ranking: Iterable[str]) -> list[str]:
    """Return the ids in order, each at its first place only."""
    return list(dict.fromkeys(ranking))


def recall(ranking: Sequence[str], gold: Collection[str], k: int) -> float:
    """Return the share of `gold` among the first `k`, in [0, 1]."""
    wanted = set(gold)
    return len(wanted & set(_head(ranking, k))) / len(wanted) if wanted else 0.0


def hit(ranking: Sequence[str], gold: Collection[str], k: int) -> float:
    """Return 1.0 if any id of `gold` is among the first `k`, else 0.0."""
    return float(not set(gold).isdisjoint(_head(ranking, k)))


def mrr(ranking: Sequence[str], gold: Collection[str]) -> float:
    """Return the reciprocal of the first gold id's rank over the ranking as given, in [0, 1]."""
    wanted = set(gold)
    return next((1 / rank for rank, found in enumerate(collapse(ranking), start=1) if found in wanted), 0.0)


def ndcg(ranking: Sequence[str], gold: Collection[str], k: int = NDCG_AT) -> float:
    """Return the normalised discounted cumulative gain at `k` for gold that is right or not, in [0, 1]."""
    wanted = set(gold)
    gained = [_discount(rank) for rank, found in enumerate(_head(ranking, k), start=1) if found in wanted]
    best = [_discount(rank) for rank in range(1, min(len(wanted), k) + 1)]
    return fsum(gained) / fsum(best) if best else 0.0


def score(ranking: Sequence[str], gold: Collection[str]) -> dict[str, float]:
    """Return every figure of `FIGURES` for one question."""
    values = {f"recall@{k}": recall(ranking, gold, k) for k in RECALL_AT}
    values |= {f"hit@{k}": hit(ranking, gold, k) for k in HIT_AT}
    values |= {"mrr": mrr(ranking, gold), f"ndcg@{NDCG_AT}": ndcg(ranking, gold)}
    return values


def mean(scores: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the mean of every figure over questions; all 0 when there are none."""
    return {name: fsum(one[name] for one in scores) / len(scores) if scores else 0.0 for name in FIGURES}


def _head(ranking: Sequence[str], k: int) -> list[str]:
    if k < 1:
        raise ValueError(f"k: expected 1 or more, found {k}")
    return collapse(ranking)[:k]


def _discount(rank: int) -> float:
    return 1 / log2(rank + 1)
