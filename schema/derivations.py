"""The registry of derivations: what is derived from a row, in which order, and which tables hold it.

A derivation reads rows of one kind, episodes or memories, and its stamps carry their ids. Whatever needs to know of all
derivations (stamps of a new row, status, doctor, forgetting and its proof) reads this registry. What a derivation does
is its adapter's, in `workers.derivations`; what takes a memory out of its tables is in `schema.store.memories`.

`vectors` stands for one derivation a vector space, stamped as `vectors:<space id>`, with a table a space.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from schema.kinds import MemoryKind

Row = Literal["episode", "memory"]

MEMORIES = "memories"
FACTS = "facts"
VECTORS = "vectors"


@dataclass(frozen=True, slots=True)
class Spec:
    """One derivation: the kind of row it stamps, what must be current before it, and the tables that are its own.

    `optional`: a store has it from the time a worker set up for it registered its rules. `facts_only`: passages have no
    stamp of it. `tables` hold what it made of a memory under `memory_id`, or are packed indexes of it.
    """

    name: str
    row: Row
    needs: tuple[str, ...] = ()
    optional: bool = False
    facts_only: bool = False
    tables: tuple[str, ...] = ()


REGISTRY: tuple[Spec, ...] = (
    Spec(MEMORIES, "episode", tables=("memories", "memory_sources")),
    Spec("postings", "memory", tables=("posting_sets", "posting_tail", "posting_blocks")),
    Spec("entities", "memory", tables=("entities", "mentions")),
    Spec(VECTORS, "memory"),
    Spec(FACTS, "episode", needs=(MEMORIES,), tables=("memories", "memory_sources")),
    Spec("triples", "memory", facts_only=True, tables=("triples",)),
    Spec("categories", "memory", optional=True),
)
"""In dependency order: what was said is recallable before anybody has understood it."""

_BY_NAME = {spec.name: spec for spec in REGISTRY}

OF_EPISODES = tuple(sorted(spec.name for spec in REGISTRY if spec.row == "episode"))
"""The derivations that read episodes, in the order in which their stamps are locked: by name."""
OPTIONAL = tuple(spec.name for spec in REGISTRY if spec.optional)


def get(name: str) -> Spec:
    """Return a derivation by the name in its stamps. Raises KeyError."""
    return _BY_NAME[name.partition(":")[0]]


def named(spaces: Iterable[int], optional: Sequence[str] = OPTIONAL, row: Row | None = None) -> list[str]:
    """Return the names in the stamps of a store with these vector spaces and optional derivations, in dependency order.

    `row` restricts to those of episodes or of memories.
    """
    listed = list(spaces)

    def names() -> Iterator[str]:
        for spec in REGISTRY:
            if row not in (None, spec.row) or (spec.optional and spec.name not in optional):
                continue
            yield from (space_name(space) for space in listed) if spec.name == VECTORS else (spec.name,)

    return list(names())


def of_kind(kind: str, names: Sequence[str]) -> list[str]:
    """Return which of these derivations a memory of this kind has."""
    return [name for name in names if kind == MemoryKind.FACT or not get(name).facts_only]


def space_name(space_id: int) -> str:
    """Return the name under which the vectors of a space are stamped."""
    return f"{VECTORS}:{space_id}"


def space_of(name: str) -> int | None:
    """Return the space whose vectors are stamped under this name, None for any other derivation."""
    return int(name.partition(":")[2]) if name.startswith(f"{VECTORS}:") else None


def tables() -> list[str]:
    """Return every table that holds what was derived, vector tables aside, each once."""
    return list(dict.fromkeys(table for spec in REGISTRY for table in spec.tables))
