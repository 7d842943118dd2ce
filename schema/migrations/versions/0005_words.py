"""Names that say what they hold: a memory's number, a quarantined episode, the log of what recall returned.

Renaming moves no row; the locks last for the catalogue's change alone.
"""

from __future__ import annotations

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply."""
    op.rename_table("served", "recall_log")
    for table, before, after in (
        ("memories", "no", "number"),
        ("namespaces", "next_no", "next_number"),
        ("episodes", "held", "quarantined"),
        ("recall_log", "head", "opening"),
    ):
        op.alter_column(table, before, new_column_name=after)
    op.execute("ALTER TABLE memories RENAME CONSTRAINT uq_memories_namespace_id_no TO uq_memories_namespace_id_number")
    op.execute("ALTER TABLE recall_log RENAME CONSTRAINT pk_served TO pk_recall_log")
    op.execute("ALTER INDEX ix_served_memory RENAME TO ix_recall_log_memory")
    op.execute("ALTER INDEX ix_memories_place RENAME TO ix_memories_position")
