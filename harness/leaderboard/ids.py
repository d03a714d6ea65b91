"""Ids that stay the same when other runs join: made of what they name, not of its place."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

_SHORT, _LONG = 8, 64
"""Hex digits of an id, and of the whole hash."""


def stable_ids(prefix: str, keys: Iterable[str]) -> dict[str, str]:
    """An id for each key: a letter and the first 8 digits of the SHA-256 of the key.

    Keys of which those digits are the same get more of them, all others keep theirs.

    Args:
        prefix: The letter.
        keys: Texts; equal ones are one.
    """
    hashes = {key: _hashed(key) for key in keys}
    return {key: f"{prefix}{_beginning(own, hashes.values())}" for key, own in hashes.items()}


def _hashed(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "backslashreplace")).hexdigest()


def _beginning(own: str, hashes: Iterable[str]) -> str:
    """As many digits as no other hash begins with."""
    others = [other for other in hashes if other != own and other[:_SHORT] == own[:_SHORT]]
    size = _SHORT
    while size < _LONG and any(other[:size] == own[:size] for other in others):
        size += 4
    return own[:size]
