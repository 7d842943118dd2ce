"""`palimpsest sweep`: make stale rows current in this process, with the loop that workers run, beside them if need be.

Without bounds it goes on until nothing is due or waiting, and sleeps while rows wait for their turn. With `--rows` or
`--seconds` it makes one bounded pass. Exit code 1: something is blocked, quarantined or snoozed; each is named with the
command that mends it. With `--dry-run` it writes nothing: see `api.cli.dry_run`.
"""

from __future__ import annotations

from typing import Annotated

import typer

from api.cli.dry_run import dry_run
from api.cli.progress import Bars, figures, unwell
from api.cli.servers import DataDir, Json, context
from api.cli.status import count
from api.cli.terminal import bars, emit, out, say, table


def sweep(
    derivation: Annotated[
        str | None,
        typer.Argument(
            help="Only this one: memories, facts, postings, entities, triples, categories, vectors.",
            show_default="all",
        ),
    ] = None,
    namespace: Annotated[str | None, typer.Option(help="Only this namespace.")] = None,
    rows: Annotated[
        int | None, typer.Option(help="Stop after this many rows; 200 episodes with --dry-run.", min=1)
    ] = None,
    seconds: Annotated[float | None, typer.Option(help="Stop after this time.", min=0)] = None,
    dry: Annotated[
        bool, typer.Option("--dry-run", help="Show what memories and facts would become, and write nothing.")
    ] = False,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Make stale rows current."""
    if dry:
        if seconds is not None:
            raise typer.BadParameter("goes with a sweep that writes; --rows bounds a dry run", param_hint="'--seconds'")
        dry_run(derivation, namespace, rows, data_dir, as_json=as_json)
        return
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
