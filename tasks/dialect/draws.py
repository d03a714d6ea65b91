"""Standard errors by drawing whole groups of pairs again.

The conditions under which there is none are those of the intervals in `sociolect dialect report`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sociolect.tasks.dialect.measures import Floats, Measure
from sociolect.tasks.metrics import RESAMPLES, resamples_of

Clusters = npt.NDArray[np.int64]

MIN_CLUSTERS = 5
"""Groups, or pairs in no group, that must count: from fewer there is no spread to speak of."""
MOST_UNDEFINED = 0.05
"""Share of resamples in which no pair counts, above which there is no standard error."""


def clusters_of(groups: Sequence[str]) -> Clusters:
    """Number of the cluster of each pair, from 0 without gaps.

    Args:
        groups: Of each pair; a pair without a group (empty) is a cluster of its own.
    """
    numbers: dict[tuple[str, int], int] = {}
    keys = [(group, -1 if group else place) for place, group in enumerate(groups)]
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)


def standard_error(
    measure: Measure, clusters: Clusters, *, resamples: int = RESAMPLES, seed: int = 0
) -> float:
    """Standard deviation of a measure over bootstrap resamples of clusters.

    Args:
        measure: Over pairs.
        clusters: Of the pairs, from `clusters_of`; shape (n,).
        resamples: How many, at least 2.
        seed: Of the local random generator.

    Returns:
        In the unit of the measure. NaN where fewer than `MIN_CLUSTERS` clusters count, where more
        than `MOST_UNDEFINED` of the resamples have no number, or where nothing varies.
    """
    counting = clusters[measure.denominators > 0]
    if len(np.unique(counting)) < MIN_CLUSTERS:
        return float("nan")
    found = _replicates(measure, clusters, resamples, seed)
    if len(found) < max(2, (1 - MOST_UNDEFINED) * resamples) or np.ptp(found) == 0:
        return float("nan")
    return float(found.std(ddof=1))


def _replicates(measure: Measure, clusters: Clusters, resamples: int, seed: int) -> Floats:
    """The measure on every resample that has it."""
    tops = np.bincount(clusters, weights=measure.numerators)
    bottoms = np.bincount(clusters, weights=measure.denominators)
    generator = np.random.default_rng(seed)
    values = []
    for drawn in resamples_of(generator, len(tops), resamples):
        above, below = drawn @ tops, drawn @ bottoms
        counts = below > 0
        values.append(measure.scaled(above[counts] / below[counts]))
    return np.concatenate(values)
