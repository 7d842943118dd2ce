"""Facts: what statements mean, where each source stands, what people decided, what was served, what is forgotten.

Every episode already here becomes due for the new derivation `facts`, in the bulk lane.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

TABLES = (
    "decisions",
    "forgettings",
    "memory_events",
    "provider_usage",
    "retrievals",
    "served",
    "tombstones",
    "triples",
)
# The API records what it serves and what people decide; everything derived is the workers'.
WRITTEN_BY_API = ("retrievals", "served", "decisions")
BUSY = ("retrievals", "served", "memory_sources", "triples")


def upgrade() -> None:
    """Apply."""
    _columns()
    _tables()
    for table in BUSY:
        op.execute(
            f"ALTER TABLE {table} SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02)"
        )
    op.execute(f"GRANT SELECT ON {', '.join(TABLES)} TO palimpsest_worker, palimpsest_api")
    op.execute(f"GRANT INSERT, UPDATE, DELETE ON {', '.join(TABLES)} TO palimpsest_worker")
    op.execute(f"GRANT INSERT, UPDATE, DELETE ON {', '.join(WRITTEN_BY_API)} TO palimpsest_api")
    op.execute(
        "INSERT INTO stamps (derivation, row_id, namespace_id, lane) "
        "SELECT 'facts', id, namespace_id, 1 FROM episodes WHERE forgotten_at IS NULL ON CONFLICT DO NOTHING"
    )


def _columns() -> None:
    op.add_column(
        "episode_revisions",
        sa.Column(
            "echoes", postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'[]'::jsonb"), nullable=False
        ),
    )
    op.add_column("episodes", sa.Column("held", sa.Boolean(), server_default=sa.text("false"), nullable=False))
    op.add_column("episodes", sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("episodes", sa.Column("forgetting_id", sa.BigInteger(), nullable=True))
    op.add_column("memories", sa.Column("subject", sa.Text(), nullable=True))
    op.add_column("memories", sa.Column("predicate", sa.Text(), nullable=True))
    op.add_column("memories", sa.Column("object", sa.Text(), nullable=True))
    op.add_column("memories", sa.Column("polarity", sa.Text(), nullable=True))
    op.add_column("memories", sa.Column("modality", sa.Text(), nullable=True))
    op.add_column("memories", sa.Column("event", sa.Text(), nullable=True))
    op.add_column("memories", sa.Column("valid_from", sa.DateTime(timezone=True), nullable=True))
    op.add_column("memories", sa.Column("valid_to", sa.DateTime(timezone=True), nullable=True))
    op.add_column("memories", sa.Column("state", sa.Text(), nullable=True))
    op.add_column("memories", sa.Column("corroboration", sa.Integer(), server_default="1", nullable=False))
    op.add_column("memories", sa.Column("importance", sa.Float(), server_default="0.5", nullable=False))
    op.add_column("memories", sa.Column("tier", sa.Text(), server_default="ordinary", nullable=False))
    op.add_column("memories", sa.Column("category", sa.Text(), nullable=True))
    op.add_column("memories", sa.Column("quarantined_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("memory_sources", sa.Column("said", postgresql.JSONB(astext_type=sa.Text()), nullable=True))
    op.add_column("memory_sources", sa.Column("made_by", sa.Text(), nullable=True))
    op.add_column("memory_sources", sa.Column("withdrawn_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column(
        "namespaces",
        sa.Column(
            "trust", postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'{}'::jsonb"), nullable=False
        ),
    )
    op.add_column(
        "namespaces",
        sa.Column(
            "quarantine", postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'[]'::jsonb"), nullable=False
        ),
    )


def _tables() -> None:
    op.create_table(
        "forgettings",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("tenant_id", sa.BigInteger(), nullable=False),
        sa.Column("namespace_id", sa.BigInteger(), nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("target", sa.LargeBinary(), nullable=False),
        sa.Column("episodes", sa.BigInteger(), nullable=False),
        sa.Column(
            "removed", postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'{}'::jsonb"), nullable=False
        ),
        sa.Column("left", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("recorded_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_forgettings")),
    )
    op.create_table(
        "retrievals",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("namespace_id", sa.BigInteger(), nullable=False),
        sa.Column("memory_id", sa.BigInteger(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=True),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("recorded_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_retrievals")),
    )
    op.create_index("ix_retrievals_memory", "retrievals", ["memory_id", "recorded_at"], unique=False)
    op.create_table(
        "served",
        sa.Column("namespace_id", sa.BigInteger(), nullable=False),
        sa.Column("head", sa.BigInteger(), nullable=False),
        sa.Column("whole", sa.LargeBinary(), nullable=False),
        sa.Column("words", sa.Integer(), nullable=False),
        sa.Column("memory_id", sa.BigInteger(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=True),
        sa.Column("recorded_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("namespace_id", "head", "whole", "memory_id", name=op.f("pk_served")),
    )
    op.create_index("ix_served_memory", "served", ["memory_id"], unique=False)
    op.create_table(
        "tombstones",
        sa.Column("tenant_id", sa.BigInteger(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("forgetting_id", sa.BigInteger(), nullable=False),
        sa.Column("recorded_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("tenant_id", "digest", name=op.f("pk_tombstones")),
    )
    op.create_table(
        "provider_usage",
        sa.Column("namespace_id", sa.BigInteger(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("calls", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("tokens", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("statements", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("ungrounded", sa.BigInteger(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(
            ["namespace_id"], ["namespaces.id"], name=op.f("fk_provider_usage_namespace_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("namespace_id", "day", name=op.f("pk_provider_usage")),
    )
    op.create_table(
        "decisions",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("namespace_id", sa.BigInteger(), nullable=False),
        sa.Column("memory_id", sa.BigInteger(), nullable=False),
        sa.Column("verdict", sa.Text(), nullable=False),
        sa.Column("correction_id", sa.BigInteger(), nullable=True),
        sa.Column("recorded_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["memory_id"], ["memories.id"], name=op.f("fk_decisions_memory_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_decisions")),
    )
    op.create_index("ix_decisions_memory", "decisions", ["memory_id", "id"], unique=False)
    op.create_table(
        "memory_events",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("namespace_id", sa.BigInteger(), nullable=False),
        sa.Column("memory_id", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("episode_id", sa.BigInteger(), nullable=True),
        sa.Column("recorded_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["memory_id"], ["memories.id"], name=op.f("fk_memory_events_memory_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_memory_events")),
    )
    op.create_index("ix_memory_events_memory", "memory_events", ["memory_id", "id"], unique=False)
    op.create_table(
        "triples",
        sa.Column("memory_id", sa.BigInteger(), nullable=False),
        sa.Column("namespace_id", sa.BigInteger(), nullable=False),
        sa.Column("subject_key", sa.Text(), nullable=False),
        sa.Column("predicate_key", sa.Text(), nullable=False),
        sa.Column("object_key", sa.Text(), nullable=True),
        sa.Column("positive", sa.Boolean(), nullable=False),
        sa.Column("functional", sa.Boolean(), nullable=False),
        sa.Column("alias", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["memory_id"], ["memories.id"], name=op.f("fk_triples_memory_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("memory_id", name=op.f("pk_triples")),
    )
    op.create_index("ix_triples_object", "triples", ["namespace_id", "object_key"], unique=False)
    op.create_index("ix_triples_predicate", "triples", ["namespace_id", "predicate_key"], unique=False)
    op.create_index("ix_triples_subject", "triples", ["namespace_id", "subject_key", "predicate_key"], unique=False)
