"""What people say of memories, and other words for what was told: it holds, whatever is derived again afterwards."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import text

from schema.db import Database
from schema.errors import InvalidInput, NotFound
from schema.kinds import Verdict
from schema.settings import Settings
from schema.store import rules, stamps
from tests.support.store import assert_current, drain, namespace_id, tell
from tests.support.truth import facts, passages
from workers.truth import correction

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def judge(database: Database, memory_id: int, verdict: Verdict, right: str | None = None) -> correction.Judgement:
    with database.write() as session:
        return correction.judge(session, namespace_id(database, "n"), memory_id, verdict, right, datetime.now(UTC))


def derive_everything_again(database: Database, settings: Settings) -> None:
    """Activate rules that are new only in their number: every episode is read again."""
    with database.write() as session:
        for name in ("memories", "facts"):
            rules.activate(session, name, "other")
            head = rules.heads(session)[name]
            assert head.fingerprint == "other"
    from workers.derivations import derivations

    for one in derivations(database, settings):
        if one.name in {"memories", "facts"}:
            with database.write() as session:
                rules.activate(session, one.name, one.fingerprint)
    drain(database, settings)


def test_a_rejected_fact_does_not_come_back(database: Database, settings: Settings) -> None:
    tell(database, "n", ["Ann likes tea. Ann knows Bo."])
    drain(database, settings)
    fact = facts(database)["Ann likes tea."]
    done = judge(database, fact["id"], Verdict.WRONG)
    assert (done.state, done.retired) == ("rejected", "rejected")
    assert "Ann likes tea." not in facts(database)
    derive_everything_again(database, settings)
    assert list(facts(database)) == ["Ann knows Bo."]
    assert facts(database, retired=True)["Ann likes tea."]["retired_reason"] == "rejected"
    assert_current(database)


def test_a_rejected_fact_does_not_come_back_in_other_words(
    database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """New rules that word the same statement otherwise, from the same quote, do not undo what a person decided."""
    from tests.integration.facts.test_consolidation import _new_rules

    tell(database, "n", ["Ann likes tea. Bo plays chess."])
    drain(database, settings)
    judge(database, facts(database)["Ann likes tea."]["id"], Verdict.WRONG)
    _new_rules(monkeypatch, drop=None, rename="loves")
    drain(database, settings)
    assert list(facts(database)) == ["Bo loves chess."]


def test_a_user_may_say_again_what_was_rejected(database: Database, settings: Settings) -> None:
    """The verdict covers what was told before it; an assistant's repetition changes nothing, a user's word does."""
    tell(database, "n", ["Ann likes tea."])
    drain(database, settings)
    judge(database, facts(database)["Ann likes tea."]["id"], Verdict.WRONG)
    tell(database, "n", ["Ann likes tea."], source="assistant")
    drain(database, settings)
    assert facts(database) == {}
    tell(database, "n", ["Ann likes tea."])
    drain(database, settings)
    again = facts(database)["Ann likes tea."]
    assert (again["state"], again["corroboration"]) == ("provisional", 1)


def test_a_correction_is_an_episode_of_its_own(database: Database, settings: Settings) -> None:
    tell(database, "n", ["Ann lives here."], user_id="u", session_id="s", speaker="Bo")
    drain(database, settings)
    done = judge(database, facts(database)["Ann lives here."]["id"], Verdict.WRONG, "Ann lives elsewhere.")
    drain(database, settings)
    found = facts(database)
    assert list(found) == ["Ann lives elsewhere."]
    assert found["Ann lives elsewhere."]["user_id"] == "u"
    with database.read() as session:
        row = session.execute(
            text("SELECT source, user_id, session_id, metadata FROM episodes WHERE id = :id"),
            {"id": done.correction_id},
        ).one()
    assert (row.source, row.user_id, row.session_id) == ("user", "u", "s")
    assert row.metadata == {"corrects": done.memory_id}


def test_outdated_until_it_is_said_of_a_later_time(database: Database, settings: Settings) -> None:
    from schema.store.episodes import NewEpisode

    tell(database, "n", ["Ann likes tea."])
    drain(database, settings)
    done = judge(database, facts(database)["Ann likes tea."]["id"], Verdict.OUTDATED)
    assert done.retired == "outdated"
    tell(database, "n", ["Ann likes tea."])  # an old conversation, told late
    drain(database, settings)
    assert facts(database) == {}
    tell(database, "n", [NewEpisode(content="Ann likes tea.", occurred_at=datetime(2100, 1, 1, tzinfo=UTC))])
    drain(database, settings)
    assert list(facts(database)) == ["Ann likes tea."]


def test_a_confirmed_fact_is_established_and_surer(database: Database, settings: Settings) -> None:
    tell(database, "n", ["Ann likes tea."])
    drain(database, settings)
    before = facts(database)["Ann likes tea."]
    done = judge(database, before["id"], Verdict.CONFIRM)
    assert done.state == "established"
    assert done.confidence > before["confidence"]
    derive_everything_again(database, settings)
    assert facts(database)["Ann likes tea."]["confidence"] == done.confidence


def test_a_rejection_can_be_taken_back(database: Database, settings: Settings) -> None:
    tell(database, "n", ["Ann likes tea."])
    drain(database, settings)
    memory_id = facts(database)["Ann likes tea."]["id"]
    judge(database, memory_id, Verdict.WRONG)
    judge(database, memory_id, Verdict.CONFIRM)
    drain(database, settings)
    assert facts(database)["Ann likes tea."]["id"] == memory_id
    assert_current(database)


@pytest.mark.parametrize(("verdict", "reason"), [(Verdict.WRONG, "rejected"), (Verdict.OUTDATED, "outdated")])
def test_a_passage_can_be_judged_too(database: Database, settings: Settings, verdict: Verdict, reason: str) -> None:
    tell(database, "n", ["nothing to extract here", "nor here"])
    drain(database, settings)
    with database.read() as session:
        memory_id = session.execute(text("SELECT min(id) FROM memories")).scalar_one()
    assert judge(database, memory_id, verdict).retired == reason
    derive_everything_again(database, settings)
    assert passages(database) == ["nor here"]
    judge(database, memory_id, Verdict.CONFIRM)
    drain(database, settings)
    assert sorted(passages(database)) == ["nor here", "nothing to extract here"]
    assert_current(database)


def test_verdicts_on_what_is_not_there(database: Database, settings: Settings) -> None:
    tell(database, "n", ["Ann likes tea."])
    tell(database, "other", ["Ann likes tea."])
    drain(database, settings)
    with database.read() as session:
        other = session.execute(
            text("SELECT min(id) FROM memories WHERE namespace_id = :ns"), {"ns": namespace_id(database, "other")}
        ).scalar_one()
    with pytest.raises(NotFound, match=f"memory {other} is not in this namespace"):
        judge(database, other, Verdict.WRONG)
    with pytest.raises(InvalidInput, match="correction"):
        judge(database, facts(database)["Ann likes tea."]["id"], Verdict.CONFIRM, "Right")
    with database.read() as session:
        assert session.execute(text("SELECT count(*) FROM decisions")).scalar_one() == 0
        assert session.execute(text("SELECT count(*) FROM episodes")).scalar_one() == 2


def test_an_edit_changes_everything_together(database: Database, settings: Settings) -> None:
    """f07: old words serve until new ones are derived, never both; then no index knows the old ones."""
    first, _ = tell(database, "n", ["Ann keeps cedar. Ann knows Bo.", "Ann knows Bo."])
    drain(database, settings)
    kept = facts(database)["Ann knows Bo."]["id"]
    with database.write() as session:
        assert correction.edit(session, namespace_id(database, "n"), first, "Ann keeps maple. Ann knows Bo.") == 2
    from workers.derivations import derivations
    from workers.reconcile import reconcile

    assert passages(database)[0] == "Ann keeps cedar. Ann knows Bo."
    by_name = {one.name: one for one in derivations(database, settings)}
    blocked = reconcile(database, by_name["facts"], settings)
    assert (blocked.rebuilt, blocked.blocked) == (0, 1)
    reconcile(database, by_name["memories"], settings)
    assert sorted(passages(database)) == ["Ann keeps maple. Ann knows Bo.", "Ann knows Bo."]
    assert "Ann keeps cedar." not in facts(database)
    drain(database, settings)
    found = facts(database)
    assert sorted(found) == ["Ann keeps maple.", "Ann knows Bo."]
    assert (found["Ann knows Bo."]["id"], found["Ann knows Bo."]["sources"]) == (kept, 2)
    assert facts(database, retired=True)["Ann keeps cedar."]["retired_reason"] == "stale"
    with database.read() as session:
        assert stamps.failing(session) == []
        words = session.execute(
            text("SELECT revision, content FROM episode_revisions WHERE episode_id = :id ORDER BY 1"), {"id": first}
        ).all()
    assert [tuple(row) for row in words] == [
        (1, "Ann keeps cedar. Ann knows Bo."),
        (2, "Ann keeps maple. Ann knows Bo."),
    ]
    assert_current(database)


def test_an_edit_that_changes_nothing_makes_nothing_due(database: Database, settings: Settings) -> None:
    (first,) = tell(database, "n", ["Ann likes tea."])
    drain(database, settings)
    with database.write() as session:
        assert correction.edit(session, namespace_id(database, "n"), first, "Ann likes tea.") == 1
    assert_current(database)


def test_what_waits_for_release(database: Database, settings: Settings) -> None:
    """Memories of a quarantined source exist, are not recalled, corroborate nothing; releasing brings them in."""
    with database.write() as session:
        from schema.store import namespaces

        place = namespaces.ensure(session, "n").id
        correction.quarantine(session, place, ["external"])
    tell(database, "n", ["Ann likes tea. Bo is here."], source="external")
    tell(database, "n", ["Ann likes tea."])
    drain(database, settings)
    assert passages(database) == ["Ann likes tea."]
    found = facts(database)
    assert (found["Ann likes tea."]["quarantined"], found["Ann likes tea."]["corroboration"]) == (False, 1)
    assert found["Bo is here."]["quarantined"] is True
    assert_current(database)
    assert _indexed(database) == 2
    with database.write() as session:
        assert correction.release(session, place, source="external", ids=None) == 1
    drain(database, settings)
    found = facts(database)
    assert not any(fact["quarantined"] for fact in found.values())
    assert found["Ann likes tea."]["corroboration"] == 2
    assert _indexed(database) == 4
    with database.write() as session:
        correction.quarantine(session, place, [])
        assert correction.quarantine(session, place, ["external"]) == 1
    drain(database, settings)
    assert _indexed(database) == 2
    assert facts(database)["Ann likes tea."]["corroboration"] == 1
    assert_current(database)


def _indexed(database: Database) -> int:
    with database.read() as session:
        return int(session.execute(text("SELECT count(*) FROM posting_sets")).scalar_one())


def test_trust_of_a_source_can_be_set_and_reaches_what_was_told(database: Database, settings: Settings) -> None:
    tell(database, "n", ["Ann likes tea."], source="external")
    drain(database, settings)
    assert facts(database)["Ann likes tea."]["trust"] == 0.5
    with database.write() as session:
        correction.set_trust(session, namespace_id(database, "n"), {"external": 0.9})
    drain(database, settings)
    assert facts(database)["Ann likes tea."]["trust"] == 0.9
    with database.read() as session:
        levels: list[Any] = list(session.execute(text("SELECT DISTINCT trust FROM memories")).scalars())
    assert levels == [0.9]
