"""Forgetting for good: by episode, session, user or whole namespace, with a receipt of what went and what is left."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from api.service.context import Context
from api.service.correct import episode_ids
from api.service.places import missing, place_of
from schema import intake
from schema.errors import InvalidInput, NotFound
from schema.kinds import Lane
from schema.store import forgetting
from workers.truth import forgetting as steps

SCOPES = ("episodes", "session_id", "user_id", "everything")


def forget(
    context: Context,
    namespace: str,
    *,
    episodes: Any = None,
    session_id: Any = None,
    user_id: Any = None,
    everything: Any = None,
) -> dict[str, Any]:
    """Forget exactly one scope and return its receipt. Nothing is chosen by leaving something out.

    Raises InvalidInput naming the field, NotFound.
    """
    given = {
        name: value
        for name, value in (
            ("episodes", episodes),
            ("session_id", session_id),
            ("user_id", user_id),
            ("everything", everything),
        )
        if value is not None
    }
    if len(given) != 1:
        raise InvalidInput(f"forget: name exactly one of {', '.join(SCOPES)}", field=next(iter(given), "episodes"))
    ids = episode_ids(episodes) if episodes is not None else None
    if everything is not None and everything is not True:
        raise InvalidInput("everything: must be true, to forget the whole namespace", field="everything")
    value = None
    for name in ("session_id", "user_id"):
        if name in given:
            value = intake.name(given[name], name)
    with context.database.read() as session:
        place = place_of(session, namespace)
        lost = missing(session, place, ids or ())
    if lost:
        raise NotFound(f"episodes: {lost[0]} is not in this namespace; nothing was forgotten", field="episodes")
    scope = {"episodes": "episode", "everything": "namespace"}.get(next(iter(given)), next(iter(given)))
    receipt = steps.forget(context.worker, place.id, scope, value=value, ids=ids)
    context.nudge(Lane.FRESH)
    return shown(receipt)


def receipt(context: Context, receipt_id: int) -> dict[str, Any]:
    """Return a receipt. Raises NotFound."""
    with context.database.read() as session:
        try:
            return shown(forgetting.receipt(session, receipt_id))
        except LookupError:
            raise NotFound(f"receipt {receipt_id} is not in this store", field="receipt_id") from None


def shown(found: forgetting.Receipt) -> dict[str, Any]:
    """Return a receipt as plain values: `logical` once nothing is found any more, `physical` after a vacuum."""
    return {
        **asdict(found),
        "recorded_at": found.recorded_at.isoformat(),
        "finished_at": found.finished_at.isoformat() if found.finished_at else None,
        "logical": found.finished_at is not None and not found.left,
        # Of all tables: those of the vector spaces hold something too, and have names of their own.
        "vacuum": None if found.physical else "VACUUM;",
    }
