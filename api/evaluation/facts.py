"""Measures an extractor: against facts written by hand, and against what an LLM drew from long conversations.

**Gold.** `read` takes a JSON Lines file, a turn with its facts a line; `evaluate` extracts and pairs, one to one, what
was found with what was labelled. A pair matches when

- the subjects are the same, without regard to case and blanks, and so is the polarity;
- the objects share enough words: token F1 of at least OBJECT_F1, or neither has one;
- the predicates share the lemma of a content word, or the two statements written out are near each other (cosine of at
  least STATEMENT_COSINE).

Precision, recall and F1 count pairs over all turns. `empty_kept` is the share of the turns with nothing to keep from
which nothing was kept. Modality and date are judged on matched pairs only.

**Observations.** LoCoMo lists statements an LLM drew from named turns. `observations` counts those with a derived fact
of the same turn near them (cosine of at least OBSERVATION_COSINE): a lower bound, since an observation
often says several things at once.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from api.evaluation import locomo
from api.evaluation.datasets import Place, rows
from schema.kinds import Modality, Polarity
from workers.derive.contract import Extractor, Statement, Utterance
from workers.derive.embedding import Encoder

OBJECT_F1 = 0.6
STATEMENT_COSINE = 0.85
OBSERVATION_COSINE = 0.75
BATCH = 256

Similarity = Callable[[Sequence[str], Sequence[str]], list[float]]
"""The cosine of each pair of texts."""

_WORD = re.compile(r"[\w']+")
_TURN_ID = re.compile(r"D\d+:\d+")
_LIGHT = frozenset(
    [
        "be",
        "have",
        "do",
        "get",
        "go",
        "to",
        "of",
        "in",
        "on",
        "at",
        "for",
        "with",
        "by",
        "from",
        "as",
        "up",
        "out",
        "off",
        "into",
        "about",
        "the",
        "a",
        "an",
        "'s",
    ]
)
_IRREGULAR = {"is": "be", "was": "be", "were": "be", "has": "have", "had": "have", "got": "get", "went": "go"}


@dataclass(frozen=True, slots=True)
class Fact:
    """A labelled fact, as the gold file has it."""

    subject: str
    predicate: str
    object: str | None
    polarity: Polarity
    modality: Modality
    event: str | None
    quote: str


@dataclass(frozen=True, slots=True)
class Item:
    """A turn and what should be kept of it."""

    id: str
    utterance: Utterance
    facts: tuple[Fact, ...]
    phenomenon: str = ""


def read(path: Path) -> list[Item]:
    """Read a gold file. Raises DataFileError for a malformed line."""
    return [_item(place, row) for place, row in rows(path)]


def _item(place: Place, row: dict[str, Any]) -> Item:
    text = place.text(row, "text")
    speaker = place.text(row, "speaker") if row.get("speaker") is not None else None
    moment = place.date(place.text(row, "occurred_at"), "occurred_at")
    facts = tuple(_fact(inner, value, text) for inner, value in place.objects(row, "facts", "fact"))
    return Item(place.text(row, "id"), Utterance(text, speaker, moment), facts, str(row.get("phenomenon", "")))


def _fact(place: Place, row: dict[str, Any], text: str) -> Fact:
    quote = place.text(row, "quote")
    if quote not in text:
        raise place.fault("quote", "is not in the text")
    try:
        polarity, modality = Polarity(place.text(row, "polarity")), Modality(place.text(row, "modality"))
    except ValueError as error:
        raise place.fault("polarity or modality", str(error)) from error
    thing = place.text(row, "object") if row.get("object") is not None else None
    event = place.text(row, "event_date") if row.get("event_date") is not None else None
    return Fact(place.text(row, "subject"), place.text(row, "predicate"), thing, polarity, modality, event, quote)


def similarity(encoder: Encoder) -> Similarity:
    """Return the cosine that an encoder gives."""

    def cosine(left: Sequence[str], right: Sequence[str]) -> list[float]:
        if not left:
            return []
        first, second = encoder.documents(list(left)), encoder.documents(list(right))
        norms = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
        return [float(value) for value in (first * second).sum(axis=1) / np.maximum(norms, 1e-12)]

    return cosine


def evaluate(
    items: Sequence[Item], extractor: Extractor, similarity: Similarity, *, failures: bool = False
) -> dict[str, Any]:
    """Return the figures; with `failures` also each missed and each wrong statement with its turn."""
    found = [extraction.statements for extraction in _extracted([item.utterance for item in items], extractor)]
    pairs = [_paired(item.facts, statements, similarity) for item, statements in zip(items, found, strict=True)]
    matched = sum(len(pair) for pair in pairs)
    labelled, told = sum(len(item.facts) for item in items), sum(map(len, found))
    empty = [not statements for item, statements in zip(items, found, strict=True) if not item.facts]
    both = [
        (item.facts[gold], statements[made])
        for item, statements, pair in zip(items, found, pairs, strict=True)
        for gold, made in pair
    ]
    figures: dict[str, Any] = {
        "n": len(items),
        "facts": labelled,
        "extracted": told,
        **_scores(matched, told, labelled),
        "empty_kept": _share(sum(empty), len(empty)),
        "modality_accuracy": _share(sum(g.modality == s.modality for g, s in both), len(both)),
        "date_accuracy": _share(sum(g.event == s.event for g, s in both), len(both)),
        "by_modality": _by_modality(items, found, pairs),
        "by_phenomenon": _by_phenomenon(items, found, pairs),
    }
    if failures:
        figures["failures"] = list(_failures(items, found, pairs))
    return figures


def _extracted(utterances: Sequence[Utterance], extractor: Extractor) -> Iterator[Any]:
    for start in range(0, len(utterances), BATCH):
        yield from extractor.extract(utterances[start : start + BATCH])


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _scores(matched: int, told: int, labelled: int) -> dict[str, float | None]:
    f1 = 2 * matched / (told + labelled) if told + labelled else None
    return {"precision": _share(matched, told), "recall": _share(matched, labelled), "f1": f1}


def _by_modality(
    items: Sequence[Item], found: Sequence[Sequence[Statement]], pairs: Sequence[list[tuple[int, int]]]
) -> dict[str, Any]:
    """Precision over what was extracted with a modality, recall over what was labelled with it."""
    rows: dict[str, Any] = {}
    for modality in Modality:
        golds = [
            (i, g) for i, item in enumerate(items) for g, fact in enumerate(item.facts) if fact.modality == modality
        ]
        mades = [(i, m) for i, made in enumerate(found) for m, s in enumerate(made) if s.modality == modality]
        gold_hits = {(i, g) for i, pair in enumerate(pairs) for g, _ in pair}
        made_hits = {(i, m) for i, pair in enumerate(pairs) for _, m in pair}
        rows[modality.value] = {
            "n": len(golds),
            "precision": _share(sum(made in made_hits for made in mades), len(mades)),
            "recall": _share(sum(gold in gold_hits for gold in golds), len(golds)),
        }
    return rows


def _by_phenomenon(
    items: Sequence[Item], found: Sequence[Sequence[Statement]], pairs: Sequence[list[tuple[int, int]]]
) -> dict[str, Any]:
    groups: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for item, statements, pair in zip(items, found, pairs, strict=True):
        if item.phenomenon:
            counts = groups[item.phenomenon]
            for place, value in enumerate((1, len(pair), len(statements), len(item.facts))):
                counts[place] += value
    return {name: {"n": n, **_scores(hits, told, gold)} for name, (n, hits, told, gold) in sorted(groups.items())}


def _failures(
    items: Sequence[Item], found: Sequence[Sequence[Statement]], pairs: Sequence[list[tuple[int, int]]]
) -> Iterator[dict[str, Any]]:
    for item, statements, pair in zip(items, found, pairs, strict=True):
        missed = [_written(fact) for g, fact in enumerate(item.facts) if g not in {gold for gold, _ in pair}]
        wrong = [_written(made) for m, made in enumerate(statements) if m not in {made for _, made in pair}]
        if missed or wrong:
            yield {"id": item.id, "text": item.utterance.text, "missed": missed, "wrong": wrong}


def _written(fact: Fact | Statement) -> str:
    denied = "not " if fact.polarity is Polarity.NEGATIVE else ""
    return f"{fact.subject} {denied}{fact.predicate} {fact.object or ''}".strip()


def _paired(golds: Sequence[Fact], made: Sequence[Statement], similarity: Similarity) -> list[tuple[int, int]]:
    """Matches one to one, those with the most similar objects first."""
    likely = [
        (_object_score(gold.object, statement.object), g, m)
        for g, gold in enumerate(golds)
        for m, statement in enumerate(made)
        if _plain(gold.subject) == _plain(statement.subject)
        and gold.polarity == statement.polarity
        and _object_score(gold.object, statement.object) >= OBJECT_F1
    ]
    likely.sort(
        key=lambda entry: (-entry[0], not _share_lemma(golds[entry[1]].predicate, made[entry[2]].predicate), *entry[1:])
    )
    unclear = [(g, m) for _, g, m in likely if not _share_lemma(golds[g].predicate, made[m].predicate)]
    near = similarity([_written(golds[g]) for g, _ in unclear], [_written(made[m]) for _, m in unclear])
    far = {pair for pair, cosine in zip(unclear, near, strict=True) if cosine < STATEMENT_COSINE}
    taken: list[tuple[int, int]] = []
    for _, g, m in likely:
        if (g, m) not in far and all(g != gold and m != other for gold, other in taken):
            taken.append((g, m))
    return taken


def _plain(text: str) -> str:
    return " ".join(text.replace("’", "'").lower().split())


def _tokens(text: str) -> list[str]:
    return _WORD.findall(_plain(text))


def _object_score(first: str | None, second: str | None) -> float:
    """Token F1 of two objects; 1 for two that are absent."""
    if first is None or second is None:
        return float(first is second)
    left, right = _tokens(first), _tokens(second)
    common = sum(min(left.count(word), right.count(word)) for word in set(left))
    return 2 * common / (len(left) + len(right)) if left and right else 0.0


def _share_lemma(first: str, second: str) -> bool:
    """Whether two predicates share a content word; light ones ("be", "have") count only when there is no other."""
    left, right = ({_IRREGULAR.get(word, word) for word in _tokens(text)} for text in (first, second))
    heavy_left, heavy_right = left - _LIGHT, right - _LIGHT
    if heavy_left or heavy_right:
        return bool(heavy_left & heavy_right)
    return bool(left & right)


def observations(path: Path, extractor: Extractor, similarity: Similarity) -> dict[str, Any]:
    """Return the share of a LoCoMo file's observations that a derived fact of the same turns covers."""
    told = _told_by_turn(path, extractor)
    wanted = list(_observed(path))
    left, right, owner = [], [], []
    for number, (sample, text, turns) in enumerate(wanted):
        for turn in turns:
            for statement in told.get((sample, turn), ()):
                left.append(text)
                right.append(statement)
                owner.append(number)
    best: dict[int, float] = {}
    for start in range(0, len(left), BATCH):
        near = similarity(left[start : start + BATCH], right[start : start + BATCH])
        for number, cosine in zip(owner[start : start + BATCH], near, strict=True):
            best[number] = max(best.get(number, -1.0), cosine)
    covered = sum(cosine >= OBSERVATION_COSINE for cosine in best.values())
    return {
        "n_observations": len(wanted),
        "observations_covered": _share(covered, len(wanted)),
        "observations_with_a_fact": _share(len(best), len(wanted)),
        "facts": sum(map(len, told.values())),
    }


def _told_by_turn(path: Path, extractor: Extractor) -> dict[tuple[str, str], list[str]]:
    turns = [(conversation.name, turn) for conversation in locomo.read(path) for turn in conversation.turns]
    utterances = [Utterance(turn.content, turn.speaker, turn.occurred_at, turn.source) for _, turn in turns]
    return {
        (name, turn.external_id): [statement.text for statement in extraction.statements]
        for (name, turn), extraction in zip(turns, _extracted(utterances, extractor), strict=True)
    }


def _observed(path: Path) -> Iterator[tuple[str, str, list[str]]]:
    """(conversation, observation, ids of its turns) of a file; those that name no turn are left out."""
    place = Place(path)
    try:
        samples = json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise place.fault("", f"is no JSON: {error.msg}") from error
    for number, value in enumerate(samples if isinstance(samples, list) else [samples], start=1):
        inner = place.inside(f"conversation {number}")
        sample = inner.mapping(value)
        name = inner.text(sample, "sample_id")
        for session in inner.mapping(sample.get("observation", {}), "observation").values():
            for listed in inner.mapping(session, "observation").values():
                for row in listed:
                    if not isinstance(row, list) or len(row) < 2:
                        raise inner.fault("observation", "expected pairs of a statement and its turns")
                    ids = _TURN_ID.findall(json.dumps(row[1:]))
                    if ids:
                        yield name, str(row[0]), ids
