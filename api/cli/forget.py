"""`palimpsest forget`: gone for good, with a receipt of what went and what is left.

Exactly one scope, never by leaving something out. On a terminal it says what will go and asks; elsewhere `--yes` has to
say so, or nothing happens. Exit code 1: the receipt says that something is left, it is not finished, or nobody agreed.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from api.cli.servers import DataDir, Json, Namespace, context, is_id
from api.cli.terminal import brief, counted, emit, err, out, paragraph, printable, say, table

if TYPE_CHECKING:
    from api.service.context import Context

SHOWN = 10
"""Episodes whose words are shown before they go."""
COUNTED = 2000
"""Episodes that are looked at to say how many will go; more are said to be more."""
PAGE = 500


def forget(
    namespace: Namespace,
    episode: Annotated[list[int] | None, typer.Option(help="This episode; repeatable.", callback=is_id)] = None,
    session: Annotated[str | None, typer.Option(help="All of this session.")] = None,
    user: Annotated[str | None, typer.Option(help="All of this user.")] = None,
    everything: Annotated[bool, typer.Option("--everything", help="All of the namespace.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    receipt: Annotated[int | None, typer.Option(help="Show this receipt again.", callback=is_id)] = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Forget for good, and show the receipt."""
    given = {
        "episodes": episode or None,
        "session_id": session,
        "user_id": user,
        "everything": everything or None,
        "receipt": receipt,
    }
    chosen = {name: value for name, value in given.items() if value is not None}
    if len(chosen) != 1:
        raise typer.BadParameter(
            "give exactly one of --episode (repeatable), --session, --user, --everything, --receipt",
            param_hint="'--episode'",
        )
    asks = receipt is None and not yes
    if asks and not (sys.stdin is not None and sys.stdin.isatty()):
        raise typer.BadParameter("nobody can be asked here: say --yes; nothing was forgotten", param_hint="'--yes'")
    with context(data_dir, broker=receipt is None) as found:
        from api.service import forget as service

        if asks and not _agreed(found, namespace, chosen):
            say("nothing was forgotten")
            raise typer.Exit(1)
        done = service.receipt(found, receipt) if receipt is not None else service.forget(found, namespace, **chosen)
    if as_json:
        emit(done)
    else:
        _print(out(), namespace, done)
    if not done["logical"]:
        raise typer.Exit(1)


def _agreed(found: Context, namespace: str, chosen: dict[str, Any]) -> bool:
    """Say what will go, and return whether the person wants that."""
    console = err()
    paragraph(console, f"{_what(found, namespace, chosen)}, with all that was derived from it alone, cannot be undone.")
    if "everything" in chosen:
        return _answer(f"Type {namespace} to forget all of it: ") == namespace
    return _answer("Forget it? [y/N] ").lower() in {"y", "yes"}


def _what(found: Context, namespace: str, chosen: dict[str, Any]) -> str:
    from api.service import ingest, knowledge

    if "episodes" not in chosen:
        count = _count(found, namespace, chosen)
        scope = next(
            (f" of {name.removesuffix('_id')} {value}" for name, value in chosen.items() if value is not True), ""
        )
        return f"Forgetting {count}{scope} in {namespace}"
    ids = sorted(set(chosen["episodes"]))
    knowledge.status(found, namespace, ids)  # raises for one that is not there, before anybody is asked
    for episode_id in ids[:SHOWN]:
        told = ingest.read(found, namespace, episode_id)
        if told is not None:
            paragraph(err(), f"episode {episode_id}: {brief(told[0].content)}", 3)
    if len(ids) > SHOWN:
        paragraph(err(), f"and {len(ids) - SHOWN} more", 3)
    return f"Forgetting {counted(len(ids), 'episode')} in {namespace}"


def _count(found: Context, namespace: str, chosen: dict[str, Any]) -> str:
    from api.service import admin, ingest

    admin.namespace(found, namespace)  # raises when there is none
    session_id, user_id = chosen.get("session_id"), chosen.get("user_id")
    count = seen = after = 0
    while True:
        rows = ingest.page(found, namespace, after=after, limit=PAGE, session_id=session_id)
        count += sum(user_id in (None, row.user_id) for row in rows)
        seen += len(rows)
        if len(rows) < PAGE:
            return counted(count, "episode")
        if seen >= COUNTED:
            return f"{count} episodes or more"
        after = rows[-1].id


def _answer(question: str) -> str:
    sys.stderr.write(printable(question))
    sys.stderr.flush()
    return sys.stdin.readline().strip()


def _print(console: Console, namespace: str, done: dict[str, Any]) -> None:
    scope = done["scope"].removesuffix("_id")
    went = counted(done["episodes"], "episode")
    paragraph(console, f"receipt {done['id']}: {went} forgotten ({scope})", style="bold")
    gone = {name: count for name, count in done["removed"].items() if count}
    if gone:
        console.print(table(["removed from", "rows#"], list(gone.items())))
    if done["left"]:
        console.print(table(["left in", "rows#"], list(done["left"].items())))
        paragraph(console, "something is left; `palimpsest doctor --mend` writes the indexes anew", style="red")
    elif done["left"] is None:
        paragraph(console, "not finished: nobody reads it any more, and a worker goes on deleting", style="yellow")
    else:
        paragraph(console, "logical: nothing is left in any table or index")
    if done["physical"]:
        paragraph(console, "physical: a vacuum has been over every table since")
        return
    paragraph(console, "not physical yet: deleted rows are in the database's files until its owner runs")
    paragraph(console, done["vacuum"], 3)
    paragraph(console, f"then: palimpsest forget {namespace} --receipt {done['id']}")
