"""What the rules of this installation would change, without writing anything: `sweep memories --dry-run`.

A sample of episodes is loaded and derived as the loop would do it, and what comes out is compared with what is stored.
No row is claimed and nothing is registered. An extractor that costs money is asked for the sample, and charges for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from schema.db import Database, ReadSession
from schema.errors import ProviderUnavailable
from schema.settings import Settings
from schema.store import facts, passages, samples
from schema.store.passages import Wanted
from workers.derivations import derivations
from workers.derivations.base import Derivation, Snooze
from workers.truth.consolidation import FactsOf


@dataclass(frozen=True, slots=True)
class Change:
    """One difference: a memory that would be added, said otherwise, or lose this episode as a source."""

    kind: str
    episode_id: int
    before: str | None
    after: str | None


@dataclass
class Preview:
    """What a derivation would change in a sample of `episodes`; `errors` by episode, where one could not be derived."""

    derivation: str
    episodes: int = 0
    unchanged: int = 0
    changes: list[Change] = field(default_factory=list)
    errors: dict[int, str] = field(default_factory=dict)

    def count(self, kind: str) -> int:
        """Return how many changes of a kind there are: added, changed or retired."""
        return sum(change.kind == kind for change in self.changes)


def preview(
    database: Database,
    settings: Settings,
    *,
    only: str | None = None,
    namespace_id: int | None = None,
    rows: int = 200,
    progress: Callable[[str, int, int], None] = lambda _name, _done, _of: None,
) -> list[Preview]:
    """Derive up to `rows` episodes, spread evenly over those there are, and return what would change.

    `only` names one derivation of episodes; `memories` stands for all that makes memories. Raises ProviderUnavailable.
    """
    with database.read() as session:
        ids = samples.episodes(session, rows, namespace_id)
    return [
        _of(database, derivation, ids, progress)
        for derivation in derivations(database, settings)
        if derivation.spec.row == "episode" and only in (None, "memories", derivation.name)
    ]


def _of(
    database: Database,
    derivation: Derivation[Any, Any],
    ids: Sequence[int],
    progress: Callable[[str, int, int], None],
) -> Preview:
    result = Preview(derivation.name)
    for start in range(0, len(ids), derivation.batch):
        batch = ids[start : start + derivation.batch]
        with database.read() as session:
            inputs = derivation.load(session, batch)
        result.episodes += len(inputs)
        outputs = _derive(derivation, inputs, result)
        with database.read() as session:
            for row_id, output in outputs:
                if isinstance(output, Snooze):
                    result.errors[row_id] = output.reason
                else:
                    _compare(session, output, result)
        progress(derivation.name, min(start + derivation.batch, len(ids)), len(ids))
    return result


def _derive(derivation: Derivation[Any, Any], inputs: Mapping[int, Any], result: Preview) -> list[tuple[int, Any]]:
    """Derive a batch, one by one where it fails as a whole; a row that cannot be derived is shown as that."""
    try:
        return list(zip(inputs, derivation.derive(list(inputs.values())), strict=True))
    except ProviderUnavailable:
        raise
    except Exception as error:  # noqa: BLE001 - whatever a row does to its rule is that row's failure
        if len(inputs) == 1:
            result.errors[next(iter(inputs))] = type(error).__name__
            return []
    return [found for row_id, item in inputs.items() for found in _derive(derivation, {row_id: item}, result)]


def _compare(session: ReadSession, output: Any, result: Preview) -> None:
    if isinstance(output, Wanted):
        episode_id = output.episode.id
        before = {
            key: kept.text
            for key, kept in passages.existing(session, [episode_id])[episode_id].items()
            if not kept.retired
        }
        after = {key: passage.text for key, passage in output.keyed().items()}
    elif isinstance(output, FactsOf):
        episode_id = output.episode.id
        before = facts.stated(session, episode_id)
        after = {one.key: str(one.said["text"]) for one in output.stated}
    else:
        raise TypeError(type(output).__name__)
    for key in sorted(before.keys() | after.keys()):
        old, new = before.get(key), after.get(key)
        if old == new:
            result.unchanged += 1
            continue
        kind = "added" if old is None else "retired" if new is None else "changed"
        result.changes.append(Change(kind, episode_id, old, new))
