"""The house stands as drawn: layers look down, files stay small, imports stay cheap, one command checks the rest."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import schema

ROOT = Path(__file__).resolve().parents[2]
CODE = [path for room in ("schema", "workers", "api", "deploy") for path in (ROOT / room).rglob("*.py")]
TOP = {"pyproject.toml", "constraints.txt", "workers", "api", "schema", "deploy", "tests", "README.md", "Makefile",
       "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md"}  # fmt: skip


def _run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False, timeout=280
    )


def test_layers() -> None:
    done = subprocess.run(
        [str(Path(sys.executable).parent / "lint-imports")], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_lint() -> None:
    done = _run("ruff", "check", ".")
    assert done.returncode == 0, done.stdout


def test_format() -> None:
    done = _run("ruff", "format", "--check", ".")
    assert done.returncode == 0, done.stdout + done.stderr


def test_types() -> None:
    done = _run("mypy")
    assert done.returncode == 0, done.stdout


def test_the_name_schema_is_ours() -> None:
    assert Path(schema.__file__).resolve() == ROOT / "schema" / "__init__.py"


@pytest.mark.parametrize("path", CODE, ids=lambda path: str(path.relative_to(ROOT)))
def test_rooms_stay_small(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").count("\n")
    assert lines <= 400 or path.parent.name == "versions", f"{path.name} has {lines} lines: a design question"


def test_modules_say_what_they_are_for() -> None:
    import ast

    bare = [
        str(path.relative_to(ROOT))
        for path in CODE
        if path.stat().st_size and ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) is None
    ]
    assert bare == []


def test_only_the_session_scope_commits() -> None:
    guilty = [
        str(path.relative_to(ROOT))
        for path in CODE
        if ".commit()" in path.read_text(encoding="utf-8")
        and path.relative_to(ROOT).parts[:2] not in {("schema", "db.py"), ("schema", "migrations")}
    ]
    assert guilty == []


def test_sqlalchemy_lives_in_schema_only() -> None:
    guilty = [
        str(path.relative_to(ROOT))
        for path in CODE
        if "sqlalchemy" in path.read_text(encoding="utf-8").replace("SQLAlchemy", "").replace("postgresql+psycopg", "")
        and any(
            line.startswith(("import sqlalchemy", "from sqlalchemy"))
            for line in map(str.strip, path.read_text(encoding="utf-8").splitlines())
        )
        and path.relative_to(ROOT).parts[0] != "schema"
    ]
    assert guilty == []


def test_nothing_at_the_top_without_a_reason() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout
    tops = {line.split("/")[0] for line in listed.splitlines()}
    assert {top for top in tops if not top.startswith(".")} <= TOP


@pytest.mark.parametrize("package", ["schema", "workers", "api", "deploy", "api.service.ingest", "workers.tasks",
                                     "api.http.app", "api.cli.main", "workers.derive.loaders"])  # fmt: skip
def test_importing_is_cheap(package: str) -> None:
    heavy = "torch", "spacy", "sentence_transformers", "transformers"
    done = subprocess.run(
        [sys.executable, "-c", f"import {package}, sys; print([m for m in {heavy!r} if m in sys.modules])"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == "[]", done.stdout + done.stderr


def test_recall_is_light() -> None:
    heavy = "celery", "fastapi", "torch", "spacy", "sqlalchemy"
    done = subprocess.run(
        [sys.executable, "-c", f"import api.recall.pipeline, sys; print([m for m in {heavy!r} if m in sys.modules])"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == "[]", done.stdout + done.stderr
