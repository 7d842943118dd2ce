"""One table family a file. Importing this package makes `Base.metadata` complete."""

from schema.models.access import IdempotencyKey, Namespace, Tenant
from schema.models.audit import Rejection
from schema.models.base import Base
from schema.models.episode import Episode, EpisodeRevision, MemorySource
from schema.models.index import Entity, Mention, PostingBlock, PostingSet, PostingStatistics, PostingTail
from schema.models.memory import Memory
from schema.models.rules import Breaker, Rule
from schema.models.stamps import Stamp
from schema.models.vector import Space, vectors_table

__all__ = [
    "Base",
    "Breaker",
    "Entity",
    "Episode",
    "EpisodeRevision",
    "IdempotencyKey",
    "Memory",
    "MemorySource",
    "Mention",
    "Namespace",
    "PostingBlock",
    "PostingSet",
    "PostingStatistics",
    "PostingTail",
    "Rejection",
    "Rule",
    "Space",
    "Stamp",
    "Tenant",
    "vectors_table",
]
