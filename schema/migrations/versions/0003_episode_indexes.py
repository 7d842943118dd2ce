"""Indexes on episodes for expiry and forgetting, built beside running work."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply."""
    with op.get_context().autocommit_block():
        for name, columns, condition in (
            ("ix_episodes_expiry", ["expires_at"], "expires_at IS NOT NULL"),
            ("ix_episodes_forgetting", ["forgetting_id", "id"], "forgetting_id IS NOT NULL"),
        ):
            op.create_index(
                name,
                "episodes",
                columns,
                postgresql_where=sa.text(condition),
                postgresql_concurrently=True,
                if_not_exists=True,
            )
