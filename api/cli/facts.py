"""`palimpsest facts` and `palimpsest memories`: what a namespace knows, a page at a time, in the order of ids.

Facts are found by their parts in canonical form, a subject by every name it goes by. Only active facts are found;
`memories` also lists what is retired or waits for release, and passages.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any

import typer

from api.cli.servers import DataDir, Json, Namespace, context
from api.cli.terminal import brief, emit, moment, number, out, table

SHOWN_CHARS = 240
"""Of a passage, which may hold some 1,200 characters; `--json` and `why` show all of it."""

Limit = Annotated[int, typer.Option(help="Most rows.", min=1, max=500)]
After = Annotated[int, typer.Option(help="Only ids above this one: the next page.", min=0)]


def facts(
    namespace: Namespace,
    subject: Annotated[str | None, typer.Option(help="Who or what they are about, by any of its names.")] = None,
    predicate: Annotated[str | None, typer.Option(help="What is said of it, such as: live in.")] = None,
    object_: Annotated[str | None, typer.Option("--object", help="What stands after that.")] = None,
    user: Annotated[str | None, typer.Option(help="Only this user's.")] = None,
    agent: Annotated[str | None, typer.Option(help="Only this agent's.")] = None,
    limit: Limit = 50,
    after: After = 0,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Find facts by subject, predicate and object."""
    with context(data_dir, broker=False) as found:
        from api.service import knowledge

        rows = knowledge.facts(
            found,
            namespace,
            subject=subject,
            predicate=predicate,
            object_=object_,
            user_id=user,
            agent_id=agent,
            after=after,
            limit=limit + 1,
        )
    rows, following = _page(rows, limit)
    if as_json:
        emit({"facts": rows, "next": following})
        return
    if not rows:
        out().print(f"no fact in {namespace} matches; facts that wait or are retired: palimpsest memories --status")
        return
    headings = ["id#", "statement", "state", "confidence#", "sources#", "when", "user"]
    cells = [
        (row["id"], row["text"], row["state"], number(row["confidence"]), row["corroboration"], holds(row),
         row["user_id"])
        for row in rows
    ]  # fmt: skip
    _print(headings, cells, following)


def memories(
    namespace: Namespace,
    status: Annotated[str, typer.Option(help="active, quarantined, retired or all.")] = "active",
    kind: Annotated[str | None, typer.Option(help="passage or fact.", show_default="both")] = None,
    limit: Limit = 50,
    after: After = 0,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """List memories, also those that wait for release or are retired."""
    with context(data_dir, broker=False) as found:
        from api.service import knowledge

        rows = knowledge.memories(found, namespace, status=status, kind=kind, after=after, limit=limit + 1)
    rows, following = _page(rows, limit)
    if as_json:
        emit({"memories": rows, "next": following})
        return
    if not rows:
        out().print(f"no memory in {namespace} matches")
        return
    headings = ["id#", "kind", "memory", "status", "confidence#", "told", "user"]
    cells = [
        (row["id"], row["kind"], _said(row), standing(row), number(row["confidence"]), moment(row["occurred_at"]),
         row["user_id"])
        for row in rows
    ]  # fmt: skip
    _print(headings, cells, following)


def _page(rows: list[dict[str, Any]], limit: int) -> tuple[list[dict[str, Any]], int | None]:
    """Return the rows of a page and where the next one begins: one row more than asked for tells that there is one."""
    return rows[:limit], rows[limit - 1]["id"] if len(rows) > limit else None


def _print(headings: list[str], rows: list[tuple[Any, ...]], following: int | None) -> None:
    if not any(row[-1] for row in rows):
        headings, rows = headings[:-1], [row[:-1] for row in rows]
    console = out()
    console.print(table(headings, rows))
    if following is not None:
        console.print(f"there are more: --after {following}")


def _said(row: Mapping[str, Any]) -> str:
    speaker = f"{row['speaker']}: " if row["speaker"] and row["kind"] == "passage" else ""
    return brief(speaker + row["text"], SHOWN_CHARS)


def standing(row: Mapping[str, Any]) -> str:
    """Return what has become of a memory, in a word or two."""
    if row["retired_at"] is not None:
        return f"retired: {row['retired_reason']}"
    return "active" if row["quarantined_at"] is None else "waits for release"


def holds(row: Mapping[str, Any]) -> str:
    """Return when the event of a fact was and how long the fact holds, as far as that was said."""
    first, last = _day(row["valid_from"]), _day(row["valid_to"])
    span = f"{first} to {last}" if first and last else f"since {first}" if first else f"until {last}" if last else ""
    return "; ".join(part for part in (row["event"], span) if part)


def _day(value: datetime | None) -> str:
    return moment(value)[:10]
