"""The words that store and derivations share: small closed vocabularies, stored by value, and plain values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import IntEnum, StrEnum

from schema.ids import fingerprint


class Source(StrEnum):
    """Who an episode comes from; decides the trust its memories start with."""

    USER = "user"
    ASSISTANT = "assistant"
    EXTERNAL = "external"
    SYSTEM = "system"


class EpisodeKind(StrEnum):
    """What an episode is."""

    UTTERANCE = "utterance"
    DOCUMENT = "document"


class MemoryKind(StrEnum):
    """What a memory is; images join as their derivation does."""

    PASSAGE = "passage"
    FACT = "fact"


class Polarity(StrEnum):
    """Whether a statement affirms or denies."""

    POSITIVE = "pos"
    NEGATIVE = "neg"


class Modality(StrEnum):
    """How a statement is meant: it holds, it may hold, it is still to come, it is over."""

    ASSERTED = "asserted"
    HEDGED = "hedged"
    PLANNED = "planned"
    PAST = "past"


class Retirement(StrEnum):
    """Why a memory is no longer recalled.

    `stale`: no living source yields it any more. `rejected`: a person said it is wrong, which counts against the
    extractor. `outdated`: a person said it no longer holds. `forgotten`: its source was forgotten or its time was up;
    the row itself follows soon.
    """

    STALE = "stale"
    REJECTED = "rejected"
    OUTDATED = "outdated"
    FORGOTTEN = "forgotten"


class Verdict(StrEnum):
    """What a person says of a memory."""

    CONFIRM = "confirm"
    WRONG = "wrong"
    OUTDATED = "outdated"


class Tier(StrEnum):
    """What kind of use a memory is: who somebody is, how they want things done, or the rest."""

    CORE = "core"
    STANDING = "standing"
    ORDINARY = "ordinary"


class SpaceState(StrEnum):
    """The life of a vector space. Vectors are kept current in `building`, `ready` and `active`."""

    PROPOSED = "proposed"
    BUILDING = "building"
    READY = "ready"
    ACTIVE = "active"
    RETIRED = "retired"


class Lane(IntEnum):
    """How soon a due row is wanted: just written, or bulk (imports, repairs, changed rules)."""

    FRESH = 0
    BULK = 1


TRUST: dict[str, float] = {Source.USER: 1.0, Source.ASSISTANT: 0.7, Source.EXTERNAL: 0.5, Source.SYSTEM: 0.3}
"""Trust in [0, 1] that a memory starts with, by the source of its episode."""


@dataclass(frozen=True, slots=True)
class SpaceSpec:
    """Everything that decides coordinates. Library versions do not belong here; weights do, by their digest."""

    model: str
    weights: str
    dimension: int
    pooling: str
    normalised: bool
    window: int
    query_prompt: str
    document_prompt: str
    template: str

    @property
    def fingerprint(self) -> str:
        """Return the name of the space; vectors are compared only inside one."""
        return fingerprint([f"{key}={value!r}" for key, value in sorted(asdict(self).items())])


@dataclass(frozen=True, slots=True)
class Named:
    """An entity as found in a text: normalised key, the key's digest in the packed index, a name to show, its kind."""

    key: str
    posting_key: int
    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory as ranking reads it: everything but its words. Times are aware; `digest` is that of what it says.

    `cosine` is its likeness to the question, None without a vector on either side. `before` and `after` are the ids of
    the passages around it in its session, nearest first, where they were read; `before` of a fact begins with the
    passage that it stands in.
    """

    id: int
    number: int
    kind: str
    speaker: str | None
    source: str
    session_id: str | None
    seq: int | None
    occurred_at: datetime
    trust: float
    confidence: float
    digest: bytes
    before: Sequence[int] = ()
    after: Sequence[int] = ()
    cosine: float | None = None
