"""Digests that identify content. Row ids are the database's; nothing that is compared between stores uses them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable


def digest(*parts: str | bytes | int | None, size: int = 16) -> bytes:
    """Return a blake2b digest of `size` bytes over the parts, each length-prefixed so that no two lists collide."""
    state = hashlib.blake2b(digest_size=size)
    for part in parts:
        data = b"\x00" if part is None else part if isinstance(part, bytes) else str(part).encode()
        state.update(f"{len(data)}:{part is None:d}:".encode() + data)
    return state.digest()


def fingerprint(parts: Iterable[str | int | float | None]) -> str:
    """Return the short hexadecimal name of what decides a derivation's output."""
    return digest(*[part if isinstance(part, str) or part is None else repr(part) for part in parts], size=8).hex()
