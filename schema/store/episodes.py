"""Episodes: taking them in, reading them back. Their words are written once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Any

from sqlalchemy import func, insert, select, text, tuple_
from sqlalchemy.dialects.postgresql import insert as upsert

from schema.db import ReadSession, WriteSession
from schema.derivations import FACTS, OF_EPISODES
from schema.ids import digest
from schema.kinds import Lane
from schema.models import Episode, EpisodeRevision
from schema.store import sessions, stamps


@dataclass(frozen=True, slots=True)
class NewEpisode:
    """What an application tells. `occurred_at` is aware; its offset is kept beside the moment."""

    content: str
    occurred_at: datetime
    source: str = "user"
    kind: str = "utterance"
    speaker: str | None = None
    session_id: str | None = None
    user_id: str | None = None
    agent_id: str | None = None
    seq: int | None = None
    external_id: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    lane: int = Lane.FRESH
    expires_at: datetime | None = None
    quarantined: bool = False
    echoes: Sequence[tuple[int, int]] = ()


@dataclass(frozen=True, slots=True)
class Accepted:
    """What became of one of them: new, the same as one already here, at odds with one already here, or forgotten before
    (then it has no id).
    """

    id: int | None
    status: str
    external_id: str | None


@dataclass(frozen=True, slots=True)
class EpisodeRow:
    """An episode in its current revision."""

    id: int
    namespace_id: int
    user_id: str | None
    agent_id: str | None
    session_id: str | None
    seq: int | None
    external_id: str | None
    kind: str
    source: str
    speaker: str | None
    occurred_at: datetime
    utc_offset: int
    future: bool
    metadata: dict[str, Any]
    revision: int
    recorded_at: datetime
    content: str
    quarantined: bool = False
    echoes: tuple[tuple[int, int], ...] = ()
    expires_at: datetime | None = None

    @property
    def local_time(self) -> datetime:
        """The event time in the offset it was told with: it decides which day "yesterday" is."""
        return self.occurred_at.astimezone(timezone(timedelta(minutes=self.utc_offset)))


def insert_many(session: WriteSession, namespace_id: int, items: Sequence[NewEpisode], now: datetime) -> list[Accepted]:
    """Insert episodes with their stamps, all in one go. An external id already here adds nothing.

    Two items of one call that share an external id count as the first and its repetition.
    """
    names = [item.external_id or index for index, item in enumerate(items)]
    if sum(isinstance(name, str) for name in names) > 1:
        # Two batches that share external ids in another order would wait for each other's rows for ever.
        session.execute(text("SELECT pg_advisory_xact_lock(hashtextextended('episodes', :n))"), {"n": namespace_id})
    known = _known(session, namespace_id, names)
    fresh: dict[str | int, tuple[NewEpisode, int | None]] = {}
    for name, item, seq in zip(names, items, _assign_seq(session, namespace_id, items), strict=True):
        if name not in known:
            fresh.setdefault(name, (item, seq))
    made = dict(zip(fresh, _insert(session, namespace_id, list(fresh.values()), now), strict=True))
    # A rival transaction may have committed the same external ids between our look and our insert.
    known |= _known(session, namespace_id, [name for name, made_id in made.items() if made_id is None])
    known |= {name: (row_id, digest(fresh[name][0].content)) for name, row_id in made.items() if row_id is not None}
    answers = []
    for name, item in zip(names, items, strict=True):
        row_id, content_digest = known[name]
        if made.get(name) is not None and fresh[name][0] is item:
            status = "accepted"
        else:
            status = "duplicate" if content_digest == digest(item.content) else "conflict"
        answers.append(Accepted(row_id, status, item.external_id))
    return answers


def _known(session: ReadSession, namespace_id: int, names: Sequence[str | int]) -> dict[str | int, tuple[int, bytes]]:
    external_ids = {name for name in names if isinstance(name, str)}
    if not external_ids:
        return {}
    rows = session.execute(
        select(Episode.external_id, Episode.id, EpisodeRevision.content_digest)
        .join(
            EpisodeRevision,
            (EpisodeRevision.episode_id == Episode.id) & (EpisodeRevision.revision == Episode.revision),
        )
        .where(Episode.namespace_id == namespace_id, Episode.external_id.in_(external_ids))
    )
    return {str(row.external_id): (row.id, row.content_digest) for row in rows}


def _assign_seq(session: WriteSession, namespace_id: int, items: Sequence[NewEpisode]) -> list[int | None]:
    """Number the turns that came without one, behind what their session holds, under a lock a session."""
    wanting = sorted({item.session_id for item in items if item.session_id is not None and item.seq is None})
    last: dict[str, int] = {}
    for session_id in wanting:
        session.execute(
            text("SELECT pg_advisory_xact_lock(hashtextextended(:s, :n))"), {"s": session_id, "n": namespace_id}
        )
    if wanting:
        rows = session.execute(
            select(Episode.session_id, func.max(Episode.seq))
            .where(Episode.namespace_id == namespace_id, Episode.session_id.in_(wanting))
            .group_by(Episode.session_id)
        )
        last = {str(row[0]): row[1] or 0 for row in rows}
    numbers: list[int | None] = []
    for item in items:
        if item.session_id is None:
            numbers.append(item.seq)
            continue
        number = item.seq if item.seq is not None else last.get(item.session_id, 0) + 1
        last[item.session_id] = max(last.get(item.session_id, 0), number)
        numbers.append(number)
    return numbers


def _insert(
    session: WriteSession, namespace_id: int, items: Sequence[tuple[NewEpisode, int | None]], now: datetime
) -> list[int | None]:
    if not items:
        return []
    values = [
        {
            "namespace_id": namespace_id,
            "user_id": item.user_id,
            "agent_id": item.agent_id,
            "session_id": item.session_id,
            "seq": seq,
            "external_id": item.external_id,
            "kind": item.kind,
            "source": item.source,
            "speaker": item.speaker,
            "occurred_at": item.occurred_at,
            "utc_offset": int((item.occurred_at.utcoffset() or now - now).total_seconds() // 60),
            "future": item.occurred_at > now,
            "metadata_": item.metadata,
            "quarantined": item.quarantined,
            "expires_at": item.expires_at,
        }
        for item, seq in items
    ]
    ids: list[int | None]
    if all(item.external_id is None for item, _ in items):
        ids = list(
            session.execute(insert(Episode).returning(Episode.id, sort_by_parameter_order=True), values).scalars()
        )
    else:
        statement = (
            upsert(Episode)
            .on_conflict_do_nothing(
                index_elements=["namespace_id", "external_id"], index_where=text("external_id IS NOT NULL")
            )
            .returning(Episode.id)
        )
        ids = _bulk_upsert(session, statement, values)
    made = [(row_id, item) for row_id, (item, _) in zip(ids, items, strict=True) if row_id is not None]
    if made:
        session.execute(
            insert(EpisodeRevision),
            [
                {
                    "episode_id": row_id,
                    "revision": 1,
                    "content": item.content,
                    "content_digest": digest(item.content),
                    "echoes": [list(span) for span in item.echoes],
                }
                for row_id, item in made
            ],
        )
        stamps.add(session, OF_EPISODES, [(row_id, namespace_id, item.lane) for row_id, item in made])
        # A turn that arrives late was not there when its followers were read with what came before them.
        earlier = [(item.session_id, seq) for item, seq in items if item.session_id is not None and seq is not None]
        new = {row_id for row_id, _ in made}
        after = [row_id for row_id in sessions.followers(session, namespace_id, earlier) if row_id not in new]
        stamps.make_due(session, FACTS, after)
    return ids


def _bulk_upsert(session: WriteSession, statement: Any, values: list[dict[str, Any]]) -> list[int | None]:
    """Insert in one statement and tell by external id which rows made it."""
    named = [value for value in values if value["external_id"] is not None]
    bare = [value for value in values if value["external_id"] is None]
    found: dict[str, int] = {}
    if named:
        rows = session.execute(statement.returning(Episode.external_id), named)
        found = {row[1]: row[0] for row in rows}
    nameless = iter(
        session.execute(insert(Episode).returning(Episode.id, sort_by_parameter_order=True), bare).scalars().all()
        if bare
        else ()
    )
    return [found.get(value["external_id"]) if value["external_id"] is not None else next(nameless) for value in values]


_COLUMNS: tuple[Any, ...] = (
    Episode.id,
    Episode.namespace_id,
    Episode.user_id,
    Episode.agent_id,
    Episode.session_id,
    Episode.seq,
    Episode.external_id,
    Episode.kind,
    Episode.source,
    Episode.speaker,
    Episode.occurred_at,
    Episode.utc_offset,
    Episode.future,
    Episode.metadata_,
    Episode.revision,
    Episode.recorded_at,
    EpisodeRevision.content,
    Episode.quarantined,
    EpisodeRevision.echoes,
    Episode.expires_at,
)
CURRENT = (EpisodeRevision.episode_id == Episode.id) & (EpisodeRevision.revision == Episode.revision)


def load(session: ReadSession, ids: Sequence[int]) -> list[EpisodeRow]:
    """Return living episodes by id, in id order."""
    rows = session.execute(
        select(*_COLUMNS)
        .join(EpisodeRevision, CURRENT)
        .where(Episode.id.in_(ids), Episode.forgotten_at.is_(None))
        .order_by(Episode.id)
    )
    return [_row(row) for row in rows]


def _row(values: Any) -> EpisodeRow:
    *head, echoes, expires_at = values
    whole: Any = (*head, tuple((span[0], span[1]) for span in echoes), expires_at)
    return EpisodeRow(*whole)


def get(session: ReadSession, namespace_id: int, episode_id: int) -> EpisodeRow | None:
    """Return one living episode of a namespace."""
    found = [row for row in load(session, [episode_id]) if row.namespace_id == namespace_id]
    return found[0] if found else None


def page(
    session: ReadSession, namespace_id: int, *, after: int = 0, limit: int = 50, session_id: str | None = None
) -> list[EpisodeRow]:
    """Return up to `limit` living episodes of a namespace with ids above `after`, in id order."""
    query = (
        select(*_COLUMNS)
        .join(EpisodeRevision, CURRENT)
        .where(
            tuple_(Episode.namespace_id, Episode.id) > (namespace_id, after),
            Episode.namespace_id == namespace_id,
            Episode.forgotten_at.is_(None),
        )
        .order_by(Episode.id)
        .limit(limit)
    )
    if session_id is not None:
        query = query.where(Episode.session_id == session_id)
    return [_row(row) for row in session.execute(query)]


def lock(session: WriteSession, ids: Sequence[int]) -> None:
    """Hold episodes against deletion until the transaction ends, ascending: first in the lock order."""
    session.execute(
        select(Episode.id).where(Episode.id.in_(ids)).order_by(Episode.id).with_for_update(read=True, key_share=True)
    )


def living(session: ReadSession, namespace_id: int, ids: Sequence[int]) -> list[int]:
    """Return those of some ids that are episodes of a namespace and not forgotten."""
    rows = session.execute(
        text("""SELECT id FROM episodes WHERE namespace_id = :ns AND id = ANY(:ids) AND forgotten_at IS NULL
                ORDER BY id"""),
        {"ns": namespace_id, "ids": list(ids)},
    )
    return list(rows.scalars())


def external_ids(session: ReadSession, ids: Sequence[int]) -> dict[int, str]:
    """Return the external ids of the episodes that have one."""
    rows = session.execute(
        select(Episode.id, Episode.external_id).where(Episode.id.in_(ids), Episode.external_id.is_not(None))
    )
    return {row[0]: str(row[1]) for row in rows}


def count(session: ReadSession, namespace_id: int) -> int:
    """Return how many living episodes a namespace holds."""
    return session.execute(
        select(func.count())
        .select_from(Episode)
        .where(Episode.namespace_id == namespace_id, Episode.forgotten_at.is_(None))
    ).scalar_one()
