"""Lists with a headline, read as the sentence they stand for.

"Stuff I don't eat: gluten, lamb" is "I don't eat gluten, lamb"; "Languages: Dutch, Wolof" stays alone, but "my allergies:
nuts" is "my allergies are nuts". Words keep their places, so that a quote covers the headline and the item.
"""

from __future__ import annotations

from workers.derive.facts.spelling import Word

_MARKS = frozenset({":", "-", "–", "—", "*", "•"})
_FIRST = frozenset({"i", "we"})
LONGEST_HEADLINE = 12
"""Words before the mark."""


def spoken(words: list[Word]) -> list[Word]:
    """The words of a piece in the order of a sentence, if it is a list with a headline; else as they are."""
    mark = next((place for place, word in enumerate(words[: LONGEST_HEADLINE + 1]) if word.norm in _MARKS), None)
    if mark is None or mark < 2 or mark + 1 >= len(words):
        return words
    headline, rest = words[:mark], words[mark + 1 :]
    items = [Word(",", word.start, word.stop) if word.norm in _MARKS else word for word in rest]
    while items and items[0].norm == ",":
        items = items[1:]
    lower = [word.norm.lower() for word in headline]
    first = next((place for place, norm in enumerate(lower) if norm in _FIRST), None)
    if first is not None and 0 < first < mark - 1 and _is_noun_before(lower, first):
        return [*headline[first:], *items]
    if lower[0] in {"my", "our"} and 2 <= mark <= 5 and not {"is", "are", "was", "be"} & set(lower):
        verb = "are" if lower[-1].endswith("s") else "is"
        return [*headline, Word(verb, words[mark].start, words[mark].stop), *items]
    return words


def _is_noun_before(lower: list[str], first: int) -> bool:
    """Whether what stands before "I" can be what the list is of: "stuff", "the languages that"."""
    before = lower[first - 1]
    return before in {"that", "which", "stuff"} or (
        before.endswith("s") and before not in {"is", "was", "as", "does", "has"}
    )
