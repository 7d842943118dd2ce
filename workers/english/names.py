"""Proper names in the parts of a statement, by their capitals.

A statement's parts are known, so nothing is parsed a second time; what is no name in them is a common noun.
"""

from __future__ import annotations

import re

from workers.english.dates.words import MONTH_NAMES, WEEKDAY_NAMES

_INSIDE = frozenset({"of", "the", "de", "da", "del", "van", "von", "al", "bin"})
_NAMELESS = frozenset({"I", "The", "A", "An", *(name.title() for name in (*MONTH_NAMES, *WEEKDAY_NAMES))})


def stated(subject: str, object_: str | None) -> list[tuple[str, str]]:
    """Return the names in a statement as (name, kind): its subject without possessions, and capitalised runs."""
    owner = re.split(r"['’]s? ", subject, maxsplit=1)[0]
    parts = [owner, *([object_] if object_ else [])]
    runs = [run for part in parts for run in _capitalised(part)]
    return [(run, "NAME") for run in runs]


def _capitalised(text: str) -> list[str]:
    """Return the runs of capitalised words of a text, joined by the small words that names have inside."""
    runs: list[list[str]] = []
    small: list[str] = []
    ends = True
    for word in text.replace(",", " , ").split():
        bare = word.strip('.,;:!?"“”()')
        if bare[:1].isupper() and bare not in _NAMELESS:
            if ends or not runs:
                runs.append([bare])
            else:
                runs[-1] += [*small, bare]
            small, ends = [], False
        elif bare in _INSIDE and not ends:
            small.append(bare)
        else:
            small, ends = [], True
    return [" ".join(run) for run in runs]
