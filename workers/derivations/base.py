"""What a derivation is: a name, what it reads, a fingerprint, and how to load, derive and write a batch.

An adapter binds a pure function to the store and contributes nothing else; claiming, stamping, retrying, backing off
and quarantining are the loop's, once, for all of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from schema import derivations
from schema.db import Database, ReadSession, WriteSession
from schema.derivations import Spec

Input = TypeVar("Input")
Output = TypeVar("Output")


@dataclass(frozen=True, slots=True)
class Snooze:
    """A row cannot be derived before `until`, for a reason that is not its own, such as a budget that is spent."""

    until: datetime
    reason: str


class Derivation(ABC, Generic[Input, Output]):
    """One derivation: what the loop runs. `schema.derivations` says what it stamps and what has to come first."""

    name: str
    batch: int = 64

    @property
    def spec(self) -> Spec:
        """Its entry in the registry."""
        return derivations.get(self.name)

    @property
    def needs(self) -> tuple[str, ...]:
        """The derivations that must be current for a row before this one takes it."""
        return self.spec.needs

    @property
    @abstractmethod
    def fingerprint(self) -> str:
        """Name the rule, prompt, tokeniser and model versions and the settings that decide output."""

    @abstractmethod
    def load(self, session: ReadSession, ids: Sequence[int]) -> Mapping[int, Input]:
        """Return the inputs by row id. A row that is not there any more is left out."""

    @abstractmethod
    def derive(self, batch: Sequence[Input]) -> Sequence[Output]:
        """Return one output an input. Pure, may be slow, no transaction is open.

        Raises whatever a bad row makes it raise; ProviderUnavailable when no row could be derived now. An output may be
        a Snooze: this row alone has to wait, and loses no attempt.
        """

    @property
    def costly(self) -> bool:
        """Whether deriving costs money: changed rules then wait until a person activates them."""
        return False

    def prepare(self, database: Database, results: Mapping[int, Output]) -> None:
        """Do what has to happen in a short transaction of its own before the results are written."""

    def lock(self, session: WriteSession, ids: Sequence[int]) -> None:
        """Lock what comes before stamps in the lock order."""

    @abstractmethod
    def write(self, session: WriteSession, results: Mapping[int, Output]) -> None:
        """Write the results of these rows, set-based, touching only what differs."""
