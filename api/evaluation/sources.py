"""Turns of an import file, each with its place in the file, a fault of one line keeping nobody else out.

`imports.turns` raises at the first fault, which is right for data that is measured on. A person who imports an export
of ten thousand lines wants the good ones in and the bad ones named. A JSON Lines file is read line by line, so each
fault is one line; LoCoMo and BEAM files are documents, in which the first fault ends what can be read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from api.evaluation import imports
from api.evaluation.datasets import DataFileError, Place, Turn
from schema.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Told:
    """A turn, where it stands in the file, the suffix of its namespace, and how much of the file it took (bytes; 0
    where the file is no list of lines).
    """

    place: str
    suffix: str
    turn: Turn
    size: int = 0


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a place in the file; `detail` begins with the field where there is one."""

    place: str
    detail: str
    size: int = 0


def read(path: Path, form: str) -> Iterator[Told | Fault]:
    """Yield what the file tells and what is wrong with it, in file order. Raises InvalidInput for an unknown form, or a
    file that cannot be read.
    """
    if form not in imports.FORMS:
        raise InvalidInput(f"format: {form!r} is unknown; it is one of {', '.join(imports.FORMS)}", field="format")
    try:
        yield from _lines(path) if form == "jsonl" else _document(path, form)
    except OSError as error:
        raise InvalidInput(f"path: {path} cannot be read ({error.strerror})", field="path") from None


def _lines(path: Path) -> Iterator[Told | Fault]:
    with path.open("rb") as lines:
        for line, raw in enumerate(lines, start=1):
            if not raw.strip():
                continue
            try:
                turn = imports.parse_line(Place(path, line), raw)
            except DataFileError as error:
                yield Fault(f"{path}:{line}", _without_place(error), len(raw))
            else:
                yield Told(f"{path}:{line}", "", turn, len(raw))


def _document(path: Path, form: str) -> Iterator[Told | Fault]:
    try:
        for suffix, turn in imports.turns(path, form):
            yield Told(f"{path}: {suffix}, turn {turn.external_id}", suffix, turn)
    except DataFileError as error:
        yield Fault(str(error).removesuffix(f": {_without_place(error)}"), _without_place(error))


def _without_place(error: DataFileError) -> str:
    return ": ".join(part for part in (error.field, error.problem) if part)


def episode(turn: Turn) -> dict[str, Any]:
    """Return a turn as the service takes it in."""
    fields = {
        "content": turn.content,
        "occurred_at": turn.occurred_at.isoformat(),
        "source": turn.source,
        "kind": turn.kind,
        "speaker": turn.speaker,
        "session_id": turn.session_id,
        "user_id": turn.user_id,
        "agent_id": turn.agent_id,
        "seq": turn.seq,
        "external_id": turn.external_id,
        "metadata": dict(turn.metadata),
    }
    return {name: value for name, value in fields.items() if value is not None}
