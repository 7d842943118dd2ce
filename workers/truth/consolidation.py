"""Consolidation: the same fact said again is one memory with one source more.

Every fact is a fold over its living sources (`fold`, pure): its words, its quote and its event time come from the best
of them, its confidence and state from all of them and from what people decided. So nothing that is gone can speak
through a fact: when a source is edited, forgotten, quarantined or read otherwise, `refold` derives the fact
again from the others, retires it as stale when none is left, and never touches what a person decided.

Independent sources are episodes. What an assistant says counts only while nobody else has said it: it mostly repeats.

A person's word stands against every source it covers. A fact that was said to be wrong comes back only when a user
states it in an episode recorded since; one that was outdated, when any source says it holds later than that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from schema.db import WriteSession
from schema.ids import digest
from schema.kinds import Modality, Retirement, Source, Verdict
from schema.store import facts, history, memories, namespaces, stamps
from schema.store.episodes import EpisodeRow
from schema.store.facts import FactRow, Place, Stated
from schema.store.facts import Source as FactSource
from schema.store.history import DecisionRow
from workers.english.rating import rate_fact
from workers.truth.confidence import Evidence, confidence, state

HEDGED_WEIGHT = 0.5
"""A hedged repetition is worth half of a plain one."""

Trusts = Mapping[str, float]
"""Trust in [0, 1] by source."""


@dataclass(frozen=True, slots=True)
class Folded:
    """What a fact is by its sources: its columns (None where no source is left), and whether it may be recalled."""

    values: Mapping[str, Any] | None
    retired: str | None
    quarantined: bool


def fold(sources: Sequence[FactSource], decisions: Sequence[DecisionRow], trust: Trusts) -> Folded:
    """Return what a fact is. The order in which sources came decides nothing."""
    living = [source for source in sources if source.living]
    waiting = [source for source in sources if source.current and not source.withdrawn and source.quarantined]
    quarantined = not living and bool(waiting)
    living = living or waiting
    last = decisions[-1] if decisions else None
    since = _since(living, last)
    if last is None or last.verdict == Verdict.CONFIRM:
        retired = None if living else Retirement.STALE
    elif last.verdict == Verdict.WRONG:
        retired = None if since else Retirement.REJECTED
    else:
        retired = None if since else Retirement.OUTDATED
    if not living:
        return Folded(None, retired, False)
    rejected = last is not None and last.verdict == Verdict.WRONG
    values = _values(
        since or living,
        trust,
        confirmed=last is not None and last.verdict == Verdict.CONFIRM,
        rejected=rejected and not since,
        restated=rejected and bool(since),
    )
    return Folded(values, retired, quarantined)


def _since(living: Sequence[FactSource], last: DecisionRow | None) -> list[FactSource]:
    """Return the sources that a person's last word does not cover."""
    if last is None or last.verdict == Verdict.CONFIRM:
        return list(living)
    if last.verdict == Verdict.WRONG:
        return [one for one in living if one.source == Source.USER and one.recorded_at > last.recorded_at]
    return [one for one in living if one.occurred_at > last.recorded_at]


def _values(
    living: Sequence[FactSource], trust: Trusts, *, confirmed: bool, rejected: bool, restated: bool
) -> dict[str, Any]:
    best = max(living, key=lambda one: _rank(one, trust))
    said = best.said
    evidence = Evidence(
        prior=float(said["confidence"]),
        reinforcements=_reinforcements(living, best, trust),
        confirmed=confirmed,
        rejected=rejected,
        restated=restated,
    )
    starts = [moment for one in living if (moment := _moment(one.said["valid_from"])) is not None]
    tier, importance = rate_fact(said["predicate"], said["modality"], said["event"], said["importance"])
    return {
        "text": said["text"],
        "text_digest": digest(said["text"]),
        "speaker": best.speaker,
        "source": best.source,
        "session_id": best.session_id,
        "seq": best.seq,
        "start": best.start,
        "occurred_at": best.occurred_at,
        "trust": trust[best.source],
        "confidence": confidence(evidence),
        **{name: said[name] for name in ("subject", "predicate", "object", "polarity", "modality", "event")},
        "valid_from": min(starts, default=None),
        "valid_to": _moment(said["valid_to"]),
        "state": state(evidence).value,
        "corroboration": len(evidence.reinforcements) + 1,
        "importance": importance,
        "tier": tier,
    }


def _rank(one: FactSource, trust: Trusts) -> tuple[Any, ...]:
    """Plain before hedged, trusted before doubtful, later before earlier; the rest only makes it one and the same."""
    return (
        one.said["modality"] != Modality.HEDGED,
        trust[one.source],
        one.occurred_at,
        float(one.said["confidence"]),
        one.said["text"],
        one.source,
        one.speaker or "",
        one.session_id or "",
        -1 if one.seq is None else one.seq,
        one.episode_id,
        -one.start,
    )


def _reinforcements(living: Sequence[FactSource], best: FactSource, trust: Trusts) -> tuple[float, ...]:
    own = [one for one in living if one.source != Source.ASSISTANT] or [best]
    weights: dict[int, float] = {}
    for one in own:
        if one.episode_id != best.episode_id:
            weight = trust[one.source] * (HEDGED_WEIGHT if one.said["modality"] == Modality.HEDGED else 1.0)
            weights[one.episode_id] = max(weights.get(one.episode_id, 0.0), weight)
    return tuple(weights[episode_id] for episode_id in sorted(weights))


def _moment(value: str | None) -> datetime | None:
    return None if value is None else datetime.fromisoformat(value)


@dataclass(frozen=True, slots=True)
class FactsOf:
    """An episode, and the facts it states."""

    episode: EpisodeRow
    stated: Sequence[Stated]
    ungrounded: int = 0


@dataclass
class Consolidation:
    """Writes what episodes state into the facts of their scopes, in one transaction.

    `numbers` are reserved memory numbers a namespace, at least one for each fact that is not there yet; `index` the
    derivations of memories; `made_by` the extractor's fingerprint.
    """

    session: WriteSession
    index: Sequence[str]
    trust: Mapping[int, Trusts]
    numbers: Mapping[int, list[int]] = field(default_factory=dict)
    made_by: str = ""

    def __call__(self, items: Sequence[FactsOf], lanes: Mapping[int, int]) -> None:
        """Make these episodes state exactly what they state, and derive every fact they touch again."""
        items = self._undecided(items)
        before = facts.linked(self.session, [item.episode.id for item in items])
        wanted: dict[Place, list[tuple[EpisodeRow, Stated]]] = {}
        for item in items:
            for stated in item.stated:
                wanted.setdefault(facts.place(item.episode, stated.key), []).append((item.episode, stated))
        ids, made = self._ensure(wanted)
        touched = sorted(({memory for linked in before.values() for memory in linked} | set(ids.values())) - made)
        facts.lock(self.session, touched)
        known = facts.sources(self.session, touched)
        rows = [(ids[where], episode, stated) for where, said in wanted.items() for episode, stated in said]
        facts.link(self.session, rows, self.made_by)
        gone = self._withdraw([item.episode for item in items], rows, known)
        self._tell(rows, made, known, gone)
        lane_of = {ids[where]: min(lanes[episode.id] for episode, _ in said) for where, said in wanted.items()}
        namespace_of = {ids[where]: where[0] for where in wanted}
        quarantined = {
            memory_id for where, memory_id in ids.items() if all(episode.quarantined for episode, _ in wanted[where])
        }
        stamps.add(
            self.session,
            self.index,
            [(memory_id, namespace_of[memory_id], lane_of[memory_id]) for memory_id in sorted(made - quarantined)],
        )
        self.refold(touched, lane_of)

    def refold(self, ids: Sequence[int], lanes: Mapping[int, int] | None = None, reason: str | None = None) -> None:
        """Derive facts again from their living sources. Call with their stamps and rows locked (`facts.lock`)."""
        rows = facts.stored(self.session, ids)
        known = facts.sources(self.session, list(rows))
        decided = history.decisions(self.session, list(rows))
        changed: dict[int, Mapping[str, Any]] = {}
        due: list[FactRow] = []
        leaving: dict[str, list[int]] = {}
        hiding: list[int] = []
        back: list[int] = []
        for row in rows.values():
            now = fold(known[row.id], decided.get(row.id, ()), self.trust[row.namespace_id])
            if now.values is not None and now.values != row.values:
                changed[row.id] = now.values
            elif now.values is None and now.retired != Retirement.STALE and known[row.id]:
                # Decided on, and stated by nobody now: it keeps the words of a source that is not forgotten.
                last = _values(
                    known[row.id], self.trust[row.namespace_id], confirmed=False, rejected=False, restated=False
                )
                changed[row.id] = {**last, **{name: row.values[name] for name in ("state", "confidence")}}
            active = row.retired_reason is None and not row.quarantined
            if now.retired is not None:
                if row.retired_reason != now.retired:
                    leaving.setdefault(now.retired, []).append(row.id)
            elif now.quarantined:
                hiding += [] if row.quarantined and row.retired_reason is None else [row.id]
            elif not active:
                back.append(row.id)
                due.append(row)
            elif row.id in changed and changed[row.id]["text_digest"] != row.values["text_digest"]:
                due.append(row)
        facts.rewrite(self.session, changed)
        self._leave(leaving, hiding)
        facts.restore(self.session, back)
        history.record(self.session, "restored", [(rows[row].namespace_id, row, reason, None) for row in back])
        stamps.add(self.session, self.index, [(row.id, row.namespace_id, (lanes or {}).get(row.id, 0)) for row in due])

    def _leave(self, leaving: Mapping[str, list[int]], hiding: Sequence[int]) -> None:
        for why, ids in sorted(leaving.items()):
            facts.restore(self.session, ids)
            memories.retire(self.session, ids, why, self.index)
        if hiding:
            facts.restore(self.session, hiding)
            memories.unindex(self.session, hiding, self.index)
            facts.quarantine(self.session, hiding)

    def _undecided(self, items: Sequence[FactsOf]) -> list[FactsOf]:
        """Leave out what only says a rejected fact in other words: same quote, same subject and object."""
        rejected = facts.rejected(self.session, [item.episode.id for item in items])
        if not rejected:
            return list(items)
        kept = []
        for item in items:
            refused = rejected.get(item.episode.id, ())
            # Where a statement stands compares only inside one revision's words.
            here = [(key, other) for key, other in refused if other.revision == item.episode.revision]
            stated = [one for one in item.stated if not any(_same(one, key, other) for key, other in here)]
            kept.append(FactsOf(item.episode, stated, item.ungrounded))
        return kept

    def _ensure(self, wanted: Mapping[Place, Sequence[tuple[EpisodeRow, Stated]]]) -> tuple[dict[Place, int], set[int]]:
        """Return the ids of the facts at these places; those that are not there are made from their sources here."""
        found = facts.find(self.session, list(wanted))
        new = {}
        for where, said in wanted.items():
            if where in found:
                continue
            sources = [_source(episode, stated) for episode, stated in said]
            folded = fold(sources, (), self.trust[where[0]])
            new[where] = {
                **(folded.values or {}),
                "number": self._number(where[0]),
                "kind": "fact",
                "quarantined_at": said[0][0].recorded_at if folded.quarantined else None,
            }
        ids, made = facts.ensure(self.session, new)
        return found | ids, made

    def _number(self, namespace_id: int) -> int:
        """Return a reserved number; when a fact went since it was looked for, there is none for its successor."""
        left = self.numbers.get(namespace_id)
        return left.pop() if left else namespaces.reserve_numbers(self.session, namespace_id, 1)

    def _withdraw(
        self,
        episodes: Sequence[EpisodeRow],
        rows: Sequence[tuple[int, EpisodeRow, Stated]],
        known: Mapping[int, Sequence[FactSource]],
    ) -> list[FactSource]:
        """Withdraw what these episodes no longer state."""
        here = {episode.id for episode in episodes}
        states = {(memory_id, episode.id, episode.revision, stated.start) for memory_id, episode, stated in rows}
        gone = [
            source
            for sources in known.values()
            for source in sources
            if source.episode_id in here
            and not source.withdrawn
            and (source.memory_id, source.episode_id, source.revision, source.start) not in states
        ]
        facts.withdraw(self.session, [(one.memory_id, one.episode_id, one.revision, one.start) for one in gone])
        return gone

    def _tell(
        self,
        rows: Sequence[tuple[int, EpisodeRow, Stated]],
        made: set[int],
        known: Mapping[int, Sequence[FactSource]],
        gone: Sequence[FactSource],
    ) -> None:
        """Put into the history which sources came and went."""
        namespaces = {episode.id: episode.namespace_id for _, episode, _ in rows}
        before = {
            (source.memory_id, source.episode_id)
            for sources in known.values()
            for source in sources
            if not source.withdrawn
        }
        after = {(memory_id, episode.id) for memory_id, episode, _ in rows}
        first: set[int] = set()
        told: dict[str, list[tuple[int, int, str | None, int | None]]] = {"extracted": [], "corroborated": []}
        for memory_id, episode_id in sorted(after - before):
            kind = "extracted" if memory_id in made and memory_id not in first else "corroborated"
            first.add(memory_id)
            told[kind].append((namespaces[episode_id], memory_id, self.made_by, episode_id))
        for kind, lines in told.items():
            history.record(self.session, kind, lines)
        lost = sorted({(one.memory_id, one.episode_id) for one in gone} - after)
        stored = facts.stored(self.session, [memory_id for memory_id, _ in lost])
        history.record(
            self.session,
            "withdrawn",
            [(stored[memory_id].namespace_id, memory_id, self.made_by, episode_id) for memory_id, episode_id in lost],
        )


def _same(stated: Stated, key: bytes, other: FactSource) -> bool:
    """Whether a statement is another fact, and says in its place what a rejected one said there."""
    if stated.key == key or not (stated.start < other.stop and other.start < stated.stop):
        return False
    return all(_plain(stated.said[name]) == _plain(other.said[name]) for name in ("subject", "object", "polarity"))


def _plain(value: Any) -> str:
    return " ".join(str(value or "").casefold().split())


def _source(episode: EpisodeRow, stated: Stated) -> FactSource:
    return FactSource(
        memory_id=0,
        episode_id=episode.id,
        revision=episode.revision,
        start=stated.start,
        stop=stated.stop,
        said=stated.said,
        made_by=None,
        withdrawn=False,
        current=True,
        quarantined=episode.quarantined,
        speaker=episode.speaker,
        source=episode.source,
        session_id=episode.session_id,
        seq=episode.seq,
        occurred_at=episode.occurred_at,
        recorded_at=episode.recorded_at,
    )
