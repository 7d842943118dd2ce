"""Eighth stage: what says the same is said once. The higher-ranked row stays, the others are rejected as `duplicate`.

Two rows are the same when one speaker says the same content: the content key knows no Unicode forms, case or blanks,
and the same words from two mouths are two statements. With `collapse="source"` a row also counts as a duplicate when
every episode it comes from already stands in the list through a better row: a fact and the passage it was drawn from
count once.
"""

from __future__ import annotations

from collections.abc import Sequence

from api.recall.candidate import Ranked

DUPLICATE = "duplicate"


def dedup(ranked: Sequence[Ranked], collapse: str = "none") -> list[Ranked]:
    """The same rows in the same order, best first, duplicates marked."""
    said: set[tuple[str | None, str]] = set()
    covered: set[int] = set()
    out: list[Ranked] = []
    for item in ranked:
        if item.reason is not None or item.wording is None:
            out.append(item)
            continue
        statement = (item.candidate.speaker, item.wording.content_key)
        episodes = {span.episode_id for span in item.wording.sources}
        if statement in said or (collapse == "source" and episodes and episodes <= covered):
            out.append(item.rejected(DUPLICATE))
            continue
        said.add(statement)
        covered |= episodes
        out.append(item)
    return out
