"""Facts to triples: the keys they are found by, from the stored statement and never from a second parse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from schema.db import ReadSession, WriteSession
from schema.ids import fingerprint
from schema.store import triples
from schema.store.triples import StoredStatement, TripleRow
from workers.derivations.base import Derivation
from workers.derive.text import TOKENISER
from workers.derive.triples import TRIPLES, canonical


@dataclass
class Triples(Derivation[StoredStatement, TripleRow]):
    """Canonises subject, predicate and object."""

    name: str = "triples"
    batch: int = 512

    @property
    def fingerprint(self) -> str:
        """Return the versions of the canonical form and of the tokeniser it uses."""
        return fingerprint([TRIPLES, TOKENISER])

    def load(self, session: ReadSession, ids: Sequence[int]) -> Mapping[int, StoredStatement]:
        """Return active facts."""
        return {row.memory_id: row for row in triples.statements(session, ids)}

    def derive(self, batch: Sequence[StoredStatement]) -> Sequence[TripleRow]:
        """Return the canonical form of each."""
        found = []
        for row in batch:
            triple = canonical(row.subject, row.predicate, row.object, row.polarity)
            found.append(
                TripleRow(
                    row.memory_id,
                    row.namespace_id,
                    triple.subject_key,
                    triple.predicate_key,
                    triple.object_key,
                    triple.positive,
                    triple.functional,
                    triple.alias,
                )
            )
        return found

    def write(self, session: WriteSession, results: Mapping[int, TripleRow]) -> None:
        """Write the triples that differ."""
        triples.write(session, [results[row_id] for row_id in sorted(results)])
