"""Encoders: text to coordinates of one vector space.

Query and document encoding sit on one object, made from the space's row, so that neither can drift from the other.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]

# sentence-transformers reached 285 short texts a second in batches of 64 on two cores; larger ones gained nothing.
BATCH = 64


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

    def query(self, text: str) -> Vectors:
        """Return float32[d], from memory when the same question came lately."""
        with self._lock:
            found = self._kept.get(text)
            if found is None:
                found = self._kept[text] = self.encoder.query(text)
                if len(self._kept) > self._size:
                    self._kept.popitem(last=False)
            else:
                self._kept.move_to_end(text)
            return found
