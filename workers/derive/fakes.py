"""Deterministic stand-ins for models, and the faults they can act out.

They are chosen by name like any model (`PALIMPSEST_ENCODER=fake:64`, `PALIMPSEST_SPACY_MODEL=fake`) and go through the
same code. `fake:64:/some/file` is a provider that is down while that file exists. Words that stand in a text make a
fake misbehave on that text, so that a test decides which row is poisonous: see FAULTS.
"""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from schema.errors import ProviderUnavailable
from schema.ids import digest
from schema.kinds import Modality, Polarity, SpaceSpec
from workers.derive.contract import Extraction, Statement, Utterance

# «raise» fails, «kill» ends the process without a word, «sleep 3» takes that many seconds, «burn 2» takes them busily.
# With a path, as in «raise /some/file», only while that file exists: so a fault can be mended.
FAULTS = re.compile(r"«(raise|kill|sleep|burn)(?: ([0-9.]+|/[^»]+))?»")
_WORD = re.compile(r"\w+")
_NAME = re.compile(r"\b[A-Z][\w'-]+(?: [A-Z][\w'-]+)*")


def act_out(text: str) -> None:
    """Do what the fault words in `text` say."""
    for kind, amount in FAULTS.findall(text):
        if amount.startswith("/") and not Path(amount).exists():
            continue
        if kind == "raise":
            raise ValueError("a fault was asked for")
        if kind == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        elif kind == "sleep":
            time.sleep(float(amount or 1))
        else:
            end = time.monotonic() + float(amount or 1)
            while time.monotonic() < end:
                pass


def space(name: str) -> SpaceSpec:
    """Return the space of `fake:DIMENSION[:FILE]`."""
    dimension = name.split(":")[1]
    if not dimension.isdigit() or not 1 <= int(dimension) <= 16_000:
        raise ProviderUnavailable(f"PALIMPSEST_ENCODER: {name!r} needs a dimension, as in fake:64")
    return SpaceSpec(name, "fake", int(dimension), "sum", True, 10**6, "", "", "speaker: text/1")


class FakeEncoder:
    """Sums a fixed random direction a word: texts that share words are near each other."""

    def __init__(self, spec: SpaceSpec) -> None:
        self.dimension = spec.dimension
        self._switch = Path(spec.model.split(":", 2)[2]) if spec.model.count(":") > 1 else None

    def documents(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return float32[n, d]."""
        return np.stack([self.query(text) for text in texts])

    def query(self, text: str) -> npt.NDArray[np.float32]:
        """Return float32[d] of unit length."""
        if self._switch is not None and self._switch.exists():
            raise ProviderUnavailable("the fake provider is switched off")
        act_out(text)
        total = np.full(self.dimension, 1e-3, np.float32)
        for word in _WORD.findall(text.lower()):
            total += _direction(word, self.dimension)
        return total / np.linalg.norm(total)


def _direction(word: str, dimension: int) -> npt.NDArray[np.float32]:
    seed = int.from_bytes(digest(word, size=8))
    return np.random.default_rng(seed).standard_normal(dimension).astype(np.float32)


def entities(text: str) -> list[tuple[str, str]]:
    """Return capitalised names as (name, kind)."""
    act_out(text)
    return [(match.group(), "NAME") for match in _NAME.finditer(text)]


_SENTENCE = re.compile(r"[^.!?\n]+[.!?]?")
_SIMPLE = re.compile(r"\s*([A-Z][\w'-]*) (does not |do not )?(\w+)(?: (\w[^.!?\n]*))?")


class FakeExtractor:
    """Takes every sentence of the form "Name verb rest" for a statement; "I" is the speaker, "does not" denies."""

    fingerprint = "fake/1"
    context_turns = 0
    costly = False

    def extract(self, batch: Sequence[Utterance]) -> list[Extraction]:
        """Return the statements of each text."""
        return [Extraction(tuple(self._statements(item))) for item in batch]

    def _statements(self, item: Utterance) -> Iterator[Statement]:
        act_out(item.text)
        for sentence in _SENTENCE.finditer(item.text):
            found = _SIMPLE.match(sentence[0])
            if found is None or sentence[0].rstrip().endswith("?"):
                continue
            name, denied, verb, rest = found.groups()
            subject = (item.speaker or "user") if name == "I" else name
            words = " ".join(part for part in (subject, denied and "does not", verb, rest) if part)
            yield Statement(
                text=f"{words}.",
                subject=subject,
                predicate=verb,
                object=rest,
                polarity=Polarity.NEGATIVE if denied else Polarity.POSITIVE,
                modality=Modality.ASSERTED,
                confidence=0.8,
                start=sentence.start() + found.start(1),
                stop=sentence.start() + found.end(),
            )
