"""Fabrication against erasure as counts: their ratio, the test against parity, the sign test.

Noise paper, §4.2, §4.5 and App. B.1. Counts say what happens to a set of items. They say nothing of
how easily a neutral verdict moves compared with a biased one, as there are other numbers of both:
see `clustered`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sociolect.generators.errors import InvalidInputError
from sociolect.harness import statistics
from sociolect.harness.judging.resampling import Interval
from sociolect.harness.judging.verdicts import Ints


@dataclass(frozen=True, slots=True)
class Rate:
    """So many of so many.

    Attributes:
        count: How many did it.
        pool: Among how many.
        of: What the pool holds.
        interval: Clustered by question, on the scale of `value`; `None` where there is none.
    """

    count: int
    pool: int
    of: str
    interval: Interval | None = None

    @property
    def value(self) -> float | None:
        """In [0, 1]; `None` for an empty pool."""
        return self.count / self.pool if self.pool else None

    @property
    def undefined(self) -> str:
        """Why there is no value, empty if there is one."""
        return "" if self.pool else f"undefined (no {self.of})"


@dataclass(frozen=True, slots=True)
class Ratio:
    """Fabrications over erasures.

    Attributes:
        fabrications: NONE → A or B.
        erasures: A or B → NONE.
        interval: Clustered by question; an upper end of `None` is unbounded.
        bound: Without erasures, what the ratio of the chances is at least: exact binomial,
            one-sided.
    """

    fabrications: int
    erasures: int
    interval: Interval | None = None
    bound: float | None = None

    @property
    def value(self) -> float | None:
        """The ratio; `None` without erasures."""
        return self.fabrications / self.erasures if self.erasures else None

    @property
    def undefined(self) -> str:
        """Why there is no value, empty if there is one."""
        if self.erasures:
            return ""
        if not self.fabrications:
            return "undefined (neither fabrication nor erasure)"
        return f"no erasure ({self.fabrications} fabrication{'s' * (self.fabrications > 1)})"


def ratio(
    fabrications: int, erasures: int, interval: Interval | None, confidence: float = 0.95
) -> Ratio:
    """The ratio of two counts, with a bound where the second is zero.

    n fabrications and no erasure are compatible at level α with a share of fabrications s ≥ α^(1/n)
    (Clopper and Pearson, one-sided), and so with a ratio s / (1 − s).
    """
    bound = None
    if fabrications and not erasures:
        from scipy.stats import binomtest

        exact = binomtest(fabrications, fabrications, alternative="greater")
        share = float(exact.proportion_ci(confidence, method="exact").low)
        bound = share / (1 - share)
    return Ratio(fabrications, erasures, interval if erasures else None, bound)


@dataclass(frozen=True, slots=True)
class SignTest:
    """Questions with more fabrications than erasures against those with fewer.

    Attributes:
        more: Questions with more fabrications.
        fewer: Questions with more erasures.
        ties: Questions with as many of both, none included; they are in no test.
        p: Two-sided, exact; `None` if all questions are ties.
        p_holm: Adjusted over the conditions of a judge.
    """

    more: int
    fewer: int
    ties: int
    p: float | None
    p_holm: float | None = None


def parity_test(first: int, second: int) -> float | None:
    """Two-sided exact binomial test of two counts against parity; `None` if both are 0.

    Raises:
        InvalidInputError: A negative count.
    """
    if min(first, second) < 0:
        raise InvalidInputError(f"counts {first} and {second}: a count is 0 or more")
    if first + second == 0:
        return None
    from scipy.stats import binomtest

    return float(binomtest(first, first + second).pvalue)


def sign_test(fabrications: Ints, erasures: Ints) -> SignTest:
    """Noise paper, §4.5: does a question see more fabrications than erasures?

    Args:
        fabrications: By question, shape (questions,).
        erasures: By question, shape (questions,).
    """
    signs = np.sign(fabrications - erasures)
    more, fewer = int((signs > 0).sum()), int((signs < 0).sum())
    return SignTest(more, fewer, int((signs == 0).sum()), parity_test(more, fewer))


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down adjusted p-values; what has no test is in no family."""
    adjusted = iter(statistics.holm([p for p in p_values if p is not None]))
    return [None if p is None else next(adjusted) for p in p_values]
