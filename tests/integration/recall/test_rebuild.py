"""An index that does not agree with its rows is found, and written anew while others write."""

from __future__ import annotations

import threading

import pytest
from sqlalchemy import text

from schema.db import Database
from schema.settings import Settings
from schema.store import compaction, health
from tests.support.store import assert_current, digest, drain, namespace_id, tell
from workers.maintain import maintain

DAMAGE = {
    "blocks gone": "DELETE FROM posting_blocks",
    "one block cut": "UPDATE posting_blocks SET packed = substr(packed, 1, 5)",
    "statistics off": "UPDATE posting_statistics SET rows = rows + 7, length = length + 70",
    "tail gone": "DELETE FROM posting_tail",
}


def _merged(database: Database, settings: Settings) -> None:
    tell(database, "n", [f"Mira met Otto at kiln {index}" for index in range(40)])
    drain(database, settings)
    maintain(database, settings.model_copy(update={"tail_rows": 1}))
    tell(database, "n", ["Cleo met Mira late"])
    drain(database, settings)


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_damage_is_found_and_mended(database: Database, settings: Settings, damage: str) -> None:
    _merged(database, settings)
    place, before = namespace_id(database, "n"), digest(database, "n")
    with database.write() as session:
        session.execute(text(damage))
    with database.read() as session:
        assert not health.drift(session, place).clean
    with database.write() as session:
        compaction.rebuild(session, place)
    assert_current(database)
    assert digest(database, "n") == before


def test_rebuilding_beside_writers_loses_nothing(database: Database, settings: Settings) -> None:
    _merged(database, settings)
    place = namespace_id(database, "n")

    def write() -> None:
        for index in range(10):
            tell(database, "n", [f"Otto went {index}"])
            drain(database, settings)

    writer = threading.Thread(target=write)
    writer.start()
    while writer.is_alive():
        with database.write() as session:
            compaction.rebuild(session, place)
    writer.join()
    assert_current(database)
