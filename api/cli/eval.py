"""`palimpsest eval`: how well this store recalls, on a data set with known answers, and how well it reads a text.

Figures of recall are means over questions; see `api.evaluation.metrics` for what each is and `api.evaluation.run` for
how they are taken. The data set's own conversations go into namespaces that are removed afterwards, also on Ctrl-C.
Facts and times are judged without a store: see `api.cli.eval_texts`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from api.cli import eval_texts
from api.cli.progress import label
from api.cli.servers import DataDir, Json, context
from api.cli.terminal import bars, emit, out, say
from schema.errors import InvalidInput

if TYPE_CHECKING:
    from rich.progress import TaskID

    from api.evaluation.datasets import Conversation
    from api.evaluation.report import Grouping

app = typer.Typer(help="Measure quality against known answers.", no_args_is_help=True)
app.command("facts")(eval_texts.facts)
app.command("times")(eval_texts.times)

File = Annotated[Path, typer.Argument(help="The data set's file.", exists=True, dir_okay=False, show_default=False)]
Keep = Annotated[bool, typer.Option("--keep", help="Leave the namespaces there.")]


@app.command("locomo")
def locomo(path: File, keep: Keep = False, data_dir: DataDir = None, as_json: Json = False) -> None:
    """Measure recall on a LoCoMo file."""
    evaluate("locomo", path, keep=keep, data_dir=data_dir, as_json=as_json)


@app.command("beam")
def beam(path: File, keep: Keep = False, data_dir: DataDir = None, as_json: Json = False) -> None:
    """Measure recall on a BEAM file."""
    evaluate("beam", path, keep=keep, data_dir=data_dir, as_json=as_json)


def evaluate(form: str, path: Path, *, keep: bool, data_dir: Path | None, as_json: bool) -> None:
    """Measure recall on a data set, and print the figures."""
    conversations, grouping = read(form, path)
    with context(data_dir, start=True, broker=False) as found, bars() as progress:
        from api.evaluation.run import NotCurrent, Run

        tasks: dict[str, TaskID] = {}

        def step(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = progress.add_task(label(what), total=total)
            progress.update(tasks[what], completed=done)

        run = Run(found, conversations, grouping, step)
        try:
            report = run(keep=keep)
        except NotCurrent as error:
            say(f"no figures: {error}")
            raise typer.Exit(1) from None
    if as_json:
        emit(report)
    else:
        from api.evaluation.report import table

        out().print(table(report, f"{form}: {path.name}"))
    if keep:
        say(f"kept: {', '.join(run.names.values())}")


def read(form: str, path: Path) -> tuple[list[Conversation], Grouping]:
    """Read a data set. Raises InvalidInput, naming the file, the item and the field."""
    from api.evaluation import beam, locomo

    if form not in {"locomo", "beam"}:
        raise InvalidInput(f"format: {form!r} is unknown; it is locomo or beam", field="format")
    try:
        return (locomo.read(path), "by_category") if form == "locomo" else (beam.read(path), "by_ability")
    except OSError as error:
        raise InvalidInput(f"path: {path} cannot be read ({error.strerror})", field="path") from None
