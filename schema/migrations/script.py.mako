"""${message}

Rules for every revision: no table rewrite under a lock, indexes on filled tables CONCURRENTLY in a revision of their
own, new columns nullable or with a constant default, the previous release must be able to read what this leaves.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
${imports if imports else ""}

revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply."""
    ${upgrades if upgrades else "pass"}
