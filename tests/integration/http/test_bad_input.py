"""Whatever is wrong with a request, the answer is a 4xx problem that names the field, and nothing is half written."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.client import Store, assert_problem, serving

SURROGATE = b"\\ud83d"
TEXT_FIELDS = ("content", "speaker", "session_id", "user_id", "agent_id", "external_id")


@pytest.fixture
def untouched(store: Store) -> Any:
    """The store, which must hold exactly what it held before."""
    store.tell("n", {"content": "before", "external_id": "first"})
    before = store.rows()
    yield store
    assert store.rows() == before


def _raw(field: str, value: bytes) -> bytes:
    """A body whose `field` holds a JSON string of these bytes, and whose other fields are good."""
    fields = {"content": b'"fine"', field: b'"left ' + value + b' right"'}
    return b"{" + b",".join(f'"{name}":'.encode() + text for name, text in fields.items()) + b"}"


def test_blank_content_is_refused(untouched: Store) -> None:
    """Public fault a17."""
    for blank in ("", " ", "  \n", "\t\r\n", "\u200b", "\u00a0\u3000", "\u200d\ufeff\u2060", "\u202e\u202c"):
        assert_problem(untouched.post("n", {"content": blank}), "content")


def test_text_over_the_limit_is_refused_with_the_limit(untouched: Store) -> None:
    """Public fault a09: refused whole, never cut."""
    limit = untouched.settings.max_content_chars
    for size in (limit + 1, 1_200_000, 5_000_000):
        problem = assert_problem(untouched.post("n", {"content": "w " * (size // 2) + "w"}), "content", (413,))
        assert str(limit) in problem["detail"]
        assert "PALIMPSEST_MAX_CONTENT_CHARS" in problem["detail"]


def test_a_body_over_the_limit_is_refused_with_the_limit(untouched: Store) -> None:
    limit = untouched.settings.max_body_bytes
    problem = assert_problem(untouched.post("n", b'{"content":"' + b"a" * limit + b'"}'), "body", (413,))
    assert str(limit) in problem["detail"]


def test_too_many_or_too_few_episodes_are_refused(untouched: Store) -> None:
    many = [{"content": "x"}] * (untouched.settings.max_batch + 1)
    problem = assert_problem(untouched.post("n", {"episodes": many}), "episodes", (413,))
    assert str(untouched.settings.max_batch) in problem["detail"]
    for wrong in ([], {}, None, "x", 5):
        assert_problem(untouched.post("n", {"episodes": wrong}), "episodes")
    assert_problem(untouched.post("n", {"episodes": [{"content": "x"}], "content": "y"}), "episodes")


def test_zero_bytes_are_refused_in_every_field(untouched: Store) -> None:
    """Public fault a01."""
    for field in TEXT_FIELDS:
        assert_problem(untouched.post("n", _raw(field, b"\\u0000")), field)
    for metadata in ({"k\0": "v"}, {"k": "v\0"}, {"k": [{"deep": "\0"}]}, {"k": {"\0": 1}}):
        assert_problem(untouched.post("n", {"content": "x", "metadata": metadata}), "metadata")
    for field in ("source", "kind", "occurred_at"):
        assert_problem(untouched.post("n", _raw(field, b"\\u0000")), field)
    assert_problem(untouched.post("n", {"query": "a\0b"}, to="recall"), "query")
    assert_problem(untouched.http.get("/v1/namespaces/n/episodes?session_id=%00"), "session_id")


def test_lone_surrogates_are_refused_in_every_field(untouched: Store) -> None:
    """Public fault a03."""
    for unit in (SURROGATE, b"\\udc00", b"\\udc00\\ud83d"):
        for field in (*TEXT_FIELDS, "source", "kind", "occurred_at"):
            assert_problem(untouched.post("n", _raw(field, unit)), field)
        for metadata in (b'{"a":"' + unit + b'"}', b'{"' + unit + b'":1}', b'{"a":[["' + unit + b'"]]}'):
            assert_problem(untouched.post("n", b'{"content":"x","metadata":' + metadata + b"}"), "metadata")
        assert_problem(untouched.post("n", _raw("query", unit), to="recall"))
        for body in (
            b'{"query":"' + unit + b'"}',
            b'{"query":"x","settings":{"' + unit + b'":1}}',
            b'{"query":"x","' + unit + b'":1}',
            b'{"query":"x","now":"' + unit + b'"}',
            b'{"query":"x","settings":{"fusion":"' + unit + b'"}}',
            b'{"query":"x","k":"' + unit + b'"}',
        ):
            assert_problem(untouched.post("n", body, to="recall"))
        assert_problem(untouched.post("n", b'{"content":"x","' + unit + b'":1}'))


def test_a_whole_surrogate_pair_is_a_character(store: Store) -> None:
    (episode,) = store.post("n", b'{"content":"left \\ud83d\\ude00 right"}').json()["episodes"]
    assert store.read("n", episode["id"])["content"] == "left 😀 right"


def test_a_time_is_a_string_with_an_offset(untouched: Store) -> None:
    """Public fault a13: a time without a zone is refused, and no number is guessed to be one."""
    naive: list[Any] = ["2025-06-01T12:00:00", "2025-06-01 12:00", "2025-06-01", "12:00", "now", ""]
    numbers: list[Any] = [0, 5, 1_735_689_600, 1_735_689_600_000, 1.5, "1735689600", True, -1, 10**30, 1e300]
    others: list[Any] = [[], {}, ["2025-06-01T12:00:00Z"]]
    outside: list[Any] = ["2025-02-30T00:00:00Z", "2025-06-01T12:00:00+25:00", "10000-01-01T00:00:00Z"]
    far: list[Any] = ["9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+12:00", "0000-01-01T00:00:00Z"]
    for value in [*naive, *numbers, *others, *outside, *far]:
        assert_problem(untouched.post("n", {"content": "x", "occurred_at": value}), "occurred_at")
    for value in [*naive, *numbers, *others, *outside]:
        assert_problem(untouched.post("n", {"query": "x", "now": value}, to="recall"), "now")


def test_wrong_types_are_refused_by_name(untouched: Store) -> None:
    wrong: list[Any] = [5, 1.5, True, [], {}, ["x"]]
    for field in TEXT_FIELDS:
        for value in [*wrong, "", *([None] if field == "content" else ["y" * 201])]:
            assert_problem(untouched.post("n", {"content": "x", field: value}), field)
    for field in ("source", "kind"):
        for value in [*wrong, None, "", "USER", "nobody"]:
            assert_problem(untouched.post("n", {"content": "x", field: value}), field)
    for value in [None, 5, "x", [], [["a", 1]], True]:
        assert_problem(untouched.post("n", {"content": "x", "metadata": value}), "metadata")
    for value in [-1, 1.0, 1.5, "1", True, 2**53, 10**30, [], {}]:
        assert_problem(untouched.post("n", {"content": "x", "seq": value}), "seq")
    assert_problem(untouched.post("n", {}), "content")
    assert_problem(untouched.post("n", {"speaker": "Ada"}), "content")


def test_wrong_questions_are_refused_by_name(untouched: Store) -> None:
    """Public fault a17: a blank question is refused."""
    for query in ("", " ", "  \n", "\u200b", None, 5, [], {}, True):
        assert_problem(untouched.post("n", {"query": query}, to="recall"), "query")
    assert_problem(untouched.post("n", {}, to="recall"), "query")
    assert_problem(untouched.post("n", {"query": "x" * 10_001}, to="recall"), "query", (413,))
    for field, values in {
        "k": [0, -1, 1001, 1.5, "5", None, True, [], 10**30],
        "max_chars": [-1, 1.5, "5", None, 10**30],
        "max_tokens": [-1, "5"],
        "collapse": ["sources", None, 5, [], {}],
        "prompt_order": ["newest", None],
        "explain": ["yes", 1, None],
        "settings": [None, 5, [], "k"],
    }.items():
        for value in values:
            assert_problem(untouched.post("n", {"query": "x", field: value}, to="recall"), field)
    for name, values in {
        "keyword_weight": [-1, 101, "1", None, True, 10**400],
        "bm25_b": [1.01, -0.01],
        "fusion": ["sum", None],
        "pool": [0, 1001],
        "min_cosine": [2, "x"],
    }.items():
        for value in values:
            assert_problem(untouched.post("n", {"query": "x", "settings": {name: value}}, to="recall"), name)
    off = {"keyword_weight": 0, "semantic_weight": 0, "entity_weight": 0}
    assert_problem(untouched.post("n", {"query": "x", "settings": off}, to="recall"))


def test_an_unknown_field_is_refused_with_the_nearest_right_name(untouched: Store) -> None:
    for wrong, right in {"contents": "content", "speeker": "speaker", "occured_at": "occurred_at"}.items():
        problem = assert_problem(untouched.post("n", {"content": "x", wrong: "y"}), wrong)
        assert f"did you mean {right}?" in problem["detail"]
    problem = assert_problem(untouched.post("n", {"content": "x", "zzz": 1}), "zzz")
    assert "speaker" in problem["detail"], "with no near name, the known ones are listed"
    for wrong, right in {"explian": "explain", "querry": "query", "setings": "settings"}.items():
        problem = assert_problem(untouched.post("n", {"query": "x", wrong: {}}, to="recall"), wrong)
        assert f"did you mean {right}?" in problem["detail"]
    problem = assert_problem(
        untouched.post("n", {"query": "x", "settings": {"keyword_wait": 1}}, to="recall"), "keyword_wait"
    )
    assert "did you mean keyword_weight?" in problem["detail"]


def test_an_error_is_short_however_long_the_mistake(untouched: Store) -> None:
    long = "a" * 200_000
    for answer in (
        untouched.post("n", {"content": "x", long: 1}),
        untouched.post("n", {"query": "x", long: 1}, to="recall"),
        untouched.post("n", {"query": "x", "settings": {long: 1}}, to="recall"),
        untouched.post("n", {"query": "x", "settings": {"k": long}}, to="recall"),
        untouched.post("n", {"query": "x", "settings": {"fusion": long}}, to="recall"),
    ):
        assert_problem(answer)
        assert len(answer.content) < 3_000


def test_what_is_no_json_object_is_refused(untouched: Store) -> None:
    bodies: dict[str, bytes] = {
        "empty": b"",
        "broken": b'{"content": "x"',
        "trailing": b'{"content": "x"} {}',
        "single quotes": b"{'content': 'x'}",
        "not UTF-8": b'{"content": "caf\xe9"}',
        "UTF-16": '{"content": "x"}'.encode("utf-16"),
        "byte order mark": b'\xef\xbb\xbf{"content": "x"}',
        "overlong": b'{"content": "\xc0\x80"}',
        "surrogate bytes": b'{"content": "\xed\xa0\xbd"}',
        "raw zero byte": b'{"content": "a\x00b"}',
        "array": b'[{"content": "x"}]',
        "string": b'"content"',
        "number": b"5",
        "null": b"null",
        "NaN": b'{"content": "x", "metadata": {"a": NaN}}',
        "Infinity": b'{"content": "x", "metadata": {"a": -Infinity}}',
        "digits": b'{"content": "x", "metadata": {"a": ' + b"9" * 5_000 + b"}}",
        "deep array": b"[" * 100_000,
        "deep object": b'{"a":' * 100_000,
    }
    for label, body in bodies.items():
        for door in ("episodes", "recall"):
            answer = untouched.post("n", body, to=door)
            assert answer.status_code == 422, (label, door, answer.text[:200])
            assert_problem(answer, "body")


def test_metadata_has_bounds(untouched: Store) -> None:
    deep: Any = 1
    for _ in range(25):
        deep = {"a": deep}
    nested = b'{"a":' * 400 + b"1" + b"}" * 400
    assert_problem(untouched.post("n", {"content": "x", "metadata": deep}), "metadata")
    assert_problem(untouched.post("n", b'{"content":"x","metadata":' + nested + b"}"), "metadata")
    assert_problem(untouched.post("n", b'{"content":"x","metadata":{"a":1e999}}'), "metadata")
    assert_problem(untouched.post("n", {"content": "x", "metadata": {"a": "b" * 70_000}}), "metadata")


def test_odd_namespaces_are_refused(untouched: Store) -> None:
    odd = [
        "%00",
        "a%20b",
        "a%0ab",
        "%C3%A9",
        "%ff",
        ".hidden",
        "-x",
        "_x",
        "..",
        "a" * 101,
        "a'b",
        "a;b",
        "%F0%9F%98%80",
    ]
    body = json.dumps({"content": "x"}).encode()
    for name in odd:
        for door in ("episodes", "recall"):
            answer = untouched.http.post(f"/v1/namespaces/{name}/{door}", content=body if door == "episodes" else b"{}")
            assert 400 <= answer.status_code < 500, (name, answer.text)
            assert answer.headers["content-type"] == "application/problem+json"
        assert 400 <= untouched.http.get(f"/v1/namespaces/{name}/episodes").status_code < 500
    assert_problem(untouched.http.post("/v1/namespaces/a%20b/episodes", content=body), "namespace")
    assert_problem(untouched.http.post("/v1/namespaces/a%2Fb/episodes", content=body), status=(404, 422))


def test_bad_idempotency_keys_are_refused(untouched: Store) -> None:
    for key in ("", "x" * 201, "tab\tinside"):
        assert_problem(untouched.post("n", {"content": "x"}, idempotency_key=key), "Idempotency-Key")
    raw = untouched.http.post(
        "/v1/namespaces/n/episodes", content=b'{"content":"x"}', headers=[(b"Idempotency-Key", b"\x80\x81")]
    )
    assert_problem(raw, "Idempotency-Key")


def test_wrong_methods_and_paths_are_problems(untouched: Store) -> None:
    http = untouched.http
    for method in ("PUT", "DELETE", "PATCH"):
        answer = http.request(method, "/v1/namespaces/n/episodes", content=b'{"content":"x"}')
        assert_problem(answer, status=(405,))
        assert {"GET", "POST"} & set(answer.headers["allow"].replace(" ", "").split(",")), "a 405 says what is allowed"
    assert_problem(http.get("/v1/namespaces/n/recall"), status=(405,))
    for path in ("/", "/v1", "/v1/nothing", "/v1/namespaces/n/episodes/1/2", "/v1/namespaces//episodes", "/docs"):
        assert_problem(http.get(path), status=(404, 422))


def test_wrong_ids_and_pages_are_problems(untouched: Store) -> None:
    pages = "/v1/namespaces/n/episodes"
    for path, field in {
        f"{pages}/abc": "episode_id",
        f"{pages}/1.5": "episode_id",
        f"{pages}/{'9' * 5000}": "episode_id",
        f"{pages}?after=-1": "after",
        f"{pages}?after=x": "after",
        f"{pages}?after={2**63}": "after",
        f"{pages}?after={10**30}": "after",
        f"{pages}?limit=0": "limit",
        f"{pages}?limit={10**30}": "limit",
    }.items():
        assert_problem(untouched.http.get(path), field)
    for episode_id in (0, -1, 999_999, 2**63, 10**30):
        assert assert_problem(untouched.http.get(f"{pages}/{episode_id}"), status=(404,))["field"] == "episode_id"


def test_a_refused_batch_makes_no_namespace(store: Store) -> None:
    before = store.rows()
    assert_problem(store.post("fresh", {"content": ""}), "content")
    assert_problem(store.post("fresh", {"episodes": [{"content": ""}, {"content": "\0"}]}), "episodes.0.content")
    assert_problem(store.post("fresh", {"content": "\0"}, idempotency_key="k"), "content")
    store.recall("fresh", "anything")
    assert store.rows() == before


def test_the_application_can_be_started_twice(store: Store) -> None:
    """Two applications over one store, one after the other in one process, as a test suite or a reload does."""
    store.learn("n", "the ferry leaves at noon")
    with serving(store.settings) as other:
        answer = other.post("/v1/namespaces/n/recall", json={"query": "ferry"})
        assert [memory["text"] for memory in answer.json()["memories"]] == ["the ferry leaves at noon"]
    assert store.texts("n", "ferry") == ["the ferry leaves at noon"]
