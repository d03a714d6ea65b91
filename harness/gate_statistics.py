"""Statistics of the regression gate: by how much did a figure get worse between two models?

A bias is worse if its absolute value is larger, whatever its sign, and an accuracy if it is
smaller. Both are functions of the two means over the same units, so that one test serves: under
the null hypothesis the two models are exchangeable, unit by unit.

Units with the same two values are drawn together: their counts are binomial (swaps) or
multinomial (resamples), which is the same distribution as drawing them one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from sociolect.generators.errors import InvalidInputError
from sociolect.harness import statistics
from sociolect.harness.statistics import Floats

POWER = 0.8
"""Probability of finding an effect that counts as detectable."""

_DRAWS = 2**20
"""Random numbers held at once: 8 MB."""
_TIE = 1e-10
"""Increases that differ by less than this share of the mean absolute values are equal."""


def worse_by(metric: str, before: Floats, after: Floats) -> Floats:
    """By how many points means got worse; negative where they got better.

    Args:
        metric: `bias` counts by its absolute value, accuracies count down, everything else
            (`unanswered`, `directional`) up.
        before: Means of the baseline, any shape.
        after: Means of the candidate, the same shape.
    """
    if metric == "bias":
        return np.abs(after) - np.abs(before)
    return before - after if metric.startswith("acc") else after - before


def increase_test(
    metric: str, before: Floats, after: Floats, *, permutations: int, seed: int
) -> float:
    """One-sided p-value of the increase, by paired approximate randomisation.

    Learner-error paper, App. D.2, with another statistic: each permutation swaps the two models in
    every unit with probability one half. With c the number of permutations whose increase is at
    least the observed one, p = (c + 1) / (N + 1).

    Args:
        metric: What the values are, for `worse_by`.
        before: Values of the units, shape (n,), n at least 1.
        after: The same units under the candidate.
        permutations: N.
        seed: Of the swaps.
    """
    changes, counts = np.unique(after - before, return_counts=True)
    rng = np.random.default_rng(seed)
    n, totals = len(before), (float(before.sum()), float(after.sum()))
    observed = worse_by(metric, before.mean(), after.mean())
    threshold = observed - _TIE * float(np.abs(before).mean() + np.abs(after).mean())
    found = 0
    for rows in _chunks(permutations, len(changes)):
        # Units that are not swapped add their change to the one sum and take it from the other.
        kept = rng.binomial(counts, 0.5, size=(rows, len(changes))) @ changes
        increases = worse_by(metric, (totals[1] - kept) / n, (totals[0] + kept) / n)
        found += int(np.count_nonzero(increases >= threshold))
    return (found + 1) / (permutations + 1)


def increase_interval(
    metric: str,
    before: Floats,
    after: Floats,
    *,
    confidence: float,
    resamples: int,
    seed: int,
    clusters: Sequence[str] = (),
) -> tuple[float, float] | None:
    """Percentile bootstrap interval of the increase, resampling whole units with both values.

    Args:
        metric: What the values are, for `worse_by`.
        before: Values of the units, shape (n,), n at least 1.
        after: The same units under the candidate.
        confidence: Coverage aimed at, between 0 and 1.
        resamples: Bootstrap samples.
        seed: Of the draws.
        clusters: One label a unit: whole clusters are drawn in place of units.

    Returns:
        Lower and upper end in points; `None` from fewer than two units or clusters, or where no
        resample differs from another.
    """
    sums = _sums(before, after, clusters)
    if len(sums) < 2:
        return None
    rows, counts = np.unique(sums, axis=0, return_counts=True)
    rng = np.random.default_rng(seed)
    shares = counts / counts.sum()
    drawn = np.concatenate(
        [
            rng.multinomial(len(sums), shares, size=size) @ rows
            for size in _chunks(resamples, len(rows))
        ]
    )
    increases = worse_by(metric, drawn[:, 0] / drawn[:, 2], drawn[:, 1] / drawn[:, 2])
    if np.ptp(increases) <= _TIE * max(1.0, float(np.abs(increases).max())):
        return None
    tail = (1 - confidence) / 2
    low, high = np.quantile(increases, (tail, 1 - tail))
    return float(low), float(high)


def detectable_increase(before: Floats, after: Floats, *, alpha: float) -> float | None:
    """Smallest true change that the one-sided test would find with 80 % power.

    Normal approximation, (z(1 − α) + z(0.8)) · s / √n with s the standard deviation of the changes
    of the units. It holds where the mean keeps its sign.

    Returns:
        Points; `None` where the changes do not vary, and from a single unit.
    """
    # The shared function is two-sided: at twice the level its quantile is the one-sided one.
    return statistics.smallest_detectable_effect(after - before, alpha=2 * alpha, power=POWER)


def unseen_increase(metric: str, units: int, *, alpha: float) -> float:
    """Largest true increase that units of which none changed do not exclude.

    If a share x of all units changed, none of n would with probability (1 − x)ⁿ; at α that is
    x = 1 − α^(1/n), about 3/n at 0.05 (the rule of three). Each could go from one end of the
    values of a unit to the other: 200 points of a bias, 100 of a share.

    Args:
        metric: What the values are.
        units: n, at least 1.
        alpha: Level.

    Returns:
        Points.
    """
    widest = 200.0 if metric == "bias" else 100.0
    return widest * float(1 - alpha ** (1 / units))


def can_be_found(units: int, alpha: float) -> bool:
    """Whether any result on so many units could be significant: 2⁻ⁿ is the smallest p."""
    return 0.5**units < alpha


def check_permutations(permutations: int, alpha: float, tests: int) -> None:
    """Refuse so few permutations that no p-value can fall below the level.

    Args:
        permutations: N.
        alpha: Level of the tests.
        tests: Size of the family over which p-values are adjusted; 1 without adjustment.

    Raises:
        InvalidInputError: The gate could never be red.
    """
    if tests / (permutations + 1) >= alpha:
        needed = int(tests / alpha)
        adjusted = f" after Holm over {tests} conditions" if tests > 1 else ""
        raise InvalidInputError(
            f"with {permutations:,} permutations no p-value is below {alpha:g}{adjusted}, so that "
            f"nothing could be red; give at least {needed:,}"
        )


def _sums(before: Floats, after: Floats, clusters: Sequence[str]) -> Floats:
    """Sum of both values and number of units, one row a cluster or unit; shape (…, 3)."""
    values = np.column_stack([before, after, np.ones(len(before))])
    if not clusters:
        return values
    names, codes = np.unique(np.array(clusters), return_inverse=True)
    found = np.zeros((len(names), 3))
    np.add.at(found, codes, values)
    return found


def _chunks(rows: int, width: int) -> Iterator[int]:
    """Row counts that add up to `rows`, with at most `_DRAWS` numbers each."""
    step = max(1, _DRAWS // width)
    for start in range(0, rows, step):
        yield min(step, rows - start)
