"""What recall asks of a store: five questions, already bound to one namespace, scope and filter, on one snapshot.

`postings` and `nearest` may raise `schema.errors.LegUnavailable`; the leg that needed it is then named in `degraded`
and the others answer. `pool` and `wordings` have no substitute: without memories there is no answer, so what they raise
reaches the caller. Scope, filters, validity and retirement are the reader's to apply, inside the question: whatever
comes back may be shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from api.recall.candidate import Wording
from schema.kinds import Candidate

Posting: TypeAlias = tuple[NDArray[np.uint32], NDArray[np.uint8], NDArray[np.uint16]]
"""Of one key: memory numbers (each once, ascending), how often the key occurs there (at most 255), and the length of
that memory: its terms for a word, its entities for an entity (at most 65,535)."""


class Postings(Protocol):
    """Postings of some keys, with the live rows of the namespace and the sum of their lengths in terms."""

    @property
    def rows(self) -> int: ...

    @property
    def total_length(self) -> int: ...

    @property
    def by_key(self) -> Mapping[int, Posting]: ...


class Reader(Protocol):
    """A store as recall sees it."""

    def postings(self, keys: Sequence[int]) -> Postings:
        """Live postings of the keys, of words, entities and traits alike, in one statement. A key may be absent."""

    def nearest(self, vector: NDArray[np.float32], limit: int) -> Sequence[tuple[int, float]]:
        """The nearest live memories by id with their cosine, best first."""

    def pool(
        self, *, numbers: Sequence[int], ids: Sequence[int], reach: int, vector: NDArray[np.float32] | None
    ) -> Sequence[Candidate]:
        """The live memories under these numbers or ids and up to `reach` passages either way in their sessions.

        Each comes once, in any order, with its cosine to `vector` if it has one; one that is gone is left out.
        """

    def vectors(self, ids: Sequence[int]) -> Mapping[int, NDArray[np.float32]]:
        """The vectors of these memories, by id; one without a vector is left out."""

    def wordings(self, ids: Sequence[int]) -> Mapping[int, Wording]:
        """What these memories say, by id."""
