"""Evidence of a recall as tables: what each leg saw in a memory, what that added, and why others were left out.

Works on the plain values of an answer's body and its evidence, so it shows an answer that came over HTTP and one made
in this process alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rich.table import Table
from rich.text import Text

from api.cli.terminal import brief, number, table

REASONS = {
    "below-floor": "under every floor",
    "below-threshold": "under the threshold",
    "beyond-k": "beyond the first k",
    "too-similar": "too like those recalled",
    "duplicate": "a better one says it",
    "trimmed": "far behind the best",
    "abstained": "no answer at all",
    "over-max-entries": "no room: entries",
    "over-char-budget": "no room: characters",
    "over-token-budget": "no room: tokens",
}
GUTTER = 3
NARROWEST_TEXT = 16
LEGS = ("keyword", "semantic", "entity")

TextOf = Callable[[Mapping[str, Any]], str]


def reason(name: str | None) -> str:
    """Return why a candidate was left out, in words."""
    return "" if name is None else REASONS.get(name, name)


def when(occurred_at: str) -> str:
    """Return the day and minute of an ISO moment."""
    return occurred_at[:16].replace("T", " ")


def legs(candidate: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    """Return one cell a leg: its raw score, and what that added to the score."""
    return [_leg(candidate["raw"].get(name), candidate["part"].get(name)) for name in names]


def _leg(raw: float | None, part: float | None) -> str:
    if raw is None and not part:
        return "-"
    # What the passages around it say counts too: a part without a raw score is theirs alone.
    own = "·" if raw is None else f"{raw:.2f}"
    return f"{own} → {part or 0.0:.3f}"


def weighed(candidate: Mapping[str, Any]) -> str:
    """Return by what the sum of the legs was multiplied and what was added then; empty when by nothing."""
    factors = [f"{name} ×{factor:.2f}" for name, factor in candidate["factors"].items()]
    return ", ".join([*factors, *([f"lift +{candidate['lift']:.3f}"] if candidate["lift"] else [])])


def drawn(
    candidates: Sequence[Mapping[str, Any]],
    names: Sequence[str],
    text_of: TextOf,
    width: int,
    *,
    title: str | None = None,
    marked: Callable[[Mapping[str, Any]], bool] = lambda _candidate: False,
) -> Table:
    """Return a table `width` columns wide, one line a candidate, best first; those that `marked` picks carry a star.

    The text gives way to the numbers, whatever the width.
    """
    headings = ["rank", *names, "score", "verdict", "memory"]
    rows = [
        [
            "" if candidate["rank"] is None else str(candidate["rank"]),
            *legs(candidate, names),
            number(candidate["score"]),
            "recalled" if candidate["admitted"] else reason(candidate["reason"]),
        ]
        for candidate in candidates
    ]
    taken = sum(max(map(len, column)) + GUTTER for column in zip(headings[:-1], *rows, strict=True))
    lines = []
    for candidate, row in zip(candidates, rows, strict=True):
        star = marked(candidate)
        what = Text(brief(("★ " if star else "") + text_of(candidate), width), style="bold" if star else "")
        what.truncate(max(NARROWEST_TEXT, width - taken - GUTTER), overflow="ellipsis")
        if weights := weighed(candidate):
            what.append(f"\n{weights}", style="dim")
        lines.append([*row, what])
    numbers = [f"{heading}#" for heading in headings[:-2]]
    return table([*numbers, *headings[-2:]], lines, title=title)


def legs_of(evidence: Mapping[str, Any]) -> list[str]:
    """Return the legs that were asked, in the order in which people are shown them."""
    weights = evidence["weights"]
    return [name for name in (*LEGS, *sorted(set(weights) - set(LEGS))) if weights.get(name)]


def circumstances(evidence: Mapping[str, Any]) -> str:
    """Return, in one line, what the answer was chosen from and how."""
    found = ", ".join(f"{name} {count}" for name, count in evidence["found"].items())
    more = "" if evidence["complete"] else "; the list below is not all of it"
    return (
        f"considered {evidence['considered']} ({found}), recalled {evidence['admitted']}, left out "
        f"{evidence['rejected']}; fusion {evidence['fusion']}, strategy {evidence['strategy']}, floors "
        f"{evidence['profile']}{more}"
    )
