"""`palimpsest edit`: other words for an episode. A revision beside the old words; what is derived follows."""

from __future__ import annotations

from typing import Annotated

import typer

from api.cli.feedback import later
from api.cli.remember import standard_input
from api.cli.servers import DataDir, EpisodeId, Json, Namespace, context
from api.cli.terminal import emit, out, paragraph
from api.cli.waiting import Seconds, Wait, missing, until_fresh


def edit(
    namespace: Namespace,
    episode_id: EpisodeId,
    text: Annotated[str, typer.Argument(help="The new words; - reads standard input.")] = "-",
    wait: Wait = False,
    seconds: Seconds = 30.0,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Give an episode new words, beside the old ones."""
    words = standard_input() if text == "-" else text
    with context(data_dir) as found:
        from api.service import correct

        done = correct.edit(found, namespace, episode_id, words)
        fresh = until_fresh(found, namespace, episode_id, seconds) if wait else {}
    if as_json:
        emit({**done, **fresh})
    else:
        pending = "" if fresh else later(done)
        paragraph(out(), f"episode {episode_id} in {namespace} is at revision {done['revision']}{pending}")
    if missing(fresh):
        raise typer.Exit(1)
