"""PostgreSQL with pgvector and Valkey out of wheels, as an ordinary user or root, with nothing else installed.

`Runtime` owns an instance and can run other processes beside it; `start` is the same for a block; `attach` finds one
that runs; `erase` removes one. `Supervisor` runs processes without any server. All of them promise that nothing they
started outlives this process by more than 15 s, and that nothing they did not start is ever signalled.
"""

from __future__ import annotations

from deploy.embedded.errors import EmbeddedError
from deploy.embedded.runtime import Instance, Runtime, attach, erase, start
from deploy.embedded.supervise import Child, ChildState, Log, Supervisor

__all__ = [
    "Child",
    "ChildState",
    "EmbeddedError",
    "Instance",
    "Log",
    "Runtime",
    "Supervisor",
    "attach",
    "erase",
    "start",
]
