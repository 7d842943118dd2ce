"""`palimpsest trust`: how far sources are trusted, and which wait for release."""

from __future__ import annotations

from typing import Annotated

import typer

from api.cli.servers import DataDir, Json, Namespace, context, is_id
from api.cli.terminal import counted, emit, number, out, table
from schema.errors import InvalidInput

ALL = "all"


def trust(
    namespace: Namespace,
    levels: Annotated[
        list[str] | None,
        typer.Argument(metavar="SOURCE=LEVEL", help="How far a source is trusted: external=0.3.", show_default=False),
    ] = None,
    quarantine: Annotated[
        list[str] | None, typer.Option(help="What this source told and tells waits for release; repeatable.")
    ] = None,
    unquarantine: Annotated[
        list[str] | None, typer.Option(help="This source waits no longer, nor what waits of it; repeatable.")
    ] = None,
    release: Annotated[
        list[str] | None, typer.Option(help="Let what waits of this source, or of all, be recalled; repeatable.")
    ] = None,
    release_episode: Annotated[
        list[int] | None, typer.Option(help="Let this episode be recalled; repeatable.", callback=is_id)
    ] = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Show and set how far sources are trusted, and which wait."""
    wanted = _levels(levels or [])
    adds, ends = _sources("quarantine", quarantine), _sources("unquarantine", unquarantine)
    frees = _sources("release", release, ALL)
    if adds & ends:
        raise InvalidInput(f"unquarantine: {min(adds & ends)} is also to be quarantined", field="unquarantine")
    changes = bool(wanted or adds or ends or frees or release_episode)
    with context(data_dir, broker=changes) as found:
        from api.service import correct, knowledge

        first = bool(wanted or adds or ends)
        shown = correct.configure(found, namespace, trust={} if first else None)
        if release_episode:
            knowledge.status(found, namespace, release_episode)  # raises for one that is not there
        if wanted or adds or ends:
            waiting = sorted({*shown["quarantine"], *adds} - ends)
            shown = correct.configure(
                found, namespace, trust=wanted or None, quarantine=waiting if adds or ends else None
            )
        released = 0
        for source in [None] if ALL in frees else sorted(frees):
            released += correct.release(found, namespace, source=source)["released"]
        if release_episode:
            released += correct.release(found, namespace, episodes=sorted(set(release_episode)))["released"]
    document = {key: shown[key] for key in ("namespace", "trust", "quarantine")}
    if changes:
        document |= {"released": released, "queued": shown["queued"]}
    if as_json:
        emit(document)
        return
    rows = [
        (source, number(level), "waits for release" if source in shown["quarantine"] else "")
        for source, level in sorted(shown["trust"].items(), key=lambda item: -item[1])
    ]
    out().print(table(["source", "trust#", ""], rows))
    if frees or release_episode:
        out().print(f"{counted(released, 'episode')} released")


def _levels(given: list[str]) -> dict[str, float]:
    levels = {}
    for one in given:
        source, _, level = one.partition("=")
        try:
            levels[source.strip()] = float(level)
        except ValueError:
            raise InvalidInput(f"trust: {one} must be source=level, such as external=0.3", field="trust") from None
    return levels


def _sources(field: str, given: list[str] | None, *more: str) -> set[str]:
    from schema.kinds import Source

    known = [*Source, *more]
    for one in given or []:
        if one not in known:
            raise InvalidInput(f"{field}: {one} is no source; known: {', '.join(known)}", field=field)
    return set(given or [])
