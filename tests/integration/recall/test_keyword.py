"""Exact words win: identifiers, names, every script, and questions that look like query syntax."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from tests.support.client import KEYWORD_ONLY, Store, assert_problem
from tests.support.store import assert_current, count

FILLERS = [f"Ticket {n} about the {thing} was closed by the night shift" for n in range(50) for thing in
           ("printer", "heating", "lift", "parking")]  # fmt: skip


def _without_vectors(store: Store, words: str) -> None:
    """Take the vectors of the memories that hold these words, so that the dense leg must miss them."""
    with store.database.write() as session:
        session.execute(
            text("DELETE FROM vectors_1 WHERE memory_id IN (SELECT id FROM memories WHERE text LIKE :words)"),
            {"words": f"%{words}%"},
        )


def test_an_exact_word_wins_though_the_dense_leg_missed_it(store: Store) -> None:
    """Public fault c01."""
    ticket = "Ticket ZX-4471-QP escalated to Oduya"
    store.learn("n", *FILLERS, ticket)
    _without_vectors(store, "ZX-4471")
    for query in ("ZX-4471-QP", "zx-4471-qp", "Oduya", "oduya"):
        best = store.recall("n", query)["memories"][0]
        assert best["text"] == ticket, query
        assert "keyword" in best["legs"]
        assert "semantic" not in best["legs"]
    answer = store.recall("n", "4471", explain=True)
    assert ticket in [memory["text"] for memory in answer["memories"]]
    evidence = {row["id"]: row for row in answer["evidence"]["candidates"]}
    row = next(evidence[memory["id"]] for memory in answer["memories"] if memory["text"] == ticket)
    assert row["admitted"]
    assert row["raw"].keys() == row["part"].keys() == {"keyword"}


def test_words_are_found_in_scripts_without_spaces(store: Store) -> None:
    """Public fault c07: rank 1 for its own sentence and none of the others."""
    pairs = {
        "来週の月曜に歯医者の予約がある": ["歯医者", "予約", "月曜"],
        "서울역에서 출발하는 기차표를 샀다": ["기차표", "서울역"],
        "我把车停在地下二层停车场": ["停车场", "地下"],
        "配置9router的rerank模型": ["9router", "rerank", "模型", "9Router"],
        "พรุ่งนี้มีนัดหมอฟันที่โรงพยาบาล": ["หมอฟัน", "โรงพยาบาล"],
    }
    store.learn("n", *pairs)
    for sentence, queries in pairs.items():
        for query in queries:
            assert store.by_keyword("n", query) == [sentence], query
    assert store.by_keyword("n", "router") == [], "a mixed identifier stays whole"


def test_punctuation_is_never_syntax(store: Store) -> None:
    """Public fault c09."""
    store.learn("n", "label it team:red for the sprint", "What's up with the pump?", "path C:\\temp\\new was moved",
                "Jo Doe <jo@x.test> wrote", "alpha alone", "beta alone")  # fmt: skip
    queries = ["What's up?", "team:red", "x or and or y", "foo & !", '"open', "C:\\temp\\new", "Jo Doe <jo@x.test>",
               ":*", "a|b", "(" * 10_000, "'", "''; DROP TABLE memories; --", "%", "_", "\\", "a & b | !c <-> d",
               "{{}}", "^$", "NOT pump", "pump*", "-pump", "team:red AND NOT sprint", "😀", "the of and", "?", "$1",
               ":ns", "%(ns)s"]  # fmt: skip
    for query in queries:
        for settings in ({}, KEYWORD_ONLY):
            assert store.ask("n", query, settings=settings).status_code == 200, query
    assert store.by_keyword("n", "team:red")[0] == "label it team:red for the sprint"
    assert store.by_keyword("n", "jo@x.test") == ["Jo Doe <jo@x.test> wrote"]
    assert store.by_keyword("n", "NOT pump") == ["What's up with the pump?"], "an operator is a word"
    assert sorted(store.by_keyword("n", "alpha|beta")) == ["alpha alone", "beta alone"], "documented: a bag of words"
    assert store.by_keyword("n", "the of and") == []
    assert count(store.database, "memories") == 6


def test_near_twins_are_told_apart(store: Store) -> None:
    """Public fault c11: no trust lifts a row without the question's words above an exact one."""
    policies = [f"Policy {n}: every deployment needs two reviews and a rollback plan" for n in range(20)]
    store.learn("n", {"content": "v1.9 release freezes on 3 May", "source": "external"},
                {"content": "v1.8 release freezes on 12 April", "source": "user"}, *policies)  # fmt: skip
    for settings in (KEYWORD_ONLY, {}):
        found = store.texts("n", "v1.9 freeze date", settings=settings)
        assert found[0] == "v1.9 release freezes on 3 May"
    assert store.by_keyword("n", "v1.8 freeze date")[0] == "v1.8 release freezes on 12 April"


def test_two_words_find_their_memory_among_two_thousand(store: Store) -> None:
    """Public fault c17."""
    wanted = "Proton bridge listens on port 1143 for IMAP"
    fillers = [f"Note {n}: the {n % 37} o'clock bus was {n % 11} minutes late" for n in range(2000)]
    store.tell("n", *fillers[:999])
    store.tell("n", *fillers[999:1998])
    store.learn("n", *fillers[1998:], wanted)
    assert store.texts("n", "proton bridge")[0] == wanted
    answer = store.recall("n", "proton bridge", settings={"min_cosine": 1.0}, explain=True)
    assert [memory["text"] for memory in answer["memories"]] == [wanted]
    assert answer["withheld"] == answer["evidence"]["considered"] - 1 > 0
    none = store.recall("n", "unheard-of", settings={"min_cosine": 1.0})
    assert none["memories"] == []
    assert none["withheld"] > 0, "an empty answer says how many were withheld"
    assert not none["store_empty"]


@pytest.mark.parametrize("offsets", [(1_000, 41_000, 83_000), (0, 899, 83_395), (17_999, 20_001, 60_000)])
def test_a_long_episode_is_covered_to_its_end(store: Store, offsets: tuple[int, int, int]) -> None:
    """Public fault a07: every code is recalled, evidence points at it, no character but blanks is left out."""
    size = 83_400
    words = "the quick survey of the northern harbour went on without any result worth telling. "
    body = list((words * (size // len(words) + 1))[:size])
    for code, offset in zip(("KX-1", "KX-2", "KX-3"), offsets, strict=True):
        padded = f"{code} " if offset == 0 else f" {code} " if offset + 5 < size else f" {code}"
        start = offset - (0 if offset == 0 else 1)
        body[start : start + len(padded)] = padded
    content = "".join(body)
    assert len(content) == size
    (episode_id,) = store.learn("n", {"content": content, "kind": "document"})
    for code in ("KX-1", "KX-2", "KX-3"):
        answer = store.recall("n", code, explain=True)
        best = answer["memories"][0]
        (span,) = best["sources"]
        assert span["episode_id"] == episode_id
        assert content[span["start"] : span["end"]] == best["text"]
        assert code in best["text"]
        assert answer["evidence"]["candidates"][0]["sources"] == [span]
    with store.database.read() as session:
        spans = session.execute(text("SELECT start, stop FROM memory_sources ORDER BY start")).all()
    covered = bytearray(size)
    for start, stop in spans:
        assert not any(covered[start:stop]), "passages do not overlap"
        covered[start:stop] = b"\x01" * (stop - start)
    assert not "".join(letter for letter, seen in zip(content, covered, strict=True) if not seen).strip()
    shown = store.http.get(f"/v1/namespaces/n/episodes/{episode_id}").json()["coverage"]
    assert shown == {"memories": len(spans), "share": 1.0}


def test_after_a_refused_giant_a_small_one_settles(store: Store) -> None:
    """Public fault a09."""
    problem = assert_problem(store.post("n", {"content": "giant " * 200_000}), "content", (413,))
    assert str(store.settings.max_content_chars) in problem["detail"]
    store.learn("n", "a forty character note about a red kite.")
    assert store.by_keyword("n", "kite") == ["a forty character note about a red kite."]


def test_the_longest_episode_that_is_taken_settles(store: Store) -> None:
    """Public fault a09: at the limit itself, in the shapes that hurt parsers: one word, one script, marks only."""
    limit = store.settings.max_content_chars
    for word in ("a", "漢", "a\u0301" * 2, "((", "word "):
        (episode_id,) = store.tell("n", (word * limit)[: limit // 10])
        assert len(store.read("n", episode_id)["content"]) == limit // 10
    store.drain()
    assert_current(store.database)
