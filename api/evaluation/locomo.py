r"""Reader of LoCoMo: long chats of two friends, in dated sessions, with questions and the turns that answer them.

One JSON file holds a list of samples. A sample's `conversation` has, for N = 1, 2, ..., a list `session_N` and its
start `session_N_date_time` ("1:56 pm on 8 May, 2023", taken as UTC); a turn has `dia_id`, `speaker`, `text` and, when
a photo was shared, `blip_caption`, which joins the content in a bracket because questions ask about what photos show.

Evidence is read with a pattern, since one string may hold several ids ("D8:6; D9:17") and a few hold none ("D"). An
id that no turn carries is dropped, and with it a question that has no other. Category 5 has answers nowhere: those
questions become `Conversation.unanswerable`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from api.evaluation.datasets import STEP, Conversation, Place, Question, Turn

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
UNANSWERABLE = 5

_EVIDENCE = re.compile(r"D\d+:\d+")
_SESSION = re.compile(r"session_(\d+)")


def read(path: Path) -> list[Conversation]:
    """Return every conversation of the file, in file order; raises `DataFileError`."""
    samples = _load(path)
    conversations: list[Conversation] = []
    for number, sample in enumerate(samples, start=1):
        place = Place(path, item=f"sample {number}")
        conversation = _conversation(place, place.mapping(sample))
        if any(conversation.name == other.name for other in conversations):
            raise place.fault("sample_id", f"{conversation.name!r} occurs twice")
        conversations.append(conversation)
    return conversations


def _load(path: Path) -> list[Any]:
    try:
        samples = json.loads(path.read_bytes())
    except json.JSONDecodeError as error:
        raise Place(path, line=error.lineno).fault("", f"is no JSON: {error.msg}") from error
    except (ValueError, RecursionError) as error:
        raise Place(path).fault("", f"is no JSON: {error}") from error
    if not isinstance(samples, list):
        raise Place(path).fault("", "expected a list of conversations")
    return samples


def _conversation(place: Place, sample: Mapping[str, Any]) -> Conversation:
    name = place.text(sample, "sample_id")
    place = Place(place.path, item=name)
    turns = list(_turns(place, place.mapping(place.required(sample, "conversation"), "conversation")))
    known = {turn.external_id for turn in turns}
    if len(known) < len(turns):
        raise place.fault("dia_id", "occurs twice in one conversation")
    asked = list(_questions(place, name, sample, known))
    impossible = CATEGORIES[UNANSWERABLE]
    return Conversation(
        name,
        turns,
        [question for question in asked if question.gold and question.group != impossible],
        [question for question in asked if question.group == impossible],
    )


def _turns(place: Place, talk: Mapping[str, Any]) -> Iterator[Turn]:
    sessions = sorted((int(match[1]), key) for key in talk if (match := _SESSION.fullmatch(key)))
    if not sessions:
        raise place.fault("session_1", "is missing")
    for _, session in sessions:
        date_field = f"{session}_date_time"
        start = place.date(place.text(talk, date_field), date_field)
        for seq, (at, row) in enumerate(place.objects(talk, session, f"{session} turn"), start=1):
            caption = at.text(row, "blip_caption") if row.get("blip_caption") else None
            yield Turn(
                external_id=at.text(row, "dia_id"),
                session_id=session,
                seq=seq,
                speaker=at.text(row, "speaker"),
                source="user",
                occurred_at=start + (seq - 1) * STEP,
                content=_content(at, row, caption),
                metadata={"photo": caption} if caption else {},
            )


def _content(place: Place, row: Mapping[str, Any], caption: str | None) -> str:
    if caption is None:
        return place.text(row, "text")
    said = row.get("text")
    return f"{said} [photo: {caption}]" if isinstance(said, str) and said.strip() else f"[photo: {caption}]"


def _questions(place: Place, name: str, sample: Mapping[str, Any], known: set[str]) -> Iterator[Question]:
    for number, (at, row) in enumerate(place.objects(sample, "qa", "question"), start=1):
        category = at.number(row, "category")
        if category not in CATEGORIES:
            raise at.fault("category", f"expected one of 1 to 5, found {category}")
        evidence = at.entries(row, "evidence")
        found = {match for entry in evidence for match in _EVIDENCE.findall(str(entry))}
        gold = frozenset(found & known) if category != UNANSWERABLE else frozenset[str]()
        yield Question(f"{name}-{number}", at.text(row, "question"), CATEGORIES[category], gold)
