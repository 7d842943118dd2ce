"""Whom a statement names, by its own parts."""

from __future__ import annotations

import pytest

from workers.english.names import stated


@pytest.mark.parametrize(
    ("subject", "object_", "names"),
    [
        ("Ann", "tea", ["Ann"]),
        ("Noor's nan", "Aleppo", ["Noor", "Aleppo"]),
        ("user", "a cat named Pixel", ["Pixel"]),
        ("Sam Ortiz", "nurse in Leeds", ["Sam Ortiz", "Leeds"]),
        ("Ann", "Bank of England, Tate Modern", ["Ann", "Bank of England", "Tate Modern"]),
        ("Ann", "party on Monday in May", ["Ann"]),
        ("the pump", None, []),
        ("İstanbul", "Türkiye", ["İstanbul", "Türkiye"]),
    ],
)
def test_names(subject: str, object_: str | None, names: list[str]) -> None:
    assert [name for name, _ in stated(subject, object_)] == names
