"""`palimpsest stats`: how well facts are extracted, as far as people have said.

Accuracy is the share of extracted facts that nobody called wrong. What is stale or outdated was right when it was
extracted.
"""

from __future__ import annotations

from typing import Annotated, Any

import typer

from api.cli.servers import DataDir, Json, context
from api.cli.terminal import emit, number, out, table

HEADINGS = ["extracted#", "active#", "confirmed#", "rejected#", "outdated#", "stale#", "accuracy#"]


def stats(
    namespace: Annotated[str | None, typer.Argument(help="Only this namespace.", show_default="all")] = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Show how well facts are extracted."""
    with context(data_dir, broker=False) as found:
        from api.service import knowledge

        seen = knowledge.stats(found, namespace)
    if as_json:
        emit(seen)
        return
    console = out()
    if seen["overall"] is None:
        console.print("no fact has been extracted yet")
        return
    console.print(table(["", *HEADINGS], [_line({**seen["overall"], "name": "all"})]))
    for title, rows in (("extractor", seen["by_revision"]), ("category", seen["by_category"])):
        console.print(table([title, *HEADINGS], [_line(row) for row in rows]))


def _line(row: dict[str, Any]) -> tuple[object, ...]:
    return (*(row[name.removesuffix("#")] for name in ("name", *HEADINGS[:-1])), number(row["accuracy"]))
