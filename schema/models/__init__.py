"""One table family a file. Importing this package makes `Base.metadata` complete."""

from schema.models.access import IdempotencyKey, Namespace, ProviderUsage, Tenant
from schema.models.audit import Rejection
from schema.models.base import Base
from schema.models.episode import Episode, EpisodeRevision, MemorySource
from schema.models.forgetting import Forgetting, Tombstone
from schema.models.history import Decision, MemoryEvent, RecallLog, Retrieval
from schema.models.index import Entity, Mention, PostingBlock, PostingSet, PostingStatistics, PostingTail, Triple
from schema.models.memory import Memory
from schema.models.rules import Breaker, Rule
from schema.models.stamps import Stamp
from schema.models.vector import Space, vectors_table

__all__ = [
    "Base",
    "Breaker",
    "Decision",
    "Entity",
    "Episode",
    "EpisodeRevision",
    "Forgetting",
    "IdempotencyKey",
    "Memory",
    "MemoryEvent",
    "MemorySource",
    "Mention",
    "Namespace",
    "PostingBlock",
    "PostingSet",
    "PostingStatistics",
    "PostingTail",
    "ProviderUsage",
    "RecallLog",
    "Rejection",
    "Retrieval",
    "Rule",
    "Space",
    "Stamp",
    "Tenant",
    "Tombstone",
    "Triple",
    "vectors_table",
]
