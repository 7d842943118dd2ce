"""`palimpsest import`: a file of turns in, a batch at a time, as often as you like.

Every turn has an external id, so importing is idempotent: a second run adds nothing, and one that was interrupted goes
on by being run again. A turn whose external id is known with other words is a conflict: it is named and changes
nothing. Bad lines are named as file:line with the field, and the good ones go in.

LoCoMo and BEAM files hold several conversations whose ids are unique only inside one: each gets a namespace of its
own, `<format>-<conversation>`, or `<NAME>-<conversation>` with `--namespace NAME`.

Imported rows are derived in the bulk lane, so that what somebody tells meanwhile does not wait for them. `--wait`
derives them in this process, whether or not workers run beside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from api.cli.progress import Bars, figures, label, unwell
from api.cli.servers import DataDir, Json, context
from api.cli.terminal import bars, brief, emit, out, printable, say, table
from schema.errors import InvalidInput

if TYPE_CHECKING:
    from api.evaluation.sources import Told
    from api.service.context import Context
    from workers.reconcile import Report

BATCH = 200
"""Turns in one transaction. 6,000 short turns: 3,300/s in batches of 50, 2,500/s of 200, 1,800/s of 1,000; a message to
the workers and a look at the bar come with each, so not the smallest."""
BATCH_CHARS = 2_000_000
SHOWN = 20
"""Faults and conflicts that are printed; `--json` has all of them."""

Format = Annotated[str, typer.Option("--format", help="jsonl, locomo or beam.")]


@dataclass
class Tally:
    """What became of the turns of a file."""

    new: int = 0
    already_there: int = 0
    conflicts: list[str] = field(default_factory=list)
    faults: list[dict[str, str]] = field(default_factory=list)
    namespaces: dict[str, int] = field(default_factory=dict)
    queued: bool = False

    def fault(self, place: str, detail: str) -> None:
        """Record and name what was refused."""
        if len(self.faults) < SHOWN:
            say(f"{place}: {detail}")
        self.faults.append({"place": place, "detail": detail})

    def take(self, batch: list[Told], results: list[dict[str, Any]]) -> None:
        """Record the answers to a batch."""
        for told, result in zip(batch, results, strict=True):
            if result["status"] == "accepted":
                self.new += 1
            elif result["status"] == "duplicate":
                self.already_there += 1
            elif result["status"] == "conflict":
                self.conflicts.append(told.turn.external_id)
                if len(self.conflicts) <= SHOWN:
                    say(f"{told.place}: external_id: {told.turn.external_id} is known with other words; left as it is")
            else:
                self.fault(told.place, result["detail"])


def import_(
    path: Annotated[
        Path, typer.Argument(help="The file.", exists=True, dir_okay=False, readable=True, show_default=False)
    ],
    form: Format = "jsonl",
    namespace: Annotated[
        str | None, typer.Option(help="Where to.", show_default="the file's name, or the format's")
    ] = None,
    wait: Annotated[bool, typer.Option("--wait", help="Derive everything before returning.")] = False,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Import a file of turns. Run it again to go on, or to add what is new."""
    prefix = _prefix(path, form, namespace)
    with context(data_dir, start=True) as found:
        tally = Tally()
        _take_in(found, path, form, prefix, tally)
        reports = _derive(found, list(tally.namespaces)) if wait else []
    problems = unwell(reports)
    if as_json:
        emit(_document(tally, reports, wait=wait))
    else:
        _show(tally, reports, wait=wait)
    for problem in problems:
        say(problem)
    if problems or tally.faults or tally.conflicts:
        raise typer.Exit(1)


def _prefix(path: Path, form: str, namespace: str | None) -> str:
    from schema import intake

    if namespace is not None:
        return intake.namespace(namespace)
    if form != "jsonl":
        return form
    try:
        return intake.namespace(path.stem)
    except InvalidInput:
        raise InvalidInput(
            f"namespace: {printable(path.stem)!r} is no name for one; give --namespace", field="namespace"
        ) from None


def _take_in(found: Context, path: Path, form: str, prefix: str, tally: Tally) -> None:
    with bars() as progress:
        bar = progress.add_task(label("reading"), total=path.stat().st_size if form == "jsonl" else None)
        try:
            for batch, size in _batches(path, form, tally):
                name = f"{prefix}-{batch[0].suffix}" if batch[0].suffix else prefix
                tally.namespaces[name] = tally.namespaces.get(name, 0) + len(batch)
                _store(found, name, batch, tally)
                progress.update(bar, advance=size if form == "jsonl" else len(batch))
        except KeyboardInterrupt:
            say(f"interrupted after {tally.new} new turns; run the same command again to go on")
            raise


def _store(found: Context, name: str, batch: list[Told], tally: Tally) -> None:
    from api.evaluation.sources import episode
    from api.service import ingest
    from schema.kinds import Lane

    items = [episode(told.turn) for told in batch]
    try:
        done = ingest.remember(found, name, items, lane=Lane.BULK)
    except InvalidInput as error:
        if error.field == "namespace":
            raise
        if len(batch) == 1:
            tally.fault(batch[0].place, error.detail)
            return
        # Not one of them was good, so the answer named only the first.
        for told in batch:
            _store(found, name, [told], tally)
        return
    tally.take(batch, done.body["episodes"])
    tally.queued = done.body["queued"]


def _batches(path: Path, form: str, tally: Tally) -> Iterator[tuple[list[Told], int]]:
    """Yield turns of one namespace together, and how many bytes of the file they took."""
    from api.evaluation.sources import Fault, read

    batch: list[Told] = []
    size = characters = 0
    for item in read(path, form):
        if isinstance(item, Fault):
            tally.fault(item.place, item.detail)
            continue
        full = len(batch) >= BATCH or characters > BATCH_CHARS
        if batch and (full or item.suffix != batch[0].suffix):
            yield batch, size
            batch, size, characters = [], 0, 0
        batch.append(item)
        size += item.size
        characters += len(item.turn.content)
    if batch:
        yield batch, size


def _derive(found: Context, names: list[str]) -> list[Report]:
    from api.service import admin

    with bars() as progress:
        return admin.settle(found, names, progress=Bars(progress).reports)


def _document(tally: Tally, reports: list[Report], *, wait: bool) -> dict[str, Any]:
    document: dict[str, Any] = {
        "namespaces": tally.namespaces,
        "new": tally.new,
        "already_there": tally.already_there,
        "refused": len(tally.faults),
        "faults": tally.faults,
        "conflicts": tally.conflicts,
        "queued": tally.queued,
    }
    if wait:
        document["derivations"] = {report.derivation: figures(report) for report in reports}
    return document


def _show(tally: Tally, reports: list[Report], *, wait: bool) -> None:
    console = out()
    console.print(
        table(
            ["new#", "already there#", "refused#", "conflicts#"],
            [(tally.new, tally.already_there, len(tally.faults), len(tally.conflicts))],
        )
    )
    names = ", ".join(tally.namespaces)
    console.print(f"into {brief(names, 400)}" if names else "nothing to take in", soft_wrap=True)
    if wait:
        done = ", ".join(f"{report.derivation} {report.rebuilt}" for report in reports)
        console.print(f"derived: {done}", soft_wrap=True)
    elif tally.new and not tally.queued:
        console.print("not derived yet: `palimpsest up` runs workers, `palimpsest import --wait` does it here")
