"""The whole read path over a store in memory."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.recall.pipeline import recall
from api.recall.settings import RecallSettings
from schema.errors import LegUnavailable

from .memory_reader import MemoryReader, Told, ask, plan, texts

TICKET = Told("Ticket ZX-4471-QP escalated to Oduya", vector=(0.0, 1.0), days=400)
FILLERS = [Told(f"filler number {at} about the weather", vector=(1.0, at / 1000)) for at in range(200)]
WORDS = ["pump", "valve", "drawer", "oduya", "v1.9", "grease", "monthly"]
TOLD = st.lists(
    st.builds(
        Told,
        st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join),
        st.sampled_from([None, "Ann", "Bo"]),
        st.integers(0, 5),
        st.sampled_from([(), ("oduya",), ("oduya", "acme")]),
        st.sampled_from([None, (1.0, 0.0), (0.6, 0.8), (0.0, 1.0)]),
        st.sampled_from([1.0, 0.3]),
        st.integers(0, 3),
        st.sampled_from([None, "monday", "friday"]),
        st.sampled_from(["passage", "fact"]),
        st.sampled_from(["user", "assistant"]),
        st.just(0),
        st.sampled_from([1.0, 0.6]),
    ),
    max_size=14,
    # Two passages at one place of a session are told apart by their order of writing, and by nothing else.
    unique_by=lambda one: (one.session, one.episode, one.kind) if one.session else object(),
)
SETTINGS = st.fixed_dictionaries(
    {},
    optional={
        "k": st.integers(1, 5),
        "pool": st.integers(1, 4),
        "fusion": st.sampled_from(["convex", "rrf"]),
        "strategy": st.sampled_from(["top_k", "mmr"]),
        "min_cosine": st.sampled_from([0.0, 0.5]),
        "min_terms": st.integers(0, 2),
        "collapse": st.sampled_from(["none", "source"]),
        "max_chars": st.sampled_from([0, 120]),
        "reject_window": st.integers(0, 5),
        "prompt_order": st.sampled_from(["relevance", "recency"]),
    },
).map(lambda overrides: RecallSettings().with_overrides(overrides))
QUESTION = plan("pump grease oduya", entities=["oduya", "acme"], vector=(1.0, 0.0))


@given(TOLD, SETTINGS)
def test_considered_is_admitted_and_rejected(told: list[Told], settings: RecallSettings) -> None:
    answer = recall(QUESTION, settings, MemoryReader(told))
    evidence = answer.evidence
    assert evidence.considered == evidence.admitted + evidence.rejected
    assert evidence.admitted == len(answer.memories)
    assert answer.context == "\n\n".join(entry.fragment for entry in answer.memories)
    listed = evidence.candidates
    assert sum(not row.admitted for row in listed) == min(evidence.rejected, settings.reject_window)
    assert all((row.reason is None) == row.admitted == (row.position is not None) for row in listed)
    assert evidence.complete == (len(listed) == evidence.considered and not evidence.cut)
    assert [row.rank for row in listed if row.rank] == sorted(row.rank for row in listed if row.rank)
    positions = sorted(row.position for row in listed if row.position is not None)
    assert positions == list(range(len(positions)))
    assert not answer.withheld or settings.min_cosine or settings.min_terms
    if evidence.complete:
        below = [row for row in listed if row.reason == "below-floor"]
        assert answer.withheld == len(below)
        # A floor withholds what lost its last leg, and neighbours that no leg had found.
        assert any(evidence.dropped.values()) or not any(row.raw for row in below)
    assert answer.store_empty == (not told)


@given(TOLD, SETTINGS)
def test_explaining_changes_nothing_that_is_admitted(told: list[Told], settings: RecallSettings) -> None:
    plain, explained = (recall(QUESTION, settings, MemoryReader(told), explain=wanted) for wanted in (False, True))
    assert plain.body() == explained.body()


def told_apart(told: list[Told], settings: RecallSettings) -> list[object]:
    answer = recall(QUESTION, settings, MemoryReader(told))
    return [answer.context, [(entry.ranked.score, entry.ranked.rank, entry.fragment) for entry in answer.memories]]


@given(TOLD, SETTINGS, st.randoms(use_true_random=False))
def test_the_order_of_writing_decides_nothing(
    told: list[Told], settings: RecallSettings, chance: random.Random
) -> None:
    shuffled = list(told)
    chance.shuffle(shuffled)
    assert told_apart(shuffled, settings) == told_apart(told, settings)


@given(TOLD, SETTINGS)
def test_the_same_question_has_the_same_answer_byte_for_byte(told: list[Told], settings: RecallSettings) -> None:
    class Backwards(MemoryReader):
        def pool(self, **asked: object):  # type: ignore[no-untyped-def]
            return super().pool(**asked)[::-1]  # type: ignore[arg-type]

    ticks = count()
    first = recall(QUESTION, settings, MemoryReader(told))
    second = recall(QUESTION, settings, Backwards(told), timer=lambda: float(next(ticks)))
    assert json.dumps(first.body()) == json.dumps(second.body())
    assert json.dumps(first.explain()) == json.dumps(second.explain())
    assert first.timings.keys() == second.timings.keys()


@pytest.mark.parametrize("question", ["ZX-4471-QP", "Oduya", "4471"])
def test_c01_no_leg_gates_another(question: str) -> None:
    """The dense leg misses the row: its head is full of fillers."""
    told = [*FILLERS[:100], TICKET, *FILLERS[100:]]
    answer = ask(told, question, RecallSettings(pool=50), vector=(1.0, 0.0))
    assert texts(answer)[0] == TICKET.text
    (found,) = [row for row in answer.evidence.candidates if row.rank == 1]
    assert found.found == ("keyword",)


@pytest.mark.parametrize("leg", ["keyword", "semantic", "entity"])
def test_each_leg_answers_alone(leg: str) -> None:
    weights = {f"{name}_weight": float(name == leg) for name in ("keyword", "semantic", "entity")}
    told = [*FILLERS[:20], Told("Oduya fixed it", entities=("oduya",), vector=(0.0, 1.0))]
    reader = MemoryReader(told)
    made = plan("Oduya", entities=["oduya"], vector=(0.0, 1.0))
    answer = recall(made, RecallSettings().with_overrides(weights), reader)
    assert texts(answer)[0] == "Oduya fixed it"
    assert {name for row in answer.evidence.candidates for name in row.raw} == {leg}


def test_c03_nonsense_claims_no_full_relevance() -> None:
    answer = ask([*FILLERS, TICKET], "qwzzkx", vector=(0.7, 0.7))
    weights = RecallSettings().weights
    share = weights["semantic"] / sum(weights.values())
    assert max(row.score for row in answer.evidence.candidates) <= round(share, 9) < 0.6


def test_c09_every_question_is_answered_and_names_are_found() -> None:
    told = [Told("wear team:red today"), Told("the red team"), Told("Jo Doe <jo@x.test>")]
    for question in ("What's up?", "x or and or y", "foo & !", '"open', "C:\\temp\\new", ":*", "a|b", "(" * 10_000):
        assert ask(told, question).degraded == {}
    assert texts(ask(told, "team:red"))[0] == "wear team:red today"
    assert texts(ask(told, "Jo Doe <jo@x.test>")) == ["Jo Doe <jo@x.test>"]


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        ("来週の月曜に歯医者の予約がある", "歯医者"),
        ("서울역에서 출발하는 기차표를 샀다", "기차표"),
        ("我把车停在地下二层停车场", "停车场"),
        ("配置9router的rerank模型", "9router"),
    ],
)
def test_c07_each_sentence_is_found_alone(sentence: str, question: str) -> None:
    others = [
        "来週の月曜に歯医者の予約がある",
        "서울역에서 출발하는 기차표를 샀다",
        "我把车停在地下二层停车场",
        "配置9router的rerank模型",
    ]
    assert texts(ask([Told(text) for text in others], question)) == [sentence]


def test_c11_the_named_version_is_first_and_trust_lifts_nothing() -> None:
    told = [Told("v1.9 release freezes on 3 May", vector=(0.8, 0.6), trust=0.1)]
    told += [Told("v1.8 release freezes on 12 April", vector=(0.81, 0.58))]
    told += [Told(f"policy {at}: every release has an owner", vector=(0.5, at / 100)) for at in range(20)]
    answer = ask(told, "v1.9 freeze date", vector=(0.8, 0.6))
    assert texts(answer)[0] == "v1.9 release freezes on 3 May"


def test_c17_two_words_find_their_row_under_the_defaults() -> None:
    told = [Told(f"note {at} on lunch and weather") for at in range(2_000)]
    told.insert(700, Told("Proton bridge listens on port 1143 for IMAP"))
    answer = ask(told, "proton bridge")
    assert texts(answer) == ["Proton bridge listens on port 1143 for IMAP"]
    assert answer.withheld == 0


def test_c17_what_a_floor_withholds_is_counted() -> None:
    told = [Told("near", vector=(1.0, 0.0)), Told("far", vector=(0.2, 0.1))]
    body = ask(told, "q1", RecallSettings(min_cosine=0.5), vector=(1.0, 0.0)).body()
    assert [memory["text"] for memory in body["memories"]] == ["near"]
    assert body["withheld"] == 1


def test_a07_evidence_points_at_its_source() -> None:
    answer = ask([TICKET], "4471")
    (source,) = answer.body()["memories"][0]["sources"]
    assert source == {"episode_id": 9_000, "revision": 1, "start": 0, "end": len(TICKET.text)}


@pytest.mark.parametrize(
    ("broken", "named"),
    [({"postings"}, {"keyword", "entity"}), ({"nearest"}, {"semantic"}), ({"postings", "nearest"}, None)],
)
def test_a_leg_that_fails_is_named_and_the_others_answer(broken: set[str], named: set[str] | None) -> None:
    told = [Told("the pump", vector=(1.0, 0.0))]
    answer = recall(plan("pump", vector=(1.0, 0.0)), RecallSettings(), MemoryReader(told, frozenset(broken)))
    assert set(answer.degraded) == (named or {"keyword", "entity", "semantic"})
    assert texts(answer) == ([] if named is None else ["the pump"])
    assert not answer.store_empty


@pytest.mark.parametrize("read", ["pool", "wordings"])
def test_without_memories_there_is_no_answer(read: str) -> None:
    with pytest.raises(LegUnavailable):
        recall(plan("pump"), RecallSettings(), MemoryReader([Told("the pump")], frozenset({read})))


def test_an_empty_store_says_so_and_reads_no_texts() -> None:
    reader = MemoryReader([])
    answer = recall(plan("pump", vector=(1.0, 0.0)), RecallSettings(), reader)
    assert answer.store_empty
    assert (answer.context, answer.memories) == ("", ())
    assert reader.asked == ["postings", "nearest"]


def test_a_memory_that_went_away_is_not_considered() -> None:
    class Forgetting(MemoryReader):
        def pool(self, **asked: object):  # type: ignore[no-untyped-def]
            return super().pool(**asked)[1:]  # type: ignore[arg-type]

    told = [Told("pump one", vector=(1.0, 0.0)), Told("pump two", vector=(1.0, 0.0))]
    answer = recall(QUESTION, RecallSettings(), Forgetting(told))
    assert texts(answer) == ["pump two"]
    assert answer.evidence.considered == 1


def test_evidence_holds_no_text_of_the_question() -> None:
    answer = ask([TICKET], "where is secretword today")
    assert "secretword" not in json.dumps(answer.explain())
    assert answer.evidence.query_hash == plan("where is secretword today").query_hash


def test_importing_recall_is_cheap() -> None:
    heavy = {"celery", "fastapi", "torch", "spacy", "sqlalchemy", "sentence_transformers", "snowballstemmer"}
    code = "import sys, api.recall.pipeline; print(' '.join(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert heavy.isdisjoint(loaded)
