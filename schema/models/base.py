"""The declarative base: constraint names that migrations can rely on, and the column types that tables share."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from sqlalchemy import BigInteger, DateTime, Identity, MetaData, func
from sqlalchemy.orm import DeclarativeBase, mapped_column

NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "pk": "pk_%(table_name)s",
}


class Base(DeclarativeBase):
    """All tables. No schema name anywhere: `search_path` decides."""

    metadata = MetaData(naming_convention=NAMES)


RowId = Annotated[int, mapped_column(BigInteger, Identity(), primary_key=True)]
Moment = Annotated[datetime, mapped_column(DateTime(timezone=True))]
Recorded = Annotated[datetime, mapped_column(DateTime(timezone=True), server_default=func.now())]
