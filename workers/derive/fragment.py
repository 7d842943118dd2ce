"""The format in which a memory stands in a prompt, written and recognised.

    [2024-05-22 12:00+00:00] Ann (user):
    > I moved to Oslo.
    >
    > It is cold.

The first line gives the event time, who spoke and the source; every line of the memory follows behind `> `, an empty
one as `>`. Stored text is data: it can hold no blank line and no line that looks like another fragment's first line,
because both would stand behind the quotation mark. Fragments are joined with a blank line.
"""

from __future__ import annotations

import re
from datetime import datetime

from schema.kinds import Source

SEPARATOR = "\n\n"

_FRAGMENT = re.compile(
    rf"\[\d{{4}}-\d\d-\d\d[ T]\d\d:\d\d[^\]\n]{{0,20}}\][^\n\\]{{0,220}}\((?:{'|'.join(Source)})\):"
    r"(?:(?:\r?\n|(?:\\r)?\\n)[ \t]*>[^\n\\]*(?:\\(?!n)[^\n\\]*)*)+"
)


def quote(text: str, speaker: str | None, source: str, occurred_at: datetime) -> str:
    """Return a memory as a fragment of a prompt."""
    who = " ".join((speaker or "").split())
    when = occurred_at.isoformat(sep=" ", timespec="minutes")
    head = f"[{when}] {who} ({source}):" if who else f"[{when}] ({source}):"
    return "\n".join([head, *(f"> {line}" if line.strip() else ">" for line in text.splitlines())])


def quoted(text: str) -> list[tuple[int, int]]:
    """Return the spans of the fragments in a text, as plain text or inside a JSON string, in order and apart."""
    return [found.span() for found in _FRAGMENT.finditer(text)]
