"""The registry of derivations is whole: it agrees with the adapters, with the tables, and with itself."""

from __future__ import annotations

import pytest

from schema import derivations
from schema.kinds import MemoryKind
from schema.models import Base
from schema.settings import Settings
from workers.derivations import Categories, Entities, Facts, Memories, Postings, Triples
from workers.extraction import Nothing


def test_every_derivation_has_an_adapter_and_every_adapter_an_entry() -> None:
    settings = Settings(database_url="postgresql+psycopg://x", broker_url="redis://x", classifier="model")
    made = [Memories(settings), Postings(), Entities(settings), Facts(settings, Nothing()), Triples()]
    known = {one.spec.name for one in [*made, Categories(settings)]}
    assert known | {derivations.VECTORS} == {spec.name for spec in derivations.REGISTRY}


def test_what_is_needed_comes_before() -> None:
    names = [spec.name for spec in derivations.REGISTRY]
    for spec in derivations.REGISTRY:
        assert all(names.index(need) < names.index(spec.name) for need in spec.needs), spec.name


def test_every_table_of_a_derivation_is_there() -> None:
    assert set(derivations.tables()) <= set(Base.metadata.tables)


def test_names_are_those_of_the_spaces_and_of_what_was_opted_into() -> None:
    assert derivations.named([2, 5], [], row="memory") == ["postings", "entities", "vectors:2", "vectors:5", "triples"]
    assert derivations.named([], ["categories"])[-1] == "categories"
    assert derivations.named([], row="episode") == ["memories", "facts"]
    assert derivations.OF_EPISODES == ("facts", "memories"), "stamps are locked in the order of names"


def test_a_passage_has_no_index_of_facts() -> None:
    names = derivations.named([1], row="memory")
    assert set(names) - set(derivations.of_kind(MemoryKind.PASSAGE, names)) == {"triples"}
    assert derivations.of_kind(MemoryKind.FACT, names) == names


@pytest.mark.parametrize(("name", "space"), [("vectors:7", 7), ("postings", None), ("vectors", None)])
def test_a_space_is_read_from_its_name(name: str, space: int | None) -> None:
    assert derivations.space_of(name) == space
    assert derivations.get(name).name == name.partition(":")[0]


def test_a_name_nobody_knows_is_an_error() -> None:
    with pytest.raises(KeyError):
        derivations.get("dreams")
