"""Request bodies: size first, then JSON, then what is in it. Each refusal says which of the three it was."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any, NoReturn

from fastapi import Request

from schema.errors import InvalidInput, TooLarge


@dataclass(frozen=True, slots=True)
class Body:
    """A parsed body, and the digest by which a repetition is known."""

    data: dict[str, Any]
    digest: bytes


async def read_body(request: Request) -> Body:
    """Read a JSON object of at most `max_body_bytes`. Raises TooLarge or InvalidInput."""
    limit = request.app.state.context.settings.max_body_bytes
    raw = bytearray()
    async for chunk in request.stream():
        raw += chunk
        if len(raw) > limit:
            raise TooLarge(f"body: more than {limit} bytes (PALIMPSEST_MAX_BODY_BYTES); send it in parts", field="body")
    try:
        data = json.loads(raw.decode(), parse_constant=_no_constants)
    except UnicodeDecodeError:
        raise InvalidInput("body: must be UTF-8", field="body") from None
    except RecursionError:
        raise InvalidInput("body: is nested too deep", field="body") from None
    except json.JSONDecodeError as error:
        raise InvalidInput(
            f"body: is not valid JSON: {error.msg} at line {error.lineno}, column {error.colno}", field="body"
        ) from None
    except ValueError:
        # Python refuses to turn more than some thousand digits into a number.
        raise InvalidInput("body: holds a number with too many digits", field="body") from None
    if not isinstance(data, dict):
        raise InvalidInput("body: must be a JSON object", field="body")
    return Body(data, hashlib.blake2b(bytes(raw), digest_size=16).digest())


def _no_constants(name: str) -> NoReturn:
    raise InvalidInput(f"body: {name} is not JSON", field="body")
