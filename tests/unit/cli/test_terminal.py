"""What a terminal or a pipe gets to see."""

from __future__ import annotations

import io
import json
import sys
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from api.cli import evidence, terminal
from api.cli.progress import unwell
from api.cli.status import count, duration
from workers.reconcile import Report


@given(st.text())
def test_printable_has_nothing_that_drives_a_terminal(text: str) -> None:
    shown = terminal.printable(text)
    assert len(shown) == len(text)
    assert not any(ord(character) < 32 and character not in "\n\t" for character in shown)
    assert "\x7f" not in shown
    assert "\u202e" not in shown


@given(st.text(), st.integers(2, 50))
def test_brief_is_one_short_line(text: str, characters: int) -> None:
    shown = terminal.brief(text, characters)
    assert len(shown) <= characters
    assert "\n" not in shown


def test_text_passes_unharmed() -> None:
    for text in ("naïve 豆腐 😀", "👩\u200d👩\u200d👧", "two\nlines\tand a tab"):
        assert terminal.printable(text) == text


def test_use_utf8_whatever_the_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    terminal.use_utf8()
    sys.stdout.write("豆腐 \ud800")
    sys.stdout.flush()
    assert raw.getvalue() == "豆腐 \\ud800".encode()


def test_emit_is_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.emit({"at": datetime(2025, 3, 1, tzinfo=UTC), "what": "豆腐"})
    assert json.loads(capsys.readouterr().out) == {"at": "2025-03-01T00:00:00+00:00", "what": "豆腐"}


def test_a_table_does_not_interpret_what_it_shows() -> None:
    console = Console(file=io.StringIO(), width=60)
    console.print(terminal.table(["a", "b#"], [("[red]x[/red]", 1), (None, datetime(2025, 3, 1, tzinfo=UTC))]))
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert "[red]x[/red]" in shown
    assert "2025-03-01" in shown


@pytest.mark.parametrize("width", [40, 80, 100, 160])
def test_evidence_is_a_line_a_candidate(width: int) -> None:
    candidates = [
        {"id": n, "rank": n, "raw": {"keyword": 8.7}, "part": {"keyword": 0.5}, "score": 0.9, "admitted": n == 1,
         "reason": None if n == 1 else "beyond-k", "factors": {"speaker": 1.5} if n == 1 else {}, "lift": 0.0}
        for n in (1, 2)
    ]  # fmt: skip
    console = Console(file=io.StringIO(), width=max(width, 100))
    drawn = evidence.drawn(
        candidates, ["keyword", "semantic"], lambda _: "豆腐 " * 60, width, marked=lambda c: c["id"] == 1
    )
    console.print(drawn)
    lines = [line for line in console.file.getvalue().splitlines() if "豆腐" in line]  # type: ignore[attr-defined]
    assert len(lines) == 2
    assert "★" in lines[0]
    assert "recalled" in lines[0]
    assert "8.70 → 0.500" in lines[0]
    assert "speaker ×1.50" in console.file.getvalue()  # type: ignore[attr-defined]
    assert "beyond the first k" in lines[1]


def test_every_reason_is_said_in_words() -> None:
    from api.recall import dedup, gate, pack, strategies
    from api.recall.evidence import BELOW_FLOOR

    budgets = pack.OVER_CHARS, pack.OVER_ENTRIES, pack.OVER_TOKENS
    chosen = strategies.BELOW_THRESHOLD, strategies.BEYOND_K, strategies.SIMILAR
    for name in (BELOW_FLOOR, dedup.DUPLICATE, gate.ABSTAINED, gate.TRIMMED, *chosen, *budgets):
        assert evidence.reason(name) != name


def test_what_is_unwell_names_its_command() -> None:
    assert unwell([Report("memories", rebuilt=3, deferred=2, waiting=1)]) == []
    assert unwell([Report("memories", deferred=2), Report("facts", blocked=2)]) == []
    for report in (
        Report("postings", quarantined=1),
        Report("vectors:1", snoozed="away"),
        Report("entities", blocked=2),
    ):
        (said,) = unwell([report])
        assert said.startswith(f"{report.derivation}: ")
        assert "palimpsest" in said


def test_numbers_as_people_read_them() -> None:
    assert (count(10_000), count(10_001)) == ("10000", "≥ 10000")
    assert [duration(seconds) for seconds in (0.25, 90, 7200, 172_800)] == ["0.2 s", "1.5 min", "2.0 h", "2.0 d"]
