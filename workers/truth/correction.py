"""Correction: what people say of memories, and other words for what was told. Nothing derived is written by hand.

A verdict is kept beside the memory and no sweep undoes it. A correction is an episode of its own, trusted like its
user's words, from which new memories come; the memory it corrects is retired, and the episodes that yielded it are read
again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from schema.db import WriteSession
from schema.derivations import OF_EPISODES
from schema.errors import InvalidInput, NotFound
from schema.kinds import Lane, MemoryKind, Retirement, Verdict
from schema.store import corrections, episodes, facts, history, indexes, memories, namespaces, revisions, stamps, trust
from schema.store.corrections import Judged
from schema.store.episodes import NewEpisode
from workers.truth.acceptance import accept, echoes_of
from workers.truth.consolidation import Consolidation

_REASONS = {Verdict.WRONG: Retirement.REJECTED, Verdict.OUTDATED: Retirement.OUTDATED}


@dataclass(frozen=True, slots=True)
class Judgement:
    """What became of a verdict: the memory's state after it, and the episode that says it right, if one was given."""

    memory_id: int
    verdict: str
    state: str | None
    retired: str | None
    confidence: float
    correction_id: int | None


def judge(
    session: WriteSession, namespace_id: int, memory_id: int, verdict: Verdict, correction: str | None, now: datetime
) -> Judgement:
    """Record a verdict on a memory and act on it. Raises NotFound, InvalidInput."""
    found = corrections.find(session, namespace_id, memory_id)
    if found is None:
        raise NotFound(f"memory {memory_id} is not in this namespace", field="memory_id")
    if correction is not None and verdict == Verdict.CONFIRM:
        raise InvalidInput("correction: goes with wrong or outdated; what is confirmed needs none", field="correction")
    correction_id = None if correction is None else _correct(session, namespace_id, found, correction, now)
    # Lock order: episodes, their stamps, the memory's stamps, the memory.
    told = corrections.episodes_of(session, memory_id)
    episodes.lock(session, told)
    if verdict != Verdict.CONFIRM or found.kind == MemoryKind.PASSAGE:
        for derivation in OF_EPISODES:
            stamps.make_due(session, derivation, told, Lane.FRESH)
    facts.lock(session, [memory_id])
    if corrections.find(session, namespace_id, memory_id) is None:
        raise NotFound(f"memory {memory_id} was forgotten meanwhile", field="memory_id")
    history.decide(session, namespace_id, memory_id, verdict, correction_id)
    index = indexes.of_memories(session)
    if found.kind == MemoryKind.FACT:
        Consolidation(session, index, trust.levels(session, [namespace_id])).refold([memory_id])
    elif verdict == Verdict.CONFIRM:
        corrections.reinstate(session, memory_id)
    elif found.retired is None:
        memories.retire(session, [memory_id], _REASONS[verdict], index)
    after = corrections.find(session, namespace_id, memory_id)
    assert after is not None  # noqa: S101 - it was there above, and is locked
    return Judgement(memory_id, verdict.value, after.state, after.retired, after.confidence, correction_id)


def _correct(session: WriteSession, namespace_id: int, found: Judged, correction: str, now: datetime) -> int:
    """Take the right words in as an episode of the memory's own scope and session."""
    item = NewEpisode(
        content=correction,
        occurred_at=now,
        speaker=found.speaker,
        session_id=found.session_id,
        user_id=found.user_id,
        agent_id=found.agent_id,
        metadata={"corrects": found.id},
    )
    (accepted,) = accept(session, namespace_id, [item], now, deliberate=True)
    assert accepted.id is not None  # noqa: S101 - it has no external id that could have been forgotten
    return accepted.id


def edit(session: WriteSession, namespace_id: int, episode_id: int, content: str) -> int:
    """Give an episode new words; return the number of its revision. Raises NotFound.

    What rested only on the old words is retired as stale when the new ones are derived, all of it together.
    """
    door = namespaces.keyed(session, namespace_id)
    before = episodes.get(session, namespace_id, episode_id)
    echoes = echoes_of(session, namespace_id, door.hash_key, content, before)
    revision = revisions.revise(session, namespace_id, episode_id, content, echoes)
    if revision is None:
        raise NotFound(f"episode {episode_id} is not in this namespace", field="episode_id")
    return revision


def release(session: WriteSession, namespace_id: int, *, source: str | None, ids: Sequence[int] | None) -> int:
    """Let episodes of a source, or these, be recalled; return how many waited. Their memories are due."""
    return revisions.hold(session, namespace_id, False, source=source, ids=ids)


def set_trust(session: WriteSession, namespace_id: int, levels: Mapping[str, float]) -> None:
    """Set the trust of some sources of a namespace; what their episodes yielded is due."""
    trust.set_levels(session, namespace_id, levels)
    revisions.due(session, namespace_id, list(levels))


def quarantine(session: WriteSession, namespace_id: int, sources: Sequence[str]) -> int:
    """Make exactly these sources of a namespace wait, what they told before included; return how many episodes changed.

    A source that is no longer among them is released.
    """
    namespaces.lock(session, namespace_id)
    before = namespaces.keyed(session, namespace_id).quarantine
    trust.set_quarantine(session, namespace_id, sources)
    changed = 0
    for source in sorted(set(sources) ^ set(before)):
        changed += revisions.hold(session, namespace_id, source in sources, source=source)
    return changed
