"""Intervals by drawing whole questions: items of one question are not independent.

The noise paper's limitations name it: 3,822 items come from 42 questions. One set of draws serves
all conditions, so that comparisons between them are paired.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sociolect.generators.errors import InvalidInputError
from sociolect.harness.judging.verdicts import Floats, Ints

RESAMPLES = 2_000
MIN_CLUSTERS = 5
"""Below this number of questions there is neither an interval nor a clustered test."""
FEW_CLUSTERS = 10
"""Below this number of questions both are too sure of themselves, and a note says so."""
MOST_UNDEFINED = 0.05
"""Share of resamples without the statistic above which there is no interval."""


class Interval(NamedTuple):
    """Ends of an interval; an end that is `None` is not bounded by the data."""

    low: float | None
    high: float | None


def draws(clusters: int, resamples: int, seed: int) -> Floats:
    """How often each cluster is in each resample; once, if there are fewer than `MIN_CLUSTERS`.

    Args:
        clusters: How many there are; as many are drawn, with replacement.
        resamples: At least 1.
        seed: Of the local generator.

    Returns:
        Shape (resamples, clusters).

    Raises:
        InvalidInputError: No cluster, no resample or a negative seed.
    """
    if clusters < 1 or resamples < 1 or seed < 0:
        raise InvalidInputError(
            f"{clusters} clusters, {resamples} resamples, seed {seed}: give at least 1, 1 and 0"
        )
    if clusters < MIN_CLUSTERS:  # nothing varies then, so that no interval comes of it
        return np.ones((resamples, clusters), dtype=np.float64)
    generator = np.random.default_rng(seed)
    shares = np.full(clusters, 1 / clusters)
    return generator.multinomial(clusters, shares, size=resamples).astype(np.float64)


def resampled(drawn: Floats, counts: Ints) -> Floats:
    """Sums over the drawn clusters.

    Args:
        drawn: From `draws`, shape (resamples, clusters).
        counts: Shape (clusters, …).

    Returns:
        Shape (resamples, …).
    """
    flat = counts.reshape(len(counts), -1).astype(np.float64)
    return (drawn @ flat).reshape(len(drawn), *counts.shape[1:])


def quotient(part: Floats, whole: Floats) -> Floats:
    """Part over whole; NaN where both are 0, infinite where only the whole is."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = np.divide(part, whole)
    return found


def percentile_intervals(values: Floats, confidence: float) -> list[Interval | None]:
    """Percentile intervals of some statistics.

    Args:
        values: Shape (resamples, statistics); NaN where a resample does not define one, infinite
            where it is not bounded.
        confidence: Between 0 and 1.

    Returns:
        One a statistic; `None` where it does not vary, or is undefined in more than
        `MOST_UNDEFINED` of the resamples.
    """
    tail = (1 - confidence) / 2
    lost = np.isnan(values)
    # The nearest rank from outside: no mean of a finite and an infinite value is needed.
    ordered = np.sort(values, axis=0)  # NaN last
    found: list[Interval | None] = []
    for column in range(values.shape[1]):
        defined = int(len(values) - lost[:, column].sum())
        if defined < max(2, (1 - MOST_UNDEFINED) * len(values)):
            found.append(None)
            continue
        low, high = (
            ordered[rank, column]
            for rank in (int(np.floor(tail * (defined - 1))), _above(tail, defined))
        )
        varies = ordered[0, column] < ordered[defined - 1, column]
        found.append(Interval(_bound(low), _bound(high)) if varies else None)
    return found


def _above(tail: float, defined: int) -> int:
    return int(np.ceil((1 - tail) * (defined - 1)))


def _bound(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
