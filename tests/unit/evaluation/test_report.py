"""The report: its keys, its groups and what a person sees."""

import io
import json

from rich.console import Console

from api.evaluation import metrics
from api.evaluation.datasets import Question
from api.evaluation.report import Answer, newer_first, summarise, table


def answer(group: str, gold: str, ranking: str, older: str = "", newer: str = "") -> Answer:
    question = Question(f"{group}-{gold}", "?", group, frozenset(gold), frozenset(older), frozenset(newer))
    return Answer(question, tuple(ranking))


ANSWERS = [answer("temporal", "a", "abc"), answer("temporal", "c", "abc"), answer("multi-hop", "xy", "abx")]


def test_the_keys_and_the_means() -> None:
    report = summarise(iter(ANSWERS), grouping="by_category", seconds=1.23456)
    assert list(report) == [*metrics.FIGURES, "by_category", "n", "seconds"]
    assert (report["n"], report["seconds"], report["recall@5"]) == (3, 1.23, 0.8333)
    assert list(report["by_category"]) == ["multi-hop", "temporal"]
    assert report["by_category"]["temporal"]["mrr"] == 0.6667
    assert report["by_category"]["multi-hop"]["n"] == 1
    assert json.loads(json.dumps(report)) == report


def test_no_answers_make_a_report_of_zeros() -> None:
    report = summarise([], grouping="by_ability", seconds=0.0)
    assert (report["n"], report["mrr"], report["by_ability"]) == (0, 0.0, {})
    assert table(report, "empty").row_count == 1


def test_the_table_shows_every_group() -> None:
    report = summarise(
        [answer("knowledge_update", "a", "ba"), answer("contradiction_resolution", "a", "a")],
        grouping="by_ability",
        seconds=2.0,
    )
    out = io.StringIO()
    Console(file=out, width=80).print(table(report, "BEAM"))
    text = out.getvalue()
    assert "BEAM" in text
    assert "2 questions, 2.0 s" in text
    assert "contradiction resolution" in text
    assert "…" not in text, "cut off at 80 columns"
    line = next(line for line in text.splitlines() if "knowledge update" in line)
    assert line.count("1.000") == 5
    assert "0.500" in line
    assert "0.631" in line


def test_newer_first_counts_only_questions_that_tell_the_sides_apart() -> None:
    answers = [
        answer("update", "on", "no", older="o", newer="n"),
        answer("update", "on", "on", older="o", newer="n"),
        answer("update", "on", "xy", older="o", newer="n"),
        answer("update", "on", "n", older="o", newer="n"),
        answer("update", "n", "n", older="n", newer="n"),
        answer("update", "n", "n"),
    ]
    assert newer_first(answers) == (2, 4)
