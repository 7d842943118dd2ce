"""Zero-shot categories by natural language inference: does the text entail "This is about health."?

Any sequence classifier trained on NLI will do (Yin et al., Benchmarking zero-shot text classification, 2019). Which of
its outputs means entailment and which contradiction is read from the model's own configuration, never assumed. A
label's score is its share of entailment against contradiction; the best one names the category when it reaches the
threshold, else the text has none. Ties go to the label that stands first in the settings.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from schema.errors import ProviderUnavailable
from schema.ids import fingerprint
from workers.derive.loaders import folder, weights

VERSION = "nli/1"
HYPOTHESIS = "This is about {}."
BATCH = 32


class ZeroShot:
    """A classifier over fixed labels. Raises ProviderUnavailable when its model cannot be loaded or is no NLI model."""

    def __init__(self, model: str, labels: Sequence[str], threshold: float) -> None:
        self.labels = tuple(labels)
        self.threshold = threshold
        self._name = model

    @property
    def fingerprint(self) -> str:
        """Name the model by its weights, the labels, the wording and the threshold."""
        return fingerprint([VERSION, self._name, weights(self._name), HYPOTHESIS, self.threshold, *self.labels])

    def categories(self, texts: Sequence[str]) -> list[str | None]:
        """Return the category of each text, or None."""
        scores = self.scores(texts)
        best = scores.argmax(axis=1)
        return [
            self.labels[place] if scores[row, place] >= self.threshold else None
            for row, place in enumerate(best.tolist())
        ]

    def scores(self, texts: Sequence[str]) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Return float64[texts, labels] in [0, 1]: entailment against contradiction, each label by itself."""
        model, entailment, contradiction = _load(self._name)
        pairs = [(text, HYPOTHESIS.format(label)) for text in texts for label in self.labels]
        logits = np.asarray(
            model.predict(pairs, batch_size=BATCH, activation_fn=_identity(), show_progress_bar=False), np.float64
        )
        difference = np.clip(logits[:, contradiction] - logits[:, entailment], -60.0, 60.0)
        shares: np.ndarray[Any, np.dtype[np.float64]] = 1.0 / (1.0 + np.exp(difference))
        return shares.reshape(len(texts), len(self.labels)).round(6)


def _identity() -> Any:
    import torch

    return torch.nn.Identity()


@cache
def _load(name: str) -> tuple[Any, int, int]:
    """Return the model and the places of its entailment and contradiction outputs."""
    try:
        from sentence_transformers import CrossEncoder

        model = CrossEncoder(folder(name), device="cpu")
    except (ImportError, OSError, ValueError) as error:
        raise ProviderUnavailable(
            f"the classifier {name!r} cannot be loaded ({type(error).__name__}); name a folder in PALIMPSEST_CLASSIFIER"
        ) from error
    outputs = {str(label).casefold(): int(place) for place, label in model.config.id2label.items()}
    entailment = [place for label, place in outputs.items() if label.startswith("entail")]
    contradiction = [place for label, place in outputs.items() if label.startswith("contradict")]
    if len(entailment) != 1 or len(contradiction) != 1:
        raise ProviderUnavailable(
            f"PALIMPSEST_CLASSIFIER: {Path(name).name!r} names no entailment and contradiction among its outputs "
            f"({', '.join(sorted(outputs))}); it has to be a model for natural language inference"
        )
    return model, entailment[0], contradiction[0]
