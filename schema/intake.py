"""What an episode must look like, whichever door it comes through. Errors name the field and never quote its value.

Refused, rather than mended in silence: blank content, zero bytes, unpaired surrogates, times without a zone, unknown
fields. So what is read back is exactly what was told.
"""

from __future__ import annotations

import difflib
import json
import re
import unicodedata
from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints, ValidationError, field_validator

from schema import clock
from schema.errors import InvalidInput, TooLarge
from schema.kinds import EpisodeKind, Lane, Source
from schema.settings import Settings
from schema.store.episodes import NewEpisode

NAMESPACE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
METADATA_CHARS = 65_536
METADATA_DEPTH = 20

Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]


class EpisodeIn(BaseModel):
    """One thing an agent was told."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    content: str = Field(strict=True, description="the words, kept exactly as they come")
    occurred_at: AwareDatetime | None = Field(None, description="event time with its offset; now when left out")
    source: Source = Field(Source.USER, description="user, assistant, external or system; decides trust")
    kind: EpisodeKind = Field(EpisodeKind.UTTERANCE, description="utterance or document")
    speaker: Name | None = Field(None, description="who said it")
    session_id: Name | None = Field(None, description="the conversation it belongs to")
    user_id: Name | None = Field(None, description="whose memory it is; null is a scope of its own")
    agent_id: Name | None = Field(None, description="which agent's memory it is")
    seq: int | None = Field(None, ge=0, lt=2**53, strict=True, description="place in the session; given when left out")
    external_id: Name | None = Field(
        None, description="your own id, unique in the namespace: telling it twice adds nothing"
    )
    expires_at: AwareDatetime | None = Field(None, description="when it is to be forgotten for good; never if left out")
    metadata: dict[str, Any] = Field(default_factory=dict, description="any JSON, read back unchanged")

    @field_validator("content", "speaker", "session_id", "user_id", "agent_id", "external_id")
    @classmethod
    def _storable(cls, value: str | None) -> str | None:
        if value is not None:
            _check_text(value)
        return value

    @field_validator("content")
    @classmethod
    def _not_blank(cls, value: str) -> str:
        # Letters, marks, numbers, punctuation and symbols say something; separators and format characters do not.
        if not any(unicodedata.category(character)[0] in "LMNPS" for character in value):
            raise ValueError("must not be blank")
        return value

    @field_validator("occurred_at", "expires_at", mode="before")
    @classmethod
    def _spelt_out(cls, value: Any) -> Any:
        # A bare number would be taken for seconds or milliseconds, whichever looks likelier.
        if value is None or isinstance(value, datetime) or (isinstance(value, str) and ":" in value):
            return value
        raise ValueError("must be a time with its offset, such as 2026-01-31T12:00:00Z")

    @field_validator("occurred_at", "expires_at")
    @classmethod
    def _in_range(cls, value: datetime | None) -> datetime | None:
        if value is not None:
            try:
                value.astimezone(UTC)
            except OverflowError:
                raise ValueError("must lie between the years 1 and 9999 in UTC") from None
        return value

    @field_validator("expires_at")
    @classmethod
    def _to_come(cls, value: datetime | None) -> datetime | None:
        if value is not None and value <= clock.now():
            raise ValueError("must lie in the future: what is told here would be forgotten at once")
        return value

    @field_validator("metadata")
    @classmethod
    def _plain(cls, value: dict[str, Any]) -> dict[str, Any]:
        _check_json(value, METADATA_DEPTH)
        if len(json.dumps(value, ensure_ascii=False)) > METADATA_CHARS:
            raise ValueError(f"must be at most {METADATA_CHARS} characters as JSON")
        return value


def _check_text(value: str) -> None:
    if "\x00" in value:
        raise ValueError("must not contain a zero byte (U+0000)")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError("must not contain an unpaired surrogate") from None


def _check_json(value: Any, depth: int) -> None:
    if depth == 0:
        raise ValueError(f"must be nested at most {METADATA_DEPTH} deep")
    if isinstance(value, str):
        _check_text(value)
    elif isinstance(value, float) and value - value != 0:
        raise ValueError("must not contain NaN or Infinity")
    elif isinstance(value, dict):
        for key, item in value.items():
            _check_json(key, depth)
            _check_json(item, depth - 1)
    elif isinstance(value, list):
        for item in value:
            _check_json(item, depth - 1)


def parse(data: Any, settings: Settings) -> NewEpisode:
    """Check one episode. Raises InvalidInput naming the field, TooLarge when the content is over the limit."""
    if not isinstance(data, dict):
        raise InvalidInput("an episode must be a JSON object", field="episode")
    content = data.get("content")
    if isinstance(content, str) and len(content) > settings.max_content_chars:
        raise TooLarge(
            f"content: {len(content)} characters are more than this store takes ({settings.max_content_chars}, "
            "PALIMPSEST_MAX_CONTENT_CHARS); send it in parts",
            field="content",
        )
    try:
        item = EpisodeIn.model_validate(data)
    except ValidationError as error:
        raise _named(error) from None
    return NewEpisode(
        content=item.content,
        occurred_at=item.occurred_at or clock.now(),
        source=item.source.value,
        kind=item.kind.value,
        speaker=item.speaker,
        session_id=item.session_id,
        user_id=item.user_id,
        agent_id=item.agent_id,
        seq=item.seq,
        external_id=item.external_id,
        expires_at=item.expires_at,
        metadata=item.metadata,
        lane=Lane.BULK if len(item.content) > settings.bulk_chars else Lane.FRESH,
    )


def _named(error: ValidationError) -> InvalidInput:
    """Turn the first thing pydantic found into one sentence that names the field."""
    first = error.errors(include_input=False, include_url=False)[0]
    field = ".".join(str(part) for part in first["loc"]) or "episode"
    if first["type"] == "extra_forbidden":
        name = str(first["loc"][-1])
        near = difflib.get_close_matches(name, EpisodeIn.model_fields, n=1)
        shown = ascii(name)[1:-1][:60]
        hint = f"; did you mean {near[0]}?" if near else f"; known: {', '.join(EpisodeIn.model_fields)}"
        return InvalidInput(f"{shown}: no such field{hint}", field=shown)
    if first["type"] == "string_unicode":
        return InvalidInput(f"{field}: must not contain an unpaired surrogate", field=field)
    return InvalidInput(f"{field}: {first['msg'].removeprefix('Value error, ')}", field=field)


def namespace(name: Any) -> str:
    """Check a namespace's name."""
    if not isinstance(name, str) or not NAMESPACE.fullmatch(name):
        raise InvalidInput(
            "namespace: must be 1 to 100 letters, digits, dots, underscores or hyphens (ASCII), and begin with a "
            "letter or digit",
            field="namespace",
        )
    return name


def words(content: Any, settings: Settings, field: str = "content") -> str:
    """Check the words of an episode by themselves, as `parse` checks them. Raises InvalidInput, TooLarge."""
    try:
        return parse({"content": content}, settings).content
    except TooLarge as error:
        raise TooLarge(error.detail.replace("content:", f"{field}:", 1), field=field) from None
    except InvalidInput as error:
        raise InvalidInput(error.detail.replace("content:", f"{field}:", 1), field=field) from None


def name(value: Any, field: str, longest: int = 200) -> str:
    """Check a name that picks something: a user, a session, a subject. Raises InvalidInput naming the field."""
    if not isinstance(value, str) or not 1 <= len(value) <= longest:
        raise InvalidInput(f"{field}: must be text of 1 to {longest} characters", field=field)
    try:
        _check_text(value)
    except ValueError as error:
        raise InvalidInput(f"{field}: {error}", field=field) from None
    return value


def question(text: Any, settings: Settings) -> str:
    """Check the text of a question."""
    if not isinstance(text, str):
        raise InvalidInput("query: must be a string", field="query")
    if len(text) > settings.max_query_chars:
        raise TooLarge(
            f"query: {len(text)} characters are more than a question may have ({settings.max_query_chars}, "
            "PALIMPSEST_MAX_QUERY_CHARS)",
            field="query",
        )
    try:
        _check_text(text)
    except ValueError as error:
        raise InvalidInput(f"query: {error}", field="query") from None
    if not any(unicodedata.category(character)[0] in "LMNPS" for character in text):
        raise InvalidInput("query: must not be blank", field="query")
    return text
