"""Encoders: text to coordinates of one vector space.

Query and document encoding sit on one object, made from the space's row, so that neither can drift from the other.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from schema.errors import Abandoned

Vectors = npt.NDArray[np.float32]

# Padding is what a batch of unlike texts pays for: chunks of 128 LoCoMo turns ran at 60 texts a second and thread, the
# same cut into groups of like length within a budget at 87, as fast as sorting all 768 at once (84). Neither number is
# sharp: budgets of 6,000 and 12,000 characters and spreads of 1.15 and 1.3 came within 5 % of each other.
GROUP_CHARS = 6_000
GROUP_SPREAD = 1.3
GROUP_SLACK = 20


def groups(texts: Sequence[str]) -> Iterator[list[int]]:
    """Yield positions of texts of like length, shortest first, at most GROUP_CHARS padded characters a group."""
    group: list[int] = []
    for position in sorted(range(len(texts)), key=lambda index: len(texts[index])):
        length = len(texts[position])
        if group and (
            length > GROUP_SPREAD * len(texts[group[0]]) + GROUP_SLACK or length * (len(group) + 1) > GROUP_CHARS
        ):
            yield group
            group = []
        group.append(position)
    if group:
        yield group


class Encoder(Protocol):
    """Encodes for one space. Rows are float32, `dimension` wide, of unit length when the space is normalised."""

    dimension: int

    def documents(self, texts: Sequence[str]) -> Vectors:
        """Return float32[n, d] for stored texts. Raises ProviderUnavailable when the model is away."""

    def query(self, text: str) -> Vectors:
        """Return float32[d] for a question."""


class CachedQueries:
    """An encoder whose last questions are remembered, one encoding at a time.

    Fast tokenisers are not safe for threads, and two encodings at once on two cores are slower than one after another.
    """

    def __init__(self, encoder: Encoder, size: int = 512) -> None:
        self.encoder = encoder
        self._size = size
        self._kept: OrderedDict[str, Vectors] = OrderedDict()
        self._lock = threading.Lock()

    def query(self, text: str, abandoned: Callable[[], bool] = lambda: False) -> Vectors:
        """Return float32[d], from memory when the same question came lately.

        Raises Abandoned when `abandoned` says so once it is this question's turn: nobody waits for the answer.
        """
        with self._lock:
            if abandoned():
                raise Abandoned
            found = self._kept.get(text)
            if found is None:
                found = self._kept[text] = self.encoder.query(text)
                if len(self._kept) > self._size:
                    self._kept.popitem(last=False)
            else:
                self._kept.move_to_end(text)
            return found
