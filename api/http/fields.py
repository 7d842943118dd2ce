"""Fields of a JSON body: which there are, and what is said to one that there is not."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping
from typing import Any

from schema.errors import InvalidInput


def only(data: Mapping[str, Any], known: Collection[str]) -> Mapping[str, Any]:
    """Return the body when it has no field but these. Raises InvalidInput with a did-you-mean."""
    unknown = sorted(data.keys() - set(known))
    if unknown:
        near = difflib.get_close_matches(unknown[0], list(known), n=1)
        shown = ascii(unknown[0])[1:-1][:60]
        hint = f"; did you mean {near[0]}?" if near else f"; known: {', '.join(sorted(known))}"
        raise InvalidInput(f"{shown}: no such field{hint}", field=shown)
    return data


def required(data: Mapping[str, Any], name: str) -> Any:
    """Return a field that has to be there. Raises InvalidInput."""
    if data.get(name) is None:
        raise InvalidInput(f"{name}: is required", field=name)
    return data[name]
