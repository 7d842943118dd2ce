"""Every setting, typed and checked at start. A misspelt one is refused with the nearest right name.

Read from the environment: `DATABASE_URL` and `BROKER_URL` by those names, all others with the prefix `PALIMPSEST_`.
Settings that decide what a derivation produces are part of its fingerprint; changing one makes rows stale.
"""

from __future__ import annotations

import difflib
import os
from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import AliasChoices, Field, StringConstraints, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from schema.errors import SettingsError

PREFIX = "PALIMPSEST_"
OUTSIDE = {"PALIMPSEST_DATABASE_URL", "PALIMPSEST_BROKER_URL"}

Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]


class Settings(BaseSettings):
    """See the field descriptions; `get()` returns the process's one instance."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, extra="forbid", frozen=True, populate_by_name=True)

    database_url: str | None = Field(
        None,
        validation_alias=AliasChoices("DATABASE_URL", "PALIMPSEST_DATABASE_URL"),
        repr=False,
        description="PostgreSQL 15+ with pgvector 0.8+; without it an embedded server is used",
    )
    broker_url: str | None = Field(
        None,
        validation_alias=AliasChoices("BROKER_URL", "PALIMPSEST_BROKER_URL"),
        repr=False,
        description="Redis 7+ or Valkey; without it an embedded server is used",
    )
    data_dir: Path | None = Field(None, description="where the embedded servers keep their data")
    log_level: str = Field("INFO", description="DEBUG, INFO, WARNING or ERROR")
    host: str = Field("127.0.0.1", description="address the API listens on")
    port: int = Field(8077, ge=0, le=65535, description="port the API listens on")

    pool_size: int = Field(1, ge=1, le=100, description="database connections of one worker process")
    api_pool_size: int = Field(10, ge=1, le=100, description="database connections of the API process")
    worker_processes: int = Field(2, ge=1, le=256, description="prefork children of one worker")

    encoder: Name = Field("all-MiniLM-L6-v2", description="sentence-transformers model, by name or folder; or fake:D")
    spacy_model: Name = Field("en_core_web_sm", description="spaCy pipeline for entities; or fake")
    passage_words: int = Field(180, ge=20, le=400, description="words in a passage")
    passage_cjk: int = Field(240, ge=20, le=600, description="characters in a passage of a script without spaces")

    lease_seconds: float = Field(60, gt=0, description="how long a claimed row is another worker's business")
    max_attempts: int = Field(5, ge=1, le=50, description="attempts before a row is quarantined")
    backoff_seconds: float = Field(2, ge=0, description="wait after the first failure; doubles, with jitter")
    backoff_cap_seconds: float = Field(3600, ge=0, description="longest wait between two attempts")
    breaker_seconds: float = Field(5, gt=0, description="first snooze of a derivation whose provider is down")
    breaker_cap_seconds: float = Field(60, gt=0, description="longest such snooze")

    drain_seconds: float = Field(20, gt=0, description="time budget of one task; half its soft limit")
    nudge_seconds: float = Field(10, gt=0, description="how long a pending nudge is trusted before another is sent")
    sweep_seconds: float = Field(15, gt=0, description="interval of the beat's sweeps: the reconcile period")
    publish_seconds: float = Field(1, gt=0, description="longest that a write waits for the broker")
    visibility_seconds: float = Field(600, gt=0, description="when an unacknowledged message is delivered again")

    max_content_chars: int = Field(1_000_000, ge=1, description="longest episode; a longer one is refused with 413")
    max_batch: int = Field(1000, ge=1, description="most episodes in one request")
    max_body_bytes: int = Field(16_000_000, ge=1024, description="largest request body")
    max_query_chars: int = Field(10_000, ge=1, description="longest question")
    bulk_chars: int = Field(20_000, ge=1, description="a longer episode is derived in the bulk lane")
    tail_rows: int = Field(1000, ge=1, description="memories in a postings tail before it is merged")

    @field_validator("database_url")
    @classmethod
    def _driver(cls, value: str | None) -> str | None:
        """Spell the driver out, whatever the user's habit."""
        if value is None:
            return None
        scheme, found, rest = value.partition("://")
        if not found or scheme.split("+")[0] not in {"postgres", "postgresql"}:
            raise ValueError("must look like postgresql://user:password@host:5432/database")
        return f"postgresql+psycopg://{rest}"

    @field_validator("broker_url")
    @classmethod
    def _broker(cls, value: str | None) -> str | None:
        if value is not None and value.split("://")[0] not in {"redis", "rediss", "redis+socket", "unix"}:
            raise ValueError("must look like redis://host:6379/0 (Redis 7+ or Valkey)")
        return value

    @field_validator("log_level")
    @classmethod
    def _level(cls, value: str) -> str:
        if value.upper() not in {"DEBUG", "INFO", "WARNING", "ERROR"}:
            raise ValueError("must be DEBUG, INFO, WARNING or ERROR")
        return value.upper()


def _refuse_unknown() -> None:
    known = {PREFIX + name.upper() for name in Settings.model_fields} | OUTSIDE
    for key in sorted(os.environ):
        if key.startswith(PREFIX) and key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            hint = f"; did you mean {near[0]}?" if near else f"; known: {', '.join(sorted(known))}"
            raise SettingsError(f"{key}: no such setting{hint}", field=key)


def load() -> Settings:
    """Read and check the environment. Raises SettingsError naming the variable, what is wrong and what is expected."""
    _refuse_unknown()
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0])
        variable = name if name in {"DATABASE_URL", "BROKER_URL"} else PREFIX + name.upper()
        raise SettingsError(f"{variable}: {first['msg'].removeprefix('Value error, ')}", field=variable) from None


@cache
def get() -> Settings:
    """Return the settings of this process, read once."""
    return load()
