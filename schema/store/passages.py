"""Writing the passages of episodes: set-based, touching only what differs.

A passage that comes out equal keeps its id, one that no longer comes out is retired with its index rows, a new one is
inserted with its stamps. A passage belongs to exactly one revision of one episode.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, insert, select, text, update

from schema.db import ReadSession, WriteSession
from schema.derivations import MEMORIES
from schema.ids import digest
from schema.kinds import MemoryKind, Retirement, Tier
from schema.models import Memory, MemorySource
from schema.store import history, memories, stamps
from schema.store.episodes import EpisodeRow
from schema.store.memories import embedded_text


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage as its derivation produced it: its words, and the span of the episode (in characters) they are."""

    text: str
    start: int
    stop: int
    tier: str = Tier.ORDINARY
    importance: float = 0.5


@dataclass(frozen=True, slots=True)
class Wanted:
    """An episode, and the passages it should have."""

    episode: EpisodeRow
    passages: Sequence[Passage]

    def keyed(self) -> dict[bytes, Passage]:
        """Name each passage by what it says, in which revision, and which repetition it is."""
        keys: dict[bytes, Passage] = {}
        for passage in self.passages:
            repetition = 0
            key = self._key(passage, repetition)
            while key in keys:
                repetition += 1
                key = self._key(passage, repetition)
            keys[key] = passage
        return keys

    def _key(self, passage: Passage, repetition: int) -> bytes:
        return digest("passage", self.episode.id, self.episode.revision, passage.text, repetition)


@dataclass(frozen=True, slots=True)
class Kept:
    """A passage that is there already."""

    id: int
    retired: bool
    refused: bool
    quarantined: bool
    rating: tuple[float, str, float]
    text: str


def existing(session: ReadSession, episode_ids: Sequence[int]) -> dict[int, dict[bytes, Kept]]:
    """Return the passages of each episode by key, those of its earlier revisions included."""
    rows = session.execute(
        select(
            MemorySource.episode_id,
            Memory.key,
            Memory.id,
            Memory.retired_at.is_not(None),
            Memory.retired_reason.in_([Retirement.REJECTED, Retirement.OUTDATED]),
            Memory.quarantined_at.is_not(None),
            Memory.trust,
            Memory.tier,
            Memory.importance,
            Memory.text,
        )
        .join(Memory, Memory.id == MemorySource.memory_id)
        .where(MemorySource.episode_id.in_(episode_ids), Memory.kind == MemoryKind.PASSAGE)
    )
    found: dict[int, dict[bytes, Kept]] = {episode_id: {} for episode_id in episode_ids}
    for row in rows:
        found[row[0]][row[1]] = Kept(row[2], row[3], bool(row[4]), row[5], (row[6], row[7], row[8]), row[9])
    return found


@dataclass
class _Changes:
    """What has to happen to make the store hold what is wanted."""

    gone: list[int]
    hidden: list[int]
    back: list[tuple[int, int, int]]
    rated: dict[int, tuple[float, str, float]]
    values: list[dict[str, Any]]
    spans: list[tuple[int, int, int, int]]


def replace(
    session: WriteSession,
    wanted: Sequence[Wanted],
    numbers: Mapping[int, list[int]],
    trust: Mapping[int, Mapping[str, float]],
    derivations: Sequence[str],
) -> None:
    """Make the passages of these episodes exactly the wanted ones.

    `numbers` holds reserved memory numbers a namespace, at least one for each new passage; `trust` is by namespace and
    source; `derivations` are the stamps a new passage starts with. Passages of a quarantined episode are quarantined.
    """
    before = existing(session, [item.episode.id for item in wanted])
    lanes = lanes_of(session, MEMORIES, [item.episode.id for item in wanted])
    changes = _Changes([], [], [], {}, [], [])
    for item in wanted:
        _compare(item, before[item.episode.id], numbers, trust[item.episode.namespace_id], lanes, changes)
    memories.retire(session, changes.gone, Retirement.STALE, derivations)
    memories.unindex(session, changes.hidden, derivations)
    if changes.hidden:
        session.execute(update(Memory).where(Memory.id.in_(changes.hidden)).values(quarantined_at=func.now()))
    _bring_back(session, changes.back, derivations)
    for memory_id, (level, tier, importance) in sorted(changes.rated.items()):
        rating = {"trust": level, "tier": tier, "importance": importance}
        session.execute(update(Memory).where(Memory.id == memory_id).values(**rating))
    _insert(session, changes, lanes, derivations)


def _compare(
    item: Wanted,
    old: Mapping[bytes, Kept],
    numbers: Mapping[int, list[int]],
    trust: Mapping[str, float],
    lanes: Mapping[int, int],
    changes: _Changes,
) -> None:
    episode = item.episode
    keyed = item.keyed()
    changes.gone += [kept.id for key, kept in old.items() if not kept.retired and key not in keyed]
    refused = {kept.text for kept in old.values() if kept.refused}
    for key, passage in keyed.items():
        kept = old.get(key)
        if kept is None and passage.text in refused:
            # The same words in another revision of the episode that a person rejected them in.
            continue
        rating = (trust[episode.source], passage.tier, passage.importance)
        if kept is None:
            changes.values.append(_values(episode, key, passage, numbers, rating))
            changes.spans.append((episode.id, episode.revision, passage.start, passage.stop))
            continue
        if rating != kept.rating:
            changes.rated[kept.id] = rating
        if episode.quarantined:
            changes.hidden += [] if kept.quarantined else [kept.id]
        elif kept.retired or kept.quarantined:
            changes.back.append((kept.id, episode.namespace_id, lanes[episode.id]))


def _values(
    episode: EpisodeRow,
    key: bytes,
    passage: Passage,
    numbers: Mapping[int, list[int]],
    rating: tuple[float, str, float],
) -> dict[str, Any]:
    return {
        "namespace_id": episode.namespace_id,
        "number": numbers[episode.namespace_id].pop(),
        "user_id": episode.user_id,
        "agent_id": episode.agent_id,
        "key": key,
        "kind": MemoryKind.PASSAGE,
        "text": passage.text,
        "text_digest": digest(embedded_text(passage.text, episode.speaker)),
        "speaker": episode.speaker,
        "source": episode.source,
        "session_id": episode.session_id,
        "seq": episode.seq,
        "start": passage.start,
        "occurred_at": episode.occurred_at,
        "trust": rating[0],
        "tier": rating[1],
        "importance": rating[2],
        "confidence": 1.0,
        "quarantined_at": episode.recorded_at if episode.quarantined else None,
    }


def lanes_of(session: ReadSession, derivation: str, episode_ids: Sequence[int]) -> dict[int, int]:
    """Return the lane an episode's own stamp is in: what is made from it is as urgent as it was."""
    rows = session.execute(
        text("SELECT row_id, lane FROM stamps WHERE derivation = :d AND row_id = ANY(:ids)"),
        {"d": derivation, "ids": list(episode_ids)},
    )
    return {row[0]: row[1] for row in rows}


def _insert(session: WriteSession, changes: _Changes, lanes: Mapping[int, int], derivations: Sequence[str]) -> None:
    if not changes.values:
        return
    ids = session.execute(insert(Memory).returning(Memory.id, sort_by_parameter_order=True), changes.values)
    made = list(ids.scalars())
    session.execute(
        insert(MemorySource),
        [
            {"memory_id": memory_id, "episode_id": span[0], "revision": span[1], "start": span[2], "end": span[3]}
            for memory_id, span in zip(made, changes.spans, strict=True)
        ],
    )
    rows = [
        (memory_id, value["namespace_id"], lanes[span[0]])
        for memory_id, value, span in zip(made, changes.values, changes.spans, strict=True)
        if value["quarantined_at"] is None
    ]
    stamps.add(session, derivations, rows)


def _bring_back(session: WriteSession, rows: Sequence[tuple[int, int, int]], derivations: Sequence[str]) -> None:
    """Take back what stale rules had retired or a released episode had kept waiting; what people retired stays."""
    if not rows:
        return
    found = session.execute(
        update(Memory)
        .where(
            Memory.id.in_([row[0] for row in rows]),
            func.coalesce(Memory.retired_reason, Retirement.STALE) == Retirement.STALE,
        )
        .values(retired_at=None, retired_reason=None, quarantined_at=None)
        .returning(Memory.id, Memory.namespace_id)
    )
    back = {row[0]: row[1] for row in found}
    history.record(session, "restored", [(back[row[0]], row[0], None, None) for row in rows if row[0] in back])
    stamps.add(session, derivations, [row for row in rows if row[0] in back])
