"""Every setting, typed and checked at start. A misspelt one is refused with the nearest right name.

Read from the environment: `DATABASE_URL` and `BROKER_URL` by those names, all others with the prefix `PALIMPSEST_`.
Settings that decide what a derivation produces are part of its fingerprint; changing one makes rows stale.
"""

from __future__ import annotations

import difflib
import os
import re
from functools import cache
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import (
    AliasChoices,
    Field,
    SecretStr,
    StringConstraints,
    ValidationError,
    ValidationInfo,
    field_validator,
)
from pydantic_settings import BaseSettings, SettingsConfigDict

from schema.errors import SettingsError

PREFIX = "PALIMPSEST_"
OUTSIDE = {"PALIMPSEST_DATABASE_URL", "PALIMPSEST_BROKER_URL"}

MOST_LABELS = 50
"""Labels of one classifier: each costs a pass over every memory."""

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

    extractor: str = Field("rules", description="what finds facts: rules (offline), llm (a chat endpoint) or none")
    llm_url: str | None = Field(
        None, validate_default=True, description="OpenAI-compatible endpoint, as in https://host/v1; for extractor=llm"
    )
    llm_model: str | None = Field(None, validate_default=True, description="model that the endpoint is asked for")
    llm_key: SecretStr | None = Field(None, repr=False, description="bearer key of the endpoint, if it wants one")
    # A pass begins no batch after drain_seconds and is stopped after twice that: an answer has to fit in between.
    llm_timeout_seconds: float = Field(
        18, gt=0, description="longest that one text may take, retries included; keep it below drain_seconds"
    )
    llm_retries: int = Field(2, ge=0, le=10, description="times a request is sent again after 429, 5xx or a lost line")
    llm_max_answer_bytes: int = Field(1_000_000, ge=1000, description="a larger answer is cut off and not used")
    llm_daily_tokens: int = Field(0, ge=0, description="tokens that a namespace may use a day; 0 is no limit")
    llm_context_turns: int = Field(4, ge=0, le=50, description="earlier turns of the session shown with a text")

    classifier: Name | None = Field(
        None, description="NLI model, by name or folder, that puts memories into categories; without it there are none"
    )
    categories: str = Field(
        "family,friends,work,study,home,health,food,travel,money,hobbies",
        description="the labels, separated by commas",
    )
    category_threshold: float = Field(0.7, ge=0, le=1, description="score from which the best label is the category")
    served_kept_days: float = Field(
        180, gt=0, description="how long what was served is known again when it is told back to us"
    )
    retrievals_kept_days: float = Field(90, gt=0, description="how long each use of a memory is on record")

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

    @field_validator("categories")
    @classmethod
    def _labels(cls, value: str) -> str:
        labels = [label.strip() for label in value.split(",")]
        if not all(labels) or len(set(labels)) < len(labels) or len(labels) > MOST_LABELS:
            raise ValueError(f"must be 1 to {MOST_LABELS} different labels, separated by commas")
        return ",".join(labels)

    @property
    def category_labels(self) -> list[str]:
        """The labels of categories, in the order given."""
        return self.categories.split(",")

    @field_validator("extractor")
    @classmethod
    def _extractor(cls, value: str) -> str:
        if value not in {"rules", "llm", "none"}:
            raise ValueError("must be rules (offline), llm (a chat endpoint) or none")
        return value

    @field_validator("llm_url", "llm_model")
    @classmethod
    def _needed(cls, value: str | None, info: ValidationInfo) -> str | None:
        """Say at start what an LLM extractor lacks, rather than at its first text."""
        if not (value or "").strip() and info.data.get("extractor") == "llm":
            example = "https://host/v1" if info.field_name == "llm_url" else "the model's name at that endpoint"
            raise ValueError(f"is needed with PALIMPSEST_EXTRACTOR=llm: set it to {example}, or choose rules or none")
        return value

    @field_validator("llm_url")
    @classmethod
    def _endpoint(cls, value: str | None) -> str | None:
        if value is None:
            return None
        try:
            parts = urlsplit(value)
            valid = (
                parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port is None or parts.port > 0)
            )
        except ValueError:
            valid = False
        if not valid or parts.query or parts.fragment or re.search(r"[\s\x00-\x1f\x7f]", value):
            raise ValueError("must look like https://host/v1 (what comes before /chat/completions)")
        if parts.username is not None or parts.password is not None:
            raise ValueError("must not hold a user or password: put the key in PALIMPSEST_LLM_KEY")
        return value.rstrip("/").removesuffix("/chat/completions")

    @field_validator("llm_key")
    @classmethod
    def _key(cls, value: SecretStr | None) -> SecretStr | None:
        """Refuse here what a header cannot carry: later the HTTP library would print it."""
        if value is not None and not re.fullmatch(r"[\x21-\x7e]+", value.get_secret_value()):
            raise ValueError("must be printable ASCII without blanks or line ends")
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
