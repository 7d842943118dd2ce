"""Taking in episodes: check each one, store the good ones in one transaction, nudge a worker, answer.

A bad one among good ones is refused alone, by its place and field; the others are stored. The write commits before any
message is sent, so a broker that is away, or a crash between the two, delays derivation and loses nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from api.service.context import Context
from schema import clock, intake
from schema.db import WriteSession
from schema.errors import InvalidInput, TooLarge
from schema.kinds import Lane
from schema.store import episodes, idempotency, memories, namespaces
from schema.store.episodes import EpisodeRow, NewEpisode
from schema.store.namespaces import NamespaceRow
from workers.truth.acceptance import accept


@dataclass(frozen=True, slots=True)
class Outcome:
    """The answer to a write: an HTTP-like status, and one result an item in the order given."""

    status: int
    body: dict[str, Any]


def remember(
    context: Context,
    namespace: str,
    items: Sequence[Any],
    *,
    key: str | None = None,
    body_digest: bytes = b"",
    lane: int | None = None,
) -> Outcome:
    """Store episodes given as plain dicts. 202 when all were good, 207 when some were; raises when none was.

    With `key` (an Idempotency-Key) the first answer is kept for a day: the same body waits for it and gets it again,
    another body is refused. `lane` overrides how soon the episodes are derived.
    """
    name = intake.namespace(namespace)
    _check_key(key)
    if not items:
        raise InvalidInput("episodes: must hold at least one episode", field="episodes")
    if len(items) > context.settings.max_batch:
        raise TooLarge(
            f"episodes: {len(items)} are more than one request may hold ({context.settings.max_batch}, "
            "PALIMPSEST_MAX_BATCH)",
            field="episodes",
        )
    good, refused = _check(context, items)
    with context.database.write() as session:
        place = namespaces.ensure(session, name)
        kept = idempotency.claim(session, place.id, key, body_digest) if key is not None else None
        if kept is None:
            status, answer = _store(session, place, good, refused, lane)
            if key is not None:
                idempotency.keep(session, place.id, key, status, answer)
        elif kept.body_digest == body_digest:
            status, answer = kept.status, kept.response
        else:
            raise InvalidInput(
                "Idempotency-Key: was used before with another body; use a new key for a new request",
                field="Idempotency-Key",
            )
    sent = [context.nudge(wanted) for wanted in sorted({row.lane if lane is None else lane for row in good.values()})]
    return Outcome(status, {**answer, "queued": all(sent)})


def _store(
    session: WriteSession,
    place: NamespaceRow,
    good: dict[int, NewEpisode],
    refused: dict[int, dict[str, Any]],
    lane: int | None,
) -> tuple[int, dict[str, Any]]:
    """Insert the good ones; return the status and the answer, one result an item in the order given."""
    rows = [row if lane is None or row.lane == Lane.BULK else replace(row, lane=lane) for row in good.values()]
    accepted = accept(session, place.id, rows, clock.now())
    results = refused | {
        index: {"status": done.status, "id": done.id, "external_id": done.external_id}
        for index, done in zip(good, accepted, strict=True)
    }
    partial = any(result["status"] in {"refused", "conflict", "forgotten"} for result in results.values())
    answer = {"namespace": place.name, "episodes": [results[index] for index in sorted(results)]}
    return 207 if partial else 202, answer


def _check(context: Context, items: Sequence[Any]) -> tuple[dict[int, NewEpisode], dict[int, dict[str, Any]]]:
    good: dict[int, NewEpisode] = {}
    refused: dict[int, dict[str, Any]] = {}
    for index, item in enumerate(items):
        try:
            good[index] = intake.parse(item, context.settings)
        except InvalidInput as error:
            if len(items) == 1:
                raise
            status = 413 if isinstance(error, TooLarge) else 422
            refused[index] = {
                "status": "refused",
                "code": status,
                "field": f"episodes.{index}.{error.field}",
                "detail": error.detail,
            }
    if not good:
        first = next(iter(refused.values()))
        raise InvalidInput(first["detail"], field=first["field"])
    return good, refused


def _check_key(key: str | None) -> None:
    if key is not None and (not 1 <= len(key) <= 200 or not key.isprintable()):
        raise InvalidInput("Idempotency-Key: must be 1 to 200 printable characters", field="Idempotency-Key")


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of an episode its memories hold: `share` in [0, 1] of the characters that are not blank."""

    memories: int
    share: float


def read(context: Context, namespace: str, episode_id: int) -> tuple[EpisodeRow, Coverage] | None:
    """Return one episode as it was told, and how much of it is recallable; or None."""
    name = intake.namespace(namespace)
    with context.database.read() as session:
        place = namespaces.find(session, name)
        row = None if place is None else episodes.get(session, place.id, episode_id)
        return None if row is None else (row, _coverage(row.content, memories.spans_of(session, row.id, row.revision)))


def _coverage(content: str, spans: Sequence[tuple[int, int]]) -> Coverage:
    total = sum(not character.isspace() for character in content)
    held, reached = 0, 0
    for start, stop in spans:
        held += sum(not character.isspace() for character in content[max(start, reached) : stop])
        reached = max(reached, stop)
    return Coverage(len(spans), round(held / total, 6) if total else 0.0)


def page(
    context: Context, namespace: str, *, after: int = 0, limit: int = 50, session_id: str | None = None
) -> list[EpisodeRow]:
    """Return a page of episodes in the order they were told, those after id `after`."""
    name = intake.namespace(namespace)
    if session_id is not None and "\x00" in session_id:
        raise InvalidInput("session_id: must not contain a zero byte (U+0000)", field="session_id")
    with context.database.read() as session:
        place = namespaces.find(session, name)
        if place is None:
            return []
        return episodes.page(session, place.id, after=after, limit=limit, session_id=session_id)
