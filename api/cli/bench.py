"""`palimpsest bench`: how fast, against a floor measured in the same run; see `api.evaluation.bench`.

Run it on a quiet machine: `ingest` starts worker processes of its own and wants all cores. The default corpus is
synthetic and the same on every machine; `--data` takes a LoCoMo or BEAM file instead.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from api.cli.servers import DataDir, Json, context, log_of_embedded
from api.cli.services import WORKER_GRACE, command, environment
from api.cli.terminal import emit, err, out, say, table
from deploy.embedded import Supervisor
from schema.errors import SettingsError

if TYPE_CHECKING:
    from api.evaluation.bench import Load
    from schema.settings import Settings

app = typer.Typer(help="Measure speed against a floor taken in the same run.", no_args_is_help=True)

TURNS = 2760
"""As many as the development half of LoCoMo."""
SYNTHETIC_QUESTIONS = 400

Data = Annotated[
    Path | None, typer.Option(help="A data set instead of the synthetic corpus.", exists=True, dir_okay=False)
]
Form = Annotated[str, typer.Option("--format", help="Of --data: locomo or beam.")]
Turns = Annotated[int, typer.Option(help="Most turns.", min=1)]
Seed = Annotated[int, typer.Option(help="Of the synthetic corpus.")]


@app.command("ingest")
def ingest(
    data: Data = None,
    form: Form = "locomo",
    turns: Turns = TURNS,
    seed: Seed = 0,
    rounds: Annotated[int, typer.Option(help="Rounds; figures are their medians.", min=1)] = 3,
    processes: Annotated[int, typer.Option(help="Worker processes.", min=1, max=256)] = 2,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Seconds until everything told is recallable, by real worker processes."""
    loads = _loads(data, form, turns, seed)
    with context(data_dir, start=True) as found:
        if found.settings.broker_url is None:
            raise SettingsError("BROKER_URL: workers are told over it; set it beside DATABASE_URL", field="BROKER_URL")
        with _workers(found.settings, processes) as warm:
            _measure(lambda bench: bench.ingest(warm, processes, rounds), found, loads, as_json=as_json)


@app.command("recall")
def recall(
    data: Data = None,
    form: Form = "locomo",
    turns: Turns = TURNS,
    seed: Seed = 0,
    questions: Annotated[int, typer.Option(help="Most questions.", min=1)] = 200,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Milliseconds for a whole question."""
    loads = _loads(data, form, turns, seed)
    with context(data_dir, start=True, broker=False) as found:
        _measure(lambda bench: bench.recall(questions), found, loads, as_json=as_json)


def _measure(what: Callable[[Any], dict[str, Any]], found: Any, loads: list[Load], *, as_json: bool) -> None:
    from api.evaluation.bench import Bench, Stuck

    with err().status(Text("beginning")) as spinner:
        bench = Bench(found, loads, lambda text: spinner.update(Text(text)))
        try:
            report = what(bench)
        except Stuck as error:
            say(f"no figures: {error}")
            raise typer.Exit(1) from None
    if as_json:
        emit(report)
        return
    unit = report["unit"]
    rows = [(f"{report['value']} {unit}", f"{report['floor']} {unit}", report["ratio"], report["n"])]
    out().print(table(["value#", "floor#", "ratio#", "n#"], rows))
    out().print(table(["", ""], list(report["detail"].items())))


def _loads(data: Path | None, form: str, turns: int, seed: int) -> list[Load]:
    from api.evaluation.bench import Load

    if data is None:
        from api.evaluation import corpus

        told = corpus.turns(turns, seed)
        return [Load("synthetic", told, corpus.questions(told, SYNTHETIC_QUESTIONS, seed))]
    from api.cli.eval import read

    loads: list[Load] = []
    for conversation in read(form, data)[0]:
        left = turns - sum(len(load.turns) for load in loads)
        if left <= 0:
            break
        loads.append(Load(conversation.name, conversation.turns[:left], conversation.questions))
    return loads


@contextmanager
def _workers(settings: Settings, processes: int) -> Iterator[Callable[[], int]]:
    """Run one worker of `processes` children; the block gets a function that counts those that have derived vectors."""
    with tempfile.TemporaryDirectory(prefix="palimpsest-bench-") as folder:
        log_file = Path(folder) / "worker.log"
        supervisor = Supervisor(log=log_of_embedded())
        env = {**environment(settings), "PALIMPSEST_LOG_LEVEL": "INFO", "PALIMPSEST_WORKER_PROCESSES": str(processes)}
        try:
            supervisor.supervise(
                "worker",
                command("worker", "--processes", str(processes)),
                env,
                log_file=log_file,
                cwd=Path(os.sep),
                grace=WORKER_GRACE,
            )
            yield lambda: len(_derived(log_file))
        finally:
            supervisor.stop()


def _derived(log_file: Path) -> set[int]:
    """Return the process ids that have drained vectors, by the worker's log."""
    pids: set[int] = set()
    try:
        lines = log_file.read_text("utf-8", "replace").splitlines()
    except OSError:
        return pids
    for line in lines:
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict) and entry.get("event") == "drained" and any(k.startswith("vectors") for k in entry):
            pids.add(int(entry["pid"]))
    return pids
