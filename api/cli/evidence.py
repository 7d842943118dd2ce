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
    "beyond-k": "k better ones",
    "duplicate": "said by a better one",
    "trimmed": "far behind the best",
    "over-max-entries": "no room: entries",
    "over-char-budget": "no room: characters",
    "over-token-budget": "no room: tokens",
}
LEGS = ("keyword", "semantic", "entity")

Text_of = Callable[[Mapping[str, Any]], str]


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
    if raw is None:
        return "-"
    return f"{raw:.2f} → {part or 0.0:.3f}"


def drawn(
    candidates: Sequence[Mapping[str, Any]],
    names: Sequence[str],
    text_of: Text_of,
    *,
    title: str | None = None,
    marked: Callable[[Mapping[str, Any]], bool] = lambda _candidate: False,
    characters: int = 44,
) -> Table:
    """Return a table of candidates, best first; those that `marked` picks carry a star."""
    rows = []
    for candidate in candidates:
        what = brief(text_of(candidate), characters)
        rows.append(
            [
                "" if candidate["rank"] is None else candidate["rank"],
                *legs(candidate, names),
                number(candidate["score"]),
                Text(f"★ {what}", style="bold") if marked(candidate) else what,
                "recalled" if candidate["admitted"] else reason(candidate["reason"]),
            ]
        )
    headings = ["#", *(f"{name}#" for name in names), "score#", "memory", "verdict"]
    made = table(headings, rows, title=title)
    # One line a memory, whatever the width: the text gives way, the numbers do not.
    for column in made.columns:
        column.no_wrap = True
    made.columns[-2].overflow, made.columns[-2].min_width = "ellipsis", 12
    return made


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
