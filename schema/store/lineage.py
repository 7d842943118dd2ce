"""Everything the store knows of how one memory came about and what became of it, and lists of memories for people."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import text

from schema.db import ReadSession


@dataclass(frozen=True, slots=True)
class Listed:
    """A memory as a list shows it, active or not."""

    id: int
    kind: str
    text: str
    speaker: str | None
    source: str
    user_id: str | None
    agent_id: str | None
    session_id: str | None
    seq: int | None
    occurred_at: datetime
    recorded_at: datetime
    trust: float
    confidence: float
    state: str | None
    corroboration: int
    importance: float
    tier: str
    category: str | None
    subject: str | None
    predicate: str | None
    object: str | None
    polarity: str | None
    modality: str | None
    event: str | None
    valid_from: datetime | None
    valid_to: datetime | None
    quarantined_at: datetime | None
    retired_at: datetime | None
    retired_reason: str | None


_LISTED = ", ".join(f"m.{name}" for name in Listed.__dataclass_fields__)
STATES = ("active", "quarantined", "retired", "all")
_STATES = {
    "active": "m.retired_at IS NULL AND m.quarantined_at IS NULL",
    "quarantined": "m.retired_at IS NULL AND m.quarantined_at IS NOT NULL",
    "retired": "m.retired_at IS NOT NULL",
    "all": "true",
}


FORGOTTEN = """m.retired_reason = 'forgotten' OR EXISTS (SELECT 1 FROM memory_sources s JOIN episodes e
    ON e.id = s.episode_id WHERE s.memory_id = m.id AND e.forgotten_at IS NOT NULL)"""
"""A retired memory `m` that rests, or rested, on what is being forgotten: its words may be those that go."""


def page(
    session: ReadSession,
    namespace_id: int,
    *,
    status: str = "active",
    kind: str | None = None,
    after: int = 0,
    limit: int = 50,
) -> list[Listed]:
    """Return up to `limit` memories with ids above `after`, in id order. What is being forgotten is not listed."""
    rows = session.execute(
        text(f"""SELECT {_LISTED} FROM memories m WHERE m.namespace_id = :ns AND m.id > :after AND {_STATES[status]}
                   AND (CAST(:kind AS text) IS NULL OR m.kind = :kind)
                   AND (m.retired_at IS NULL OR NOT ({FORGOTTEN}))
                 ORDER BY m.id LIMIT :limit"""),  # noqa: S608 - constants by name
        {"ns": namespace_id, "after": after, "kind": kind, "limit": limit},
    )
    return [Listed(*row) for row in rows]


def one(session: ReadSession, namespace_id: int, memory_id: int) -> Listed | None:
    """Return one memory of a namespace, whatever became of it."""
    rows = page(session, namespace_id, status="all", after=memory_id - 1, limit=1)
    return rows[0] if rows and rows[0].id == memory_id else None


@dataclass(frozen=True, slots=True)
class Origin:
    """A source of a memory: where it stands, what it says there, and how it was read."""

    episode_id: int
    external_id: str | None
    revision: int
    current_revision: int
    start: int
    stop: int
    quote: str
    text: str | None
    made_by: str | None
    rules: int | None
    speaker: str | None
    source: str
    quarantined: bool
    occurred_at: datetime
    withdrawn_at: datetime | None


def origins(session: ReadSession, memory_id: int) -> list[Origin]:
    """Return the sources of a memory, oldest first; `rules` is the newest revision of the rules that read it so."""
    rows = session.execute(
        text("""SELECT s.episode_id, e.external_id, s.revision, e.revision, s.start, s.stop,
                  substr(r.content, s.start + 1, s.stop - s.start), s.said ->> 'text', s.made_by,
                  (SELECT max(u.revision) FROM rules u WHERE u.derivation = 'facts' AND u.fingerprint = s.made_by),
                  e.speaker, e.source, e.quarantined, e.occurred_at, s.withdrawn_at
                FROM memory_sources s JOIN episodes e ON e.id = s.episode_id AND e.forgotten_at IS NULL
                JOIN episode_revisions r ON r.episode_id = s.episode_id AND r.revision = s.revision
                WHERE s.memory_id = :id ORDER BY e.occurred_at, s.episode_id, s.revision, s.start"""),
        {"id": memory_id},
    )
    return [Origin(*row) for row in rows]


@dataclass(frozen=True, slots=True)
class Tally:
    """How well facts were extracted, of one revision, category or all: a share of what people let stand.

    `accuracy` = 1 - rejected / extracted; facts that are stale or outdated were right when they were extracted.
    """

    name: str
    extracted: int
    active: int
    confirmed: int
    rejected: int
    outdated: int
    stale: int
    accuracy: float | None


_TALLY = """
    SELECT {name}, count(DISTINCT m.id), count(DISTINCT m.id) FILTER (WHERE m.retired_at IS NULL),
      count(DISTINCT m.id) FILTER (WHERE EXISTS (SELECT 1 FROM decisions d WHERE d.memory_id = m.id
        AND d.verdict = 'confirm')),
      count(DISTINCT m.id) FILTER (WHERE m.retired_reason = 'rejected'),
      count(DISTINCT m.id) FILTER (WHERE m.retired_reason = 'outdated'),
      count(DISTINCT m.id) FILTER (WHERE m.retired_reason = 'stale')
    FROM memories m {join} WHERE m.kind = 'fact' AND (CAST(:ns AS bigint) IS NULL OR m.namespace_id = :ns)
      AND m.retired_reason IS DISTINCT FROM 'forgotten' GROUP BY 1 ORDER BY 1"""
_BY: dict[str, tuple[str, str]] = {
    "all": ("'all'", ""),
    "revision": (
        "coalesce((SELECT 'revision ' || max(u.revision) FROM rules u WHERE u.derivation = 'facts' "
        "AND u.fingerprint = s.made_by), s.made_by)",
        "JOIN memory_sources s ON s.memory_id = m.id AND s.made_by IS NOT NULL",
    ),
    "category": ("coalesce(m.category, 'none')", ""),
}


BY = tuple(_BY)


def tallies(session: ReadSession, by: str, namespace_id: int | None = None) -> list[Tally]:
    """Return extraction figures over all facts, by extractor revision, or by category."""
    name, join = _BY[by]
    rows: Any = session.execute(text(_TALLY.format(name=name, join=join)), {"ns": namespace_id})
    found = []
    for row in rows:
        whole: Any = (*row, round(1 - row[4] / row[1], 6) if row[1] else None)
        found.append(Tally(*whole))
    return found
