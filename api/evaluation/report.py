"""The figures of an evaluation: one mapping to print as JSON or keep, and a table of it for people.

Every figure is a mean over questions, those of all conversations pooled, so a long conversation with many questions
weighs more than a short one. Groups appear in alphabetical order; `n` says how many questions stand behind each line,
because a group of a dozen moves by eight points when one answer changes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rich import box
from rich.table import Table

from api.evaluation import metrics
from api.evaluation.datasets import Question

Grouping = Literal["by_category", "by_ability"]
DIGITS = 4
"""Decimals kept: finer than one answer in 760 questions (.0013) can move a figure."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What was recalled for one question: ids of turns, best first."""

    question: Question
    ranking: tuple[str, ...]


def summarise(answers: Iterable[Answer], *, grouping: Grouping, seconds: float) -> dict[str, Any]:
    """Return the report of one run.

    Keys: the names in `metrics.FIGURES`, `grouping` (each group with the same figures and its own `n`), `n` questions,
    and the `seconds` that recall took for all of them.
    """
    groups: dict[str, list[dict[str, float]]] = defaultdict(list)
    for answer in answers:
        groups[answer.question.group].append(metrics.score(answer.ranking, answer.question.gold))
    everything = [scores for group in groups.values() for scores in group]
    return {
        **_figures(everything),
        grouping: {name: {**_figures(groups[name]), "n": len(groups[name])} for name in sorted(groups)},
        "n": len(everything),
        "seconds": round(seconds, 2),
    }


def newer_first(answers: Iterable[Answer]) -> tuple[int, int]:
    """Return (times a newer turn ranked above every older one, questions that tell the two apart).

    A side that was not recalled ranks last; when neither was, the question does not count as a success.
    """
    right = total = 0
    for answer in answers:
        newer, older = answer.question.newer - answer.question.older, answer.question.older - answer.question.newer
        if newer and older:
            total += 1
            right += metrics.mrr(answer.ranking, newer) > metrics.mrr(answer.ranking, older)
    return right, total


def table(report: Mapping[str, Any], title: str) -> Table:
    """Return a table, 80 columns wide at most, with one line for all questions and one for each group of the report."""
    caption = f"{report['n']} questions, {report['seconds']:.1f} s"
    drawn = Table(title=title, caption=caption, caption_justify="left", box=box.SIMPLE_HEAD, padding=(0, 0))
    drawn.add_column("questions", no_wrap=True)
    for name in (*metrics.FIGURES, "n"):
        drawn.add_column(name.replace("@", "\n@"), justify="right", no_wrap=True)
    drawn.add_row("all", *_cells(report), style="bold", end_section=True)
    for name, group in _groups(report):
        drawn.add_row(name.replace("_", " "), *_cells(group))
    return drawn


def _figures(scores: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {name: round(value, DIGITS) for name, value in metrics.mean(scores).items()}


def _groups(report: Mapping[str, Any]) -> Iterable[tuple[str, Mapping[str, Any]]]:
    for grouping in ("by_category", "by_ability"):
        yield from report.get(grouping, {}).items()


def _cells(figures: Mapping[str, Any]) -> list[str]:
    return [*(f"{figures[name]:.3f}" for name in metrics.FIGURES), str(figures["n"])]
