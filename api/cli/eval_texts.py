"""`palimpsest eval facts` and `eval times`: how well texts are read, against labels. No store and no server is needed.

The extractor, its models and the encoder that judges near statements are those of the settings; one that asks an LLM
does so without a daily budget. See `api.evaluation.facts` and `api.evaluation.times` for what each figure is.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from api.cli.servers import Json, load_settings
from api.cli.terminal import brief, emit, err, number, out, paragraph, table
from schema.errors import InvalidInput

if TYPE_CHECKING:
    from api.evaluation.facts import Similarity
    from schema.settings import Settings

SHOWN_CHARS = 400
"""Of a text that failed; `--json` has all of it."""

Gold = Annotated[Path, typer.Argument(help="The labelled file.", exists=True, dir_okay=False, show_default=False)]
Failures = Annotated[bool, typer.Option("--failures", help="List what is wrong and what is missing.")]


def facts(
    path: Gold,
    data: Annotated[
        tuple[str, Path] | None,
        typer.Option(metavar="locomo FILE", help="Also count the observations of a data set that facts cover."),
    ] = None,
    failures: Failures = False,
    as_json: Json = False,
) -> None:
    """Measure the extractor on labelled turns."""
    settings = load_settings()
    if data is not None:
        _check(*data)
    from api.evaluation import facts as evaluation
    from workers.extraction import build

    items = evaluation.read(path)
    with err().status(Text("extracting")):
        extractor, near = build(settings), _similarity(settings)
        figures = evaluation.evaluate(items, extractor, near, failures=failures)
        if data is not None:
            figures["observations"] = evaluation.observations(data[1], extractor, near)
    _show(figures, f"facts: {path.name}", as_json=as_json)


def times(path: Gold, failures: Failures = False, as_json: Json = False) -> None:
    """Measure calendar expressions on labelled sentences."""
    load_settings()
    from api.evaluation import times as evaluation

    figures = evaluation.evaluate(evaluation.read(path))
    if not failures:
        figures.pop("failures", None)
    _show(figures, f"times: {path.name}", as_json=as_json)


def _check(form: str, path: Path) -> None:
    if form != "locomo":
        raise InvalidInput(f"data: {form} has no observations; it is locomo FILE", field="data")
    if not path.is_file():
        raise InvalidInput(f"data: {path} is no file", field="data")


def _similarity(settings: Settings) -> Similarity:
    from api.evaluation.facts import similarity
    from workers.derive.loaders import describe, encoder, limit_threads

    limit_threads(os.cpu_count() or 1)
    return similarity(encoder(describe(settings.encoder)))


def _show(figures: dict[str, Any], title: str, *, as_json: bool) -> None:
    """Print figures as they come: single ones in one table, groups in one each, failures a paragraph each."""
    if as_json:
        emit(plain(figures))
        return
    console = out()
    single = [(name, value) for name, value in figures.items() if not isinstance(value, Mapping | list)]
    console.print(table(["figure", "value#"], [(_words(name), _cell(value)) for name, value in single], title=title))
    for name, group in figures.items():
        if isinstance(group, Mapping) and group:
            _group(console, _words(name), group)
    for one in figures.get("failures", ()):
        _failure(console, plain(one))


def _group(console: Console, name: str, group: Mapping[str, Any]) -> None:
    rows = {key: value for key, value in group.items() if isinstance(value, Mapping)}
    if not rows:
        console.print(table([name, "value#"], [(_words(key), _cell(value)) for key, value in group.items()]))
        return
    columns = list(dict.fromkeys(column for row in rows.values() for column in row))
    console.print(
        table(
            [name.removeprefix("by "), *(f"{_words(column)}#" for column in columns)],
            [(_words(key), *(_cell(row.get(column)) for column in columns)) for key, row in rows.items()],
        )
    )


def _failure(console: Console, one: Mapping[str, Any]) -> None:
    place = one.get("id", f"line {one.get('line', '?')}")
    paragraph(console, f"{place}: {brief(str(one.get('text', '')), SHOWN_CHARS)}", style="bold")
    for name, value in one.items():
        if name not in {"id", "line", "text"}:
            values = value if isinstance(value, list) else [value]
            for each in values:
                paragraph(console, f"{name}: {each if isinstance(each, str) else _inline(each)}", 3)


def _inline(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_inline(each)}" for name, each in value.items() if each is not None)
    if isinstance(value, list | tuple):
        return " | ".join(_inline(each) for each in value if each is not None)
    return "nothing" if value is None else str(value)


def plain(value: Any) -> Any:
    """Return figures with their dataclasses as objects."""
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, Mapping):
        return {key: plain(each) for key, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, list | tuple) else value


def _words(name: str) -> str:
    return name.replace("_", " ")


def _cell(value: Any) -> str:
    return number(value) if isinstance(value, float) else "" if value is None else str(value)
