"""What is wrong with an installation, and the command or setting that mends it.

Every check says one of three things: fine, wrong with a remedy, or unknown with the reason (no worker has run yet, no
broker is configured), which is no fault. A check never raises: a server that is away is what a doctor is for. Checks
that need the database are left out when it cannot be reached, for one cause should be named once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from api.service import admin, health
from api.service.context import Context
from schema.db import Database, ReadSession
from schema.errors import PalimpsestError
from schema.settings import Settings
from schema.store import compaction, namespaces, server, spaces
from schema.store import health as health_of_store
from schema.store.server import Server
from workers.derive.entities import extract
from workers.derive.loaders import describe, encoder

LEAST_POSTGRESQL = 150_000
LEAST_PGVECTOR = (0, 8)
SPARE_CONNECTIONS = 3
"""Connections beside the pools: a migration, a command line, somebody's psql."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at. `ok` None: it cannot be told now, and `detail` says why."""

    name: str
    ok: bool | None
    detail: str
    remedy: str | None = None


def examine(settings: Settings) -> Iterator[Check]:
    """Yield the checks as they are made, the quick ones first."""
    assert settings.database_url is not None  # noqa: S101 - the command line has found a server, or says so itself
    database = Database(settings.database_url, role="owner", application="palimpsest-doctor")
    try:
        try:
            with database.read() as session:
                seen = server.look(session)
        except PalimpsestError as error:
            yield Check("database", False, error.detail, "start it, or set DATABASE_URL to one that runs")
            yield from _models(settings, None)
            return
        yield Check("database", True, f"PostgreSQL {seen.version} answers")
        yield from _server(settings, seen)
        migrated = seen.revision is not None and not seen.missing_roles
        yield from _store(database, settings) if migrated else _models(settings, None)
    finally:
        database.dispose()


def _server(settings: Settings, seen: Server) -> Iterator[Check]:
    yield _judge(
        "postgresql version",
        seen.number >= LEAST_POSTGRESQL,
        seen.version,
        "move to PostgreSQL 15 or newer: pg_dump, a new server, DATABASE_URL",
    )
    yield _judge(
        "pgvector",
        seen.pgvector is not None and _numbers(seen.pgvector) >= LEAST_PGVECTOR,
        seen.pgvector or "is not in this database",
        "install pgvector 0.8 or newer, then ALTER EXTENSION vector UPDATE, or `palimpsest migrate`",
    )
    newest = server.newest_revision()
    yield _judge(
        "schema",
        seen.revision == newest,
        f"revision {seen.revision or 'none'}, newest {newest}",
        "palimpsest migrate",
    )
    yield _judge("roles", not seen.missing_roles, ", ".join(seen.missing_roles or server.ROLES), "palimpsest migrate")
    wanted = settings.api_pool_size + settings.worker_processes * settings.pool_size + SPARE_CONNECTIONS
    yield _judge(
        "connections",
        wanted <= seen.connections,
        f"one API and one worker may open {wanted}, the server has {seen.connections}, {seen.connected} are open",
        "lower PALIMPSEST_API_POOL_SIZE or PALIMPSEST_WORKER_PROCESSES, or raise max_connections",
    )
    yield _judge(
        "indexes",
        not seen.invalid_indexes,
        ", ".join(seen.invalid_indexes) or "all valid",
        f"REINDEX INDEX CONCURRENTLY {seen.invalid_indexes[0] if seen.invalid_indexes else ''}".strip(),
    )


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())


def _store(database: Database, settings: Settings) -> Iterator[Check]:
    with database.read() as session:
        active = next((space for space in spaces.everything(session) if space.is_default), None)
        rows = health_of_store.derivations(session)
        places = namespaces.listed(session)
    yield from _models(settings, active)
    context = Context(settings, pool_size=1)
    try:
        yield from _broker(context)
        yield from _rules(context)
    finally:
        context.close()
    for row in rows:
        count = row.backlog.quarantined
        yield _judge(
            f"quarantine of {row.derivation}",
            count == 0,
            f"{count} rows" if count else "empty",
            f"palimpsest failures list; then palimpsest failures retry --derivation {row.derivation}",
        )
        if row.snoozed:
            yield Check(f"provider of {row.derivation}", False, row.snoozed, f"palimpsest sweep {row.derivation}")
    with database.read() as session:
        for place in places:
            yield _drift(session, place.id, place.name)


def _drift(session: ReadSession, namespace_id: int, name: str) -> Check:
    found = health_of_store.drift(session, namespace_id)
    return _judge(
        f"index of {name}",
        found.clean,
        "agrees with its rows"
        if found.clean
        else f"{found.missing} postings missing, {found.surplus} too many, rows off by {found.rows}",
        "palimpsest doctor --mend (and please report it: this is a fault of ours)",
    )


def mend(context: Context) -> list[str]:
    """Write anew every index that does not agree with its rows; return the namespaces it was done for."""
    mended = []
    with admin.worker_database(context.settings) as database:
        with database.read() as session:
            places = [row for row in namespaces.listed(session) if not health_of_store.drift(session, row.id).clean]
        for place in places:
            with database.write() as session:
                compaction.rebuild(session, place.id)
            mended.append(place.name)
    return mended


def _models(settings: Settings, active: spaces.SpaceRow | None) -> Iterator[Check]:
    def encode() -> Check:
        here = describe(settings.encoder)
        encoder(here).query("warm")
        if active is None:
            return Check("embedding model", None, f"{settings.encoder} loads; no worker has made a vector space yet")
        return _judge(
            "embedding model",
            here.fingerprint == active.fingerprint,
            f"{settings.encoder} loads"
            + ("" if here.fingerprint == active.fingerprint else f"; the store is made with {active.spec.model}"),
            f"set PALIMPSEST_ENCODER={active.spec.model}, with the weights that the store was made with",
        )

    def parse() -> Check:
        extract(["Warm"], settings.spacy_model)
        return Check("spaCy pipeline", True, f"{settings.spacy_model} loads")

    yield _tried("embedding model", encode, "PALIMPSEST_ENCODER, or pip install 'palimpsest[embedded]'")
    yield _tried("spaCy pipeline", parse, "PALIMPSEST_SPACY_MODEL, or pip install 'palimpsest[embedded]'")


def _tried(name: str, check: Callable[[], Check], remedy: str) -> Check:
    try:
        return check()
    except PalimpsestError as error:
        return Check(name, False, error.detail, remedy)


def _broker(context: Context) -> Iterator[Check]:
    if context.nudger is None:
        why = "BROKER_URL is not set"
        yield from (Check(name, None, why) for name in ("broker", "consumers", "beat"))
        return
    queues = health.queues(context)
    if "error" in queues:
        yield Check("broker", False, queues["error"], "start it, or set BROKER_URL to one that runs")
        return
    yield _judge(
        "broker", "warning" not in queues, queues.get("warning", "answers, noeviction"), "maxmemory-policy noeviction"
    )
    consumers = health.ready(context)[1].get("consumers", "unknown")
    yield Check(
        "consumers",
        None if consumers.startswith("unknown") else consumers == "ok",
        "not stalled" if consumers == "ok" else consumers,
        None if consumers == "ok" else "palimpsest worker (or palimpsest up)",
    )
    yield _beat(context, queues)


def _beat(context: Context, queues: dict[str, Any]) -> Check:
    """Only the beat fills the bulk lane when nobody imports, so its last message tells of both beat and worker."""
    last = queues["last_consumed"]["bulk"]
    limit = health.STALL_PERIODS * context.settings.sweep_seconds
    if last is None:
        return Check("beat", None, "no sweep has been taken yet; is `palimpsest beat` running?")
    ago = max(0, int(time.time() - last))
    return _judge("beat", ago <= limit, f"the last sweep was taken {ago} s ago", "palimpsest beat (or palimpsest up)")


def _rules(context: Context) -> Iterator[Check]:
    for row in admin.rule_reports(context):
        name = f"rules of {row.derivation}"
        if row.mine is None:
            yield Check(name, None, row.why or "cannot be told")
        elif row.head is None:
            yield Check(name, None, "no worker has run yet")
        else:
            yield _judge(
                name,
                row.is_head,
                f"revision {row.revision} is this installation's"
                if row.is_head
                else f"the store follows {row.head}, this installation has {row.mine}",
                f"palimpsest rules activate {row.derivation}, if this installation is the one to follow",
            )


def _judge(name: str, ok: bool, detail: str, remedy: str) -> Check:
    return Check(name, ok, detail, None if ok else remedy)
