"""The schema: models and migrations agree, migrating is repeatable, and roles can do no more than their work."""

from __future__ import annotations

import threading

import pytest
from alembic import command
from sqlalchemy import text
from sqlalchemy.exc import ProgrammingError

from schema.db import Database
from schema.errors import Conflict, NotMigrated, SettingsError
from schema.migrations import config, migrate
from schema.store import server
from tests.support.servers import admin, sibling


def test_models_equal_the_migrated_schema(database_url: str) -> None:
    command.check(config(database_url))
    command.current(config(database_url), check_heads=True)


def test_migrating_twice_and_from_two_sides_at_once(empty_database_url: str) -> None:
    failures: list[BaseException] = []

    def run() -> None:
        try:
            migrate(empty_database_url)
        except BaseException as error:  # noqa: BLE001 - whatever it is, the test shows it
            failures.append(error)

    rivals = [threading.Thread(target=run) for _ in range(2)]
    for rival in rivals:
        rival.start()
    for rival in rivals:
        rival.join()
    migrate(empty_database_url)
    assert failures == []
    command.check(config(empty_database_url))


def test_a_schema_of_another_name_works(empty_database_url: str) -> None:
    with admin(empty_database_url) as admins:
        database = empty_database_url.rsplit("/", 1)[-1].split("?")[0]
        admins.execute(f"ALTER DATABASE {database} SET search_path = memory, public")
    owner = Database(empty_database_url, role="owner")
    with owner.write() as session:
        session.execute(text("CREATE SCHEMA memory"))
    owner.dispose()
    migrate(empty_database_url)
    worker = Database(empty_database_url, role="worker")
    with worker.write() as session:
        assert session.execute(text("SELECT to_regclass('memory.stamps') IS NOT NULL")).scalar_one()
        session.execute(text("SELECT palimpsest_create_space(7, 3)"))
        assert session.execute(text("SELECT to_regclass('memory.vectors_7') IS NOT NULL")).scalar_one()
    worker.dispose()


def test_a_store_without_schema_says_what_to_do(empty_database_url: str) -> None:
    database = Database(empty_database_url, role="owner")
    with pytest.raises(NotMigrated, match="palimpsest migrate"), database.read() as session:
        session.execute(text("SELECT 1 FROM stamps"))
    database.dispose()


@pytest.mark.parametrize(
    ("role", "statement"),
    [
        ("worker", "DROP TABLE stamps"),
        ("worker", "CREATE TABLE mine (id int)"),
        ("worker", "ALTER TABLE memories ADD COLUMN extra int"),
        ("api", "DROP TABLE stamps"),
        ("api", "DELETE FROM memories"),
        ("api", "UPDATE rules SET fingerprint = 'mine'"),
        ("api", "SELECT palimpsest_create_space(9, 3)"),
    ],
)
def test_roles_own_nothing(database_url: str, role: str, statement: str) -> None:
    database = Database(database_url, role=role)  # type: ignore[arg-type]
    with database.read() as session:
        assert session.execute(text("SELECT current_user")).scalar_one() == f"palimpsest_{role}"
    with pytest.raises(ProgrammingError, match=r"must be owner|permission denied"), database.write() as session:
        session.execute(text(statement))
    database.dispose()


def test_a_user_who_may_not_make_roles_is_told_the_statement(empty_database_url: str) -> None:
    with admin(empty_database_url) as admins:
        name = empty_database_url.rsplit("/", 1)[-1].split("?")[0]
        admins.execute("DROP ROLE IF EXISTS humble")
        admins.execute("CREATE ROLE humble LOGIN PASSWORD 'humble'")
        admins.execute(f"ALTER DATABASE {name} OWNER TO humble")
    from sqlalchemy.engine import make_url

    url = make_url(sibling(empty_database_url, name)).set(username="humble", password="humble")
    with pytest.raises(SettingsError, match=r"DATABASE_URL.*superuser run"):
        migrate(url.render_as_string(hide_password=False))
    with admin(empty_database_url) as admins:
        admins.execute(f"ALTER DATABASE {name} OWNER TO CURRENT_USER")
        admins.execute("DROP ROLE humble")


def test_a_held_lock_ends_a_migration_whole_and_the_next_one_succeeds(empty_database_url: str) -> None:
    """Public fault h09: the first run waits its five seconds and says what to do; the rerun leaves a valid schema."""
    holder = Database(empty_database_url, role="owner")
    with holder.write() as session:
        session.execute(text("CREATE TABLE alembic_version (version_num varchar(32) NOT NULL)"))
    with holder.engine.connect() as old:
        old.execute(text("LOCK TABLE alembic_version IN ACCESS EXCLUSIVE MODE"))
        with pytest.raises(Conflict, match="run it again"):
            migrate(empty_database_url)
        old.rollback()
    with holder.read() as session:
        assert session.execute(text("SELECT to_regclass('stamps') IS NULL")).scalar_one()
    holder.dispose()
    migrate(empty_database_url)
    command.check(config(empty_database_url))


def test_an_index_that_a_failed_build_left_behind_is_built_again(database_url: str) -> None:
    """Public fault h09: "if not exists" would skip it for ever; migrating mends it, and doctor names it till then."""
    owner = Database(database_url, role="owner")
    with owner.write() as session:
        session.execute(
            text("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'ix_mentions_entity'::regclass")
        )
    with owner.read() as session:
        assert server.look(session).invalid_indexes == ("ix_mentions_entity",)
    migrate(database_url)
    with owner.read() as session:
        assert server.look(session).invalid_indexes == ()
    owner.dispose()


def test_a_store_of_the_first_schema_is_upgraded_with_what_it_holds(empty_database_url: str, broker_url: str) -> None:
    """What was told before facts existed becomes due for them, and is current after a drain like anything since."""
    from schema.settings import Settings
    from tests.support.servers import FAKES
    from tests.support.store import assert_current, drain
    from tests.support.truth import facts, passages

    migrate(empty_database_url, "0001")
    owner = Database(empty_database_url, role="owner")
    with owner.write() as session:
        session.execute(text("INSERT INTO namespaces (tenant_id, name) SELECT id, 'n' FROM tenants"))
        session.execute(
            text("""INSERT INTO episodes (namespace_id, occurred_at) SELECT n.id, now() FROM namespaces n""")
        )
        session.execute(
            text("""INSERT INTO episode_revisions (episode_id, revision, content, content_digest)
                    SELECT id, 1, 'Ann likes tea.', '\\x00' FROM episodes""")
        )
        session.execute(
            text("""INSERT INTO memories (namespace_id, no, key, kind, text, text_digest, source, occurred_at, trust,
                      confidence)
                    SELECT namespace_id, 0, '\\x01', 'passage', 'Ann likes tea.', '\\x02', 'user', now(), 1, 1
                    FROM episodes""")
        )
        session.execute(
            text("""INSERT INTO memory_sources (memory_id, episode_id, revision, start, stop)
                    SELECT m.id, e.id, 1, 0, 14 FROM memories m, episodes e""")
        )
        session.execute(text("UPDATE namespaces SET next_no = 1"))
        session.execute(
            text("""INSERT INTO stamps (derivation, row_id, namespace_id)
                    SELECT d, e.id, e.namespace_id FROM episodes e, unnest(ARRAY['memories']) d
                    UNION ALL
                    SELECT d, m.id, m.namespace_id FROM memories m, unnest(ARRAY['postings', 'entities']) d""")
        )
    owner.dispose()
    migrate(empty_database_url)
    worker = Database(empty_database_url, role="worker", pool_size=2)
    settings = Settings(database_url=empty_database_url, broker_url=broker_url, **FAKES)
    with worker.read() as session:
        due = session.execute(text("SELECT lane FROM stamps WHERE derivation = 'facts'")).scalars().all()
    assert due == [1]
    drain(worker, settings)
    assert list(facts(worker)) == ["Ann likes tea."]
    assert passages(worker) == ["Ann likes tea."]
    assert_current(worker)
    worker.dispose()
