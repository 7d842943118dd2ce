"""What the store knows and how it came to know it: facts by their parts, lists, the lineage of a memory, figures."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from api.service.context import Context
from api.service.places import missing, place_of
from schema import intake
from schema.errors import InvalidInput, NotFound
from schema.kinds import MemoryKind
from schema.store import history, lineage, namespaces, triples, usage
from schema.store.status import DerivationStatus, of_episodes
from workers.derive import triples as canonical


def facts(
    context: Context,
    namespace: str,
    *,
    subject: str | None = None,
    predicate: str | None = None,
    object_: str | None = None,
    user_id: str | None = None,
    agent_id: str | None = None,
    after: int = 0,
    limit: int = 50,
) -> list[dict[str, Any]]:
    """Return active facts by subject, predicate and object, in id order, those after id `after`.

    Parts are compared in canonical form; a subject is found by every name it goes by. Raises InvalidInput.
    """
    for name, value in (
        ("subject", subject),
        ("predicate", predicate),
        ("object", object_),
        ("user_id", user_id),
        ("agent_id", agent_id),
    ):
        if value is not None:
            intake.name(value, name, longest=600)
    with context.database.read() as session:
        place = namespaces.find(session, intake.namespace(namespace))
        if place is None:
            return []
        names = None
        if subject is not None:
            key = canonical.subject_key(subject)
            names = triples.names_of(session, place.id, key, user_id=user_id, agent_id=agent_id)
        rows = triples.find(
            session,
            place.id,
            subjects=names,
            predicate=None if predicate is None else canonical.predicate_key(predicate),
            object_key=canonical.object_key(object_),
            user_id=user_id,
            agent_id=agent_id,
            after=after,
            limit=limit,
        )
    return [asdict(row) for row in rows]


def memories(
    context: Context,
    namespace: str,
    *,
    status: str = "active",
    kind: str | None = None,
    after: int = 0,
    limit: int = 50,
) -> list[dict[str, Any]]:
    """Return memories in id order, those after id `after`; retired and quarantined ones when asked for."""
    if status not in lineage.STATES:
        raise InvalidInput(f"status: must be one of {', '.join(lineage.STATES)}", field="status")
    if kind is not None and kind not in list(MemoryKind):
        raise InvalidInput(f"kind: must be one of {', '.join(MemoryKind)}", field="kind")
    with context.database.read() as session:
        place = namespaces.find(session, intake.namespace(namespace))
        if place is None:
            return []
        found = lineage.page(session, place.id, status=status, kind=kind, after=after, limit=limit)
    return [asdict(row) for row in found]


def why(context: Context, namespace: str, memory_id: int) -> dict[str, Any]:
    """Return the lineage of one memory: its sources, what happened to it, what people said, when it was recalled.

    Raises NotFound.
    """
    with context.database.read() as session:
        place = place_of(session, namespace)
        found = lineage.one(session, place.id, memory_id) if 0 < memory_id < 2**63 else None
        if found is None:
            raise NotFound(f"memory {memory_id} is not in this namespace", field="memory_id")
        return {
            "memory": asdict(found),
            "sources": [asdict(row) for row in lineage.origins(session, memory_id)],
            "events": [asdict(row) for row in history.events(session, memory_id)],
            "decisions": [asdict(row) for row in history.decisions(session, [memory_id]).get(memory_id, [])],
            "retrievals": [asdict(row) for row in history.retrievals(session, memory_id)],
        }


def stats(context: Context, namespace: str | None = None) -> dict[str, Any]:
    """Return extraction figures: over all facts, by extractor revision and by category, and what a provider of
    extraction has cost and given. Raises NotFound.
    """
    with context.database.read() as session:
        place_id = None if namespace is None else place_of(session, namespace).id
        found = {by: [asdict(row) for row in lineage.tallies(session, by, place_id)] for by in lineage.BY}
        provider = asdict(usage.totals(session, place_id))
    overall = found["all"][0] if found["all"] else None
    return {
        "overall": overall,
        "by_revision": found["revision"],
        "by_category": found["category"],
        "provider": provider,
    }


def status(context: Context, namespace: str, episode_ids: list[int]) -> list[DerivationStatus]:
    """Return how current each derivation is with some episodes of a namespace. Raises NotFound naming one not there."""
    with context.database.read() as session:
        place = place_of(session, namespace)
        lost = missing(session, place, episode_ids)
        if lost:
            raise NotFound(f"episode {ascii(lost[0])[:30]} is not in this namespace", field="episode_id")
        return of_episodes(session, episode_ids)


def settled(found: list[DerivationStatus]) -> bool:
    """Whether nothing more is to be expected soon: every row is current, failed, or waits for a provider."""
    return all(row.pending == 0 or row.snoozed is not None for row in found)


def shown(row: DerivationStatus) -> dict[str, Any]:
    """Return how far a derivation is as plain values, with the reason when something failed or waits."""
    return {
        "state": row.state,
        "current": row.current,
        "pending": row.pending,
        "failed": row.failed,
        "reason": row.error or row.snoozed,
        "next_at": row.next_at.isoformat() if row.next_at else None,
    }
