"""`palimpsest why`: how one memory came about and what became of it, from the words it rests on to its last recall.

A source shows the words as they stand in the episode, in the revision that was read, and what the extractor made of
them. Events are in order of time; a retired memory keeps its whole history, a forgotten one has none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.text import Text

from api.cli.facts import holds, standing
from api.cli.servers import DataDir, Json, MemoryId, Namespace, context
from api.cli.terminal import counted, emit, moment, number, out, paragraph, printable

LAST = 5
"""Recalls that are shown; `--json` has the newest 1,000."""
KEPT = 1000
"""As many as the store lists."""

RETIRED = {
    "stale": "no source yields it any more",
    "rejected": "a person said it is wrong",
    "outdated": "a person said it no longer holds",
}


def why(namespace: Namespace, memory_id: MemoryId, data_dir: DataDir = None, as_json: Json = False) -> None:
    """Show where one memory comes from and what became of it."""
    with context(data_dir, broker=False) as found:
        from api.service import knowledge

        told = knowledge.why(found, namespace, memory_id)
    if as_json:
        emit(told)
        return
    console = out()
    _memory(console, told["memory"])
    _sources(console, told["sources"])
    rules = {row["made_by"]: row["rules"] for row in told["sources"] if row["made_by"]}
    _section(console, "What happened", [(row["recorded_at"], event(row, rules)) for row in told["events"]])
    _section(console, "What people decided", [(row["recorded_at"], decision(row)) for row in told["decisions"]])
    _recalls(console, told["retrievals"])


def _memory(console: Console, row: Mapping[str, Any]) -> None:
    head = Text(f"memory {row['id']}", style="bold")
    head.append(f"  {row['kind']}, {standing(row)}", style="cyan")
    console.print(head, soft_wrap=True)
    paragraph(console, row["text"], 3)
    facts = [f"confidence {number(row['confidence'])}", f"trust {number(row['trust'])}"]
    if row["kind"] == "fact":
        facts = [row["state"], *facts, counted(row["corroboration"], "independent source"), row["modality"]]
        facts += ["denied"] if row["polarity"] == "neg" else []
    when = holds(row)
    facts += [f"category {row['category']}"] if row["category"] else []
    facts += [f"user {row['user_id']}"] if row["user_id"] else []
    facts += [f"agent {row['agent_id']}"] if row["agent_id"] else []
    facts += [f"when: {when}"] if when else []
    paragraph(console, f"{', '.join(facts)}; learned {moment(row['recorded_at'])}", 3, "dim")


def _sources(console: Console, rows: list[Mapping[str, Any]]) -> None:
    _heading(console, "Where it comes from")
    for row in rows:
        paragraph(console, origin(row), 3)
        for line in printable(row["quote"]).splitlines():
            console.print(Text(f"     | {line}", style="green"), soft_wrap=True)
        if row["text"] is not None:
            made = f"revision {row['rules']} of the rules" if row["rules"] is not None else "rules that are gone"
            paragraph(console, f"read as: {row['text']} (by {made})", 5)
        if row["withdrawn_at"] is not None:
            paragraph(console, f"withdrawn {moment(row['withdrawn_at'])}: {_withdrawn(row)}", 5, "yellow")
        if row["quarantined"]:
            paragraph(console, "the episode waits for release", 5, "yellow")
    if not rows:
        paragraph(console, "no source is left", 3)


def origin(row: Mapping[str, Any]) -> str:
    """Return which words of which episode a source is, and who said them when."""
    known = f" ({row['external_id']})" if row["external_id"] else ""
    newer = f" of {row['current_revision']}" if row["current_revision"] != row["revision"] else ""
    who = f"{row['speaker']} ({row['source']})" if row["speaker"] else row["source"]
    return (
        f"episode {row['episode_id']}{known}, revision {row['revision']}{newer}, characters {row['start']} to "
        f"{row['stop']}: {who}, {moment(row['occurred_at'])}"
    )


def _withdrawn(row: Mapping[str, Any]) -> str:
    if row["current_revision"] != row["revision"]:
        return f"revision {row['current_revision']} of the episode no longer says it"
    return "newer rules read it otherwise"


def event(row: Mapping[str, Any], rules: Mapping[str, int | None]) -> str:
    """Return one event as a sentence."""
    episode = f"episode {row['episode_id']}" if row["episode_id"] is not None else "an episode that is gone"
    reason = row["reason"]
    by = f", by revision {rules[reason]} of the rules" if rules.get(reason) is not None else ""
    if row["kind"] == "extracted":
        return f"extracted from {episode}{by}"
    if row["kind"] == "corroborated":
        return f"{episode} says it too{by}"
    if row["kind"] == "withdrawn":
        return f"{episode} no longer says it{by}"
    if row["kind"] == "retired" and reason in RETIRED:
        return f"retired as {reason}: {RETIRED[reason]}"
    because = f" because of {episode}" if row["episode_id"] is not None else ""
    return f"{row['kind']}{because}{f': {reason}' if reason else ''}"


def decision(row: Mapping[str, Any]) -> str:
    """Return what a person said as a sentence."""
    right = f"; the right words are episode {row['correction_id']}" if row["correction_id"] is not None else ""
    return f"{row['verdict']}{right}"


def _recalls(console: Console, rows: list[Mapping[str, Any]]) -> None:
    lines = []
    for row in rows[:LAST]:
        where = f", in {row['session_id']}" if row["session_id"] else ""
        lines.append((row["recorded_at"], f"at place {row['position'] + 1}{where}"))
    count = f"{KEPT} times or more" if len(rows) >= KEPT else "once" if len(rows) == 1 else f"{len(rows)} times"
    title = f"Recalled {count}" + (f", the last {LAST}" if len(rows) > LAST else "") if rows else "Recalled"
    _section(console, title, lines)


def _section(console: Console, title: str, rows: list[tuple[Any, str]]) -> None:
    _heading(console, title)
    for at, line in rows:
        paragraph(console, f"{moment(at)}  {line}", 3)
    if not rows:
        paragraph(console, "never" if title == "Recalled" else "nothing", 3, "dim")


def _heading(console: Console, title: str) -> None:
    console.print()
    console.print(Text(title, style="bold"))
