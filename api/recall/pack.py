"""Tenth stage: the prompt. Admitted memories become fragments, fragments become the context, budgets are kept.

A fragment quotes a memory (`workers.derive.fragment`). Fragments joined with a blank line, in prompt order, are the
context, byte for byte.

Budgets go to the best first. A memory that does not fit is rejected and a later, smaller one may still fit.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from api.recall.candidate import Ranked, content_order
from api.recall.settings import RecallSettings
from workers.derive.fragment import SEPARATOR, quote
from workers.derive.text import UNSPACED

OVER_ENTRIES = "over-max-entries"
OVER_CHARS = "over-char-budget"
OVER_TOKENS = "over-token-budget"

_UNSPACED = re.compile(f"[{UNSPACED}]")


@dataclass(frozen=True, slots=True)
class Spent:
    """What the context holds: memories, characters (separators included), tokens as `estimate_tokens` counts them."""

    entries: int = 0
    chars: int = 0
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Entry:
    """One admitted memory in its prompt position, from 0."""

    position: int
    ranked: Ranked
    fragment: str


@dataclass(frozen=True, slots=True)
class Packed:
    """The context, its entries in prompt order, all rows in rank order with the budgets' verdicts, and what was
    spent.
    """

    context: str
    entries: tuple[Entry, ...]
    ranked: tuple[Ranked, ...]
    spent: Spent


def pack(ranked: Sequence[Ranked], settings: RecallSettings) -> Packed:
    """Fills the budgets in rank order and lays the admitted out in prompt order."""
    fragments: dict[int, str] = {}
    out: list[Ranked] = []
    spent = Spent()
    for item in ranked:
        if item.reason is not None:
            out.append(item)
            continue
        said = item.candidate
        fragment = quote(item.text, said.speaker, said.source, said.occurred_at)
        after = _spend(spent, fragment)
        over = _over(after, settings)
        if over is None:
            fragments[item.candidate.id] = fragment
            spent = after
        out.append(item if over is None else item.rejected(over))
    admitted = [item for item in out if item.reason is None]
    if settings.prompt_order == "recency":
        admitted.sort(key=lambda item: content_order(item.candidate))
    entries = tuple(Entry(at, item, fragments[item.candidate.id]) for at, item in enumerate(admitted))
    return Packed(SEPARATOR.join(entry.fragment for entry in entries), entries, tuple(out), spent)


def estimate_tokens(text: str) -> int:
    """Tokens without a tokeniser: one per character of a script without spaces, one per four other characters,
    rounded up.

    The usual rule of thumb for English BPE vocabularies; a budget that must hold for one model leaves some room.
    """
    unspaced = len(_UNSPACED.findall(text))
    return unspaced + -(-(len(text) - unspaced) // 4)


def _spend(spent: Spent, fragment: str) -> Spent:
    joint = 1 if spent.entries else 0
    return Spent(
        spent.entries + 1,
        spent.chars + len(fragment) + joint * len(SEPARATOR),
        spent.tokens + estimate_tokens(fragment) + joint,
    )


def _over(after: Spent, settings: RecallSettings) -> str | None:
    if settings.max_entries and after.entries > settings.max_entries:
        return OVER_ENTRIES
    if settings.max_chars and after.chars > settings.max_chars:
        return OVER_CHARS
    if settings.max_tokens and after.tokens > settings.max_tokens:
        return OVER_TOKENS
    return None
