"""`palimpsest sweep --dry-run`: what the rules of this installation would change, writing nothing.

A sample of episodes is derived and compared with what is stored. Passages belong to `memories`, facts to `facts`. An
extractor that costs money is asked, and charges for it. Exit code 1: some episode could not be derived.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console
from rich.text import Text

from api.cli.progress import label
from api.cli.servers import context
from api.cli.terminal import bars, brief, emit, out, say, table

if TYPE_CHECKING:
    from rich.progress import TaskID

    from workers.preview import Preview

EPISODES = 200
"""Looked at unless `--rows` says otherwise."""
SHOWN = 20
"""Differences that are printed; `--json` has all of them."""
KINDS = ("added", "changed", "retired")
SHOWN_CHARS = 200


def dry_run(
    derivation: str | None, namespace: str | None, rows: int | None, data_dir: Path | None, *, as_json: bool
) -> None:
    """Print what would change."""
    with context(data_dir, broker=False) as found, bars() as progress:
        from api.service import admin

        tasks: dict[str, TaskID] = {}

        def step(name: str, done: int, total: int) -> None:
            if name not in tasks:
                tasks[name] = progress.add_task(label(name), total=total)
            progress.update(tasks[name], completed=done)

        seen = admin.preview(found, only=derivation, within=namespace, rows=rows or EPISODES, progress=step)
    if as_json:
        emit({"derivations": {one.derivation: _document(one) for one in seen}})
    else:
        _print(out(), seen)
    for one in seen:
        for episode_id, error in one.errors.items():
            say(f"{one.derivation}: episode {episode_id} could not be derived: {error}")
    if any(one.errors for one in seen):
        raise typer.Exit(1)


def _document(one: Preview) -> dict[str, Any]:
    return {
        "episodes": one.episodes,
        **{kind: one.count(kind) for kind in KINDS},
        "unchanged": one.unchanged,
        "errors": one.errors,
        "changes": [
            {"kind": change.kind, "episode_id": change.episode_id, "before": change.before, "after": change.after}
            for change in one.changes
        ],
    }


def _print(console: Console, seen: list[Preview]) -> None:
    headings = ["derivation", "episodes#", *(f"{kind}#" for kind in KINDS), "unchanged#", "failed#"]
    console.print(
        table(
            headings,
            [
                (one.derivation, one.episodes, *(one.count(kind) for kind in KINDS), one.unchanged, len(one.errors))
                for one in seen
            ],
        )
    )
    changes = [(one.derivation, change) for one in seen for change in one.changes]
    for derivation, change in changes[:SHOWN]:
        console.print(Text(f"{derivation}, episode {change.episode_id}: {change.kind}", style="bold"))
        for sign, text, style in (("-", change.before, "red"), ("+", change.after, "green")):
            if text is not None:
                console.print(Text(f"   {sign} {brief(text, SHOWN_CHARS)}", style=style), soft_wrap=True)
    if len(changes) > SHOWN:
        console.print(f"and {len(changes) - SHOWN} more; --json has all")
    console.print("nothing was written" if changes else "nothing would change; nothing was written")
