"""One question to a chat endpoint: a bounded answer or a typed failure, within a deadline.

- 408, 425, 429, 5xx and a line that breaks are tried again, with exponential jitter and not before `Retry-After`; when
  that asks for more than `LONGEST_WAIT` seconds, the loop's breaker is the better place to wait. A request that timed
  out is not sent again here: it would be paid twice and be as slow.
- Everything that is left then is ProviderUnavailable, and so is what a setting is to blame for (401, 403, 404 ...); the
  message names the setting. A request that the endpoint understands and refuses (400, 413, 422) is BadAnswer.
- The answer is read as it comes and dropped at `max_bytes`, whatever length it announces. It is asked for uncompressed,
  since a compressed one has no length that means anything.
- Tokens go on the meter whether or not the answer is of use. Without a believable `usage` they are estimated at four
  bytes each, the rule of thumb in OpenAI's documentation for English.
- A server that sends drop by drop is noticed when a drop arrives after the deadline, so at most at twice the time.

No error has the library's own message: those may quote headers, and with them the key.
"""

from __future__ import annotations

import json
import math
import time
import weakref
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cached_property
from typing import Any

import httpx
from pydantic import SecretStr
from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception,
    stop_after_attempt,
    stop_before_delay,
    wait_random_exponential,
)

from schema.errors import PalimpsestError, ProviderUnavailable
from workers.derive.llm.errors import BadAnswer, NoAnswerInTime
from workers.derive.llm.prompt import NOT_JSON, REFUSED, TOO_LONG

LONGEST_WAIT = 10.0
"""Seconds that a worker sleeps between two attempts at most: it could derive something else meanwhile."""

_JITTER = wait_random_exponential(multiplier=0.5, max=LONGEST_WAIT)
_MOST_TOKENS = 10_000_000
"""No model reads or writes as much in one call: a larger `usage` is noise, and would empty a budget."""

_TRANSIENT = {408, 425, 429}
_REFUSED = {400, 413, 422}
_CAUSES = {
    401: "the key is not accepted: check PALIMPSEST_LLM_KEY",
    402: "the account has no credit left",
    403: "the key may not do this: check PALIMPSEST_LLM_KEY and PALIMPSEST_LLM_MODEL",
    404: "there is no such address or model: check PALIMPSEST_LLM_URL and PALIMPSEST_LLM_MODEL",
}


@dataclass(slots=True)
class Meter:
    """Counts what one text cost."""

    tokens: int = 0
    requests: int = 0


class _Transient(PalimpsestError):
    """Worth another attempt."""

    def __init__(self, detail: str, after: float = 0.0) -> None:
        super().__init__(detail)
        self.after = after


class ChatClient:
    """Asks one endpoint. Threads may share it; its connections open at the first question, so never before a fork."""

    def __init__(self, url: str, key: SecretStr | None, *, retries: int, max_bytes: int, connections: int) -> None:
        self._url = f"{url.rstrip('/')}/chat/completions"
        self._key = key
        self._retries = retries
        self._max_bytes = max_bytes
        self._limits = httpx.Limits(max_connections=connections)

    @cached_property
    def _http(self) -> httpx.Client:
        headers = {"content-type": "application/json", "accept-encoding": "identity"}
        if self._key is not None:
            headers["authorization"] = f"Bearer {self._key.get_secret_value()}"
        client = httpx.Client(headers=headers, limits=self._limits, follow_redirects=False)
        weakref.finalize(self, client.close)
        return client

    def ask(self, body: bytes, deadline: float, meter: Meter) -> str:
        """Return the text of the answer. `deadline` is on the monotonic clock.

        Raises ProviderUnavailable (NoAnswerInTime) and BadAnswer.
        """
        attempts = Retrying(
            retry=retry_if_exception(lambda error: isinstance(error, _Transient) and error.after <= LONGEST_WAIT),
            stop=stop_after_attempt(self._retries + 1) | stop_before_delay(max(0.0, deadline - time.monotonic())),
            wait=_wait,
            reraise=True,
        )
        try:
            raw = attempts(self._once, body, deadline, meter)
        except _Transient as error:
            detail = error.detail
        else:
            return _content(raw, len(body), meter)
        raise ProviderUnavailable(f"the chat endpoint cannot answer now: {detail}")

    def _once(self, body: bytes, deadline: float, meter: Meter) -> bytes:
        left = deadline - time.monotonic()
        if left <= 0:
            raise NoAnswerInTime
        meter.requests += 1
        begun = False
        failure: PalimpsestError
        try:
            with self._http.stream("POST", self._url, content=body, timeout=left) as response:
                _check(response)
                begun = True
                return self._read(response, len(body), deadline, meter)
        except (httpx.TimeoutException, TimeoutError) as error:
            begun = begun or isinstance(error, httpx.ReadTimeout)
            failure = NoAnswerInTime()
        except httpx.HTTPError as error:
            failure = _Transient(f"the connection failed ({type(error).__name__})")
        if begun:
            # The endpoint was at work on it, and most charge for that: count the question, since no usage came.
            meter.tokens += _estimate(len(body))
        raise failure

    def _read(self, response: httpx.Response, asked: int, deadline: float, meter: Meter) -> bytes:
        if response.headers.get("content-encoding", "identity") != "identity":
            raise ProviderUnavailable("the chat endpoint compresses its answers although asked not to")
        read = bytearray()
        for chunk in response.iter_raw():
            read += chunk
            if len(read) > self._max_bytes:
                meter.tokens += _estimate(asked + len(read))
                raise BadAnswer(f"the answer is larger than {self._max_bytes} bytes", note=TOO_LONG)
            if time.monotonic() > deadline:
                raise TimeoutError
        return bytes(read)


def _check(response: httpx.Response) -> None:
    """Raise what a status other than success means."""
    status = response.status_code
    if response.is_success:
        return
    if status in _TRANSIENT or status >= 500:
        raise _Transient(f"HTTP {status}", _seconds(response.headers.get("retry-after")))
    if status in _REFUSED:
        raise BadAnswer(
            f"the chat endpoint refuses this request (HTTP {status}): the text may be too long for the model, or "
            "the model may know no JSON schema"
        )
    cause = _CAUSES.get(status, "check PALIMPSEST_LLM_URL")
    raise ProviderUnavailable(f"the chat endpoint answers HTTP {status}: {cause}")


def _seconds(header: str | None) -> float:
    """Read Retry-After, which is seconds or a date; 0 for nonsense."""
    if header is None:
        return 0.0
    try:
        seconds = float(header)
    except ValueError:
        try:
            when = parsedate_to_datetime(header)
        except ValueError:
            return 0.0
        seconds = (when.replace(tzinfo=when.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
    return 0.0 if math.isnan(seconds) else max(0.0, seconds)


def _wait(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome is not None else None
    return max(_JITTER(state), error.after if isinstance(error, _Transient) else 0.0)


def _content(raw: bytes, asked: int, meter: Meter) -> str:
    """Return the message in an answer, and put what it cost on the meter."""
    try:
        # The standard library's parser, since others refuse the whole answer for half a surrogate pair.
        answer = json.loads(raw.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError):
        answer = None
    usage = _usage(answer)
    meter.tokens += _estimate(asked + len(raw)) if usage is None else usage
    choice = _first(_get(answer, "choices"))
    message = _get(choice, "message")
    content, reason = _get(message, "content"), _get(choice, "finish_reason")
    if reason == "length":
        raise BadAnswer("the answer stops at the model's limit (finish_reason length)", note=TOO_LONG)
    if _get(message, "refusal") or reason == "content_filter":
        raise BadAnswer("the model refuses to answer", note=REFUSED)
    if not isinstance(content, str):
        raise BadAnswer("the answer is no chat completion", note=NOT_JSON)
    return content


def _usage(answer: Any) -> int | None:
    usage = _get(answer, "usage")
    total = _get(usage, "total_tokens")
    if total is None:
        parts = [_get(usage, "prompt_tokens"), _get(usage, "completion_tokens")]
        total = sum(parts) if all(type(part) is int for part in parts) else None
    return total if type(total) is int and 0 < total <= _MOST_TOKENS else None


def _get(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else None


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, list) and value else None


def _estimate(size: int) -> int:
    return math.ceil(size / 4)
