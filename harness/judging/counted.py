"""The counts of all conditions by question, and their resamples."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sociolect.harness.judging.resampling import draws, quotient, resampled
from sociolect.harness.judging.transitions import NAMES, rate_counts
from sociolect.harness.judging.verdicts import Floats, Ints, Judgements


@dataclass(frozen=True, slots=True)
class Counted:
    """Numerators and denominators of the rates.

    Attributes:
        part: Shape (conditions, questions, rates).
        whole: Of the same shape.
        drawn: How often each question is in each resample, shape (resamples, questions).
    """

    part: Ints
    whole: Ints
    drawn: Floats

    def rates(self, condition: int) -> Floats:
        """All rates of a condition in every resample, shape (resamples, rates)."""
        return quotient(
            resampled(self.drawn, self.part[condition]),
            resampled(self.drawn, self.whole[condition]),
        )

    def rate(self, condition: int, name: str) -> Floats:
        """One rate in every resample, shape (resamples,); NaN for an empty pool."""
        return quotient(self.sums(condition, name), self._of(self.whole, condition, name))

    def sums(self, condition: int, name: str) -> Floats:
        """The numerator of a rate in every resample, shape (resamples,)."""
        return self._of(self.part, condition, name)

    def total(self, condition: int, name: str) -> tuple[int, int]:
        """Numerator and denominator of a rate over all questions."""
        at = NAMES.index(name)
        part, whole = self.part[condition, :, at], self.whole[condition, :, at]
        return int(part.sum()), int(whole.sum())

    def value(self, condition: int, name: str) -> float | None:
        """A rate over all questions; `None` for an empty pool."""
        part, whole = self.total(condition, name)
        return part / whole if whole else None

    def _of(self, counts: Ints, condition: int, name: str) -> Floats:
        return resampled(self.drawn, counts[condition, :, NAMES.index(name)])


def count(judgements: Judgements, resamples: int, seed: int) -> Counted:
    """Count the moves under every condition, and draw questions."""
    pairs = [
        rate_counts(judgements.clean, noisy.verdicts, judgements.items)
        for noisy in judgements.noisy
    ]
    part, whole = (np.stack([pair[i] for pair in pairs]) for i in (0, 1))
    return Counted(part, whole, draws(part.shape[1], resamples, seed))
