"""Conversations with questions, as plain values, and the checks that every reader of a data-set file shares.

A reader (`locomo`, `beam`) turns one file into `Conversation`s; `imports` turns the same files, and JSON Lines, into
turns to be remembered. Nothing here knows a database, so an evaluation and an import see exactly the same text.

What every reader guarantees:

- `Turn.external_id` is unique inside its conversation, which is given a namespace of its own;
- turns come in the order they were said; `seq` counts from 1 inside a session; `occurred_at` is aware and rises
  inside a session, by `STEP` a turn where the file dates only whole sessions;
- `Question.gold` holds only ids of turns that exist, and is never empty in `Conversation.questions`;
- a malformed file raises `DataFileError`, which names the file, the item in it and the field.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from dateutil import parser

from schema.errors import InvalidInput

STEP = timedelta(seconds=5)
"""Between two turns of a session whose file gives one date for all of them: order is kept, the day does not change."""

_ANY_DAYS = (datetime(2000, 1, 1, tzinfo=UTC), datetime(2001, 2, 2, tzinfo=UTC))


@dataclass(frozen=True, slots=True)
class Turn:
    """One thing said; `session_id`, `seq`, `user_id`, `agent_id` are None where the file leaves them to the store."""

    external_id: str
    session_id: str | None
    seq: int | None
    speaker: str
    source: str
    occurred_at: datetime
    content: str
    metadata: Mapping[str, Any] = field(default_factory=dict)
    user_id: str | None = None
    agent_id: str | None = None
    kind: str = "utterance"


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the external ids of the turns that answer it; `group` is its category or ability.

    `older` and `newer` are the two sides of a changed value, where the data set tells them apart: a memory that keeps
    itself current ranks `newer` first.
    """

    id: str
    text: str
    group: str
    gold: frozenset[str]
    older: frozenset[str] = frozenset()
    newer: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Conversation:
    """Turns in order, the questions that some of them answer, and the questions that nothing in them answers."""

    name: str
    turns: list[Turn]
    questions: list[Question]
    unanswerable: list[Question] = field(default_factory=list)


class DataFileError(InvalidInput):
    """A data file is malformed."""

    def __init__(self, path: Path, line: int | None, item: str, field_name: str, problem: str) -> None:
        """Say where (`path`, the `line` if lines are items, the `item` inside it), which field, and what is wrong."""
        self.path, self.line, self.item, self.problem = path, line, item, problem
        where = f"{path}:{line}" if line is not None else str(path)
        super().__init__(": ".join(part for part in (where, item, field_name, problem) if part), field=field_name)


@dataclass(frozen=True, slots=True)
class Place:
    """A position in a data file, from which fields are read and at which faults are reported."""

    path: Path
    line: int | None = None
    item: str = ""

    def inside(self, item: str) -> Place:
        """Return the place of `item` within this one."""
        return replace(self, item=f"{self.item}, {item}" if self.item else item)

    def fault(self, field_name: str, problem: str) -> DataFileError:
        return DataFileError(self.path, self.line, self.item, field_name, problem)

    def mapping(self, value: object, field_name: str = "") -> dict[str, Any]:
        if not isinstance(value, dict):
            raise self.fault(field_name, f"expected an object, found {_named(value)}")
        return value

    def entries(self, row: Mapping[str, Any], name: str) -> list[Any]:
        value = self.required(row, name)
        if not isinstance(value, list):
            raise self.fault(name, f"expected a list, found {_named(value)}")
        return value

    def objects(self, row: Mapping[str, Any], name: str, label: str) -> Iterator[tuple[Place, dict[str, Any]]]:
        """Yield the objects of the list `name`, each with its place: `label` and its number, counted from 1."""
        for number, value in enumerate(self.entries(row, name), start=1):
            place = self.inside(f"{label} {number}")
            yield place, place.mapping(value)

    def text(self, row: Mapping[str, Any], name: str) -> str:
        value = self.required(row, name)
        if not isinstance(value, str):
            raise self.fault(name, f"expected text, found {_named(value)}")
        if not value.strip():
            raise self.fault(name, "is blank")
        return value

    def number(self, row: Mapping[str, Any], name: str) -> int:
        value = self.required(row, name)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.fault(name, f"expected a whole number, found {_named(value)}")
        return value

    def required(self, row: Mapping[str, Any], name: str) -> Any:
        if row.get(name) is None:
            raise self.fault(name, "is missing")
        return row[name]

    def date(self, text: str, name: str) -> datetime:
        """Return the moment a human-written date names, in UTC; one without a day, a month or a year is refused."""
        try:
            first, second = (parser.parse(text, default=day) for day in _ANY_DAYS)
        except (ValueError, OverflowError) as error:
            raise self.fault(name, f"is no date: {text!r}") from error
        if first != second:
            raise self.fault(name, f"names no full date: {text!r}")
        return first.astimezone(UTC)


def rows(path: Path) -> Iterator[tuple[Place, dict[str, Any]]]:
    """Yield the objects of a JSON Lines file, each with its place. Raises DataFileError for a line that is none."""
    with path.open(encoding="utf-8") as stream:
        for number, line in enumerate(stream, start=1):
            if line.strip():
                place = Place(path, number)
                try:
                    value = json.loads(line)
                except json.JSONDecodeError as error:
                    raise place.fault("", f"is no JSON: {error.msg}") from error
                yield place, place.mapping(value)


def _named(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false", int: "a number", float: "a number"}
    return "nothing" if value is None else names.get(type(value), type(value).__name__)
