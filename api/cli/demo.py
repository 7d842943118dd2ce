"""`palimpsest demo`: the whole of palimpsest in a minute, on a conversation that comes with it.

It runs everything in a data directory of its own, tells 140 turns over HTTP, waits until every derivation is current,
asks five questions and shows for each the answer and the evidence. Then it stops everything and leaves nothing behind,
unless `--keep` or `--data-dir` say where to keep it. Exit code 1: for some question no expected turn was recalled. It
never waits for input. With servers of your own it uses them, in a namespace of its own that is removed at the end.
"""

from __future__ import annotations

import contextlib
import json
import secrets
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from api.cli import evidence as shown
from api.cli.processes import Port
from api.cli.progress import Bars, label
from api.cli.servers import DataDir
from api.cli.services import Running
from api.cli.terminal import bars, brief, out, say
from api.cli.up import started
from deploy.embedded import erase

if TYPE_CHECKING:
    import httpx

CONVERSATION = Path(__file__).with_name("demo.jsonl")
QUESTIONS = Path(__file__).with_name("demo_questions.json")
BATCH = 20
WORKERS = 1
"""The conversation is 140 turns: loading a second set of models would take longer than they do."""
CURRENT_SECONDS = 180.0
ANSWERS = 4
"""Memories shown of an answer of ten."""


def demo(
    port: Port = 0,
    data_dir: DataDir = None,
    keep: Annotated[bool, typer.Option("--keep", help="Keep the data directory.")] = False,
) -> None:
    """See it work: tell a conversation, ask it questions, look at the evidence."""
    console = out()
    with _place(data_dir, keep=keep) as where, started(where, port=port, workers=WORKERS) as running:
        console.print(f"The API answers on {running.url}")
        with _client(running) as client:
            show = Demonstration(running, client, console)
            try:
                show.tell()
                show.wait()
                found = [show.ask(number, question) for number, question in enumerate(_questions(), start=1)]
            finally:
                if running.data_dir is None and not keep:
                    show.remove()
        _farewell(console, running, keep=keep or data_dir is not None)
    if not all(found):
        say(f"for {found.count(False)} of {len(found)} questions no expected turn was recalled")
        raise typer.Exit(1)


@contextmanager
def _place(data_dir: Path | None, *, keep: bool) -> Iterator[Path]:
    """A data directory, removed at the end unless it is to be kept."""
    if data_dir is not None:
        yield data_dir
        return
    parent = Path(tempfile.mkdtemp(prefix="palimpsest-demo-"))
    # Root's servers run under a uid of their own, which has to pass through.
    parent.chmod(0o711)
    try:
        yield parent / "data"
    finally:
        if not keep:
            with contextlib.suppress(Exception):
                erase(parent / "data")
            shutil.rmtree(parent, ignore_errors=True)


@contextmanager
def _client(running: Running) -> Iterator[httpx.Client]:
    import httpx

    # The address is this machine's own: a proxy of the environment has no business in between.
    with httpx.Client(base_url=running.url, timeout=60, trust_env=False) as client:
        yield client


def _questions() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(QUESTIONS.read_text("utf-8"))
    return found


@dataclass
class Demonstration:
    """One run of the demonstration. `told` knows each episode's external id and words."""

    running: Running
    client: httpx.Client
    console: Console
    namespace: str = ""
    told: dict[int, tuple[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        own = self.running.data_dir is not None
        self.namespace = "demo" if own else f"demo-{secrets.token_hex(4)}"

    def tell(self) -> None:
        """Tell the conversation over HTTP."""
        turns = [json.loads(line) for line in CONVERSATION.read_text("utf-8").splitlines() if line.strip()]
        began = time.monotonic()
        with bars() as progress:
            bar = progress.add_task(label("telling"), total=len(turns))
            for start in range(0, len(turns), BATCH):
                batch = turns[start : start + BATCH]
                answer = self.client.post(f"/v1/namespaces/{self.namespace}/episodes", json={"episodes": batch})
                answer.raise_for_status()
                for turn, done in zip(batch, answer.json()["episodes"], strict=True):
                    self.told[done["id"]] = (turn["external_id"], f"{turn['speaker']}: {turn['content']}")
                progress.update(bar, advance=len(batch))
        self.console.print(f"told {len(turns)} turns to the namespace {self.namespace!r} in {_since(began)}")

    def wait(self) -> None:
        """Wait until the workers have derived everything."""
        from api.service import admin
        from api.service.context import Context

        began = time.monotonic()
        context = Context(self.running.settings, pool_size=1)
        try:
            with bars() as progress:
                drawn = Bars(progress)
                while True:
                    standings, current = admin.standings(context, [self.namespace])
                    drawn.standings(standings)
                    if current:
                        break
                    if time.monotonic() - began > CURRENT_SECONDS:
                        left = ", ".join(f"{row.derivation} {row.stale}" for row in standings if row.stale)
                        raise typer.Exit(_not_current(left))
                    time.sleep(0.1)
        finally:
            context.close()
        done = ", ".join(f"{row.derivation} {row.rows}" for row in standings)
        self.console.print(f"derived everything in {_since(began)}: {done}", soft_wrap=True)

    def ask(self, number: int, question: Mapping[str, Any]) -> bool:
        """Ask a question, show answer and evidence; return whether an expected turn was recalled."""
        answer = self.client.post(
            f"/v1/namespaces/{self.namespace}/recall", json={"query": question["question"], "explain": True}
        )
        answer.raise_for_status()
        body = answer.json()
        expected = set(question["expect"])
        found = [turn for memory in body["memories"] for turn in self._turns(memory) if turn in expected]
        self.console.print()
        self.console.print(Text(f"{number}. {question['question']}", style="bold"))
        self.console.print(Text(f"   {question['why']}", style="italic"), soft_wrap=True)
        for memory in body["memories"][:ANSWERS]:
            self._memory(memory, expected)
        more = len(body["memories"]) - ANSWERS
        if more > 0:
            self.console.print(Text(f"   and {more} more", style="dim"))
        self._evidence(body["evidence"], expected)
        missing = expected - set(found)
        verdict = f"expected turns recalled: {', '.join(sorted(found)) or 'none'}"
        self.console.print(Text(verdict + (f"; not: {', '.join(sorted(missing))}" if missing else "")))
        return bool(found)

    def remove(self) -> None:
        """Take the namespace out of somebody's store again."""
        from api.service import admin
        from api.service.context import Context

        context = Context(self.running.settings, pool_size=1)
        try:
            admin.drop(context, [self.namespace])
        finally:
            context.close()

    def _turns(self, item: Mapping[str, Any]) -> list[str]:
        return [self.told[span["episode_id"]][0] for span in item["sources"] if span["episode_id"] in self.told]

    def _memory(self, memory: Mapping[str, Any], expected: set[str]) -> None:
        hit = bool(expected & set(self._turns(memory)))
        line = Text("   ★ " if hit else "     ", style="bold green" if hit else "")
        line.append(shown.when(memory["occurred_at"]), style="cyan")
        line.append(f"  {memory['speaker']}: {brief(memory['text'], 160)}", style="bold" if hit else "")
        self.console.print(line, soft_wrap=True)

    def _evidence(self, why: Mapping[str, Any], expected: set[str]) -> None:
        """Show the best, whatever was expected, and the first that was left out."""
        admitted = [item for item in why["candidates"] if item["admitted"]]
        wanted = [item for item in admitted[ANSWERS:] if expected & set(self._turns(item))]
        left_out = [item for item in why["candidates"] if not item["admitted"]][:1]
        self.console.print(
            shown.drawn(
                [*admitted[:ANSWERS], *wanted, *left_out],
                shown.legs_of(why),
                self._words,
                self.console.width,
                title="evidence: raw score → what it adds",
                marked=lambda item: bool(expected & set(self._turns(item))),
            )
        )

    def _words(self, item: Mapping[str, Any]) -> str:
        known = [self.told[span["episode_id"]][1] for span in item["sources"] if span["episode_id"] in self.told]
        return known[0] if known else f"memory {item['id']}"


def _since(began: float) -> str:
    return f"{time.monotonic() - began:.1f} s"


def _not_current(left: str) -> int:
    say(f"not everything was derived within {CURRENT_SECONDS:.0f} s: {left}")
    return 1


def _farewell(console: Console, running: Running, *, keep: bool) -> None:
    console.print()
    console.print(f"API        {running.url}")
    console.print(f"OpenAPI    {running.url}/openapi.json")
    where = f" --data-dir {running.data_dir}" if keep and running.data_dir is not None else ""
    console.print(f"state      palimpsest status{where}", soft_wrap=True)
    console.print(f"Everything stops now. `palimpsest up{where}` runs it until Ctrl-C.", soft_wrap=True)
