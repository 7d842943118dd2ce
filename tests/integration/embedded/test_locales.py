"""Whatever the environment says, text is UTF-8 and letters are letters (case h05)."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from .support import Owner

LOCALES = {"c": "C", "posix": "POSIX", "unknown": "xx_XX.nothing", "unset": None}


def test_a_cluster_made_under_any_locale_is_the_same(base: Path, owner: Callable[..., Owner]) -> None:
    bare = {name: value for name, value in os.environ.items() if name not in ("LANG", "LANGUAGE") and name[:3] != "LC_"}
    owners = {}
    for name, value in LOCALES.items():
        env = bare if value is None else {**bare, "LANG": value, "LC_ALL": value}
        owners[name] = owner(base / f"日本 {name}", "text", env=env)
    heard = {name: one.hear().get("row") for name, one in owners.items()}
    assert heard == {name: ["UTF8", "漢字😀", 4, "é", "C"] for name in LOCALES}
