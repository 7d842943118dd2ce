"""The command line before it does anything: help, usage errors, where servers would be looked for, what loads."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from api.cli import servers
from api.cli.bench import _derived
from api.cli.main import app, main
from api.cli.services import Running, command, is_loopback
from schema.errors import SettingsError
from schema.settings import Settings

COMMANDS = {"up", "demo", "migrate", "serve", "worker", "beat", "remember", "import", "recall", "status", "doctor",
            "sweep", "rules", "failures", "eval", "bench", "facts", "memories", "why", "feedback", "edit", "trust",
            "forget", "episode", "stats"}  # fmt: skip


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in COMMANDS)
    assert {info.name for info in app.registered_commands} | {group.name for group in app.registered_groups} == COMMANDS


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_has_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, "--help"]) == 0
    assert "Usage" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments", [["foo"], ["recall"], ["recall", "a", "b", "--k", "x"], ["up", "--port", "70000"]]
)
def test_wrong_usage_is_two(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    heard = capsys.readouterr()
    assert (heard.out, "Usage" in heard.err, "Traceback" in heard.err) == ("", True, False)


def test_help_loads_nothing_heavy() -> None:
    heavy = (
        "torch",
        "spacy",
        "sentence_transformers",
        "sqlalchemy",
        "celery",
        "fastapi",
        "uvicorn",
        "pydantic",
        "numpy",
    )
    code = (
        "import sys; from api.cli.main import main; main(['--help']); "
        f"print([m for m in {heavy!r} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_the_data_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path / "set")
    monkeypatch.setenv("PALIMPSEST_DATA_DIR", str(tmp_path / "set"))
    assert servers.place(settings, tmp_path / "given") == tmp_path / "given"
    assert servers.place(settings, None) == tmp_path / "set"
    monkeypatch.setenv("PALIMPSEST_DATA_DIR", "")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "xdg"))
    assert servers.place(Settings(), None) == tmp_path / "xdg" / "palimpsest"
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.delenv("HOME")

    def nobody(_uid: int) -> None:
        raise KeyError

    monkeypatch.setattr("pwd.getpwuid", nobody)
    with pytest.raises(SettingsError, match="PALIMPSEST_DATA_DIR"):
        servers.place(Settings(), None)


@pytest.mark.parametrize(
    ("host", "url", "loopback"),
    [
        ("127.0.0.1", "http://127.0.0.1:8077", True),
        ("localhost", "http://localhost:8077", True),
        ("0.0.0.0", "http://127.0.0.1:8077", False),
        ("::", "http://[::1]:8077", False),
        ("::1", "http://[::1]:8077", True),
        ("memory.example.org", "http://memory.example.org:8077", False),
    ],
)
def test_where_the_api_is(host: str, url: str, loopback: bool) -> None:
    running = Running(Settings(), host, 8077, None, None, None)  # type: ignore[arg-type]
    assert (running.url, is_loopback(host)) == (url, loopback)


def test_children_do_not_import_from_the_working_directory(tmp_path: Path) -> None:
    (tmp_path / "schema.py").write_text("raise SystemExit('the wrong one')")
    done = subprocess.run(command("--help"), cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_warm_workers_are_counted_by_their_log(tmp_path: Path) -> None:
    log = tmp_path / "worker.log"
    assert _derived(log) == set()
    log.write_text(
        '{"event":"drained","pid":1,"memories":3}\nno json\n{"event":"drained","pid":2,"vectors:1":3}\n[1]\n', "utf-8"
    )
    assert _derived(log) == {2}
