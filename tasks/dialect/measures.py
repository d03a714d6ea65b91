"""A number of the audit as a ratio of two sums over pairs.

A ratio of sums is all that a bootstrap needs: a resampled value is the ratio of the resampled
sums. Pairs that do not count have a denominator of zero, and are counted by reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

Scale = Literal["share", "mean", "perplexity"]


@dataclass(frozen=True, slots=True)
class Measure:
    """One number over pairs.

    Attributes:
        name: As in tables and files.
        numerators: One a pair, shape (n,); 0 where the pair does not count.
        denominators: The same; 0 where the pair does not count.
        scale: `share` is in [0, 1], `mean` in nats, `perplexity` is exp of the ratio.
        left: How many pairs do not count, by reason.
    """

    name: str
    numerators: Floats
    denominators: Floats
    scale: Scale
    left: Mapping[str, int] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """Pairs that count."""
        return int(np.count_nonzero(self.denominators))

    @property
    def value(self) -> float | None:
        """The number; None over no pairs, and where it is beyond all numbers."""
        if not self.n:
            return None
        with np.errstate(over="ignore"):
            found = float(self.scaled(self.numerators.sum() / self.denominators.sum()))
        return found if np.isfinite(found) else None

    def scaled(self, ratios: npt.ArrayLike) -> Floats:
        """Ratios of sums as numbers of this measure; NaN for those beyond all numbers."""
        found = np.asarray(ratios, dtype=np.float64)
        with np.errstate(over="ignore"):
            found = np.exp(found) if self.scale == "perplexity" else found
        return np.where(np.isfinite(found), found, np.nan)


def share_of_pairs(
    name: str, hits: npt.ArrayLike, counts: Flags, left: Mapping[str, npt.ArrayLike]
) -> Measure:
    """A share in which every pair that counts weighs one.

    Args:
        name: Of the measure.
        hits: By pair, from 0 to 1; shape (n,).
        counts: Pairs that count.
        left: By reason, pairs that do not.
    """
    values = np.asarray(hits, dtype=np.float64)
    numerators = np.where(counts, values, 0.0)
    return Measure(name, numerators, counts.astype(np.float64), "share", left_by_reason(left))


def left_by_reason(reasons: Mapping[str, npt.ArrayLike]) -> dict[str, int]:
    """How many pairs do not count, by the reasons that there are; flags of shape (n,)."""
    counts = {reason: int(np.count_nonzero(flags)) for reason, flags in reasons.items()}
    return {reason: n for reason, n in counts.items() if n}
