"""The legs against plain reference implementations, and what happens at the end of a head."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.recall import legs
from api.recall.legs import LegResult, entity, keyword, semantic, term_parts
from api.recall.plan import Plan
from api.recall.settings import RecallSettings
from workers.derive.text import terms

from .memory_reader import MemoryReader, Posts, Told, plan, posting

DEFAULTS = RecallSettings()
WORDS = st.lists(st.sampled_from(["apple", "pear", "plum", "fig", "kiwi"]), max_size=8).map(" ".join)
NAMES = st.lists(st.sampled_from("abcdefgh"), max_size=6, unique=True).map(tuple)


def words(made: Plan, postings: Posts, settings: RecallSettings) -> LegResult:
    """The keyword leg over some postings."""
    return keyword(term_parts(made.term_keys, made.fact_keys, postings, settings), settings)


def bm25(told: list[Told], query: list[str], k1: float, b: float) -> dict[int, float]:
    """BM25 as written in the books, one document after the other."""
    documents = [Counter(terms(one.text)) for one in told]
    mean = sum(document.total() for document in documents) / len(documents)
    scores: dict[int, float] = {}
    for number, document in enumerate(documents):
        for term in query:
            if term in document:
                df = sum(term in other for other in documents)
                idf = math.log(1 + (len(documents) - df + 0.5) / (df + 0.5))
                tf = document[term]
                norm = k1 * (1 - b + b * document.total() / mean)
                scores[number] = scores.get(number, 0.0) + idf * tf * (k1 + 1) / (tf + norm)
    return scores


@given(st.lists(WORDS, min_size=1, max_size=12), WORDS, st.sampled_from([0.0, 0.5, 0.75, 1.0]), st.booleans())
def test_keyword_is_bm25(texts: list[str], question: str, b: float, sparse: bool) -> None:
    told = [Told(text) for text in texts]
    made = plan(question)
    settings = RecallSettings(bm25_b=b)
    with pytest.MonkeyPatch.context() as patch:
        if sparse:
            patch.setattr(legs, "_DENSE", 0)
        found = words(made, MemoryReader(told).postings(made.term_keys), settings)
    expected = bm25(told, list(made.terms), settings.bm25_k1, b)
    assert {hit.ref: hit.score for hit in found.hits} == pytest.approx(expected, abs=2e-9)
    assert [hit.score for hit in found.hits] == sorted((hit.score for hit in found.hits), reverse=True)


def anchored(told: list[Told], asked: tuple[str, ...], most: int) -> dict[int, float]:
    anchors = {name for name in asked if 1 <= sum(name in one.entities for one in told) <= most}
    scores = {}
    for number, one in enumerate(told):
        shared = len(anchors & set(one.entities))
        if shared:
            scores[number] = shared / (len(asked) + min(len(set(one.entities) - anchors), 3))
    return scores


@given(st.lists(NAMES, min_size=1, max_size=40), NAMES)
def test_entity_is_the_anchored_overlap(rows: list[tuple[str, ...]], asked: tuple[str, ...]) -> None:
    told = [Told("x", entities=names) for names in rows]
    made = plan("who", entities=asked)
    found = entity(made.entity_keys, MemoryReader(told).postings(made.entity_keys), DEFAULTS)
    expected = anchored(told, asked, max(4, math.ceil(len(told) / 5)))
    assert {hit.ref: hit.score for hit in found.hits} == pytest.approx(expected, abs=1e-9)


@given(st.lists(NAMES, min_size=1, max_size=4), NAMES)
def test_entity_is_plain_jaccard_while_rows_are_small_and_names_are_rare(
    rows: list[tuple[str, ...]], asked: tuple[str, ...]
) -> None:
    """Four rows at most, so that every name is an anchor; only rows with at most three other names are compared."""
    told = [Told("x", entities=names) for names in rows]
    known = tuple(name for name in asked if any(name in names for names in rows))
    made = plan("who", entities=known)
    found = entity(made.entity_keys, MemoryReader(told).postings(made.entity_keys), DEFAULTS)
    scores = {hit.ref: hit.score for hit in found.hits}
    for number, names in enumerate(rows):
        ours, theirs = set(known), set(names)
        if ours & theirs and len(theirs - ours) <= 3:
            assert scores[number] == pytest.approx(len(ours & theirs) / len(ours | theirs), abs=1e-9)


def test_one_of_two_entities_clears_a_fifth_however_many_others_the_row_names() -> None:
    told = [Told("x", entities=("oduya", *(f"other{at}" for at in range(50))))]
    made = plan("who", entities=["oduya", "acme"])
    (hit,) = entity(made.entity_keys, MemoryReader(told).postings(made.entity_keys), DEFAULTS).hits
    assert hit.score == pytest.approx(0.2)


def test_a_name_that_too_many_rows_mention_is_no_anchor() -> None:
    told = [Told("x", entities=("user",))] * 30 + [Told("y", entities=("user", "oduya"))]
    made = plan("who", entities=["user", "oduya"])
    found = entity(made.entity_keys, MemoryReader(told).postings(made.entity_keys), DEFAULTS)
    assert [hit.ref for hit in found.hits] == [30]


def test_semantic_rounds_and_keeps_a_tie_at_its_end_whole() -> None:
    told = [Told("best", vector=(1.0,))] + [Told(f"t{at}", vector=(0.5 + at * 1e-9,)) for at in range(3)]
    found = semantic(plan("q", vector=[1.0]), MemoryReader(told), RecallSettings(pool=2))
    assert [(hit.ref, hit.score) for hit in found.hits] == [(100, 1.0), (101, 0.5), (102, 0.5), (103, 0.5)]
    assert found.complete
    longer = told + [Told("t", vector=(0.5,))] * 100
    assert not semantic(plan("q", vector=[1.0]), MemoryReader(longer), RecallSettings(pool=2)).complete


def test_a_leg_without_a_vector_says_why() -> None:
    assert semantic(plan("q"), MemoryReader([]), DEFAULTS).degraded is None
    assert semantic(plan("q", no_vector="no model"), MemoryReader([]), DEFAULTS).degraded == "no model"


def test_a_tie_at_the_end_of_a_head_is_kept_whole() -> None:
    made = plan("apple")
    told = [Told("apple apple")] + [Told("apple pear")] * 9
    found = words(made, MemoryReader(told).postings(made.term_keys), RecallSettings(pool=2))
    assert [hit.ref for hit in found.hits] == list(range(10))
    assert found.complete


def test_a_tie_too_long_keeps_the_newest_and_says_so() -> None:
    made = plan("apple")
    told = [Told("apple pear")] * 9
    found = words(made, MemoryReader(told).postings(made.term_keys), RecallSettings(pool=2, ties=3))
    assert [hit.ref for hit in found.hits] == [7, 8]
    assert not found.complete


def test_numbers_with_great_gaps() -> None:
    made = plan("apple")
    postings = Posts(2, 4, {made.term_keys[0]: posting([(7, 1, 2), (4_000_000_000, 2, 2)])})
    assert [hit.ref for hit in words(made, postings, DEFAULTS).hits] == [4_000_000_000, 7]


@given(st.lists(WORDS, min_size=1, max_size=8), st.lists(WORDS, max_size=6), WORDS)
def test_facts_change_no_passage_and_weigh_what_passages_make_of_their_words(
    texts: list[str], stated: list[str], question: str
) -> None:
    """With any facts beside them passages score what they score alone; a fact scores as one more such passage would,
    by the statistics of the passages."""
    told = [Told(text) for text in texts]
    made = plan(question)
    alone = MemoryReader(told).postings(made.term_keys)
    of_facts = {}
    for key, term in zip(made.fact_keys, made.terms, strict=True):
        rows = [
            (100 + number, terms(text).count(term), len(terms(text)))
            for number, text in enumerate(stated)
            if term in terms(text)
        ]
        if rows:
            of_facts[key] = posting(rows)
    both = Posts(alone.rows, alone.total_length, {**alone.by_key, **of_facts})
    before = words(made, alone, DEFAULTS)
    after = words(made, both, DEFAULTS)
    assert {hit.ref: hit.score for hit in after.hits if hit.ref < 100} == {hit.ref: hit.score for hit in before.hits}
    passages = {texts[hit.ref]: hit.score for hit in before.hits}
    for hit in after.hits:
        if hit.ref >= 100 and stated[hit.ref - 100] in passages:
            assert hit.score == pytest.approx(passages[stated[hit.ref - 100]], abs=2e-9)
