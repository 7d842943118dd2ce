"""`palimpsest feedback`: a verdict on a memory. It is kept beside the memory, and no sweep undoes it."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from api.cli.servers import DataDir, Json, MemoryId, Namespace, context
from api.cli.terminal import emit, number, out, paragraph


def feedback(
    namespace: Namespace,
    memory_id: MemoryId,
    verdict: Annotated[str, typer.Argument(help="confirm, wrong or outdated.", show_default=False)],
    correction: Annotated[str | None, typer.Option(help="The right words; they are told as an episode.")] = None,
    data_dir: DataDir = None,
    as_json: Json = False,
) -> None:
    """Say that a memory is right, wrong or outdated."""
    with context(data_dir) as found:
        from api.service import correct

        done = correct.feedback(found, namespace, memory_id, verdict, correction)
    if as_json:
        emit(done)
        return
    became = f"retired as {done['retired']}" if done["retired"] else done["state"] or "active"
    paragraph(out(), f"memory {memory_id}: {became}, confidence {number(done['confidence'])}")
    if done["correction_id"] is not None:
        paragraph(out(), f"the right words are episode {done['correction_id']}{later(done)}")


def later(done: dict[str, Any]) -> str:
    """Return what to add when nobody could be told that something is due."""
    return "" if done["queued"] else "; no broker was told, so it counts after the next sweep"
