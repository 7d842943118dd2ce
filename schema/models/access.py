"""Who: tenants, and the namespaces that hold their memories. Namespace names are unique per tenant."""

from __future__ import annotations

from datetime import date

from sqlalchemy import BigInteger, Date, ForeignKey, LargeBinary, Text, UniqueConstraint, text
from sqlalchemy.dialects.postgresql import JSON, JSONB
from sqlalchemy.orm import Mapped, mapped_column

from schema.models.base import Base, Recorded, RowId


class Tenant(Base):
    """An owner of namespaces. The first migration makes the default one."""

    __tablename__ = "tenants"

    id: Mapped[RowId]
    name: Mapped[str] = mapped_column(Text, unique=True)
    # Questions are remembered only as digests under this key.
    hash_key: Mapped[bytes] = mapped_column(LargeBinary, server_default=text("uuid_send(gen_random_uuid())"))
    recorded_at: Mapped[Recorded]


class Namespace(Base):
    """One memory: everything recall reads together. `next_number` numbers its memories densely; gaps do no harm."""

    __tablename__ = "namespaces"
    __table_args__ = (UniqueConstraint("tenant_id", "name"),)

    id: Mapped[RowId]
    tenant_id: Mapped[int] = mapped_column(BigInteger, ForeignKey("tenants.id"))
    name: Mapped[str] = mapped_column(Text)
    language: Mapped[str] = mapped_column(Text, server_default="english")
    space_id: Mapped[int | None] = mapped_column(BigInteger, ForeignKey("spaces.id"))
    next_number: Mapped[int] = mapped_column(BigInteger, server_default="0")
    # Trust by source where it differs from the default, and the sources whose memories wait for release.
    trust: Mapped[dict[str, float]] = mapped_column(JSONB, server_default=text("'{}'::jsonb"))
    quarantine: Mapped[list[str]] = mapped_column(JSONB, server_default=text("'[]'::jsonb"))
    recorded_at: Mapped[Recorded]


class ProviderUsage(Base):
    """What an extraction provider charged for a namespace on a day (UTC), and how much of what it said was kept."""

    __tablename__ = "provider_usage"

    namespace_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey("namespaces.id", ondelete="CASCADE"), primary_key=True
    )
    day: Mapped[date] = mapped_column(Date, primary_key=True)
    calls: Mapped[int] = mapped_column(BigInteger, server_default="0")
    tokens: Mapped[int] = mapped_column(BigInteger, server_default="0")
    statements: Mapped[int] = mapped_column(BigInteger, server_default="0")
    ungrounded: Mapped[int] = mapped_column(BigInteger, server_default="0")


class IdempotencyKey(Base):
    """The first answer to a write that carried an Idempotency-Key, kept for a day with a digest of its body."""

    __tablename__ = "idempotency_keys"

    namespace_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey("namespaces.id", ondelete="CASCADE"), primary_key=True
    )
    key: Mapped[str] = mapped_column(Text, primary_key=True)
    body_digest: Mapped[bytes] = mapped_column(LargeBinary)
    status: Mapped[int]
    # Not jsonb: a repeated answer is the first one to the byte, the order of its keys included.
    response: Mapped[dict[str, object]] = mapped_column(JSON)
    recorded_at: Mapped[Recorded]
