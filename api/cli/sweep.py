"""`palimpsest sweep`: make stale rows current in this process, with the loop that workers run, beside them if need be.

Without bounds it goes on until nothing is due or waiting, and sleeps while rows wait for their turn. With `--rows` or
`--seconds` it makes one bounded pass. Exit code 1: something is blocked, quarantined or snoozed; each is named with the
command that mends it.
"""

from __future__ import annotations

from typing import Annotated

import typer

from api.cli.progress import Bars, figures, unwell
from api.cli.servers import DataDir, Json, context
from api.cli.status import count
from api.cli.terminal import bars, emit, out, say, table


def sweep(
    derivation: Annotated[
        str | None, typer.Argument(help="Only this one: memories, postings, entities, vectors.", show_default="all")
    ] = None,
    namespace: Annotated[str | None, typer.Option(help="Only this namespace.")] = None,
    rows: Annotated[int | None, typer.Option(help="Stop after this many rows.", min=1)] = None,
    seconds: Annotated[float | None, typer.Option(help="Stop after this time.", min=0)] = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Make stale rows current."""
    with context(data_dir, broker=False) as found, bars() as progress:
        from api.service import admin

        reports = admin.sweep(
            found, only=derivation, within=namespace, rows=rows, seconds=seconds, progress=Bars(progress).reports
        )
    problems = unwell(reports)
    if as_json:
        emit({"derivations": {report.derivation: figures(report) for report in reports}, "problems": problems})
    else:
        headings = ["derivation", "rebuilt#", "failed#", "skipped#", "due#", "waiting#", "blocked#", "quarantined#"]
        out().print(
            table(
                headings,
                [
                    (
                        report.derivation,
                        report.rebuilt,
                        report.failed,
                        report.skipped,
                        count(report.deferred),
                        count(report.waiting),
                        count(report.blocked),
                        count(report.quarantined),
                    )
                    for report in reports
                ],
            )
        )
    for problem in problems:
        say(problem)
    if problems:
        raise typer.Exit(1)
