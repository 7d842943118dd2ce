"""Correcting: verdicts on memories, other words for episodes, and which sources are trusted or wait."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from api.service.context import Context
from api.service.places import missing, place_of
from schema import clock, intake
from schema.errors import InvalidInput, NotFound
from schema.kinds import Lane, Source, Verdict
from schema.store import namespaces
from schema.store.trust import levels
from workers.truth import correction


def episode_ids(value: Any) -> list[int]:
    """Check an array of episode ids and return them ascending, each once. Raises InvalidInput."""
    good = (
        isinstance(value, Sequence)
        and not isinstance(value, str)
        and value
        and all(isinstance(one, int) and not isinstance(one, bool) and 0 < one < 2**63 for one in value)
    )
    if not good:
        raise InvalidInput("episodes: must be an array of at least one episode id", field="episodes")
    return sorted(set(value))


def _check_id(value: int, kind: str) -> None:
    if not 0 < value < 2**63:
        raise NotFound(f"{kind} {ascii(value)[:30]} is not in this namespace", field=f"{kind}_id")


def feedback(context: Context, namespace: str, memory_id: int, verdict: Any, right: Any = None) -> dict[str, Any]:
    """Record what a person says of a memory: confirm, wrong or outdated, with the right words if they give them.

    Raises InvalidInput naming the field, NotFound.
    """
    if verdict not in list(Verdict):
        raise InvalidInput(f"verdict: must be one of {', '.join(Verdict)}", field="verdict")
    if right is not None:
        right = intake.words(right, context.settings, field="correction")
    _check_id(memory_id, "memory")
    with context.worker.write() as session:
        place = place_of(session, namespace)
        done = correction.judge(session, place.id, memory_id, Verdict(verdict), right, clock.now())
    return {**asdict(done), "queued": context.nudge(Lane.FRESH)}


def edit(context: Context, namespace: str, episode_id: int, content: Any) -> dict[str, Any]:
    """Give an episode new words. Raises InvalidInput, NotFound."""
    words = intake.words(content, context.settings)
    _check_id(episode_id, "episode")
    with context.worker.write() as session:
        place = place_of(session, namespace)
        revision = correction.edit(session, place.id, episode_id, words)
    return {"id": episode_id, "revision": revision, "queued": context.nudge(Lane.FRESH)}


def configure(context: Context, namespace: str, *, trust: Any = None, quarantine: Any = None) -> dict[str, Any]:
    """Set which sources a namespace trusts how much, and which wait for release; None leaves it as it is.

    What was told before is derived again where that makes a difference. A namespace that is not there is made, unless
    nothing is set. Raises InvalidInput, NotFound.
    """
    _check_trust(trust)
    _check_sources(quarantine)
    with context.worker.write() as session:
        if trust is not None or quarantine is not None:
            namespaces.ensure(session, intake.namespace(namespace))
        place = place_of(session, namespace)
        if trust is not None:
            correction.set_trust(session, place.id, trust)
        if quarantine is not None:
            correction.quarantine(session, place.id, sorted(set(quarantine)))
        now = namespaces.keyed(session, place.id)
        shown = {
            "namespace": place.name,
            "trust": levels(session, [place.id])[place.id],
            "quarantine": list(now.quarantine),
        }
    return {**shown, "queued": context.nudge(Lane.BULK)}


def _check_trust(trust: Any) -> None:
    if trust is None:
        return
    if not isinstance(trust, Mapping):
        raise InvalidInput("trust: must be an object of source to a number between 0 and 1", field="trust")
    for name, value in trust.items():
        if name not in list(Source):
            raise InvalidInput(f"trust: {ascii(name)[:60]} is no source; known: {', '.join(Source)}", field="trust")
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            raise InvalidInput(f"trust.{name}: must be a number between 0 and 1", field=f"trust.{name}")


def _check_sources(sources: Any, field: str = "quarantine") -> None:
    if sources is None:
        return
    if not isinstance(sources, Sequence) or isinstance(sources, str):
        raise InvalidInput(f"{field}: must be an array of sources", field=field)
    for name in sources:
        if name not in list(Source):
            raise InvalidInput(f"{field}: {ascii(name)[:60]} is no source; known: {', '.join(Source)}", field=field)


def release(context: Context, namespace: str, *, source: Any = None, episodes: Any = None) -> dict[str, Any]:
    """Let what waits be recalled: the episodes of a source, these episodes, or all. Raises InvalidInput, NotFound.

    One unknown id among `episodes`, and nothing is released.
    """
    if source is not None:
        _check_sources([source], "source")
    if episodes is not None:
        episodes = episode_ids(episodes)
    with context.worker.write() as session:
        place = place_of(session, namespace)
        lost = missing(session, place, episodes or ())
        if lost:
            raise NotFound(f"episodes: {lost[0]} is not in this namespace; nothing was released", field="episodes")
        count = correction.release(session, place.id, source=source, ids=episodes)
    return {"released": count, "queued": context.nudge(Lane.FRESH)}
