"""Referents: the people and things that statements are about, the relations between them, and how they are called."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from workers.english.facts import vocabulary as v


@dataclass(frozen=True, slots=True)
class Ref:
    """Somebody or something. `name` is how statements call it; `noun` the lower-case head of its phrase."""

    name: str
    kind: str  # "speaker", "person", "animal", "thing", "name" (a name of whatever)
    noun: str = ""
    sex: str = ""
    plural: bool = False
    owner: Ref | None = None
    definite: bool = True

    @property
    def named(self) -> bool:
        return self.kind in {"speaker", "name"}


@dataclass(frozen=True, slots=True)
class Relation:
    """`owner` has `noun` called `name`: an own statement. `tokens` are the words it rests on."""

    owner: Ref
    noun: str
    name: Ref
    tokens: tuple[Any, ...]


def words_of(tokens: Iterable[Any]) -> str:
    """The words of a name as one string."""
    unique = sorted({token.i: token for token in tokens}.values(), key=lambda token: token.i)
    return " ".join(token.text for token in unique).replace(" 's", "'s")


def title(name: str) -> str:
    """A name with a capital, the rest as it was written."""
    return name[:1].upper() + name[1:]


def possessive(ref: Ref) -> str:
    """The genitive of a name."""
    return f"{ref.name}'" if ref.plural and ref.name.endswith("s") else f"{ref.name}'s"


def nameless(ref: Ref) -> bool:
    """Whether a phrase is told by way of the user without a name: "user", "user's sister"."""
    return ref.name == "user" or ref.name.startswith("user's ")


def sex_of(noun: str) -> str:
    """The sex a noun of kin tells, or nothing."""
    return "f" if noun in v.FEMALE else "m" if noun in v.MALE else ""


def fits(ref: Ref, pronoun: str) -> bool:
    """Whether "he" or "she" agrees with somebody in number and sex."""
    if ref.kind in {"thing", "speaker"} or ref.plural:
        return False
    return ref.sex == "" or ref.sex == ("f" if pronoun == "she" else "m")
