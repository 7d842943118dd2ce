"""`palimpsest episode`: how far each derivation is with one episode, and how much of it is recallable.

Exit code 1 when something of it failed; what is still to come is no failure.
"""

from __future__ import annotations

from dataclasses import asdict

import typer

from api.cli.servers import DataDir, EpisodeId, Json, Namespace, context
from api.cli.terminal import brief, counted, emit, moment, out, paragraph, table
from schema.errors import NotFound

SHOWN_CHARS = 200


def episode(namespace: Namespace, episode_id: EpisodeId, data_dir: DataDir = None, as_json: Json = False) -> None:
    """Show how far each derivation is with one episode."""
    with context(data_dir, broker=False) as found:
        from api.service import ingest, knowledge

        rows = knowledge.status(found, namespace, [episode_id])
        told = ingest.read(found, namespace, episode_id)
    if told is None:
        raise NotFound(f"episode {episode_id} is not in this namespace", field="episode_id")
    row, coverage = told
    derivations = {one.derivation: knowledge.shown(one) for one in rows}
    if as_json:
        names = ("id", "external_id", "revision", "speaker", "source", "session_id", "user_id", "agent_id",
                 "quarantined", "occurred_at", "recorded_at", "expires_at", "content")  # fmt: skip
        emit({**{name: getattr(row, name) for name in names}, "coverage": asdict(coverage), "derivations": derivations})
    else:
        console = out()
        known = f" ({row.external_id})" if row.external_id else ""
        who = f"{row.speaker} ({row.source})" if row.speaker else row.source
        paragraph(console, f"episode {row.id}{known}, revision {row.revision}: {who}, {moment(row.occurred_at)}")
        paragraph(console, brief(row.content, SHOWN_CHARS), 3)
        states = [
            (name, one["state"], one["current"], one["pending"], one["failed"], one["reason"], one["next_at"])
            for name, one in derivations.items()
        ]
        console.print(table(["derivation", "state", "current#", "pending#", "failed#", "reason", "not before"], states))
        console.print(f"{coverage.share:.1%} of it is recallable, in {counted(coverage.memories, 'passage')}")
        if row.quarantined:
            console.print("it waits for release: palimpsest trust --release-episode")
        if row.expires_at is not None:
            console.print(f"it is forgotten after {moment(row.expires_at)}")
    if any(one["failed"] for one in derivations.values()):
        raise typer.Exit(1)
