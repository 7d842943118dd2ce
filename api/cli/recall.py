"""`palimpsest recall`: ask a question in this process, with the pipeline the API uses.

`--explain` shows for each memory what every leg saw in it and what that added to its score, and which candidates were
left out and why. `--set` changes any constant of ranking for this one question; see `api.recall.settings`. What is
shown is on record, so that it is known again should it be told back; with `--explain` it does not count as use.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from api.cli import evidence as shown
from api.cli.servers import DataDir, Json, Namespace, context
from api.cli.terminal import emit, number, out, printable, say
from schema.errors import InvalidInput

LEFT_OUT = 10
"""Candidates that were left out and are shown; `--json` lists as many as evidence has."""

Setting = Annotated[
    list[str] | None, typer.Option("--set", help="A constant of ranking, name=value; repeatable.", show_default=False)
]


def recall(
    namespace: Namespace,
    question: Annotated[str, typer.Argument(help="The question.", show_default=False)],
    explain: Annotated[bool, typer.Option("--explain", help="Show the evidence.")] = False,
    k: Annotated[int | None, typer.Option("-k", "--k", help="Most memories.", show_default="10")] = None,
    settings: Setting = None,
    now: Annotated[
        str | None, typer.Option(help="The present, for ranking: 2025-03-01T18:05:00+01:00.", show_default="now")
    ] = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Ask a question."""
    overrides = _overrides(settings or [])
    if k is not None:
        overrides["k"] = k
    with context(data_dir, broker=False) as found:
        from api.service import reading
        from api.service import recall as service

        asked = service.ask(
            found,
            namespace,
            question,
            overrides=overrides,
            now=_moment(now),
            counted=not explain,
            explain=explain,
        )
        answer = asked.answer.body()
        why = asked.answer.explain() if explain else None
        ids = [item["id"] for item in why["candidates"] if not item["admitted"]] if why else []
        texts = {} if as_json else reading.texts(found, namespace, ids)
    if as_json:
        emit(answer if why is None else {**answer, "evidence": why})
        return
    console = out()
    _print(console, namespace, answer, why)
    if why is not None:
        _explain(console, why, {**texts, **{item["id"]: _line(item) for item in answer["memories"]}})


def _overrides(settings: list[str]) -> dict[str, Any]:
    overrides: dict[str, Any] = {}
    for setting in settings:
        name, found, value = setting.partition("=")
        if not found:
            raise InvalidInput(f"--set {setting}: must be name=value, such as --set semantic_weight=0.5", field="set")
        try:
            overrides[name.strip()] = json.loads(value)
        except ValueError:
            overrides[name.strip()] = value
    return overrides


def _moment(text: str | None) -> Any:
    if text is None:
        return None
    from datetime import datetime

    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise InvalidInput("now: must be a time with its offset, such as 2026-01-31T12:00:00Z", field="now")
    return moment


def _line(memory: Mapping[str, Any]) -> str:
    return f"{memory['speaker']}: {memory['text']}" if memory["speaker"] else str(memory["text"])


def _print(console: Console, namespace: str, answer: Mapping[str, Any], why: Mapping[str, Any] | None) -> None:
    by_id = {} if why is None else {item["id"]: item for item in why["candidates"]}
    names = [] if why is None else shown.legs_of(why)
    for leg, problem in answer["degraded"].items():
        say(f"warning: the {leg} leg could not answer: {problem}")
    for memory in answer["memories"]:
        head = Text(f"{memory['position'] + 1}. ", style="bold")
        head.append(shown.when(memory["occurred_at"]), style="cyan")
        who = f"{printable(memory['speaker'])} " if memory["speaker"] else ""
        head.append(f"  {who}({memory['source']})")
        head.append(f"  score {number(memory['score'])}", style="dim")
        console.print(head, soft_wrap=True)
        for line in printable(memory["text"]).splitlines():
            console.print(Text(f"   {line}"), soft_wrap=True)
        candidate = by_id.get(memory["id"])
        if candidate is not None:
            cells = zip(names, shown.legs(candidate, names), strict=True)
            told = "   ".join(f"{name} {cell}" for name, cell in cells)
            weights = shown.weighed(candidate)
            console.print(Text(f"   {told}{f'   {weights}' if weights else ''}", style="dim"), soft_wrap=True)
        if memory["stale"]:
            console.print(Text(f"   not current: {', '.join(memory['stale'])}", style="yellow"), soft_wrap=True)
    if answer["memories"] and answer["attributed_to"]:
        who = printable(answer["attributed_to"])
        console.print(f"This may be about somebody else: {who}'s words match best.", soft_wrap=True)
    if not answer["memories"]:
        console.print(_nothing(namespace, answer), soft_wrap=True)


def _nothing(namespace: str, answer: Mapping[str, Any]) -> str:
    if answer["store_empty"]:
        return (
            f"nothing is remembered in {namespace}: was it told under another name, or is it not derived yet "
            "(`palimpsest status`)?"
        )
    if answer["abstained"]:
        return f"no answer: {answer['abstained']}"
    if answer["withheld"]:
        return f"nothing clears the floors; {answer['withheld']} memories lie below them"
    return "nothing matches"


def _explain(console: Console, why: Mapping[str, Any], texts: Mapping[int, str]) -> None:
    console.print()
    console.print(shown.circumstances(why), soft_wrap=True)
    left_out = [item for item in why["candidates"] if not item["admitted"]]
    if not left_out:
        return
    console.print(
        shown.drawn(
            left_out[:LEFT_OUT],
            shown.legs_of(why),
            lambda item: texts.get(item["id"], f"memory {item['id']}"),
            console.width,
            title="Left out: raw score → what it adds",
        )
    )
    if len(left_out) > LEFT_OUT:
        console.print(f"and {len(left_out) - LEFT_OUT} more; --json lists them")
