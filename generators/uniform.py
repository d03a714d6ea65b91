"""Uniform numbers without a generator object.

Every random decision has a name, and its number is a hash of that name. Results therefore do
not depend on the order of items, on batch size, worker count or PYTHONHASHSEED, and adding an
item or an error type changes nothing else.
"""

from __future__ import annotations

from hashlib import blake2b

ALGORITHM_VERSION = "1"
"""Part of every name. A change of rules that changes the output raises it."""


class Uniforms:
    """Numbers in [0, 1) for the decisions about one text.

    Args:
        seed: The error seed.
        *scope: What the numbers belong to: benchmark, pair id, part.
    """

    __slots__ = ("_base",)

    def __init__(self, seed: int, *scope: str) -> None:
        prefix = "|".join((ALGORITHM_VERSION, str(seed), *scope))
        self._base = blake2b(prefix.encode(), digest_size=8)

    def __call__(self, name: str) -> float:
        """The number of the decision `name`; the same name gives the same number."""
        state = self._base.copy()
        state.update(b"|" + name.encode())
        return int.from_bytes(state.digest(), "big") / 2**64
