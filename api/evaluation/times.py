"""How many of the calendar expressions that people marked are found and resolved as they say.

The file holds one JSON object a line: a sentence (`input`), the moment it is read at (`ref`, without an offset), and
`spans`, each with its `type`, inclusive `start` and `end`, and the `values` it may have: all readings of an ambiguous
one. Only `date` and `daterange` spans that the file resolves are scored.

A span is right when an expression overlaps it and is one of its values:

- a date by its day. "Two months ago" is a month to us and a day in such files: the exact day (`point`) counts;
- a range by its ends, as far as the file gives them. Files say where the last named unit begins ("from 2014 to 2018"
  ends on 2018-01-01) and put "after 15 May" on that day; both are taken as the same range in other words.

A sentence that holds no span with a date in it, and in which one was found all the same, is `invented`. The function
under test is an argument, so that a library can be measured in the place of ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from api.evaluation.datasets import Place, rows
from workers.english import dates
from workers.english.dates import When

Find = Callable[[str, datetime], Sequence[When]]

_SCORED = ("date", "daterange")
_DATED = frozenset([*_SCORED, "datetime", "datetimerange"])
_UNRESOLVED = "not resolved"


@dataclass(frozen=True, slots=True)
class Value:
    """One reading: `day` of a date, `first` and `last` of a range, ISO 8601, None where the file gives none."""

    day: str | None = None
    first: str | None = None
    last: str | None = None


@dataclass(frozen=True, slots=True)
class Span:
    """A marked expression at `text[start:stop]`. Without `values` it is one that the file does not resolve."""

    start: int
    stop: int
    type: str
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Item:
    """A sentence, the moment it is read at, and what is marked in it."""

    line: int
    text: str
    reference: datetime
    spans: tuple[Span, ...]


def read(path: Path) -> list[Item]:
    """Return the sentences of a file. Raises DataFileError for a malformed line, OSError if there is no file."""
    return [_item(place, fields) for place, fields in rows(path)]


def _item(place: Place, fields: dict[str, Any]) -> Item:
    text = place.text(fields, "input")
    try:
        reference = datetime.fromisoformat(place.text(fields, "ref"))
    except ValueError as error:
        raise place.fault("ref", f"is no date: {fields['ref']!r}") from error
    spans = tuple(_span(inner, span, text) for inner, span in place.objects(fields, "spans", "span"))
    return Item(place.line or 0, text, reference if reference.tzinfo else reference.replace(tzinfo=UTC), spans)


def _span(place: Place, fields: dict[str, Any], text: str) -> Span:
    start, end = place.number(fields, "start"), place.number(fields, "end")
    if not 0 <= start <= end < len(text):
        raise place.fault("end", f"is not inside the text: {start}-{end}")
    kind = place.text(fields, "type")
    values = (
        [_value(inner, value) for inner, value in place.objects(fields, "values", "value")] if kind in _SCORED else []
    )
    return Span(start, end + 1, kind, tuple(value for value in values if value is not None))


def _value(place: Place, fields: dict[str, Any]) -> Value | None:
    if fields.get("value") == _UNRESOLVED:
        return None
    named = {name: _day(place, fields, name) for name in ("value", "start", "end")}
    if not any(named.values()):
        raise place.fault("value", "is missing")
    return Value(named["value"], named["start"], named["end"])


def _day(place: Place, fields: dict[str, Any], name: str) -> str | None:
    if fields.get(name) is None:
        return None
    text = place.text(fields, name)
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError as error:
        raise place.fault(name, f"is no day: {text!r}") from error


def evaluate(items: Iterable[Item], expressions: Find = dates.expressions) -> dict[str, Any]:
    """Score `expressions`: shares in [0, 1] of the spans that are right, and the count of invented dates."""
    right = dict.fromkeys(_SCORED, 0)
    total = dict.fromkeys(_SCORED, 0)
    failures: list[dict[str, Any]] = []
    invented = without = 0
    for item in items:
        found = expressions(item.text, item.reference)
        if not any(span.type in _DATED for span in item.spans):
            without += 1
            invented += bool(found)
            if found:
                failures.append(_failure(item, None, found))
        for span in item.spans:
            if span.type in total and span.values:
                total[span.type] += 1
                good = any(_overlaps(span, when) and matches(span, when) for when in found)
                right[span.type] += good
                if not good:
                    failures.append(_failure(item, span, found))
    spans = sum(total.values())
    return {
        "accuracy": _share(sum(right.values()), spans),
        "accuracy_date": _share(right["date"], total["date"]),
        "accuracy_daterange": _share(right["daterange"], total["daterange"]),
        "invented": invented,
        "n_spans": spans,
        "n_without": without,
        "failures": failures,
    }


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _overlaps(span: Span, when: When) -> bool:
    return when.start < span.stop and when.stop > span.start


def matches(span: Span, when: When) -> bool:
    """Whether an expression has one of the values of a span (see the module)."""
    return any(_same(value, when) for value in span.values)


def _same(value: Value, when: When) -> bool:
    if value.day is not None:
        return value.day in {when.value, when.point} and when.modifier is None and when.ending is None
    first, last = _edge(when.first), _edge(when.last)
    firsts = {first, _begins(when.value)} if when.modifier == "after" else {first}
    lasts = {last, _begins(when.ending)} if when.ending is not None else {last}
    return value.first in firsts and value.last in lasts


def _edge(moment: datetime | None) -> str | None:
    return moment.date().isoformat() if moment is not None else None


def _begins(value: str | None) -> str | None:
    """The first day of an ISO day, month or year."""
    return None if value is None else (value + "-01-01")[:10]


def _failure(item: Item, span: Span | None, found: Sequence[When]) -> dict[str, Any]:
    return {
        "line": item.line,
        "text": item.text,
        "reference": item.reference.isoformat(),
        "expected": None if span is None else {"span": item.text[span.start : span.stop], "values": list(span.values)},
        "found": [
            (item.text[when.start : when.stop], when.value, _edge(when.first), _edge(when.last)) for when in found
        ],
    }
