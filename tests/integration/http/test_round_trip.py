"""What is told comes back as it was told, and is found by its own words in every script."""

from __future__ import annotations

import json
import unicodedata
from typing import Any

import pytest

from tests.support.client import Store

SCRIPTS = {
    "emoji": ("The crew 👩🏽‍🚀🧑🏿‍🔬 waved 🇳🇴🏳️‍🌈 from orbit", "crew orbit"),
    "hebrew": ("הרופאה קבעה תור ליום שלישי", "הרופאה"),
    "arabic": ("وصل القطار إلى المحطة متأخراً", "القطار"),
    "combining": ("Z\u0335\u0321a\u0301l\u0308g\u0303o\u0302 sits beside the re\u0301sume\u0301", "résumé"),
    "cyrillic": ("Катерина купила билет до Новосибирска", "Новосибирска"),
    "greek": ("Η Ελένη άφησε τα κλειδιά στο Ναύπλιο", "ΝΑΥΠΛΙΟ"),
    "devanagari": ("राधिका ने हिन्दी में पत्र लिखा", "हिन्दी"),
    "thai": ("พรุ่งนี้มีนัดหมอฟันที่โรงพยาบาล", "หมอฟัน"),
    "chinese": ("我把车停在地下二层停车场", "停车场"),
    "japanese": ("来週の月曜に歯医者の予約がある", "歯医者"),
    "korean": ("서울역에서 출발하는 기차표를 샀다", "기차표"),
    "mixed": ("Passwort für 東京-VPN: über 7\u00a0Zeichen…", "東京 Passwort"),
    "lines": ("first line\r\nsecond\tline\n\n  third   line \u3000", "third"),
}


def test_every_script_comes_back_unchanged_and_is_found_by_keyword_alone(store: Store) -> None:
    ids = store.learn("n", *({"content": text, "speaker": name} for name, (text, _) in SCRIPTS.items()))
    for (name, (text, query)), episode_id in zip(SCRIPTS.items(), ids, strict=True):
        back = store.read("n", episode_id)
        assert back["content"].encode() == text.encode(), name
        assert back["speaker"] == name
        assert store.by_keyword("n", query)[:1] == [text.rstrip()], name


def test_identifying_fields_come_back_unchanged(store: Store) -> None:
    told = {
        "content": "x",
        "speaker": "Zoë 🐙 O'Brien",
        "session_id": "会話/1",
        "user_id": " ú ",
        "agent_id": "a\tb",
        "external_id": "id:é%00/..",
        "source": "external",
        "kind": "document",
        "seq": 2**53 - 1,
        "occurred_at": "2024-02-29T23:59:59.123456-05:30",
    }
    (episode_id,) = store.tell("n", told)
    back = store.read("n", episode_id)
    assert {name: back[name] for name in told} == told


@pytest.mark.parametrize("forms", [("NFD", "NFC"), ("NFC", "NFD"), ("NFKD", "NFC")])
def test_composed_and_decomposed_words_find_each_other(store: Store, forms: tuple[str, str]) -> None:
    """Public fault a05."""
    text = "café Zürich señor 감"
    told, asked = (unicodedata.normalize(form, text) for form in forms)
    (episode_id,) = store.learn("n", told)
    for word in asked.split():
        assert store.by_keyword("n", word) == [told], word
    assert store.read("n", episode_id)["content"].encode() == told.encode()


def test_full_width_is_the_same_word_and_both_forms_one_memory(store: Store) -> None:
    """Public fault a05."""
    store.learn("n", "ＡＢＣ１２", *(unicodedata.normalize(form, "café Zürich") for form in ("NFC", "NFD")))
    assert store.by_keyword("n", "ABC12") == ["ＡＢＣ１２"]
    assert store.by_keyword("n", "abc12") == ["ＡＢＣ１２"]
    assert len(store.texts("n", "café")) == 2, "the two forms of one text are told once, the other row beside it"


def test_metadata_comes_back_unchanged(store: Store) -> None:
    """Public fault a15, the part about reading back."""
    told: dict[str, Any] = {
        "priority": 5,
        "archived": True,
        "off": False,
        "score": 1.5,
        "whole": 1.0,
        "small": 1e-7,
        "tag": "5",
        "gone": None,
        "list": ["a", 1, None, [], {}, [[1.5]]],
        "nested": {"a": {"b": {"": {"ключ": "值 😀"}}}},
        "big": 9007199254740993,
        "bigger": 2**64 + 1,
        "negative": -(2**63),
        "quote'\"\\": "\\u0000 is only text; '; DROP TABLE episodes; --",
        "": "empty key",
    }
    (episode_id,) = store.tell("n", {"content": "x", "metadata": told})
    back = store.read("n", episode_id)["metadata"]
    assert back == told
    assert json.dumps(back, sort_keys=True) == json.dumps(told, sort_keys=True), "1 is not 1.0 and true is not 1"


def test_a_time_keeps_its_offset_and_is_stored_as_its_moment(store: Store) -> None:
    """Public fault a13."""
    from sqlalchemy import text

    told = [
        "2025-06-01T12:00:00+09:00",
        "2025-06-01T12:00:00Z",
        "2025-06-01T12:00:00-11:00",
        "2025-06-01T12:00:00+05:45",
    ]
    ids = store.learn("n", *({"content": f"at {at}", "occurred_at": at} for at in told))
    with store.database.read() as session:
        stored = session.execute(text("SELECT to_char(occurred_at AT TIME ZONE 'UTC', 'DD HH24:MI') FROM episodes"))
        assert sorted(stored.scalars()) == ["01 03:00", "01 06:15", "01 12:00", "01 23:00"]
    for at, episode_id in zip(told, ids, strict=True):
        assert store.read("n", episode_id)["occurred_at"] == at.replace("Z", "+00:00")
    order = store.texts("n", "at", settings={"prompt_order": "recency"})
    assert order == [f"at {told[place]}" for place in (2, 1, 3, 0)]


@pytest.mark.parametrize("at", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59+23:59"])
def test_the_ends_of_the_calendar_are_told_and_recalled(store: Store, at: str) -> None:
    (episode_id,) = store.learn("n", {"content": "at an end of time", "occurred_at": at})
    assert store.read("n", episode_id)["occurred_at"] == at.replace("Z", "+00:00")
    assert store.texts("n", "end of time") == ["at an end of time"]
