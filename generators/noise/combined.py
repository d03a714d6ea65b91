"""Typo, then informal, then punct, on one list of edits (noise paper, §3.2).

All edits keep their offsets in the clean text. A later kind of noise misses what an earlier one
has changed: where a typo falls into a word that would have been respelt, the word is not respelt.
Typos come in one after the other as p grows, so a respelling can give way to a typo; it cannot be
otherwise while typos come first and each part has the edits of its own condition. What is nested
over p is therefore the set of changed places: every edit of a lower p is there at a higher p, or an
edit that comes earlier in the order, or a dropped mark instead of a repeated one, overlaps it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from sociolect.generators.noise.slots import Slot, by_position


def combine(*parts: Sequence[Slot]) -> list[Slot]:
    """The slots of several kinds of noise as one list.

    Args:
        parts: Slots in the order of precedence, each by position, at each p without overlaps.
    """
    kept = list(parts[0])
    for part in parts[1:]:
        fresh: list[Slot] = []
        head = 0
        for slot in part:
            while head < len(kept) and kept[head].edit.end < slot.edit.start:
                head += 1
            fresh += _beside(slot, kept, head)
        kept = sorted((*kept, *fresh), key=by_position)
    return kept


def _beside(slot: Slot, kept: Sequence[Slot], head: int) -> list[Slot]:
    """The slot in the ranges of p that nothing overlapping takes; looks from `head` on."""
    free = [(slot.low, slot.high)]
    for other in islice(kept, head, None):
        if other.edit.start > slot.edit.end:
            break
        if overlap(slot, other):
            free = [piece for low, high in free for piece in _outside(low, high, other)]
    return [slot._replace(low=low, high=high) for low, high in free]


def _outside(low: float, high: float, other: Slot) -> list[tuple[float, float]]:
    """The parts of a range of p in which another slot is not edited."""
    pieces = (low, min(high, other.low)), (max(low, other.high), high)
    return [piece for piece in pieces if piece[0] < piece[1]]


def overlap(one: Slot, other: Slot) -> bool:
    """Whether two edits cannot stand side by side."""
    a, b = one.edit, other.edit
    if a.start == a.end == b.start == b.end:
        return True
    return a.start < b.end and b.start < a.end
