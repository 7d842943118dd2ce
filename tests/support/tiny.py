"""Tiny models with random weights, saved by the test that needs one: real files, real loading code, no download."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

WORDS = [
    *("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "this", "is", "about", ".", ",", "'", "a", "the", "in", "of", "to"),
    *("i", "my", "ann", "bo", "di", "tea", "chess", "boat", "doctor", "job", "health", "work", "food", "home"),
    *("travel", "family", "likes", "plays", "owns", "sees", "has", "lives"),
]


def nli(folder: Path, outputs: Sequence[str], seed: int = 7) -> str:
    """Save a sequence classifier whose outputs are called `outputs`, in that order; the same seed is the same model.

    The output called x has the same weights wherever it stands.
    """
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vocab.txt").write_text("\n".join(WORDS), encoding="utf-8")
    tokeniser = BertTokenizerFast(vocab_file=str(folder / "vocab.txt"), do_lower_case=True)
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=64,
        num_labels=len(outputs),
        id2label=dict(enumerate(outputs)),
        label2id={name: place for place, name in enumerate(outputs)},
    )
    model = BertForSequenceClassification(config)
    with torch.no_grad():
        for name in outputs:
            torch.manual_seed(sum(name.lower().encode()))
            place = outputs.index(name)
            model.classifier.weight[place] = torch.randn(32) * 2
            model.classifier.bias[place] = 0.0
    model.save_pretrained(folder)
    tokeniser.save_pretrained(folder)
    return str(folder)
