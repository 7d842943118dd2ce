"""`palimpsest rules`: which rules the store is derived with, and whether this installation's are those.

A worker that meets rules never seen makes them the head by itself. Rules seen before never move by themselves:
`rules activate`, the last step of a deployment and of a rollback, gives this installation's a new revision, and
everything that others made is due again.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from api.cli.servers import DataDir, Json, context
from api.cli.terminal import emit, out, say, table

app = typer.Typer(help="See and activate the rules of derivations.", invoke_without_command=True)


@app.callback()
def rules(ctx: typer.Context, data_dir: DataDir = None, as_json: Json = False) -> None:
    """See the rules of every derivation."""
    if ctx.invoked_subcommand is not None:
        return
    with context(data_dir, broker=False) as found:
        from api.service import admin

        rows = admin.rule_reports(found)
    if as_json:
        emit([asdict(row) for row in rows])
        return
    headings = ["derivation", "head#", "fingerprint", "since", "this installation", ""]
    out().print(
        table(
            headings,
            [
                (
                    row.derivation,
                    row.revision or "none yet",
                    row.head,
                    row.registered_at,
                    row.mine or "unknown",
                    _verdict(row.mine, row.head, row.mine_revision, is_head=row.is_head),
                )
                for row in rows
            ],
        )
    )
    for row in rows:
        if row.why:
            say(f"{row.derivation}: {row.why}")


def _verdict(mine: str | None, head: str | None, revision: int | None, *, is_head: bool) -> str:
    if mine is None:
        return "cannot be told"
    if is_head:
        return "is the head"
    if head is None or revision is None:
        return "a worker will make it the head"
    return f"is revision {revision}: palimpsest rules activate"


@app.command("activate")
def activate(
    derivation: Annotated[str | None, typer.Argument(help="Which one.", show_default=False)] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every derivation.")] = False,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Make this installation's rules the head."""
    if (derivation is None) != everything:
        raise typer.BadParameter("name one derivation, or give --all", param_hint="DERIVATION")
    with context(data_dir) as found:
        from api.service import admin

        moved = admin.activate(found, derivation)
    if as_json:
        emit([{"derivation": name, "revision": revision, "moved": changed} for name, revision, changed in moved])
        return
    rows = [(name, revision, "new head" if changed else "was the head") for name, revision, changed in moved]
    out().print(table(["derivation", "revision#", ""], rows))
    if any(changed for _, _, changed in moved):
        out().print("what other rules made is due: workers take it, or `palimpsest sweep`")
