"""The small closed vocabularies of the store, stored by value."""

from __future__ import annotations

from enum import IntEnum, StrEnum


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
    """What a memory is; facts and images join passages as their derivations do."""

    PASSAGE = "passage"


class Retirement(StrEnum):
    """Why a memory is no longer recalled."""

    STALE = "stale"


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
