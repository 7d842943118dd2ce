"""Reader of BEAM: long chats of a user and an assistant, with questions grouped by the ability they probe.

One chat a line: `id`, `sessions[]` with a number `n` and `turns[]` (`id`, `role`, `date`, `text`), and `questions[]`
with an `ability` and the `gold` turn ids; questions about a change also tell the `older` from the `newer` turns.

Only abilities whose gold is a handful of turns count for retrieval: a summary or an ordering of events rests on most
of the chat, and abstention has no gold at all (those questions become `Conversation.unanswerable`). A question of
another ability whose gold is empty is skipped.

Dates are days ("March-15-2024"), the same for a whole session. A turn is placed at noon UTC, so that its day is the
same in nearly every time zone, plus `STEP` for each earlier turn of the chat, so that two sessions of one day keep
their order. A turn without a date has that of the turn before it, or the first of the chat.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from api.evaluation.datasets import STEP, Conversation, Place, Question, Turn

RETRIEVAL_ABILITIES = (
    "contradiction_resolution",
    "information_extraction",
    "instruction_following",
    "knowledge_update",
    "multi_session_reasoning",
    "preference_following",
    "temporal_reasoning",
)
WHOLE_CHAT_ABILITIES = ("event_ordering", "summarization")
UNANSWERABLE = "abstention"
ROLES = ("user", "assistant")

_NOON = timedelta(hours=12)


def read(path: Path) -> list[Conversation]:
    """Return every chat of the file, in file order; raises `DataFileError`."""
    return list(stream(path))


def stream(path: Path) -> Iterator[Conversation]:
    """Yield the chats one at a time, holding one line of the file in memory; raises `DataFileError`."""
    names: set[str] = set()
    with path.open("rb") as lines:
        for line, raw in enumerate(lines, start=1):
            if not raw.strip():
                continue
            place = Place(path, line)
            chat = _conversation(place, _object(place, raw))
            if chat.name in names:
                raise place.fault("id", f"{chat.name!r} occurs twice")
            names.add(chat.name)
            yield chat


def _object(place: Place, raw: bytes) -> dict[str, Any]:
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise place.fault("", f"is no JSON: {error}") from error
    return place.mapping(value)


def _conversation(place: Place, chat: Mapping[str, Any]) -> Conversation:
    turns = list(_turns(place, chat))
    known = {turn.external_id for turn in turns}
    if len(known) < len(turns):
        raise place.fault("turns.id", "occurs twice in one chat")
    asked = list(_questions(place, chat, known))
    return Conversation(
        place.text(chat, "id"),
        turns,
        [question for question in asked if question.group in RETRIEVAL_ABILITIES and question.gold],
        [question for question in asked if question.group == UNANSWERABLE],
    )


def _turns(place: Place, chat: Mapping[str, Any]) -> Iterator[Turn]:
    said = 0
    day = _first_day(place, chat)
    for session_place, session in place.objects(chat, "sessions", "session"):
        name = f"session_{session_place.number(session, 'n')}"
        for seq, (at, row) in enumerate(session_place.objects(session, "turns", "turn"), start=1):
            day = at.date(at.text(row, "date"), "date") if row.get("date") else day
            role = at.text(row, "role")
            if role not in ROLES:
                raise at.fault("role", f"expected user or assistant, found {role!r}")
            yield Turn(
                external_id=str(at.number(row, "id")),
                session_id=name,
                seq=seq,
                speaker=role,
                source=role,
                occurred_at=day + _NOON + said * STEP,
                content=at.text(row, "text"),
            )
            said += 1


def _first_day(place: Place, chat: Mapping[str, Any]) -> datetime:
    for session_place, session in place.objects(chat, "sessions", "session"):
        for at, row in session_place.objects(session, "turns", "turn"):
            if row.get("date"):
                return at.date(at.text(row, "date"), "date")
    raise place.fault("date", "is missing from every turn")


def _questions(place: Place, chat: Mapping[str, Any], known: set[str]) -> Iterator[Question]:
    for at, row in place.objects(chat, "questions", "question"):
        ability = at.text(row, "ability")
        if ability not in (*RETRIEVAL_ABILITIES, *WHOLE_CHAT_ABILITIES, UNANSWERABLE):
            raise at.fault("ability", f"is not one BEAM has: {ability!r}")
        gold, older, newer = (_ids(at, row, name, known) for name in ("gold", "older", "newer"))
        yield Question(at.text(row, "id"), at.text(row, "question"), ability, gold, older, newer)


def _ids(place: Place, row: Mapping[str, Any], name: str, known: set[str]) -> frozenset[str]:
    if row.get(name) is None:
        return frozenset()
    return frozenset(str(entry) for entry in place.entries(row, name)) & known
