"""`palimpsest doctor`: what is wrong, and the command or setting that mends it. Exit code 1 if anything is.

It changes nothing unless asked to `--mend`, which writes anew every index that does not agree with its rows. The index
of every namespace is computed again and compared, so on a large store it takes minutes.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from api.cli.servers import DataDir, Json, servers
from api.cli.terminal import emit, err, out, printable
from schema.errors import SettingsError

if TYPE_CHECKING:
    from api.service.doctor import Check

SIGNS = {True: ("✓", "green"), False: ("✗", "red"), None: ("?", "yellow")}


Mend = Annotated[bool, typer.Option("--mend", help="First write anew every index that does not agree with its rows.")]


def doctor(data_dir: DataDir = None, mend: Mend = False, as_json: Json = False) -> None:
    """Find out what is wrong, and what mends it."""
    if mend:
        _mend(data_dir)
    with err().status(Text("examining")):
        checks = _examine(data_dir, live=not as_json)
    healthy = all(check.ok is not False for check in checks)
    if as_json:
        emit({"ok": healthy, "checks": [asdict(check) for check in checks]})
    else:
        wrong = sum(check.ok is False for check in checks)
        out().print("nothing is wrong" if healthy else f"{wrong} of {len(checks)} checks found something")
    if not healthy:
        raise typer.Exit(1)


def _mend(data_dir: DataDir) -> None:
    from api.cli.servers import context
    from api.service.doctor import mend

    with context(data_dir) as served:
        for name in mend(served):
            err().print(Text(f"the index of {name} was written anew"))


def _examine(data_dir: DataDir, *, live: bool) -> list[Check]:
    from api.service.doctor import Check, examine

    checks: list[Check] = []
    try:
        with servers(data_dir) as settings:
            for check in examine(settings):
                checks.append(check)
                if live:
                    _show(check)
    except SettingsError as error:
        # That nothing runs is what the doctor was called for; any other wrong setting stops it.
        if not error.detail.startswith("nothing runs"):
            raise
        checks.append(Check("servers", False, error.detail, "palimpsest up"))
        if live:
            _show(checks[-1])
    return checks


def _show(check: Check) -> None:
    sign, colour = SIGNS[check.ok]
    line = Text(f"{sign} ", style=colour)
    line.append(f"{check.name}: ", style="bold")
    line.append(printable(check.detail))
    out().print(line, soft_wrap=True)
    if check.remedy:
        out().print(Text(f"  → {check.remedy}"), soft_wrap=True)
