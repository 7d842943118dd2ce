"""The service in a process of its own, with whatever time zone, locale and log level its environment sets.

Run with a namespace: tells, drains, asks, and prints all it was answered as JSON. `--canary` goes wrong on purpose.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from schema import log
from schema.db import Database
from schema.settings import load
from tests.support.client import NOW, Store, serving

TOLD: list[dict[str, Any]] = [
    {"content": "The ferry to Ærø leaves at noon", "occurred_at": "2025-06-01T12:00:00+09:00", "speaker": "Ada"},
    {"content": "漢字😀é and the ferry timetable", "occurred_at": "2025-06-01T12:00:00Z", "speaker": "Bo"},
    {"content": "No ferry on Sundays", "occurred_at": "2025-06-01T04:00:00Z", "speaker": "Ada"},
    {"content": "İstanbul ferries run all night", "occurred_at": "2025-05-31T23:00:00-11:00"},
]
QUERIES = ("ferry", "漢字", "😀", "Ada", "é", "istanbul")
CANARY = "kanarienvogel7731"


def main(namespace: str, canary: bool) -> None:
    """Run, and print one JSON object."""
    settings = load()
    log.configure(settings.log_level)
    assert settings.database_url is not None
    database = Database(settings.database_url, role="worker", pool_size=2)
    with serving(settings) as http:
        store = Store(http, database, settings)
        found = {"bodies": _wrong(store, namespace)} if canary else _right(store, namespace)
    database.dispose()
    sys.stdout.write(json.dumps(found))


def _right(store: Store, namespace: str) -> dict[str, Any]:
    """Tell, drain, ask, and return the answers."""
    ids = store.learn(namespace, *TOLD)
    naive = store.post(namespace, {"content": "x", "occurred_at": "2025-06-01T12:00:00"})
    return {
        "answers": [store.ask(namespace, query, explain=True).text for query in QUERIES],
        "read": [store.read(namespace, episode_id)["occurred_at"] for episode_id in ids],
        "naive": naive.text,
        "ids": ids,
    }


def _wrong(store: Store, namespace: str) -> list[str]:
    """Put the canary into every field, good and bad, and return the bodies of what was refused or failed."""
    good = {"content": CANARY, "speaker": CANARY, "session_id": CANARY, "user_id": CANARY, "metadata": {"k": CANARY}}
    store.learn(namespace, {**good, "external_id": CANARY})
    store.learn(namespace, {"content": f"{CANARY} «raise» Capital {CANARY}"})
    bad: list[dict[str, Any]] = [
        {**good, "content": CANARY + "\0"},
        {**good, "metadata": {"k": CANARY + "\0"}},
        {**good, "speaker": CANARY * 30},
        {**good, "source": CANARY},
        {**good, "occurred_at": CANARY},
        {**good, "seq": CANARY},
        {**good, "metadata": [CANARY]},
        {**good, "speaker": {CANARY: CANARY}},
        {"episodes": [good, {**good, "kind": CANARY}]},
        {"episodes": CANARY},
    ]
    bodies = [store.post(namespace, body, idempotency_key=f"{CANARY}-{place}").text for place, body in enumerate(bad)]
    bodies.append(store.post(namespace, b'{"content": "' + CANARY.encode() + b'" oops').text)
    bodies.append(store.post(namespace, {"content": CANARY + "!"}, idempotency_key=f"{CANARY}-8").text)
    bodies.append(store.post(namespace, {"content": CANARY}, idempotency_key=CANARY * 30).text)
    asked: list[dict[str, Any]] = [
        {"query": CANARY + "\0"},
        {"query": CANARY, "now": CANARY},
        {"query": CANARY, "explain": CANARY},
        {"query": CANARY, "settings": CANARY},
        {"query": [CANARY]},
    ]
    bodies += [store.post(namespace, {"now": NOW, **fields}, to="recall").text for fields in asked]
    assert store.recall(namespace, CANARY, explain=True)["memories"]
    failed = store.post(namespace, {"query": f"{CANARY} «raise»"}, to="recall")
    assert failed.status_code < 500
    return bodies


if __name__ == "__main__":
    if os.environ.get("PYTHONWARNINGS") != "error":
        sys.exit("run me with warnings as errors")
    main(sys.argv[1], "--canary" in sys.argv)
