"""`palimpsest remember`: tell one thing.

The text is an argument, or `-` for standard input, which is read to its end as UTF-8: bytes that are none become
U+FFFD, and one line end at the very end is dropped, because it is the shell's and not the speaker's. Everything else
is kept exactly as it came. An argument that is not valid UTF-8 is refused.

With `--wait` it returns when what was told is recallable, by the work of whoever runs workers; exit code 1 when it is
not, because it failed, a provider is down, or the time is up.
"""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any, NoReturn

import typer

from api.cli.servers import DataDir, Json, Namespace, context
from api.cli.terminal import emit, out, say
from api.cli.waiting import Seconds, Wait, missing, until_fresh
from schema.errors import InvalidInput


def remember(
    namespace: Namespace,
    text: Annotated[str, typer.Argument(help="What was said; - reads standard input.", show_default=False)],
    speaker: Annotated[str | None, typer.Option(help="Who said it.")] = None,
    session: Annotated[str | None, typer.Option(help="The conversation it belongs to.")] = None,
    at: Annotated[
        str | None, typer.Option(help="When, with the offset: 2025-03-01T18:05:00+01:00.", show_default="now")
    ] = None,
    source: Annotated[str, typer.Option(help="user, assistant, external or system.")] = "user",
    external_id: Annotated[str | None, typer.Option(help="Your own id for it; telling it again adds nothing.")] = None,
    metadata: Annotated[str | None, typer.Option(help="A JSON object, kept as it is.")] = None,
    user_id: Annotated[str | None, typer.Option(help="Whose memory it is.")] = None,
    agent_id: Annotated[str | None, typer.Option(help="Which agent's memory it is.")] = None,
    wait: Wait = False,
    seconds: Seconds = 30.0,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Tell one thing."""
    item = {
        "content": standard_input() if text == "-" else text,
        "speaker": speaker,
        "session_id": session,
        "occurred_at": at,
        "source": source,
        "external_id": external_id,
        "metadata": _object(metadata),
        "user_id": user_id,
        "agent_id": agent_id,
    }
    with context(data_dir) as found:
        from api.service import ingest

        done = ingest.remember(found, namespace, [{name: value for name, value in item.items() if value is not None}])
        told = done.body["episodes"][0]
        fresh = until_fresh(found, namespace, told["id"], seconds) if wait and told["id"] is not None else {}
    if as_json:
        emit({**done.body, **fresh})
    else:
        out().print(_sentence(namespace, told, queued=done.body["queued"] or bool(fresh)), soft_wrap=True)
    if told["status"] == "conflict":
        say(f"external_id: {told['external_id']} is episode {told['id']}, with other words; nothing was changed")
        raise typer.Exit(1)
    if told["status"] == "forgotten":
        say(f"external_id: {external_id} was forgotten in {namespace}; it is not taken in again")
        raise typer.Exit(1)
    if missing(fresh):
        raise typer.Exit(1)


def standard_input() -> str:
    """Read standard input to its end; see the module."""
    text = sys.stdin.buffer.read().decode("utf-8", "replace")
    return text.removesuffix("\n").removesuffix("\r")


def _object(text: str | None) -> dict[str, Any] | None:
    if text is None:
        return None
    try:
        value = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"metadata: is no JSON: {error}", field="metadata") from None
    if not isinstance(value, dict):
        raise InvalidInput("metadata: must be a JSON object", field="metadata")
    return value


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _sentence(namespace: str, told: dict[str, Any], *, queued: bool) -> str:
    if told["status"] == "duplicate":
        return f"episode {told['id']} in {namespace} says that already"
    if told["status"] in {"conflict", "forgotten"}:
        return f"refused by {namespace}"
    later = "" if queued else "; no broker was told, so it is recallable after the next sweep"
    return f"episode {told['id']} in {namespace}{later}"
