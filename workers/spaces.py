"""Vector spaces as a process meets them: making the first one, noticing that a setting names another."""

from __future__ import annotations

from schema import log
from schema.db import Database
from schema.errors import ProviderUnavailable
from schema.settings import Settings
from schema.store import spaces
from workers.derive.loaders import describe

logger = log.get(__name__)


def ensure(database: Database, settings: Settings) -> str | None:
    """Register the space of the configured encoder: the first of a store is used, any later one only proposed.

    Returns what an operator should know, or None when all is well.
    """
    try:
        spec = describe(settings.encoder)
    except ProviderUnavailable as error:
        logger.warning("encoder_unavailable", reason=error.detail)
        return error.detail
    with database.write() as session:
        space = spaces.propose(session, spec)
    if space.state not in spaces.WRITTEN:
        notice = (
            f"PALIMPSEST_ENCODER names a space that is {space.state}, not in use; the store goes on with the one it has"
        )
        logger.warning("space_not_in_use", space=space.id, state=space.state)
        return notice
    return None
