"""What a person or a pipe gets to see, the same whatever the locale.

- The answer of a command goes to stdout, everything else (progress, logs, complaints) to stderr. With `--json` stdout
  holds exactly one JSON document.
- Both are UTF-8 under any `LANG`, also none; what cannot be written is shown as a backslash escape.
- Stored text is data: markup in it is not interpreted and control characters, which could drive a terminal, are shown
  as U+FFFD.
- A progress bar appears on a terminal only.
"""

from __future__ import annotations

import json
import os
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

NARROWEST = 100
"""Columns of a table in a pipe, where there is no terminal to ask."""


def use_utf8() -> None:
    """Make stdout and stderr UTF-8. A closed one becomes a bin."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - as long as the process
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def out() -> Console:
    """Return the console for answers."""
    return _console(stderr=False)


def err() -> Console:
    """Return the console for everything else."""
    return _console(stderr=True)


def _console(*, stderr: bool) -> Console:
    console = Console(stderr=stderr, highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = max(console.width, NARROWEST)
    return console


def emit(document: Any) -> None:
    """Write the one JSON document of a command."""
    sys.stdout.write(json.dumps(document, ensure_ascii=False, indent=2, default=_plain) + "\n")


def _plain(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def say(text: str) -> None:
    """Tell a person something that is not the answer."""
    err().print(printable(text), soft_wrap=True)


def printable(text: str) -> str:
    """Return the text without characters that do something to a terminal; line ends and tabs stay."""
    if text.isprintable():
        return text
    return "".join(
        "\N{REPLACEMENT CHARACTER}"
        if unicodedata.category(character) in {"Cc", "Cf"} and character not in "\n\t\u200c\u200d"
        else character
        for character in text
    )


def brief(text: str, characters: int = 90) -> str:
    """Return the beginning of a text, on one line."""
    line = " ".join(printable(text).split())
    return line if len(line) <= characters else line[: characters - 1].rstrip() + "…"


def moment(value: datetime | None) -> str:
    """Return the day and minute of a moment, in UTC; empty without one."""
    return "" if value is None else value.astimezone(UTC).strftime("%Y-%m-%d %H:%M")


def paragraph(console: Console, text: str, indent: int = 0, style: str = "") -> None:
    """Print stored text, its lines indented and never cut or folded."""
    for line in printable(text).splitlines() or [""]:
        console.print(Text(" " * indent + line, style=style), soft_wrap=True)


def table(headings: Sequence[str], rows: Iterable[Sequence[object]], *, title: str | None = None) -> Table:
    """Return a table of plain values. A heading that ends in `#` names a column of numbers."""
    drawn = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    for heading in headings:
        drawn.add_column(heading.removesuffix("#"), justify="right" if heading.endswith("#") else "left")
    for row in rows:
        drawn.add_row(*(cell if isinstance(cell, Text) else Text(_cell(cell)) for cell in row))
    return drawn


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.isoformat(sep=" ", timespec="seconds")
    return printable(str(value))


def bars() -> Progress:
    """Return progress bars on stderr, drawn only when somebody watches."""
    console = err()
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=30),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        disable=not console.is_terminal,
        transient=True,
    )


def counted(count: int, thing: str) -> str:
    """Return a count with its noun."""
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"


def number(value: float | None) -> str:
    """Return a score as people read it."""
    return "" if value is None else f"{value:.3f}"
