"""What an operator asks: is it there, how far behind is it, and is what it holds what it should hold."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from sqlalchemy import text

from schema.db import ReadSession, WriteSession
from schema.derivations import named
from schema.errors import NotMigrated
from schema.kinds import MemoryKind
from schema.store import indexes, postings, rules, spaces, stamps
from schema.store.stamps import Backlog


@dataclass(frozen=True, slots=True)
class DerivationHealth:
    """How current one derivation is. `revision` 0 and no fingerprint: no worker has run yet."""

    derivation: str
    revision: int
    fingerprint: str | None
    backlog: Backlog
    snoozed: str | None
    older: Mapping[int, int]


def check(session: ReadSession) -> datetime:
    """Return the database's time. Raises NotMigrated when there is no schema, StoreUnavailable when nobody answers."""
    if session.execute(text("SELECT to_regclass('stamps') IS NULL")).scalar_one():
        raise NotMigrated
    moment: datetime = session.execute(text("SELECT now()")).scalar_one()
    return moment


def analyse(session: WriteSession) -> int:
    """Bring the planner's statistics up to date for tables that have changed much; return how many there were."""
    return int(session.execute(text("SELECT palimpsest_analyze()")).scalar_one())


def names(session: ReadSession) -> list[str]:
    """Return the derivations of this store in dependency order."""
    return named((space.id for space in spaces.written(session)), indexes.chosen(session))


def derivations(session: ReadSession) -> list[DerivationHealth]:
    """Return how current every derivation is."""
    heads = rules.heads(session)
    breakers = rules.breakers(session)
    found = []
    for name in names(session):
        head = heads.get(name)
        breaker = breakers.get(name)
        found.append(
            DerivationHealth(
                name,
                head.revision if head else 0,
                head.fingerprint if head else None,
                stamps.backlog(session, name, below=head.revision if head else 1),
                breaker.reason if breaker is not None and breaker.open else None,
                revisions(session, name),
            )
        )
    return found


def revisions(session: ReadSession, derivation: str) -> dict[int, int]:
    """Return how many rows stand at each revision, jumping through the index from one revision to the next."""
    rows = session.execute(
        text("""WITH RECURSIVE r(revision) AS (
                  (SELECT min(revision) FROM stamps WHERE derivation = :d)
                  UNION ALL
                  SELECT (SELECT min(s.revision) FROM stamps s WHERE s.derivation = :d AND s.revision > r.revision)
                  FROM r WHERE r.revision IS NOT NULL)
                SELECT r.revision, (SELECT count(*) FROM (SELECT 1 FROM stamps s WHERE s.derivation = :d
                    AND s.revision = r.revision LIMIT :limit) c) FROM r WHERE r.revision IS NOT NULL"""),
        {"d": derivation, "limit": stamps.COUNT_LIMIT + 1},
    )
    return {row[0]: row[1] for row in rows}


def content_digest(session: ReadSession, namespace_id: int) -> dict[str, str]:
    """Return a digest of each derived part of a namespace over what it says, not over ids or the order of writing.

    Two stores that were told the same and are current agree on it, whatever happened to them on the way.
    """
    parts: dict[str, list[str]] = {"memories": [], "postings": [], "entities": [], "vectors": [], "triples": []}
    rows = session.execute(
        text("""SELECT m.id, m.number, m.retired_at IS NULL AND m.quarantined_at IS NULL, m.kind, m.text,
                       coalesce(m.speaker, ''), m.source, coalesce(m.session_id, ''), coalesce(m.seq, -1),
                       extract(epoch FROM m.occurred_at), m.retired_reason, m.quarantined_at IS NULL, m.confidence,
                       m.trust, m.state, m.corroboration, m.tier, m.importance, m.category,
                       extract(epoch FROM m.valid_from), extract(epoch FROM m.valid_to),
                       (SELECT string_agg(concat_ws('/', coalesce(e.external_id, ''), s.revision, s.start, s.stop,
                          s.withdrawn_at IS NULL), ' ' ORDER BY e.external_id, s.revision, s.start, s.stop)
                        FROM memory_sources s JOIN episodes e ON e.id = s.episode_id WHERE s.memory_id = m.id)
                FROM memories m WHERE m.namespace_id = :ns"""),
        {"ns": namespace_id},
    ).all()
    label = {row[0]: repr(tuple(row[3:])) for row in rows}
    by_number = {row[1]: label[row[0]] for row in rows if row[2]}
    parts["memories"] = list(label.values())
    parts["postings"] = [
        f"{key}:{tf}:{length}:{by_number.get(number, f'lost {number}')}"
        for key, posting in everything(session, namespace_id).by_key.items()
        for number, tf, length in zip(*(column.tolist() for column in posting), strict=True)
    ]
    parts["entities"] = [
        f"{row[1]}:{label[row[0]]}"
        for row in session.execute(
            text("""SELECT m.memory_id, e.key FROM mentions m JOIN entities e ON e.id = m.entity_id
                    WHERE e.namespace_id = :ns"""),
            {"ns": namespace_id},
        )
    ]
    parts["triples"] = [
        f"{tuple(row[1:])!r}:{label[row[0]]}"
        for row in session.execute(
            text("""SELECT memory_id, subject_key, predicate_key, object_key, positive, functional, alias
                    FROM triples WHERE namespace_id = :ns"""),
            {"ns": namespace_id},
        )
    ]
    for space in spaces.written(session):
        parts["vectors"] += [
            f"{space.fingerprint}:{bytes(row[1]).hex()}:{label[row[0]]}"
            for row in session.execute(
                text(f"SELECT memory_id, text_digest FROM vectors_{space.id:d} WHERE namespace_id = :ns"),  # noqa: S608 - an int
                {"ns": namespace_id},
            )
        ]
    return {name: f"{len(lines)}:{_digest(lines)}" for name, lines in parts.items()}


def _digest(lines: list[str]) -> str:
    state = hashlib.blake2b(digest_size=16)
    for line in sorted(lines):
        state.update(line.encode() + b"\n")
    return state.hexdigest()


def everything(session: ReadSession, namespace_id: int) -> postings.Postings:
    """Read all postings of a namespace, whatever their key."""
    keys = session.execute(
        text("SELECT DISTINCT key FROM posting_blocks WHERE namespace_id = :ns"), {"ns": namespace_id}
    ).scalars()
    tails = session.execute(
        text("SELECT packed FROM posting_tail WHERE namespace_id = :ns"), {"ns": namespace_id}
    ).scalars()
    known = set(keys)
    for packed in tails:
        known.update(np.frombuffer(packed, postings.RECORD)["key"].tolist())
    return postings.read(session, namespace_id, sorted(known))


@dataclass(frozen=True, slots=True)
class Drift:
    """How far the index of a namespace is from what its forward rows say; all zero when it is right."""

    rows: int
    length: int
    missing: int
    surplus: int

    @property
    def clean(self) -> bool:
        """Whether there is none."""
        return not (self.rows or self.length or self.missing or self.surplus)


def drift(session: ReadSession, namespace_id: int) -> Drift:
    """Recompute a namespace's index from its forward rows and mentions, and compare."""
    indexed = everything(session, namespace_id)
    expected: set[tuple[int, int]] = set()
    rows = length = 0
    for number, kind, row_length, packed in session.execute(
        text("""SELECT m.number, m.kind, p.length, p.packed FROM posting_sets p JOIN memories m ON m.id = p.memory_id
                WHERE p.namespace_id = :ns"""),
        {"ns": namespace_id},
    ):
        if kind != MemoryKind.FACT:
            rows += 1
            length += row_length
        expected.update((key, number) for key in np.frombuffer(packed, postings.FORWARD)["key"].tolist())
    for number, key in session.execute(
        text("""SELECT m.number, e.posting_key FROM mentions t JOIN memories m ON m.id = t.memory_id
                JOIN entities e ON e.id = t.entity_id WHERE m.namespace_id = :ns"""),
        {"ns": namespace_id},
    ):
        expected.add((key, number))
    found = {(key, number) for key, posting in indexed.by_key.items() for number in posting[0].tolist()}
    return Drift(indexed.rows - rows, indexed.total_length - length, len(expected - found), len(found - expected))
