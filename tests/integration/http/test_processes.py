"""What depends on the process: nothing. Time zone and locale change no byte, and no log level shows what was said."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from schema.settings import Settings
from tests.integration.http.program import CANARY
from tests.support.workers import ROOT, environment


def _start(settings: Settings, namespace: str, *arguments: str, **env: str | None) -> subprocess.Popen[bytes]:
    assert settings.database_url is not None
    assert settings.broker_url is not None
    base = environment(settings.database_url, settings.broker_url, extractor="none")
    for name in ("LANG", "LC_ALL", "LC_CTYPE", "LANGUAGE", "TZ", "PYTHONUTF8", "PYTHONIOENCODING"):
        base.pop(name, None)
    quick = {"PALIMPSEST_BACKOFF_SECONDS": "0.05", "PALIMPSEST_MAX_ATTEMPTS": "2"}
    full = {
        **base,
        **quick,
        "PYTHONWARNINGS": "error",
        **{name: value for name, value in env.items() if value is not None},
    }
    return subprocess.Popen(
        [sys.executable, "-m", "tests.integration.http.program", namespace, *arguments],
        env=full,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def _end(process: subprocess.Popen[bytes]) -> tuple[dict[str, Any], str]:
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err.decode(errors="replace")[-3000:]
    return json.loads(out.decode("utf-8")), err.decode("utf-8")


def _plain(found: dict[str, Any], namespace: str) -> Any:
    """An outcome without what differs by necessity: ids, the namespace's name, the time of recording."""
    answers = []
    for answer in map(json.loads, found["answers"]):
        assert answer["evidence"].pop("namespace") == namespace
        for memory in answer["memories"]:
            assert memory.pop("recorded_at").endswith("+00:00")
        for row in [*answer["memories"], *answer["evidence"]["candidates"]]:
            del row["id"]
            for span in row["sources"]:
                span["episode_id"] = found["ids"].index(span["episode_id"])
        answers.append(answer)
    return answers, found["read"], found["naive"]


def test_time_zone_and_locale_change_nothing(settings: Settings) -> None:
    """Public faults a13 and h05."""
    places: dict[str, dict[str, str | None]] = {
        "plain": {"TZ": "UTC", "LC_ALL": "C.UTF-8", "LANG": "C.UTF-8"},
        "tokyo": {"TZ": "Asia/Tokyo", "PGTZ": "Asia/Tokyo", "LC_ALL": "C", "LANG": "POSIX"},
        "midway": {"TZ": "Pacific/Midway", "LC_ALL": "xx_YY.nothing", "LANG": "xx_YY.nothing"},
        "unset": {},
    }
    found: dict[str, Any] = {}
    names = list(places)
    for pair in (names[:2], names[2:]):
        started = {name: _start(settings, name, **places[name]) for name in pair}
        found |= {name: _plain(_end(process)[0], name) for name, process in started.items()}
    answers, read, naive = found["plain"]
    assert read[0] == "2025-06-01T12:00:00+09:00"
    assert "occurred_at" in naive
    ferry = [memory["text"] for memory in answers[0]["memories"]]
    assert "The ferry to Ærø leaves at noon" in ferry
    assert answers[1]["memories"][0]["text"].startswith("漢字😀é")
    first = next(row for row in answers[0]["memories"] if row["speaker"] == "Ada" and "noon" in row["text"])
    assert first["occurred_at"] == "2025-06-01T03:00:00+00:00"
    for name, outcome in found.items():
        assert outcome == found["plain"], name


@pytest.mark.parametrize("level", ["INFO", "DEBUG"])
def test_what_was_said_is_in_no_log_and_no_error(settings: Settings, level: str) -> None:
    """Public fault h11."""
    found, logged = _end(_start(settings, "n", "--canary", PALIMPSEST_LOG_LEVEL=level, LC_ALL="C"))
    lines = logged.splitlines()
    assert lines, "something was logged"
    assert any('"row_failed"' in line for line in lines), "a row did fail"
    assert [line for line in lines if CANARY.lower() in line.lower()] == []
    assert all(isinstance(json.loads(line), dict) for line in lines), "every line is JSON"
    for body in found["bodies"]:
        # Ids that the application gave itself come back in the results of a batch; content never does.
        plain = body.replace(f'"external_id":"{CANARY}"', "")
        assert CANARY.lower() not in plain.lower(), body
