"""Says a sentence to the rules and writes down what they made of it."""

from __future__ import annotations

from datetime import UTC, datetime

from workers.derive.contract import Statement, Utterance
from workers.english.facts import Rules

NOW = datetime(2024, 6, 12, 10, tzinfo=UTC)  # a Wednesday
RULES = Rules("en_core_web_sm")


def statements(text: str, speaker: str | None = "Ana", source: str = "user") -> list[Statement]:
    """What the rules find in a turn of 12 June 2024."""
    return list(RULES.extract([Utterance(text, speaker, NOW, source)])[0].statements)


def facts(text: str, speaker: str | None = "Ana", source: str = "user") -> list[str]:
    """Each as "subject | predicate | object", with "not" before a denied predicate."""
    return [
        " | ".join([s.subject, f"not {s.predicate}" if s.polarity == "neg" else s.predicate, s.object or "-"])
        for s in statements(text, speaker, source)
    ]


def only(text: str) -> Statement:
    """The one statement of a turn."""
    (statement,) = statements(text)
    return statement
