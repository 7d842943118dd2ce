"""Foundation: tenants, namespaces, episodes, memories, indexes, spaces, rules, stamps; the roles that use them.

Rules for every revision: no table rewrite under a lock, indexes on filled tables CONCURRENTLY in a revision of their
own, new columns nullable or with a constant default, the previous release must be able to read what this leaves.
"""

from __future__ import annotations

import psycopg
import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql
from sqlalchemy.exc import DBAPIError

from schema.errors import SettingsError

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


# A worker may add a vector space without owning the schema: this runs as its owner, on the search path of its making.
CREATE_SPACE = """
CREATE FUNCTION palimpsest_create_space(space_id bigint, dimension integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    EXECUTE format(
        'CREATE TABLE IF NOT EXISTS %I (
            namespace_id bigint NOT NULL,
            memory_id bigint NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
            text_digest bytea NOT NULL,
            embedding vector(%s) NOT NULL,
            PRIMARY KEY (namespace_id, memory_id)
        ) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02)',
        'vectors_' || space_id, dimension);
    EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON %I (memory_id)',
        'ix_vectors_' || space_id || '_memory', 'vectors_' || space_id);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO palimpsest_worker', 'vectors_' || space_id);
    EXECUTE format('GRANT SELECT ON %I TO palimpsest_api', 'vectors_' || space_id);
END $$
"""
# Planning by statistics from before a bulk write chose plans ten times as slow for a minute, until autovacuum came by.
ANALYZE = """
CREATE FUNCTION palimpsest_analyze() RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    name text;
    done integer := 0;
BEGIN
    FOR name IN
        SELECT relname FROM pg_stat_user_tables
        WHERE schemaname = current_schema() AND n_mod_since_analyze > 500 AND n_mod_since_analyze > n_live_tup / 10
        ORDER BY relname
    LOOP
        EXECUTE format('ANALYZE (SKIP_LOCKED) %I', name);
        done := done + 1;
    END LOOP;
    RETURN done;
END $$
"""
ROLES = ("palimpsest_worker", "palimpsest_api")
TABLES = (
    "breakers",
    "posting_blocks",
    "posting_statistics",
    "posting_tail",
    "rejections",
    "rules",
    "spaces",
    "stamps",
    "tenants",
    "namespaces",
    "entities",
    "episodes",
    "idempotency_keys",
    "memories",
    "episode_revisions",
    "mentions",
    "posting_sets",
    "memory_sources",
)
WRITTEN_BY_API = ("namespaces", "episodes", "episode_revisions", "stamps", "idempotency_keys")
BUSY = ("stamps", "posting_tail", "posting_blocks", "posting_sets", "mentions")


def upgrade() -> None:
    """Apply."""
    _extension()
    _roles()
    _tables()
    _storage()
    op.execute(CREATE_SPACE)
    op.execute(ANALYZE)
    _grants()
    op.execute("INSERT INTO tenants (name) VALUES ('default')")


def _tables() -> None:
    op.create_table(
        "breakers",
        sa.Column("derivation", sa.Text(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("until", sa.DateTime(timezone=True), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("derivation", name=op.f("pk_breakers")),
    )
    op.create_table(
        "posting_blocks",
        sa.Column("namespace_id", sa.BigInteger(), nullable=False),
        sa.Column("key", sa.BigInteger(), nullable=False),
        sa.Column("block", sa.Integer(), nullable=False),
        sa.Column("packed", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("namespace_id", "key", "block", name=op.f("pk_posting_blocks")),
    )
    op.create_table(
        "posting_statistics",
        sa.Column("namespace_id", sa.BigInteger(), nullable=False),
        sa.Column("rows", sa.BigInteger(), nullable=False),
        sa.Column("length", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("namespace_id", name=op.f("pk_posting_statistics")),
    )
    op.create_table(
        "posting_tail",
        sa.Column("namespace_id", sa.BigInteger(), nullable=False),
        sa.Column("seq", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("packed", sa.LargeBinary(), nullable=False),
        sa.Column("rows", sa.Integer(), nullable=False),
        sa.Column("length", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("namespace_id", "seq", name=op.f("pk_posting_tail")),
    )
    op.create_table(
        "rejections",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("door", sa.Text(), nullable=False),
        sa.Column("request_id", sa.Text(), nullable=False),
        sa.Column("field", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("recorded_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rejections")),
    )
    op.create_table(
        "rules",
        sa.Column("derivation", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("registered_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("derivation", "revision", name=op.f("pk_rules")),
    )
    op.create_index("ix_rules_fingerprint", "rules", ["derivation", "fingerprint"], unique=False)
    op.create_table(
        "spaces",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("weights", sa.Text(), nullable=False),
        sa.Column("dimension", sa.Integer(), nullable=False),
        sa.Column("pooling", sa.Text(), nullable=False),
        sa.Column("normalised", sa.Boolean(), nullable=False),
        sa.Column("window", sa.Integer(), nullable=False),
        sa.Column("query_prompt", sa.Text(), nullable=False),
        sa.Column("document_prompt", sa.Text(), nullable=False),
        sa.Column("template", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("is_default", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("recorded_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_spaces")),
    )
    op.create_index("uq_spaces_default", "spaces", ["is_default"], unique=True, postgresql_where=sa.text("is_default"))
    op.create_index("uq_spaces_fingerprint", "spaces", ["fingerprint"], unique=True)
    op.create_table(
        "stamps",
        sa.Column("derivation", sa.Text(), nullable=False),
        sa.Column("row_id", sa.BigInteger(), nullable=False),
        sa.Column("namespace_id", sa.BigInteger(), nullable=False),
        sa.Column("revision", sa.Integer(), server_default="0", nullable=False),
        sa.Column("lane", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("holder", sa.UUID(), nullable=True),
        sa.Column("attempts", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("not_before", sa.DateTime(timezone=True), server_default=sa.text("'-infinity'"), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("due_since", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("derivation", "row_id", name=op.f("pk_stamps")),
    )
    op.create_index("ix_stamps_due", "stamps", ["derivation", "revision", "lane", "row_id"], unique=False)
    op.create_index("ix_stamps_namespace", "stamps", ["namespace_id", "derivation", "revision"], unique=False)
    op.create_index(
        "ix_stamps_quarantine",
        "stamps",
        ["derivation", "row_id"],
        unique=False,
        postgresql_where=sa.text("not_before = 'infinity'"),
    )
    op.create_table(
        "tenants",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("hash_key", sa.LargeBinary(), server_default=sa.text("uuid_send(gen_random_uuid())"), nullable=False),
        sa.Column("recorded_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tenants")),
        sa.UniqueConstraint("name", name=op.f("uq_tenants_name")),
    )
    op.create_table(
        "namespaces",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("tenant_id", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("language", sa.Text(), server_default="english", nullable=False),
        sa.Column("space_id", sa.BigInteger(), nullable=True),
        sa.Column("next_no", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("recorded_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(["space_id"], ["spaces.id"], name=op.f("fk_namespaces_space_id")),
        sa.ForeignKeyConstraint(["tenant_id"], ["tenants.id"], name=op.f("fk_namespaces_tenant_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_namespaces")),
        sa.UniqueConstraint("tenant_id", "name", name=op.f("uq_namespaces_tenant_id_name")),
    )
    op.create_table(
        "entities",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("namespace_id", sa.BigInteger(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("posting_key", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["namespace_id"], ["namespaces.id"], name=op.f("fk_entities_namespace_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_entities")),
        sa.UniqueConstraint("namespace_id", "key", name=op.f("uq_entities_namespace_id_key")),
    )
    op.create_table(
        "episodes",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("namespace_id", sa.BigInteger(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=True),
        sa.Column("agent_id", sa.Text(), nullable=True),
        sa.Column("session_id", sa.Text(), nullable=True),
        sa.Column("seq", sa.BigInteger(), nullable=True),
        sa.Column("external_id", sa.Text(), nullable=True),
        sa.Column("kind", sa.Text(), server_default="utterance", nullable=False),
        sa.Column("source", sa.Text(), server_default="user", nullable=False),
        sa.Column("speaker", sa.Text(), nullable=True),
        sa.Column("occurred_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("utc_offset", sa.Integer(), server_default="0", nullable=False),
        sa.Column("future", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column(
            "metadata", postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'{}'::jsonb"), nullable=False
        ),
        sa.Column("revision", sa.Integer(), server_default="1", nullable=False),
        sa.Column("forgotten_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("recorded_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(["namespace_id"], ["namespaces.id"], name=op.f("fk_episodes_namespace_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_episodes")),
    )
    op.create_index("ix_episodes_namespace", "episodes", ["namespace_id", "id"], unique=False)
    op.create_index(
        "ix_episodes_session",
        "episodes",
        ["namespace_id", "session_id", "seq"],
        unique=False,
        postgresql_where=sa.text("session_id IS NOT NULL"),
    )
    op.create_index(
        "uq_episodes_external_id",
        "episodes",
        ["namespace_id", "external_id"],
        unique=True,
        postgresql_where=sa.text("external_id IS NOT NULL"),
    )
    op.create_table(
        "idempotency_keys",
        sa.Column("namespace_id", sa.BigInteger(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("body_digest", sa.LargeBinary(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("response", postgresql.JSON(astext_type=sa.Text()), nullable=False),
        sa.Column("recorded_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["namespace_id"], ["namespaces.id"], name=op.f("fk_idempotency_keys_namespace_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("namespace_id", "key", name=op.f("pk_idempotency_keys")),
    )
    op.create_table(
        "memories",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("namespace_id", sa.BigInteger(), nullable=False),
        sa.Column("no", sa.BigInteger(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=True),
        sa.Column("agent_id", sa.Text(), nullable=True),
        sa.Column("key", sa.LargeBinary(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("text_digest", sa.LargeBinary(), nullable=False),
        sa.Column("speaker", sa.Text(), nullable=True),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=True),
        sa.Column("seq", sa.BigInteger(), nullable=True),
        sa.Column("occurred_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("trust", sa.Float(), nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("retired_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("retired_reason", sa.Text(), nullable=True),
        sa.Column("recorded_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(["namespace_id"], ["namespaces.id"], name=op.f("fk_memories_namespace_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_memories")),
        sa.UniqueConstraint("namespace_id", "no", name=op.f("uq_memories_namespace_id_no")),
        sa.UniqueConstraint(
            "namespace_id",
            "user_id",
            "agent_id",
            "key",
            name="uq_memories_statement",
            postgresql_nulls_not_distinct=True,
        ),
    )
    op.create_index(
        "ix_memories_session",
        "memories",
        ["namespace_id", "session_id", "seq"],
        unique=False,
        postgresql_where=sa.text("session_id IS NOT NULL"),
    )
    op.create_table(
        "episode_revisions",
        sa.Column("episode_id", sa.BigInteger(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("content_digest", sa.LargeBinary(), nullable=False),
        sa.Column("recorded_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["episode_id"], ["episodes.id"], name=op.f("fk_episode_revisions_episode_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("episode_id", "revision", name=op.f("pk_episode_revisions")),
    )
    op.create_table(
        "mentions",
        sa.Column("memory_id", sa.BigInteger(), nullable=False),
        sa.Column("entity_id", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["entity_id"], ["entities.id"], name=op.f("fk_mentions_entity_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["memory_id"], ["memories.id"], name=op.f("fk_mentions_memory_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("memory_id", "entity_id", name=op.f("pk_mentions")),
    )
    op.create_index("ix_mentions_entity", "mentions", ["entity_id"], unique=False)
    op.create_table(
        "posting_sets",
        sa.Column("memory_id", sa.BigInteger(), nullable=False),
        sa.Column("namespace_id", sa.BigInteger(), nullable=False),
        sa.Column("length", sa.Integer(), nullable=False),
        sa.Column("packed", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["memory_id"], ["memories.id"], name=op.f("fk_posting_sets_memory_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("memory_id", name=op.f("pk_posting_sets")),
    )
    op.create_table(
        "memory_sources",
        sa.Column("memory_id", sa.BigInteger(), nullable=False),
        sa.Column("episode_id", sa.BigInteger(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("stop", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["episode_id", "revision"],
            ["episode_revisions.episode_id", "episode_revisions.revision"],
            name="fk_memory_sources_revision",
        ),
        sa.ForeignKeyConstraint(
            ["memory_id"], ["memories.id"], name=op.f("fk_memory_sources_memory_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("memory_id", "episode_id", "revision", "start", name=op.f("pk_memory_sources")),
    )
    op.create_index("ix_memory_sources_episode", "memory_sources", ["episode_id", "revision"], unique=False)


def _extension() -> None:
    try:
        op.execute("CREATE EXTENSION IF NOT EXISTS vector")
    except DBAPIError as error:
        raise SettingsError(
            "DATABASE_URL: the server has no pgvector for this user to enable; install pgvector 0.8 or newer there and "
            "let a superuser run: CREATE EXTENSION vector;",
            field="DATABASE_URL",
        ) from error


def _roles() -> None:
    """Make the two roles, which belong to the whole server: another database's migration may be making them now."""
    for role in ROLES:
        try:
            op.execute(
                f"DO $$ BEGIN CREATE ROLE {role} NOLOGIN; "
                "EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$"
            )
            # Without a grant that exists already: two migrations at once would update the same catalogue row.
            op.execute(
                f"DO $$ BEGIN IF NOT pg_has_role(current_user, '{role}', 'MEMBER') "
                f"THEN GRANT {role} TO CURRENT_USER; END IF; END $$"
            )
        except DBAPIError as error:
            if not isinstance(error.orig, psycopg.errors.InsufficientPrivilege):
                raise
            raise SettingsError(
                f"DATABASE_URL: this user may not create roles; let a superuser run: CREATE ROLE {role} NOLOGIN; "
                f"GRANT {role} TO the user of DATABASE_URL;",
                field="DATABASE_URL",
            ) from error


def _storage() -> None:
    """Packed bytes do not compress; tables that change all day are vacuumed early."""
    for table, column in (("posting_blocks", "packed"), ("posting_tail", "packed"), ("posting_sets", "packed")):
        op.execute(f"ALTER TABLE {table} ALTER COLUMN {column} SET STORAGE EXTERNAL")
    for table in BUSY:
        op.execute(
            f"ALTER TABLE {table} SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02)"
        )


def _grants() -> None:
    """Let workers write every table and the API only what it takes in; neither owns anything."""
    tables = ", ".join((*TABLES, "alembic_version"))
    op.execute(f"GRANT SELECT ON {tables} TO palimpsest_worker, palimpsest_api")
    written = ", ".join(TABLES)
    op.execute(f"GRANT INSERT, UPDATE, DELETE ON {written} TO palimpsest_worker")
    op.execute(f"GRANT INSERT, UPDATE, DELETE ON {', '.join(WRITTEN_BY_API)} TO palimpsest_api")
    op.execute(
        "DO $$ BEGIN EXECUTE format('GRANT USAGE ON SCHEMA %I TO palimpsest_worker, palimpsest_api', "
        "current_schema()); END $$"
    )
    for function in ("palimpsest_create_space", "palimpsest_analyze"):
        op.execute(f"REVOKE ALL ON FUNCTION {function} FROM PUBLIC")
        op.execute(f"GRANT EXECUTE ON FUNCTION {function} TO palimpsest_worker")
