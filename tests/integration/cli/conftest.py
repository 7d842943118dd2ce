"""The command as a person runs it: a process of its own, against a database of this test's own, with fake models.

Where a process of its own shows nothing more, `here` runs the same command in this one, twenty times as fast.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import structlog

from api.cli.main import main
from tests.support.workers import ROOT, environment


@dataclass(frozen=True)
class Done:
    """What a command said, and how it ended."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        """Return the one document on stdout."""
        return json.loads(self.out)

    def fine(self) -> Done:
        assert self.code == 0, self
        return self

    def refused(self, *words: str, code: int = 2) -> Done:
        """It ended with `code`, named all of `words` on stderr, and showed no traceback."""
        assert self.code == code, self
        assert "Traceback" not in self.err + self.out, self
        for word in words:
            assert word in self.err, self
        return self


@dataclass(frozen=True)
class Cli:
    """Runs commands with an environment."""

    env: Mapping[str, str]
    cwd: Path

    def __call__(self, *arguments: str | bytes, stdin: bytes = b"", **more: str | None) -> Done:
        env = {**self.env, **{name: value for name, value in more.items() if value is not None}}
        for name in [name for name, value in more.items() if value is None]:
            env.pop(name, None)
        done = subprocess.run(
            [sys.executable, "-m", "api.cli.main", *arguments],
            env=env,
            cwd=self.cwd,
            input=stdin,
            capture_output=True,
            timeout=240,
            check=False,
        )
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


@dataclass(frozen=True)
class Here:
    """Runs commands in this process, with the environment of a `Cli`."""

    env: Mapping[str, str]
    patch: pytest.MonkeyPatch
    capture: pytest.CaptureFixture[str]

    def __call__(self, *arguments: str, stdin: bytes = b"", **more: str | None) -> Done:
        with self.patch.context() as patch:
            for name, value in {**self.env, **more}.items():
                patch.delenv(name, raising=False) if value is None else patch.setenv(name, value)
            # A process sets its logging up once and for all; this one is the tests'.
            patch.setattr("schema.log.configure", lambda _level: None)
            patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
            self.capture.readouterr()
            with silence():
                code = main(list(arguments))
        return Done(code, *self.capture.readouterr())


@contextmanager
def silence() -> Iterator[None]:
    """Let nothing be logged for the length of a block: it would land on stdout."""
    before = structlog.get_config()
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    try:
        yield
    finally:
        structlog.configure(**before)


@pytest.fixture
def here(cli: Cli, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Here:
    """The command in this process, against migrated servers."""
    names = ("DATABASE_URL", "BROKER_URL")
    env = {name: value for name, value in cli.env.items() if name in names or name.startswith("PALIMPSEST_")}
    return Here(env, monkeypatch, capsys)


@pytest.fixture
def cli(database_url: str, broker_url: str, tmp_path: Path) -> Cli:
    """The command, against migrated servers."""
    settings = {"backoff_seconds": 0.05, "backoff_cap_seconds": 0.2, "max_attempts": 2, "breaker_seconds": 0.2}
    return Cli(environment(database_url, broker_url, **settings), tmp_path)


@pytest.fixture
def bare(tmp_path: Path) -> Cli:
    """The command with no server named and a data directory nothing runs in."""
    env = {key: value for key, value in os.environ.items() if not key.startswith("PALIMPSEST_")}
    fakes = {"PALIMPSEST_ENCODER": "fake:16", "PALIMPSEST_SPACY_MODEL": "fake", "PYTHONPATH": str(ROOT)}
    return Cli({**env, **fakes, "PALIMPSEST_DATA_DIR": str(tmp_path / "data")}, tmp_path)


def jsonl(path: Path, *rows: Mapping[str, Any] | bytes) -> Path:
    """Write a JSON Lines file; bytes are written as they are."""
    lines = [row if isinstance(row, bytes) else json.dumps(row, ensure_ascii=False).encode() for row in rows]
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


def turn(number: int, content: str, **fields: Any) -> dict[str, Any]:
    """Return a turn of a JSON Lines file."""
    return {
        "external_id": f"t{number}",
        "session_id": "s",
        "seq": number,
        "speaker": "Ines",
        "occurred_at": f"2025-03-01T10:{number % 60:02}:00+01:00",
        "content": content,
        **fields,
    }
