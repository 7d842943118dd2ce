"""Places in the conversation and who speaks in it: what recall needs to read a turn together with its neighbours."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply."""
    op.add_column("memories", sa.Column("start", sa.Integer(), server_default=sa.text("0"), nullable=False))
    op.add_column("entities", sa.Column("is_speaker", sa.Boolean(), server_default=sa.text("false"), nullable=False))
    op.execute("""
        UPDATE memories m SET start = s.start
        FROM (SELECT x.memory_id, e.session_id, e.seq, min(x.start) AS start
              FROM memory_sources x JOIN episodes e ON e.id = x.episode_id
              WHERE x.withdrawn_at IS NULL GROUP BY 1, 2, 3) s
        WHERE s.memory_id = m.id AND s.start > 0
          AND s.session_id IS NOT DISTINCT FROM m.session_id AND s.seq IS NOT DISTINCT FROM m.seq""")
    op.execute("UPDATE entities SET is_speaker = true WHERE kind = 'SPEAKER'")
    with op.get_context().autocommit_block():
        op.create_index(
            "ix_memories_place",
            "memories",
            ["namespace_id", "session_id", "seq", "start"],
            postgresql_where=sa.text("session_id IS NOT NULL"),
            postgresql_concurrently=True,
            if_not_exists=True,
        )
        op.create_index(
            "ix_entities_speaker",
            "entities",
            ["namespace_id", sa.text("split_part(key, ' ', 1)")],
            postgresql_where=sa.text("is_speaker"),
            postgresql_concurrently=True,
            if_not_exists=True,
        )
        op.drop_index("ix_memories_session", "memories", postgresql_concurrently=True, if_exists=True)
