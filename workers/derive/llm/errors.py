"""What can go wrong here beside a provider that is away. No message quotes a text, an answer or a key.

Who pays: `ProviderUnavailable` (with `NoAnswerInTime`) is nobody's fault and gives the attempt back; `BadAnswer` is the
row's failure; `BudgetSpent` is neither, it is about one namespace.
"""

from __future__ import annotations

from schema.errors import PalimpsestError
from workers.derive.contract import BudgetSpent, NoAnswerInTime

__all__ = ["BadAnswer", "BudgetSpent", "NoAnswerInTime"]


class BadAnswer(PalimpsestError):
    """The model's answer to this text cannot be used.

    `note` is what the model is told when it is asked again; None where asking again is of no use.
    """

    def __init__(self, detail: str, *, note: str | None = None) -> None:
        super().__init__(detail)
        self.note = note
