"""Fabrication against erasure as chances, each over its own pool, with clustered errors.

The noise paper compares counts with one half. If a judge says NONE twice as often as A or B, the
same fragility of both verdicts gives twice as many fabrications. Here a neutral verdict's chance of
moving is compared with a biased one's: a linear probability model with one coefficient, whose
estimate is the difference of the two rates, and whose covariance allows for items that share a
question or a pair of names (both at once: Cameron, Gelbach and Miller 2011).
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from sociolect.harness.judging.resampling import MIN_CLUSTERS
from sociolect.harness.judging.transitions import NONE, outcome
from sociolect.harness.judging.verdicts import Floats, Ints, Items


@dataclass(frozen=True, slots=True)
class Estimate:
    """One coefficient of a linear model.

    Attributes:
        value: The estimate.
        low: End of the interval.
        high: End of the interval.
        p: Two-sided, t with (smallest number of clusters − 1) degrees of freedom.
        p_holm: Adjusted over the conditions of a judge; `None` outside such a family.
        clusters: Number of clusters, one entry a dimension.
        undefined: Why there is no estimate, empty if there is one. The numbers are then `None`.
    """

    value: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_holm: float | None = None
    clusters: tuple[int, ...] = ()
    undefined: str = ""


@dataclass(frozen=True, slots=True)
class Contrast:
    """Conditional fabrication minus conditional erasure.

    Attributes:
        by_question: Errors clustered by question.
        by_question_and_pair: Errors clustered by question and by pair of names.
    """

    by_question: Estimate
    by_question_and_pair: Estimate


def contrast(clean: Ints, noisy: Ints, items: Items, confidence: float = 0.95) -> Contrast:
    """Compare the chance that a NONE verdict moves to a name with that of the reverse."""
    parsed = (clean >= 0) & (noisy >= 0)
    neutral = outcome(clean)[parsed] == NONE
    crossed = neutral != (outcome(noisy)[parsed] == NONE)
    questions, pairs = items.questions.codes[parsed], items.pairs.codes[parsed]
    if not 0 < int(neutral.sum()) < neutral.size:
        missing = "A or B" if neutral.all() and neutral.size else "NONE"
        none = Estimate(undefined=f"undefined (no clean {missing} verdict)")
        return Contrast(none, none)
    x, y = neutral.astype(np.float64), crossed.astype(np.float64)
    one_way = slope(x, y, [questions], confidence)
    if len(np.unique(pairs)) == len(pairs):
        two_way = Estimate(undefined="undefined (no pair of names occurs twice)")
    else:
        two_way = slope(x, y, [questions, pairs], confidence)
    return Contrast(one_way, two_way)


def slope(x: Floats, y: Floats, groups: list[Ints], confidence: float) -> Estimate:
    """Least-squares slope of y on x with cluster-robust errors.

    Args:
        x: Shape (n,).
        y: Shape (n,).
        groups: One or two cluster codes an observation, each of shape (n,).
        confidence: Of the interval.

    Returns:
        Without numbers where x or y does not vary, where there are fewer than `MIN_CLUSTERS`
        clusters, or where the covariance is not positive (possible with two dimensions).
    """
    counts = tuple(len(np.unique(codes)) for codes in groups)
    if min(counts, default=0) < MIN_CLUSTERS:
        least = min(counts, default=0)
        return Estimate(
            clusters=counts, undefined=f"undefined ({least} of {MIN_CLUSTERS} clusters)"
        )
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return Estimate(clusters=counts, undefined="undefined (nothing varies)")
    import statsmodels.api as sm

    codes = groups[0] if len(groups) == 1 else np.stack(groups, axis=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # the root of a negative variance
        fit = sm.OLS(y, sm.add_constant(x)).fit(
            cov_type="cluster", cov_kwds={"groups": codes}, use_t=True
        )
        error = float(fit.bse[1])
        low, high = (float(end) for end in fit.conf_int(1 - confidence)[1])
    # Residuals that are zero but for rounding say nothing about noise.
    if not np.isfinite(error) or error <= 1e-12:
        return Estimate(clusters=counts, undefined="undefined (covariance not positive)")
    return Estimate(float(fit.params[1]), low, high, float(fit.pvalues[1]), clusters=counts)
