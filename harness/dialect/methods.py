"""How an audit is computed."""

from __future__ import annotations

from dataclasses import dataclass

from sociolect.generators.errors import InvalidInputError
from sociolect.harness.dialect.resampling import MAX_RESAMPLES, RESAMPLES
from sociolect.harness.statistics import PERMUTATIONS

FEW_PAIRS = 30
"""Below so many pairs a percentile interval is too narrow; of grouped pairs, below so many groups,
as those are what is drawn."""
EDGE = 5
"""Below so many answers on one side of a share a percentile interval is too narrow."""
_MIN_RESAMPLES = 100
"""Fewer make the ends of a 95 % interval those of single resamples."""
_MAX_PERMUTATIONS = 10_000_000


@dataclass(frozen=True, slots=True)
class Method:
    """How the audit is computed.

    Attributes:
        seed: Of the bootstrap and of the sign flips.
        alpha: Intervals cover 1 − alpha; level of the marks.
        resamples: Of the bootstrap.
        permutations: Of the randomisation test.

    Raises:
        InvalidInputError: A number out of range.
    """

    seed: int = 0
    alpha: float = 0.05
    resamples: int = RESAMPLES
    permutations: int = PERMUTATIONS

    def __post_init__(self) -> None:
        if (
            self.seed < 0
            or not 1e-6 <= self.alpha < 1
            or not _MIN_RESAMPLES <= self.resamples <= MAX_RESAMPLES
            or not 1 <= self.permutations <= _MAX_PERMUTATIONS
        ):
            raise InvalidInputError(
                f"seed {self.seed}, alpha {self.alpha}, {self.resamples} resamples, "
                f"{self.permutations} permutations: give a seed of 0 or more, an alpha from 1e-6 "
                f"to below 1, {_MIN_RESAMPLES} to {MAX_RESAMPLES:,} resamples and 1 to "
                f"{_MAX_PERMUTATIONS:,} permutations"
            )

    @property
    def confidence(self) -> float:
        """Of the intervals."""
        return 1 - self.alpha
