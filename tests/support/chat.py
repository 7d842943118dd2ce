"""A chat endpoint that does what a test tells it: real HTTP on 127.0.0.1, an OpenAI-compatible surface, no model.

    with chat_server() as chat:
        chat.script(status(429, retry_after="0"), says(fact("I like tea", "Ana", "like", "tea")))
        chat.when("poison", broken_json())          # for every request whose text has that word
        ... point PALIMPSEST_LLM_URL at chat.url ...
        assert len(chat.requests) == 2

A request is answered by the first `when` whose word stands in its text, else by the next of the script, else by
`default`, which states nothing. Behaviours are functions of the request, so an answer can be computed from what was
asked.
"""

from __future__ import annotations

import contextlib
import json
import socketserver
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast


@dataclass(frozen=True)
class ChatRequest:
    """What was asked."""

    body: dict[str, Any]
    headers: Mapping[str, str]

    @property
    def question(self) -> dict[str, Any]:
        """The data of the user message: text, speaker, said_at, context."""
        return cast(dict[str, Any], json.loads(self.body["messages"][-1]["content"]))

    @property
    def text(self) -> str:
        return cast(str, self.question["text"])

    @property
    def system(self) -> str:
        return cast(str, self.body["messages"][0]["content"])


@dataclass(frozen=True)
class Reply:
    """What goes back: `chunks` as they are written; `cut` closes the connection before the announced end."""

    chunks: Sequence[bytes] = (b"",)
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    length: int | None = None
    wait: float = 0.0
    repeat: int = 1


Behaviour = Callable[[ChatRequest], Reply]


def completion(content: Any, *, usage: Any = 42, finish: str = "stop", **message: Any) -> Reply:
    """A chat completion. `content` is text or what becomes JSON; `usage` None leaves it out."""
    text = content if isinstance(content, str) or content is None else json.dumps(content)
    body: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "choices": [
            {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text, **message}}
        ],
    }
    if usage is not None:
        body["usage"] = {"total_tokens": usage} if isinstance(usage, int) else usage
    return Reply((json.dumps(body).encode(),))


def fact(quote: str, subject: str, predicate: str, target: str | None = None, **other: Any) -> dict[str, Any]:
    """A statement as a model gives it."""
    usual = {"polarity": "pos", "modality": "asserted", "confidence": 0.9, "event_date": None, "importance": 0.5}
    return (
        {"quote": quote, "subject": subject, "predicate": predicate, "object": target, "sentence": ""} | usual | other
    )


def says(*facts: Any, **how: Any) -> Behaviour:
    """A good answer with these statements; see `completion` for `how`."""
    return lambda _request: completion({"statements": list(facts)}, **how)


def answers(function: Callable[[dict[str, Any]], list[Any]], **how: Any) -> Behaviour:
    """A good answer with the statements that `function` makes of the question."""
    return lambda request: completion({"statements": function(request.question)}, **how)


def talks(content: Any, **how: Any) -> Behaviour:
    """An answer whose message is this text."""
    return lambda _request: completion(content, **how)


def broken_json() -> Behaviour:
    return talks('{"statements": [{"quote": "I li')


def off_schema() -> Behaviour:
    return talks({"facts": ["something"]})


def status(code: int, *, retry_after: str | None = None, body: bytes = b'{"error": {"message": "no"}}') -> Behaviour:
    """An error, after which a client may be told when to come again."""
    headers = {} if retry_after is None else {"Retry-After": retry_after}
    return lambda _request: Reply((body,), code, headers)


def raw(*chunks: bytes, **how: Any) -> Behaviour:
    """Bytes as they are."""
    return lambda _request: Reply(chunks, **how)


def slow(seconds: float, then: Behaviour | None = None) -> Behaviour:
    """Nothing for a while; ends early when the server closes."""

    def reply(request: ChatRequest) -> Reply:
        answer = (then or says())(request)
        return Reply(answer.chunks, answer.status, answer.headers, answer.length, seconds)

    return reply


def breaks_off() -> Behaviour:
    """A connection that closes in the middle of an answer."""
    return raw(b'{"choices": [{"mess', length=5000)


def huge(size: int = 10_000_000) -> Behaviour:
    """An endless answer of about `size` bytes, sent piece by piece."""
    return raw(b'{"choices": [', b" " * 65_536, length=10**9, repeat=size // 65_536)


class ChatServer:
    """What a test talks to; see the module."""

    def __init__(self) -> None:
        self.requests: list[ChatRequest] = []
        self.written = 0
        self.closing = threading.Event()
        self.default: Behaviour = says()
        self._script: deque[Behaviour] = deque()
        self._when: list[tuple[str, Behaviour]] = []
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.chat = self

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def texts(self) -> list[str]:
        """The texts that were asked about, in order."""
        return [request.text for request in self.requests]

    def script(self, *behaviours: Behaviour) -> None:
        """Answer the next requests so."""
        self._script.extend(behaviours)

    def when(self, word: str, behaviour: Behaviour) -> None:
        """Answer every request about a text with this word so. The latest such rule counts."""
        self._when.insert(0, (word, behaviour))

    def answer(self, request: ChatRequest) -> Reply:
        """Choose the behaviour and let it act."""
        with self._lock:
            self.requests.append(request)
            chosen = next((behaviour for word, behaviour in self._when if word in request.text), None)
            if chosen is None:
                chosen = self._script.popleft() if self._script else self.default
        return chosen(request)

    def serve(self) -> None:
        self._server.serve_forever(poll_interval=0.02)

    def close(self) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    chat: ChatServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is part of the play."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 5
    server: _Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.path != "/v1/chat/completions":
            self.send_error(404)
            return
        chat = self.server.chat
        reply = chat.answer(ChatRequest(json.loads(body), {key.lower(): value for key, value in self.headers.items()}))
        if reply.wait:
            chat.closing.wait(reply.wait)
        total = sum(map(len, reply.chunks))
        self.send_response(reply.status)
        for name, value in {"Content-Type": "application/json", **reply.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(total if reply.length is None else reply.length))
        self.end_headers()
        for _ in range(reply.repeat):
            for chunk in reply.chunks:
                self.wfile.write(chunk)
                chat.written += len(chunk)
        self.close_connection = reply.length is not None

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Say nothing."""


@contextlib.contextmanager
def chat_server() -> Iterator[ChatServer]:
    """Serve until the block ends."""
    chat = ChatServer()
    thread = threading.Thread(target=chat.serve, name="chat-server", daemon=True)
    thread.start()
    try:
        yield chat
    finally:
        chat.close()
        thread.join()


def refused_url() -> str:
    """An address where nobody listens."""
    with socketserver.TCPServer(("127.0.0.1", 0), socketserver.BaseRequestHandler) as server:
        return f"http://127.0.0.1:{server.server_address[1]}/v1"
