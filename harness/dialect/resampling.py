"""Pairs drawn again: the same draws for every measure of every system.

Dialect paper, App. C.6: each resample recomputes all metrics of all systems on the same pairs, so
that the difference between two systems has an interval of its own, narrower than their two
intervals suggest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sociolect.generators.errors import InvalidInputError
from sociolect.harness.judging.resampling import MIN_CLUSTERS, Interval, percentile_intervals
from sociolect.tasks.dialect.measures import Floats, Measure

RESAMPLES = 10_000
MAX_RESAMPLES = 1_000_000
_BLOCK = 2**20
"""Counts of drawn clusters held at once: 8 MB."""


class Resampled(NamedTuple):
    """An interval, and in how many resamples the number did not exist."""

    interval: Interval | None
    lost: int


def cluster_numbers(ids: Sequence[str], groups: Mapping[str, str]) -> npt.NDArray[np.int64]:
    """Number of the cluster of each pair, from 0 in order of first appearance; shape (n,).

    Args:
        ids: Of the pairs.
        groups: By id; a pair without a group, or with an empty one, is a cluster of its own.
    """
    names: dict[tuple[bool, str], int] = {}
    keys = [(True, group) if (group := groups.get(id_)) else (False, id_) for id_ in ids]
    return np.array([names.setdefault(key, len(names)) for key in keys], dtype=np.int64)


def cluster_counts(clusters: np.ndarray, resamples: int, seed: int) -> Iterator[Floats]:
    """How often each cluster is in each resample, in blocks.

    Args:
        clusters: Number of the cluster of each pair, from 0 without gaps.
        resamples: At least 1.
        seed: Of the local generator, 0 or more.

    Yields:
        Shape (resamples of the block, clusters); every row sums to the number of clusters.

    Raises:
        InvalidInputError: No pair, or a number out of range.
    """
    if not len(clusters) or not 1 <= resamples <= MAX_RESAMPLES or seed < 0:
        raise InvalidInputError(
            f"{len(clusters)} pairs, {resamples} resamples, seed {seed}: give at least 1 pair, 1 "
            f"to {MAX_RESAMPLES:,} resamples and a seed of 0 or more"
        )
    n = int(clusters.max()) + 1
    generator = np.random.default_rng(seed)
    step = max(1, _BLOCK // n)
    for start in range(0, resamples, step):
        rows = min(step, resamples - start)
        drawn = generator.integers(0, n, size=(rows, n))
        drawn += n * np.arange(rows)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=rows * n)
        yield counts.reshape(rows, n).astype(np.float64)


def replicates(
    measures: Sequence[Measure], clusters: np.ndarray, resamples: int = RESAMPLES, seed: int = 0
) -> Floats:
    """Every measure on every resample.

    Args:
        measures: Over the same pairs in the same order.
        clusters: Number of the cluster of each pair; whole clusters are drawn.
        resamples: How many.
        seed: Of the draws.

    Returns:
        Shape (resamples, measures); NaN where no drawn pair counts.
    """
    sums, places = _sums(measures, clusters)
    found = np.empty((resamples, len(measures)))
    start = 0
    for counts in cluster_counts(clusters, resamples, seed):
        drawn = counts @ sums
        block = found[start : start + len(counts)]
        for column, (measure, (top, bottom)) in enumerate(zip(measures, places, strict=True)):
            whole = np.where(drawn[:, bottom] > 0, drawn[:, bottom], np.nan)
            block[:, column] = measure.scaled(drawn[:, top] / whole)
        start += len(counts)
    return found


def _sums(
    measures: Sequence[Measure], clusters: np.ndarray
) -> tuple[Floats, list[tuple[int, int]]]:
    """Sums by cluster, equal ones once, and the two columns of each measure."""
    columns: dict[bytes, int] = {}
    kept: list[Floats] = []

    def place(values: Floats) -> int:
        key = values.tobytes()
        if key not in columns:
            columns[key] = len(kept)
            kept.append(np.bincount(clusters, weights=values).astype(np.float64))
        return columns[key]

    places = [(place(one.numerators), place(one.denominators)) for one in measures]
    return np.stack(kept, axis=1) if kept else np.empty((0, 0)), places


def intervals(values: Floats, sizes: Sequence[int], confidence: float) -> list[Resampled]:
    """Percentile intervals.

    Args:
        values: From `replicates`, or differences of its columns; shape (resamples, numbers).
        sizes: Of each number: the clusters that count.
        confidence: Between 0 and 1.

    Returns:
        One a number. Resamples without it are dropped and counted. There is no interval where
        they are more than 5 %, where fewer than five clusters count, or where nothing varies.
    """
    lost = np.isnan(values).sum(axis=0)
    found = percentile_intervals(values, confidence)
    return [
        Resampled(interval if size >= MIN_CLUSTERS else None, int(missing))
        for interval, size, missing in zip(found, sizes, lost, strict=True)
    ]


def clusters_that_count(measure: Measure, clusters: np.ndarray) -> int:
    """Clusters with at least one pair that counts."""
    return len(np.unique(clusters[measure.denominators > 0]))
