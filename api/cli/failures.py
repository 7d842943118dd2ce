"""`palimpsest failures`: rows that could not be derived, and input that was refused with no caller waiting.

A failed row is tried again by itself until its attempts are spent; then it is quarantined, and these rules leave it
alone. `failures retry` makes rows due at once with all their attempts, which is right when the cause is mended. An
error is named by its class; its message may quote what a user said, so it is not kept.
"""

from __future__ import annotations

from typing import Annotated

import typer

from api.cli.servers import DataDir, Json, context
from api.cli.terminal import emit, out, table

app = typer.Typer(help="See failed rows, and try them again.", no_args_is_help=True)


@app.command("list")
def list_(
    limit: Annotated[int, typer.Option(help="Most rows of each kind.", min=1, max=10_000)] = 100,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """List failed rows and refused input."""
    with context(data_dir, broker=False) as found:
        from api.service import admin

        seen = admin.failures(found, limit)
    if as_json:
        emit(seen)
        return
    console = out()
    if seen["failures"]:
        headings = ["derivation", "row#", "attempts#", "next attempt", "error"]
        rows = [
            (
                row["derivation"],
                row["row_id"],
                row["attempts"],
                "quarantined" if row["quarantined"] else row["not_before"],
                row["error"],
            )
            for row in seen["failures"]
        ]
        console.print(table(headings, rows))
        console.print("palimpsest failures retry --all, or --derivation NAME, or --row ID")
    if seen["rejections"]:
        headings = ["refused at", "door", "request", "field", "reason"]
        rows = [
            (row["recorded_at"], row["door"], row["request_id"], row["field"], row["reason"])
            for row in seen["rejections"]
        ]
        console.print(table(headings, rows))
    if not seen["failures"] and not seen["rejections"]:
        console.print("nothing failed, nothing was refused")


@app.command("retry")
def retry(
    derivation: Annotated[str | None, typer.Option(help="Only of this derivation.")] = None,
    row: Annotated[list[int] | None, typer.Option("--row", help="Only this row; repeatable.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="All failed rows.")] = False,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Make failed rows due again, at once and with all their attempts."""
    if everything == bool(derivation or row):
        raise typer.BadParameter("give --derivation, --row, or --all", param_hint="'--all'")
    with context(data_dir) as found:
        from api.service import admin

        count, queued = admin.retry(found, derivation, row or None)
    if as_json:
        emit({"retried": count, "queued": queued})
        return
    out().print(f"{count} rows are due again" + ("" if queued or not count else "; `palimpsest sweep` takes them now"))
