"""Memories to keyword postings, and to postings of what kind of thing they say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from schema.db import ReadSession, WriteSession
from schema.ids import fingerprint
from schema.kinds import MemoryKind
from schema.store import memories, namespaces, postings
from schema.store.memories import MemoryText
from schema.store.postings import TermSet
from workers.derivations.base import Derivation
from workers.derive.text import FACT_SPACE, TERM_SPACE, TOKENISER, term_key, terms
from workers.derive.traits import trait_key
from workers.english.traits import TRAITS, traits

SPACE_OF: dict[str, bytes] = {MemoryKind.FACT: FACT_SPACE}
"""Kinds whose words have postings of their own."""


@dataclass(frozen=True)
class Sentence:
    """A memory and the language its namespace is indexed in."""

    memory: MemoryText
    language: str


@dataclass
class Postings(Derivation[Sentence, TermSet]):
    """Indexes passages as "speaker: text", facts as they are written out, by the one tokeniser."""

    name: str = "postings"
    batch: int = 256

    @property
    def fingerprint(self) -> str:
        """Return the versions of the tokeniser, of what is kept apart, and of what is looked for beside words."""
        return fingerprint([TOKENISER, "facts apart/1", TRAITS])

    def load(self, session: ReadSession, ids: Sequence[int]) -> Mapping[int, Sentence]:
        """Return active memories with their language."""
        found = memories.texts(session, ids)
        languages = namespaces.languages(session, [row.namespace_id for row in found])
        return {row.id: Sentence(row, languages[row.namespace_id]) for row in found}

    def derive(self, batch: Sequence[Sentence]) -> Sequence[TermSet]:
        """Return the counted term keys of each memory."""
        return [
            TermSet(
                item.memory.id,
                item.memory.namespace_id,
                item.memory.number,
                Counter(
                    term_key(term, SPACE_OF.get(item.memory.kind, TERM_SPACE))
                    for term in terms(item.memory.indexed, item.language)
                ),
                counted=item.memory.kind not in SPACE_OF,
                traits=[trait_key(trait) for trait in traits(item.memory.text)],
            )
            for item in batch
        ]

    def write(self, session: WriteSession, results: Mapping[int, TermSet]) -> None:
        """Append what differs."""
        postings.write_terms(session, [results[row_id] for row_id in sorted(results)])
