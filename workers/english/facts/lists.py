"""Lists with a headline, read as the sentences they stand for.

"Things I never cook: squid, tripe" is "I never cook squid" and "I never cook tripe"; "my allergies: nuts" is "my
allergies are nuts". Each item is a sentence by itself, since the parser loses its way in lists. Words keep their
places, so that a quote covers the headline and the item.
"""

from __future__ import annotations

from collections.abc import Iterator

from workers.english.facts.spelling import Word

_MARKS = frozenset({":", "-", "–", "—", "*", "•"})
_BETWEEN = _MARKS | {",", ";", "and", "or", "&", "."}
_FIRST = frozenset({"i", "we"})
LONGEST_HEADLINE = 12
"""Words before the mark."""
MOST_ITEMS = 20


def spoken(words: list[Word]) -> list[list[Word]]:
    """The sentences of a list with a headline, one an item; any other piece as it is."""
    mark = next((position for position, word in enumerate(words[: LONGEST_HEADLINE + 1]) if word.norm in _MARKS), None)
    if not mark or mark + 1 >= len(words):
        return [words]
    opening = _opening(words[:mark], words[mark])
    if opening is None:
        return [words]
    return [[*opening, *item] for item in _items(words[mark + 1 :])][:MOST_ITEMS] or [words]


def _items(words: list[Word]) -> Iterator[list[Word]]:
    item: list[Word] = []
    for word in words:
        if word.norm.lower() not in _BETWEEN:
            item.append(word)
        elif item:
            yield item
            item = []
    if item:
        yield item


def _opening(headline: list[Word], mark: Word) -> list[Word] | None:
    """The words that every item follows; None for what is no headline of a list."""
    lower = [word.norm.lower() for word in headline]
    if lower in (["allergies"], ["allergy"]):
        return [Word(norm, headline[0].start, headline[0].stop) for norm in ("I", "am", "allergic", "to")]
    first = next((position for position, norm in enumerate(lower) if norm in _FIRST), None)
    if first is not None and 0 < first < len(lower) - 1 and _can_list(lower[first - 1]):
        return headline[first:]
    if lower[0] in {"my", "our"} and 2 <= len(lower) <= 4 and not {"is", "are", "was", "be", "said"} & set(lower):
        return [*headline, Word("are" if lower[-1].endswith("s") else "is", mark.start, mark.stop)]
    return None


def _can_list(before: str) -> bool:
    """Whether what stands before "I" can be what the list is of: "stuff", "the languages that"."""
    return before in {"that", "which", "stuff"} or (
        before.endswith("s") and before not in {"is", "was", "as", "does", "has", "yes", "says", "this", "thanks"}
    )
