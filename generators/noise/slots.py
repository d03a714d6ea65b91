"""A slot of surface noise: one edit that could be made, and the range of p in which it is made."""

from __future__ import annotations

from typing import NamedTuple

from sociolect.generators.noise.tokens import Token
from sociolect.generators.text import Edit
from sociolect.generators.uniform import Uniforms

ALWAYS = 2.0
"""An upper end that no probability reaches."""


class Slot(NamedTuple):
    """An edit, made at every attempt probability p with low < p ≤ high.

    Attributes:
        token: Index of the token that the edit begins in, or stands before.
        edit: The edit of the first member of the pair.
        low: From where on it is made, in [0, 1).
        high: Where something else takes its place; `ALWAYS` if nothing does.
    """

    token: int
    edit: Edit
    low: float
    high: float = ALWAYS


def by_position(slot: Slot) -> tuple[int, int]:
    """Sorts slots as edits are sorted."""
    return slot.edit.start, slot.edit.end


def threshold(number: float, attempts: int) -> float:
    """The p above which a slot with this number is edited.

    A slot with k attempts is edited iff u < 1 − (1 − p)^k, that is iff p > 1 − (1 − u)^(1/k)
    (noise paper, App. C: p is the probability of one edit attempt). One number a slot makes the
    edits of a lower p a part of those of a higher one.

    Args:
        number: u in [0, 1].
        attempts: k ≥ 1.
    """
    p = number if attempts == 1 else 1 - (1 - number) ** (1 / attempts)
    return min(p, 1 - 2**-53)  # at p = 1 every slot is edited


_HALF = 2.0**20
"""Moves the first twenty bits of a number in front of the point."""


class Draws:
    """The numbers of one text.

    Args:
        uniforms: Its numbers.
        shared: Whether the slots of a token share one number.
    """

    __slots__ = ("_shared", "_uniforms")

    def __init__(self, uniforms: Uniforms, shared: bool) -> None:
        self._uniforms = uniforms
        self._shared = shared

    def __call__(self, kind: str, token: Token) -> tuple[float, float]:
        """Two numbers in [0, 1] that know nothing of each other.

        The first bits of the hash decide from which p on a slot is edited, the others what the
        edit is, and whether a token has such a slot at all; the latter is the same at every p.
        """
        number = self._uniforms(f"token:{token.key}" if self._shared else f"{kind}:{token.key}")
        return number, number * _HALF % 1
