"""Which kinds of noise a config holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from sociolect.generators.text import Edit


@dataclass(frozen=True, slots=True)
class NoiseMixRow:
    """How often one kind of edit occurs.

    Attributes:
        share: Of all edits, in [0, 1].
    """

    type: str
    operation: str
    subtype: str
    count: int
    share: float


def noise_mix(edits: Iterable[Edit]) -> list[NoiseMixRow]:
    """Count edits by kind, in alphabetical order.

    Args:
        edits: Edits of one member a pair (the members share them).
    """
    return mix_of((e.type, e.operation, e.subtype) for e in edits)


def mix_of(kinds: Iterable[tuple[str, str, str]]) -> list[NoiseMixRow]:
    """`noise_mix` of kinds: type, operation, sub-type."""
    counts = Counter(kinds)
    total = counts.total()
    return [NoiseMixRow(*kind, n, n / total) for kind, n in sorted(counts.items())]
