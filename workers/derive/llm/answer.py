"""From the text of an answer to statements that hold: parse, check, ground, put in order.

The answer as a whole may be unusable (BadAnswer); inside a usable one each statement stands or falls by itself. Strings
are cleaned of NUL and lone surrogates before anything looks at them, so half an emoji costs one character and no fact.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, tzinfo
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator

from schema.kinds import Modality, Polarity
from workers.derive.contract import Statement, Turn, Utterance
from workers.derive.llm.errors import BadAnswer
from workers.derive.llm.grounding import Ground, rewords, stems
from workers.derive.llm.prompt import (
    NOT_JSON,
    NOT_SCHEMA,
    OBJECT,
    PREDICATE,
    SENTENCE,
    STATEMENTS,
    SUBJECT,
    clean,
    speaker,
)
from workers.derive.text import normalise
from workers.english.orders import is_order

_DATE = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?", re.ASCII)
_ARTICLE = re.compile(r"^(?:a|an|the)\s+(?=\S)")
_NEGATION = re.compile(r"\b(?:(?:do|does|did)(?:\s+not|n['’]t)|not|never|no\s+longer)\b\s*", re.IGNORECASE)
_FIRST = {"i", "me", "myself", "we", "us", "ourselves"}
_NOBODY = {"he", "she", "it", "they", "him", "her", "them", "you", "this", "that", "these", "those", "who", "someone",
           "somebody", "something", "everyone", "everybody"}  # fmt: skip
_ORDINALS = ("", "st", "nd", "rd", "th")
_MOODS = {Modality.HEDGED: "perhaps ", Modality.PLANNED: "planned: "}


class Said(BaseModel):
    """One statement as the schema has it, lengths and ranges included."""

    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)

    quote: str
    subject: str = Field(min_length=1, max_length=SUBJECT)
    predicate: str = Field(min_length=1, max_length=PREDICATE)
    object: str | None = Field(None, max_length=OBJECT)
    polarity: Literal["pos", "neg"]
    modality: Literal["asserted", "hedged", "planned", "past"]
    confidence: float = Field(ge=0, le=1, allow_inf_nan=False)
    event_date: Any = None
    importance: float | None = Field(None, ge=0, le=1, allow_inf_nan=False)
    sentence: str = Field("", max_length=SENTENCE)

    @field_validator("*", mode="before")
    @classmethod
    def _clean(cls, value: Any, info: ValidationInfo) -> Any:
        if not isinstance(value, str):
            return value
        return clean(value) if info.field_name == "quote" else " ".join(clean(value).split())


@dataclass(frozen=True, slots=True)
class Yield:
    """What an answer gave, and why the rest was dropped: ungrounded, malformed, order, duplicate, surplus."""

    statements: tuple[Statement, ...]
    dropped: Counter[str]


def read(content: str, utterance: Utterance, context: Sequence[Turn]) -> Yield:
    """Return the statements that hold, in the order of their quotes. Raises BadAnswer."""
    entries = _entries(content)
    dropped: Counter[str] = Counter(surplus=max(0, len(entries) - STATEMENTS))
    said = list(_valid(entries[:STATEMENTS]))
    dropped["malformed"] = min(len(entries), STATEMENTS) - len(said)
    if entries and not said:
        raise BadAnswer("no statement of the answer follows the schema", note=NOT_SCHEMA)
    text = clean(utterance.text)
    ground = Ground(text, context, speaker(utterance))
    found: dict[tuple[object, ...], Statement] = {}
    for one in said:
        statement = _grounded(one, utterance, ground)
        if statement is None:
            dropped["ungrounded"] += 1
        elif is_order(text, statement.start, statement.stop):
            dropped["order"] += 1
        else:
            dropped["duplicate"] += found.setdefault(_sameness(statement), statement) is not statement
    return Yield(tuple(sorted(found.values(), key=lambda statement: (statement.start, statement.stop))), +dropped)


def _entries(content: str) -> list[Any]:
    """Return the list in an answer. Fences and a model's thoughts around the object do no harm."""
    whole = clean(content)
    try:
        answer = json.loads(whole[max(0, whole.find("{")) : whole.rfind("}") + 1], strict=False)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        raise BadAnswer("the answer is not the JSON that was asked for", note=NOT_JSON)
    entries = answer.get("statements")
    if not isinstance(entries, list):
        raise BadAnswer("the answer has no list of statements", note=NOT_SCHEMA)
    return entries


def _valid(entries: list[Any]) -> Iterator[Said]:
    for entry in entries:
        try:
            yield Said.model_validate(entry)
        except ValidationError:
            continue


def _grounded(said: Said, utterance: Utterance, ground: Ground) -> Statement | None:
    """Return the statement if the text bears it."""
    span = ground.span(said.quote)
    subject = speaker(utterance) if said.subject.lower() in _FIRST else said.subject
    predicate = " ".join(_NEGATION.sub("", said.predicate).split())
    target = _ARTICLE.sub("", said.object or "", count=1) or None
    if span is None or subject.lower() in _NOBODY or not ground.names(subject):
        return None
    if not rewords(predicate, said.quote) or ground.strangers(target or ""):
        return None
    event = _event(said.event_date)
    modality = Modality(said.modality)
    denied = said.polarity == "neg" or len(predicate) < len(said.predicate)
    sentence = said.sentence
    if not sentence or ground.strangers(sentence, stems(f"{subject} {predicate} {_spelt(event)}")):
        # The sentence says more than the text does: the parts, which were checked, say it alone.
        words = predicate if target is None else f"{predicate} {target}"
        sentence = f"{subject}: {_MOODS.get(modality, '')}{'not ' if denied else ''}{words}."
    return Statement(
        text=sentence,
        subject=subject,
        predicate=predicate,
        object=target,
        polarity=Polarity.NEGATIVE if denied else Polarity.POSITIVE,
        modality=modality,
        confidence=said.confidence,
        start=span[0],
        stop=span[1],
        event=event,
        valid_from=None if modality is Modality.PLANNED else _start(event, utterance.occurred_at.tzinfo),
        importance=said.importance,
    )


def _sameness(statement: Statement) -> tuple[object, ...]:
    parts = statement.subject, statement.predicate, statement.object or ""
    return *(normalise(part) for part in parts), statement.polarity, statement.modality, statement.event


def _event(value: Any) -> str | None:
    """Return an ISO day, month or year, or None for anything else: a bad date does not make a fact untrue."""
    if not isinstance(value, str):
        return None
    found = _DATE.fullmatch(value.strip())
    if found is None:
        return None
    try:
        date(int(found[1]), int(found[2] or 1), int(found[3] or 1))
    except ValueError:
        return None
    return found[0]


def _start(event: str | None, zone: tzinfo | None) -> datetime | None:
    """Return the first moment of an event where the speaker is; None at the ends of the calendar, where other zones
    have no date for it.
    """
    if event is None or event[:4] in {"0001", "9999"}:
        return None
    year, month, day = [*map(int, event.split("-")), 1, 1][:3]
    return datetime(year, month, day, tzinfo=zone)


def _spelt(event: str | None) -> str:
    """Return every word by which a sentence may tell a date."""
    if event is None or len(event) == 4:
        return event or ""
    day = date.fromisoformat(event if len(event) == 10 else f"{event}-01")
    month = f"{event} {day:%Y %B %b %m} {day.month}"
    return month if len(event) == 7 else f"{month} {day:%A %a %d} " + " ".join(f"{day.day}{end}" for end in _ORDINALS)
