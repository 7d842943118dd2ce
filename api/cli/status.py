"""`palimpsest status`: how current the store is, at a glance. A view: it exits 0 whatever it shows; `doctor` judges."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from rich.console import Console
from rich.text import Text

from api.cli.servers import DataDir, Json, context
from api.cli.terminal import emit, out, table

COUNTED = 10_000
"""Counts are exact up to here; above, they are shown as a lower bound."""


def status(data_dir: DataDir = None, as_json: Json = False) -> None:
    """Show lag per derivation, queues and failures."""
    with context(data_dir) as found:
        from api.service import health

        seen = health.status(found)
    if as_json:
        emit(seen)
        return
    console = out()
    _derivations(console, seen)
    _queues(console, seen["queues"])
    _failures(console, seen)


def _derivations(console: Console, seen: Mapping[str, Any]) -> None:
    rows = []
    for name, row in seen["derivations"].items():
        lag = row["oldest_seconds"]
        rows.append(
            (
                name,
                row["revision"] or "none yet",
                count(row["stale"]),
                count(row["deferred"]),
                count(row["waiting"]),
                count(row["blocked"]),
                count(row["quarantined"]),
                "" if lag is None else duration(lag),
                row["snoozed"] or "",
            )
        )
    headings = [
        "derivation",
        "revision#",
        "stale#",
        "due#",
        "waiting#",
        "blocked#",
        "quarantined#",
        "oldest#",
        "snoozed",
    ]
    console.print(table(headings, rows))
    console.print(
        Text("everything is current", "green") if seen["current"] else Text("not everything is current", "yellow")
    )


def _queues(console: Console, queues: Mapping[str, Any]) -> None:
    if "error" in queues:
        console.print(Text(f"queues: {queues['error']}", "yellow"), soft_wrap=True)
        return
    lengths = ", ".join(f"{name} {length}" for name, length in queues["lengths"].items())
    console.print(f"queues: {lengths}")
    for lane, at in queues["last_consumed"].items():
        console.print(f"last message of lane {lane} taken: {'never' if at is None else _ago(at)}")
    if "warning" in queues:
        console.print(Text(queues["warning"], "yellow"), soft_wrap=True)


def _failures(console: Console, seen: Mapping[str, Any]) -> None:
    if seen["failures"]:
        quarantined = sum(row["quarantined"] for row in seen["failures"])
        console.print(
            f"failures: {len(seen['failures'])} listed, {quarantined} of them quarantined: palimpsest failures list"
        )
    if seen["rejections"]:
        console.print(f"refused input: {len(seen['rejections'])} listed: palimpsest failures list")


def count(value: int) -> str:
    """Return a count that may be a lower bound."""
    return str(value) if value <= COUNTED else f"≥ {COUNTED}"


def duration(seconds: float) -> str:
    """Return seconds in the largest unit that leaves a number of at least one."""
    for unit, size in (("d", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.1f} s"


def _ago(moment: int) -> str:
    return f"{duration(max(0.0, datetime.now(UTC).timestamp() - moment))} ago"
