"""Eleventh stage: what was considered, not only what was used. Plain values, no query text, to be shown or stored.

Every candidate appears once, best first: what each leg saw in it, what that added, where it ended and why it is not
in the prompt. `considered = admitted + rejected` always counts all of them; the list itself shows at most
`reject_window` rejected ones. `complete` says whether the list is everything there was to consider: when it is False
the admitted set is still exact unless a leg is named in `cut`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any

from api.recall.candidate import Ranked, SourceSpan
from api.recall.floors import Floored
from api.recall.gate import Gated
from api.recall.legs import Legs
from api.recall.pack import Entry, Packed
from api.recall.plan import Plan
from api.recall.settings import RecallSettings
from api.recall.strategies import Strategy

BELOW_FLOOR = "below-floor"


@dataclass(frozen=True, slots=True)
class CandidateEvidence:
    """One candidate. `rank` is 1-based by score, None below the floors; `position` 0-based in the prompt, None
    outside. `found`: the legs that brought it; a neighbour was brought by none. The score is the sum of the parts times
    all factors, plus the lift.
    """

    id: int
    found: tuple[str, ...]
    raw: Mapping[str, float]
    part: Mapping[str, float]
    factors: Mapping[str, float]
    lift: float
    score: float
    rank: int | None
    admitted: bool
    reason: str | None
    position: int | None
    fragment: str | None
    sources: tuple[SourceSpan, ...]
    stale: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Evidence:
    """One retrieval with its candidates. `cut` names legs whose head ended inside a tie too long to keep."""

    namespace: str
    query_hash: str
    space: str | None
    dimensions: int | None
    terms: int
    entities: int
    speakers: int
    anchors: tuple[Mapping[str, Any], ...]
    strategy: str
    k: int
    threshold: float
    weights: Mapping[str, float]
    fusion: str
    selection_order: str
    budgets: Mapping[str, int]
    spent: Mapping[str, int]
    floors: Mapping[str, float]
    profile: str
    dropped: Mapping[str, int]
    abstained: str | None
    attributed_to: str | None
    margin: float | None
    found: Mapping[str, int]
    degraded: Mapping[str, str]
    cut: tuple[str, ...]
    considered: int
    admitted: int
    rejected: int
    complete: bool
    store_empty: bool
    candidates: tuple[CandidateEvidence, ...]

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def gather_evidence(
    plan: Plan,
    settings: RecallSettings,
    strategy: Strategy,
    legs: Legs,
    floored: Floored,
    gated: Gated,
    packed: Packed,
) -> Evidence:
    """The evidence of one answer."""
    admitted = len(packed.entries)
    considered = len(packed.ranked)
    listed = _listed(packed, strategy.reject_window)
    cut = tuple(leg.name for leg in legs.results if not leg.complete)
    return Evidence(
        namespace=plan.namespace,
        query_hash=plan.query_hash,
        space=plan.space,
        dimensions=None if plan.vector is None else len(plan.vector),
        terms=len(plan.terms),
        entities=len(plan.entities),
        speakers=len(plan.speakers),
        anchors=tuple(
            {"middle": anchor.middle.isoformat(), "tolerance_days": anchor.tolerance / timedelta(days=1)}
            for anchor in plan.anchors
        ),
        strategy=strategy.name,
        k=strategy.k,
        threshold=strategy.threshold,
        weights=settings.weights,
        fusion=settings.fusion,
        selection_order=settings.prompt_order,
        budgets={name: getattr(settings, name) for name in ("max_entries", "max_chars", "max_tokens")},
        spent=asdict(packed.spent),
        floors=asdict(floored.floors),
        profile=floored.profile,
        dropped=floored.dropped,
        abstained=gated.abstained,
        attributed_to=gated.attributed_to,
        margin=gated.margin,
        found={leg.name: len(leg.hits) for leg in legs.results},
        degraded=legs.degraded,
        cut=cut,
        considered=considered,
        admitted=admitted,
        rejected=considered - admitted,
        complete=len(listed) == considered and not cut,
        store_empty=store_empty(legs),
        candidates=listed,
    )


def store_empty(legs: Legs) -> bool:
    """Whether the namespace holds nothing at all, which usually means it was written elsewhere. False when not
    known.
    """
    return legs.rows == 0 and not any(leg.hits for leg in legs.results)


def _listed(packed: Packed, window: int) -> tuple[CandidateEvidence, ...]:
    entries = {entry.ranked.candidate.id: entry for entry in packed.entries}
    listed: list[CandidateEvidence] = []
    for item in packed.ranked:
        if item.reason is not None and window <= 0:
            continue
        window -= item.reason is not None
        listed.append(_candidate(item, entries.get(item.candidate.id)))
    return tuple(listed)


def _candidate(item: Ranked, entry: Entry | None) -> CandidateEvidence:
    return CandidateEvidence(
        id=item.candidate.id,
        found=item.found,
        raw=dict(item.raw),
        part=dict(item.part),
        factors=dict(item.factors),
        lift=item.lift,
        score=item.score,
        rank=item.rank,
        admitted=entry is not None,
        reason=item.reason,
        position=None if entry is None else entry.position,
        fragment=None if entry is None else entry.fragment,
        sources=item.wording.sources if item.wording is not None else (),
        stale=item.wording.stale if item.wording is not None else (),
    )
