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

from sociolect.generators.noise.slots import Slot


def combine(*parts: Sequence[Slot]) -> list[Slot]:
    """The slots of several kinds of noise as one list.

    Args:
        parts: Slots in the order of precedence, each by position, at each p without overlaps.
    """
    kept: list[Slot] = []
    for part in parts:
        fresh = [piece for slot in part for piece in _beside(slot, kept)]
        kept = sorted((*kept, *fresh), key=_position)
    return kept


def _beside(slot: Slot, kept: Sequence[Slot]) -> list[Slot]:
    """The slot in the ranges of p that nothing overlapping takes."""
    free = [(slot.low, slot.high)]
    for other in kept:
        if not overlap(slot, other):
            continue
        cut = []
        for low, high in free:
            before, after = (low, min(high, other.low)), (max(low, other.high), high)
            cut += [piece for piece in (before, after) if piece[0] < piece[1]]
        free = cut
    return [slot._replace(low=low, high=high) for low, high in free]


def overlap(one: Slot, other: Slot) -> bool:
    """Whether two edits cannot stand side by side."""
    a, b = one.edit, other.edit
    if a.start == a.end == b.start == b.end:
        return True
    return a.start < b.end and b.start < a.end


def _position(slot: Slot) -> tuple[int, int]:
    return slot.edit.start, slot.edit.end
