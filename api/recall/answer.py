"""What recall gives back: the context to put into a prompt, the memories in it, and everything needed to doubt them.

`body()` is the answer as plain JSON values. Same store, same request, same `now`: the same body, byte for byte.
Timings stand outside it. An empty answer says which kind of empty it is: `store_empty`, a leg in `degraded`, rows
`withheld` by the floors, with the profile they were withheld under, or `abstained` with the reason. `attributed_to`
names a speaker whose words match the question better than those of the one it asks about.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from api.recall.evidence import Evidence
from api.recall.pack import Entry
from schema.kinds import Source
from workers.english.orders import gives_orders


@dataclass(frozen=True, slots=True)
class Answer:
    """One recall. `memories` are the admitted ones in prompt position; `timings` are milliseconds per stage."""

    context: str
    memories: tuple[Entry, ...]
    evidence: Evidence
    withheld: int
    timings: Mapping[str, float]

    @property
    def degraded(self) -> Mapping[str, str]:
        """Legs that could not answer, with the reason."""
        return self.evidence.degraded

    @property
    def store_empty(self) -> bool:
        return self.evidence.store_empty

    @property
    def floors(self) -> Mapping[str, float]:
        """The floors that were in force."""
        return self.evidence.floors

    def body(self) -> dict[str, Any]:
        """The answer without timings, as values that JSON knows."""
        return {
            "context": self.context,
            "memories": [_memory(entry) for entry in self.memories],
            "degraded": dict(self.degraded),
            "store_empty": self.store_empty,
            "floors": {**self.floors, "profile": self.evidence.profile},
            "withheld": self.withheld,
            "abstained": self.evidence.abstained,
            "attributed_to": self.evidence.attributed_to,
        }

    def explain(self) -> dict[str, Any]:
        """The evidence as values that JSON knows."""
        return asdict(self.evidence)


def _memory(entry: Entry) -> dict[str, Any]:
    candidate, wording = entry.ranked.candidate, entry.ranked.wording
    assert wording is not None  # noqa: S101 - what is admitted was read
    return {
        "id": candidate.id,
        "kind": candidate.kind,
        "text": wording.text,
        "speaker": candidate.speaker,
        "source": candidate.source,
        "session_id": candidate.session_id,
        "seq": candidate.seq,
        "occurred_at": candidate.occurred_at.isoformat(),
        "recorded_at": wording.recorded_at.isoformat(),
        "trust": candidate.trust,
        # Nobody is asked to do what a memory says; whoever reads it should see when somebody else's text tries.
        "instruction_like": candidate.source != Source.USER and gives_orders(wording.text),
        "confidence": candidate.confidence,
        "state": wording.state,
        "corroboration": wording.corroboration,
        "importance": wording.importance,
        "tier": wording.tier,
        "category": wording.category,
        "event": wording.event,
        "valid_from": wording.valid_from.isoformat() if wording.valid_from else None,
        "valid_to": wording.valid_to.isoformat() if wording.valid_to else None,
        "score": entry.ranked.score,
        "similarity": entry.ranked.raw.get("semantic"),
        "legs": list(entry.ranked.found),
        "rank": entry.ranked.rank,
        "position": entry.position,
        "sources": [asdict(span) for span in wording.sources],
        "stale": list(wording.stale),
    }
