"""Who said it: a bonus for the one who was asked about and for the user's own words, never past what words earned."""

from __future__ import annotations

from dataclasses import replace

import pytest

from api.recall.adjust import adjust, named_speaker
from api.recall.fusion import Fused
from api.recall.plan import make_plan
from api.recall.settings import RecallSettings

from .memory_reader import NOW, Told, candidate

SETTINGS = RecallSettings()


def plan(text: str, *entities: str):
    return make_plan(text, namespace="n", now=NOW, hash_key=b"k", entities=entities)


def people(*speakers: str | None, source: str = "user"):
    return {
        at: replace(candidate(Told("the kiln is hot", speaker=speaker), at), source=source)
        for at, speaker in enumerate(speakers)
    }


@pytest.mark.parametrize(
    ("question", "entities", "named"),
    [
        ("what did Mira fire?", ["mira"], "mira"),
        ("what did mira fire?", [], "mira"),
        ("did Mira and Otto fire it?", ["mira", "otto"], None),
        ("who fired it?", [], None),
        ("what about Quill's kiln?", [], None),
        ("what did Ada say?", [], "ada quill"),
        ("does the user like it?", [], None),
    ],
)
def test_exactly_one_speaker_is_named(question: str, entities: list[str], named: str | None) -> None:
    found = people("Mira", "Otto", "Ada Quill", "user", None)
    assert named_speaker(found.values(), plan(question, *entities)) == named


def test_the_named_speakers_words_come_first_among_equals() -> None:
    found = people("Mira", "Otto")
    fused = {at: Fused({"keyword": 0.4}, 0.4) for at in found}
    adjusted = adjust(fused, found, plan("what is hot, Otto?", "otto"), SETTINGS)
    assert adjusted[1].score > adjusted[0].score == 0.4
    assert adjusted[1].part["speaker"] == SETTINGS.speaker_bonus


def test_a_bonus_is_never_more_than_words_earned() -> None:
    found = people("Mira", "Otto")
    fused = {0: Fused({"keyword": 0.5}, 0.5), 1: Fused({"semantic": 0.45}, 0.45)}
    adjusted = adjust(fused, found, plan("what did Otto say?", "otto"), SETTINGS)
    assert adjusted[1].score == 0.45, "a row without a word of the question is lifted above no exact one"


def test_users_come_before_others_only_where_others_speak() -> None:
    mine, theirs = people("user"), people("assistant", source="assistant")
    mixed = {0: mine[0], 1: replace(theirs[0], id=1, no=1)}
    fused = {at: Fused({"keyword": 0.4}, 0.4) for at in mixed}
    assert adjust(fused, mixed, plan("kiln"), SETTINGS)[0].part["user"] == SETTINGS.user_bonus
    alone = people("Mira", "Otto")
    assert all("user" not in row.part for row in adjust(fused, alone, plan("kiln"), SETTINGS).values())


def test_parts_always_add_up_to_the_score() -> None:
    found = people("Mira", "Otto")
    fused = {0: Fused({"keyword": 0.1, "semantic": 0.2}, 0.3), 1: Fused({"semantic": 0.45}, 0.45)}
    for row in adjust(fused, found, plan("what did Mira say?", "mira"), SETTINGS).values():
        assert row.score == pytest.approx(sum(row.part.values()))
