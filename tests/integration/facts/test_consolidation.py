"""Consolidation: the same fact again is one memory with one source more, in any order, by any number of workers."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from sqlalchemy import text

from schema.db import Database
from schema.settings import Settings
from tests.support.store import START, assert_current, drain, namespace_id, tell
from tests.support.truth import facts, passages
from workers import spaces
from workers.drain import drain_all


def test_the_same_fact_again_adds_a_source_and_corroboration(database: Database, settings: Settings) -> None:
    """e05: said three times, once with other punctuation and case: one fact, three sources, nothing retired."""
    tell(database, "n", ["Ann likes tea.", "Ann likes tea!", "Ann likes Tea"])
    drain(database, settings)
    found = facts(database)
    assert list(found) == ["Ann likes Tea."]
    (fact,) = found.values()
    assert (fact["state"], fact["corroboration"], fact["sources"]) == ("established", 3, 3)
    assert fact["confidence"] > 0.8
    assert facts(database, retired=True) == {}
    assert len(passages(database)) == 3
    assert_current(database)


def test_scopes_never_share_a_fact(database: Database, settings: Settings) -> None:
    """Two users of one namespace who share a name share nothing else, null being a user of its own."""
    tell(database, "n", ["Sam likes tea."], user_id="one")
    tell(database, "n", ["Sam likes tea."], user_id="two")
    tell(database, "n", ["Sam likes tea."])
    tell(database, "n", ["Sam likes tea."], user_id="one", agent_id="a")
    drain(database, settings)
    with database.read() as session:
        rows = session.execute(
            text("SELECT user_id, agent_id, corroboration FROM memories WHERE kind = 'fact' ORDER BY 1, 2")
        ).all()
    assert [tuple(row) for row in rows] == [("one", "a", 1), ("one", None, 1), ("two", None, 1), (None, None, 1)]


@pytest.mark.parametrize("rounds", [40, pytest.param(500, marks=pytest.mark.soak)])
def test_ten_workers_that_derive_the_same_statements_make_one_memory_each(
    database: Database, settings: Settings, rounds: int
) -> None:
    """Ten sessions say the same things at once, ten workers derive at once: one memory each, ten sources."""
    spaces.ensure(database, settings)
    said = [f"Ann{number} likes tea{number % 7}." for number in range(rounds)]
    _ten_at_once(lambda who: tell(database, "n", said, session_id=f"s{who}"))
    failures: list[BaseException] = []

    def work(_who: int) -> None:
        own = Database(database.url, role="worker")
        try:
            drain_all(own, settings)
        except BaseException as error:  # noqa: BLE001 - whatever it is, the test shows it
            failures.append(error)
        finally:
            own.dispose()

    _ten_at_once(work)
    assert failures == []
    drain(database, settings)
    found = facts(database)
    assert len(found) == rounds
    assert {fact["sources"] for fact in found.values()} == {10}
    assert {fact["corroboration"] for fact in found.values()} == {10}
    with database.read() as session:
        failed = session.execute(text("SELECT count(*) FROM stamps WHERE error IS NOT NULL")).scalar_one()
    assert failed == 0
    assert_current(database)


def _ten_at_once(work: Any) -> None:
    threads = [threading.Thread(target=work, args=(who,)) for who in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_deriving_again_keeps_every_id_that_comes_out_equal(
    database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """New rules that find one thing less and one thing more touch exactly those two."""
    tell(database, "n", ["Ann likes tea. Ann knows Bo.", "Bo plays chess."])
    drain(database, settings)
    before = {says: fact["id"] for says, fact in facts(database).items()}
    _new_rules(monkeypatch, drop="Ann knows Bo.", rename=None)
    drain(database, settings)
    after = {says: fact["id"] for says, fact in facts(database).items()}
    assert after == {says: before[says] for says in ("Ann likes tea.", "Bo plays chess.")}
    assert facts(database, retired=True)["Ann knows Bo."]["retired_reason"] == "stale"
    monkeypatch.undo()
    with database.write() as session:
        from schema.store import rules
        from workers.derivations import derivations

        mine = next(one for one in derivations(database, settings) if one.name == "facts").fingerprint
        rules.activate(session, "facts", mine)
    drain(database, settings)
    assert {says: fact["id"] for says, fact in facts(database).items()} == before
    assert_current(database)


def _new_rules(monkeypatch: pytest.MonkeyPatch, *, drop: str | None, rename: str | None) -> None:
    from dataclasses import replace

    from workers.derive.contract import Extraction
    from workers.derive.fakes import FakeExtractor

    old = FakeExtractor.extract

    def extract(self: FakeExtractor, batch: Any) -> list[Extraction]:
        return [
            Extraction(
                tuple(
                    replace(one, predicate=rename, text=f"{one.subject} {rename} {one.object}.") if rename else one
                    for one in found.statements
                    if one.text != drop
                )
            )
            for found in old(self, batch)
        ]

    monkeypatch.setattr(FakeExtractor, "extract", extract)
    monkeypatch.setattr(FakeExtractor, "fingerprint", f"fake/{drop}{rename}")


def test_a_fact_that_loses_a_source_speaks_with_the_words_of_the_living(database: Database, settings: Settings) -> None:
    from workers.truth import correction

    first, second = tell(database, "n", ["Ann likes Tea.", "Ann likes tea!"])
    drain(database, settings)
    assert list(facts(database)) == ["Ann likes tea."]
    with database.write() as session:
        correction.edit(session, namespace_id(database, "n"), second, "Nothing of the kind")
    drain(database, settings)
    found = facts(database)
    assert found["Ann likes Tea."]["sources"] == 1
    assert found["Ann likes Tea."]["state"] == "provisional"
    with database.read() as session:
        rows = session.execute(
            text("SELECT episode_id, withdrawn_at IS NULL FROM memory_sources WHERE said IS NOT NULL ORDER BY 1")
        ).all()
    assert (first, True) in [tuple(row) for row in rows]
    assert_current(database)


def test_an_assistant_that_repeats_corroborates_nothing(database: Database, settings: Settings) -> None:
    tell(database, "n", ["Ann likes tea."], source="user")
    tell(database, "n", ["Ann likes tea."] * 3, source="assistant")
    drain(database, settings)
    fact = facts(database)["Ann likes tea."]
    assert (fact["sources"], fact["corroboration"], fact["trust"], fact["source"]) == (4, 1, 1.0, "user")


def test_context_is_what_was_said_before_and_comes_with_its_own_turns(database: Database, settings: Settings) -> None:
    """A turn that arrives late makes exactly its followers due again."""
    from schema.store.episodes import NewEpisode

    tell(database, "n", ["one Ann", "two Bo", "four Di"], session_id="s", seq=None)
    drain(database, settings)
    late = NewEpisode(content="Late word", occurred_at=START, session_id="s", seq=2)
    tell(database, "n", [late])
    with database.read() as session:
        due = session.execute(
            text("""SELECT r.content FROM stamps s JOIN episode_revisions r ON r.episode_id = s.row_id
                    WHERE s.derivation = 'facts' AND s.revision = 0 ORDER BY 1""")
        ).scalars()
        assert list(due) == ["Late word", "four Di"]
