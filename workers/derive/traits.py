"""What kind of thing a text says, as far as questions ask for kinds: when something was, and how much of it.

One rule serves the index and the question: a memory has a trait, a question wants one; `workers.english.traits` tells
which. A trait is indexed like a word under a key of its own, so that nothing has to be read again when a question is
asked.
"""

from __future__ import annotations

from enum import StrEnum

from workers.derive.text import term_key

TRAIT_SPACE = b"trait"


class Trait(StrEnum):
    """What an answer to "when" and to "how many" has."""

    TIME = "time"
    NUMBER = "number"


def trait_key(trait: Trait) -> int:
    """Return the key a trait is indexed under."""
    return term_key(trait, TRAIT_SPACE)
