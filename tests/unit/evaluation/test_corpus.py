"""The synthetic corpus: the same for a seed, the size of real talk, and questions that its turns answer."""

from collections import Counter
from itertools import pairwise
from statistics import mean
from string import Formatter

import pytest

from api.evaluation import corpus, phrases


def test_a_seed_is_a_corpus_and_a_smaller_one_is_its_beginning() -> None:
    assert corpus.turns(500, 7) == corpus.turns(2000, 7)[:500]
    assert corpus.turns(50, 7) != corpus.turns(50, 8)
    assert corpus.turns(0, 7) == []
    with pytest.raises(ValueError, match="n: expected 0 or more"):
        corpus.turns(-1, 7)


def test_the_text_of_a_seed_does_not_change_by_accident() -> None:
    first = corpus.turns(3, 1)
    assert [turn.external_id for turn in first] == ["p1-s1-1", "p1-s1-2", "p1-s1-3"]
    assert len({turn.speaker for turn in first}) == 2
    assert "{" not in "".join(turn.content for turn in corpus.turns(3000, 3))


def test_turns_are_as_long_as_real_ones_and_in_order() -> None:
    told = corpus.turns(5000, 2)
    lengths = [len(turn.content.split()) for turn in told]
    assert 21 <= mean(lengths) <= 27
    assert min(lengths) < 10
    assert max(lengths) > 40
    assert len({turn.external_id for turn in told}) == len(told)
    for before, after in pairwise(told):
        if before.session_id == after.session_id:
            assert after.seq == (before.seq or 0) + 1
            assert before.occurred_at < after.occurred_at
            assert before.speaker != after.speaker
    assert all(turn.occurred_at.utcoffset() is not None for turn in told)
    assert len({word for turn in told for word in turn.content.split()}) > 1000


def test_questions_are_answered_by_their_gold() -> None:
    told = corpus.turns(3000, 5)
    asked = corpus.questions(told, 60, 9)
    assert asked == corpus.questions(told, 60, 9)
    assert len({question.id for question in asked}) == 60
    by_id = {turn.external_id: turn for turn in told}
    for question in asked:
        for gold in question.gold:
            assert by_id[gold].metadata["topic"] == question.group
            assert by_id[gold].metadata["key"] in question.text
            assert by_id[gold].metadata["key"] in by_id[gold].content
    assert len(Counter(question.group for question in asked)) > 10


def test_few_turns_make_few_questions() -> None:
    assert corpus.questions([], 5, 1) == []
    told = corpus.turns(10, 1)
    assert len(corpus.questions(told, 100, 1)) == sum("topic" in turn.metadata for turn in told)


def test_every_question_names_the_key_and_nothing_unknown() -> None:
    for telling in phrases.TELLINGS:
        assert f"{{{telling.key}}}" in telling.said
        for asked in telling.asked:
            fields = {field for _, field, _, _ in Formatter().parse(asked) if field}
            assert telling.key in fields
            assert fields <= {telling.key, "speaker"}
            assert fields >= {"speaker"} or telling.key == "code", "only a code is unique by itself"
    assert len({telling.name for telling in phrases.TELLINGS}) == len(phrases.TELLINGS)
