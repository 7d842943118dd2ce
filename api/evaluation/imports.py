"""Line readers of `palimpsest import`: a file in, turns to be remembered out, one at a time.

Each turn comes with the suffix of the namespace it belongs to: empty for JSON Lines, the name of the conversation or
chat for LoCoMo and BEAM, whose turn ids are unique only inside one.

JSON Lines (`jsonl`), UTF-8, one object a line, blank lines ignored:

- `content`, required: what was said, not blank.
- `occurred_at`, required: ISO 8601 with an offset from UTC, such as `2025-03-01T18:05:00+01:00`.
- `external_id` names the turn; importing it again changes nothing. Without one it is a digest of the line's other
  fields, so two lines that agree in all of them are one turn.
- `session_id`, `seq`: the conversation it was part of, and its place there.
- `source`: `user` (default), `assistant`, `external` or `system`. `speaker`: a name, by default the source.
- `user_id`, `agent_id`: whose memory it is.
- `kind`: `utterance` (default) or `document`. `metadata`: an object, kept as it is.

A fault raises `DataFileError`, which names file:line and the field. A field nobody reads is a fault too: a misspelt
`occured_at` would otherwise be lost in silence. Turns before the fault have been yielded, and since they are
idempotent by `external_id` the import is run again once the line is mended.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from difflib import get_close_matches
from math import isfinite
from pathlib import Path
from typing import Any, NoReturn

from api.evaluation import beam, locomo
from api.evaluation.datasets import Place, Turn
from schema.errors import InvalidInput
from schema.ids import digest
from schema.kinds import EpisodeKind, Source

FIELDS = (
    "external_id", "session_id", "seq", "speaker", "source", "occurred_at", "content",
    "user_id", "agent_id", "kind", "metadata",
)  # fmt: skip

_OTHER_NAMES = {
    "text": "content", "message": "content", "body": "content",
    "role": "source", "author": "speaker", "name": "speaker",
    "timestamp": "occurred_at", "time": "occurred_at", "date": "occurred_at", "created_at": "occurred_at",
    "id": "external_id", "conversation_id": "session_id", "thread_id": "session_id",
}  # fmt: skip
"""What other exports call our fields: too far from our names to be guessed by their letters."""

DEPTH = 64
"""Of metadata: far beyond any use, far below the recursion limits of Python (1,000) and of whoever reads it later."""

Imported = tuple[str, Turn]


def turns(path: Path, form: str) -> Iterator[Imported]:
    """Yield (namespace suffix, turn) of a file in the `form` named: `jsonl`, `locomo` or `beam`.

    Raises `InvalidInput` for an unknown form at the call, `DataFileError` while iterating.
    """
    if form not in FORMS:
        raise InvalidInput(f"format: {form!r} is unknown; it is one of {', '.join(FORMS)}", field="format")
    return FORMS[form](path)


def jsonl(path: Path) -> Iterator[Imported]:
    """Yield the turns of a JSON Lines file, holding one line in memory."""
    with path.open("rb") as lines:
        for line, raw in enumerate(lines, start=1):
            if raw.strip():
                yield "", parse_line(Place(path, line), raw)


def _locomo(path: Path) -> Iterator[Imported]:
    for talk in locomo.read(path):
        for turn in talk.turns:
            yield talk.name, _checked(Place(path, item=f"{talk.name}, turn {turn.external_id}"), turn)


def _beam(path: Path) -> Iterator[Imported]:
    for chat in beam.stream(path):
        for turn in chat.turns:
            yield chat.name, _checked(Place(path, item=f"{chat.name}, turn {turn.external_id}"), turn)


FORMS: Mapping[str, Callable[[Path], Iterator[Imported]]] = {"jsonl": jsonl, "locomo": _locomo, "beam": _beam}


def parse_line(place: Place, raw: bytes) -> Turn:
    """Return the turn of one line of a JSON Lines file. Raises DataFileError naming the line and the field."""
    return _turn(*_row(place, raw))


def _row(place: Place, raw: bytes) -> tuple[Place, dict[str, Any]]:
    try:
        value = json.loads(raw.decode("utf-8-sig"), parse_constant=_no_constant, parse_float=_finite)
    except UnicodeDecodeError as error:
        raise place.fault("", f"is no UTF-8: byte {error.start + 1} of the line") from error
    except json.JSONDecodeError as error:
        raise place.fault("", f"is no JSON: {error.msg} at column {error.colno}") from error
    except (ValueError, RecursionError) as error:
        raise place.fault("", f"is no JSON that can be kept: {error}") from error
    row = place.mapping(value)
    for name in row:
        if name not in FIELDS:
            raise place.fault(ascii(name)[1:-1], f"is no field of a turn{_suggestion(name)}")
    return place, row


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _finite(digits: str) -> float:
    number = float(digits)
    return number if isfinite(number) else _no_constant(digits)


def _suggestion(name: str) -> str:
    close = get_close_matches(name.lower(), FIELDS, n=1)
    meant = _OTHER_NAMES.get(name.lower()) or (close[0] if close else None)
    return f"; did you mean {meant}?" if meant else f"; the fields are {', '.join(FIELDS)}"


def _turn(place: Place, row: dict[str, Any]) -> Turn:
    content, when = place.text(row, "content"), place.text(row, "occurred_at")
    source = _choice(place, row, "source", [str(value) for value in Source], Source.USER)
    optional = {
        name: _optional(place, row, name) for name in ("external_id", "session_id", "speaker", "user_id", "agent_id")
    }
    turn = Turn(
        external_id=optional["external_id"] or "",
        session_id=optional["session_id"],
        seq=_seq(place, row),
        speaker=optional["speaker"] or source,
        source=source,
        occurred_at=_moment(place, when),
        content=content,
        metadata=place.mapping(row["metadata"], "metadata") if row.get("metadata") is not None else {},
        user_id=optional["user_id"],
        agent_id=optional["agent_id"],
        kind=_choice(place, row, "kind", [str(value) for value in EpisodeKind], EpisodeKind.UTTERANCE),
    )
    return _named(_checked(place, turn))


def _named(turn: Turn) -> Turn:
    if turn.external_id:
        return turn
    values = {name: getattr(turn, name) for name in FIELDS if name != "external_id"}
    values |= {"occurred_at": turn.occurred_at.isoformat(), "metadata": dict(turn.metadata)}
    identity = digest(json.dumps(values, sort_keys=True, ensure_ascii=False)).hex()
    return Turn(**{name: getattr(turn, name) for name in FIELDS if name != "external_id"}, external_id=identity)


def _optional(place: Place, row: dict[str, Any], name: str) -> str | None:
    return place.text(row, name) if row.get(name) is not None else None


def _choice(place: Place, row: dict[str, Any], name: str, allowed: list[str], default: str) -> str:
    value = _optional(place, row, name)
    if value is None:
        return str(default)
    if value not in allowed:
        raise place.fault(name, f"expected {' or '.join(allowed)}, found {value!a}")
    return value


def _seq(place: Place, row: dict[str, Any]) -> int | None:
    if row.get("seq") is None:
        return None
    seq = place.number(row, "seq")
    if not 0 <= seq < 2**31:
        raise place.fault("seq", f"expected 0 to {2**31 - 1}, found {seq}")
    return seq


def _moment(place: Place, text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise place.fault("occurred_at", f"is no ISO 8601 moment: {text!a}") from error
    if moment.utcoffset() is None:
        raise place.fault("occurred_at", f"has no offset from UTC: {text!a}; write {text}+00:00 if it is UTC")
    try:
        moment.astimezone(UTC)
    except OverflowError as error:
        raise place.fault("occurred_at", f"lies outside the calendar: {text!a}") from error
    return moment


def _checked(place: Place, turn: Turn) -> Turn:
    """Return the turn if PostgreSQL can keep every text in it; a NUL or half of a surrogate pair has no place there."""
    for name in FIELDS:
        try:
            texts = list(_texts(getattr(turn, name), DEPTH))
        except RecursionError as error:
            raise place.fault(name, f"is nested more than {DEPTH} deep") from error
        for text in texts:
            if "\x00" in text:
                raise place.fault(name, f"holds a NUL character at position {text.index(chr(0)) + 1}")
            try:
                text.encode()
            except UnicodeEncodeError as error:
                raise place.fault(name, f"holds a lone surrogate at position {error.start + 1}") from error
    return turn


def _texts(value: object, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        if depth == 0:
            raise RecursionError
        if isinstance(value, Mapping):
            yield from value
        for inner in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(inner, depth - 1)
