"""The bootstrap of the report against scipy's, and that it is paired."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import bootstrap

from sociolect.generators.errors import InvalidInputError
from sociolect.harness.dialect.resampling import (
    cluster_counts,
    cluster_numbers,
    intervals,
    replicates,
)
from sociolect.harness.statistics import randomisation_test, randomisation_tests
from sociolect.tasks.dialect.measures import Measure

N = 400


def mean_of(values: np.ndarray, counts: np.ndarray | None = None, scale: str = "mean") -> Measure:
    denominators = np.ones(len(values)) if counts is None else counts
    return Measure("m", values.astype(float), denominators.astype(float), scale)


def alone(
    measure: Measure, resamples: int = 4000, clusters: np.ndarray | None = None
) -> np.ndarray:
    groups = np.arange(len(measure.numerators)) if clusters is None else clusters
    return replicates([measure], groups, resamples)[:, 0]


def test_the_interval_of_a_ratio_is_that_of_scipy() -> None:
    rng = np.random.default_rng(1)
    tokens = rng.integers(3, 20, N)
    nats = tokens * rng.gamma(4, 1, N)
    found = intervals(alone(mean_of(nats, tokens, "perplexity"))[:, None], [N], 0.95)[0].interval
    assert found is not None
    expected = bootstrap(
        (nats, tokens),
        lambda x, y, axis=-1: np.exp(x.sum(axis=axis) / y.sum(axis=axis)),
        paired=True,
        method="percentile",
        n_resamples=4000,
        rng=np.random.default_rng(2),
    ).confidence_interval
    width = expected.high - expected.low
    assert found.low == pytest.approx(expected.low, abs=0.06 * width)
    assert found.high == pytest.approx(expected.high, abs=0.06 * width)


def test_the_difference_of_two_systems_is_paired() -> None:
    rng = np.random.default_rng(3)
    base = rng.normal(0, 5, N)
    other = base + rng.normal(1, 0.5, N)
    both = replicates([mean_of(base), mean_of(other)], np.arange(N), 2000)
    paired = (both[:, 1] - both[:, 0]).std()
    assert paired == pytest.approx(0.5 / np.sqrt(N), rel=0.15)
    unpaired = np.hypot(both[:, 0].std(), both[:, 1].std())
    assert paired < unpaired / 10


def test_a_group_is_drawn_whole() -> None:
    values = np.repeat(np.random.default_rng(4).normal(0, 1, 50), 8)
    groups = np.repeat(np.arange(50), 8)
    apart, together = alone(mean_of(values)).std(), alone(mean_of(values), clusters=groups).std()
    assert together / apart == pytest.approx(np.sqrt(8), rel=0.15)


def test_a_pair_without_a_group_is_one_of_its_own() -> None:
    groups = {"a": "x", "b": "", "d": "x", "e": "b"}
    assert cluster_numbers(["a", "b", "c", "d", "e"], groups).tolist() == [0, 1, 2, 0, 3]


def test_blocks_are_drawn_to_the_number_and_every_row_is_a_resample() -> None:
    clusters = np.arange(3000)
    blocks = list(cluster_counts(clusters, 1000, 0))
    assert len(blocks) > 1
    counts = np.concatenate(blocks)
    assert counts.shape == (1000, 3000)
    assert (counts.sum(axis=1) == 3000).all()
    assert counts.mean(axis=0) == pytest.approx(np.ones(3000), abs=0.2)
    assert not (counts[0] == counts[1]).all()


def test_a_seed_gives_the_same_draws() -> None:
    measure = mean_of(np.arange(20.0))
    first, again, other = (replicates([measure], np.arange(20), 50, s) for s in (0, 0, 1))
    assert (first == again).all()
    assert not (first == other).all()


def test_resamples_without_the_number_are_counted_and_too_many_end_it() -> None:
    counts = np.zeros(N)
    counts[:5] = 1  # missed by (1 − 5/400)^400 = 0.65 % of the resamples
    few = alone(mean_of(counts * np.arange(N), counts))
    lost = int(np.isnan(few).sum())
    assert lost / len(few) == pytest.approx((1 - 5 / N) ** N, abs=0.004)
    (found,) = intervals(few[:, None], [5], 0.95)
    assert found.lost == lost
    assert found.interval is not None
    counts[2:] = 0  # missed by 13 %
    (gone,) = intervals(alone(mean_of(counts * np.arange(N), counts))[:, None], [5], 0.95)
    assert gone.interval is None
    assert gone.lost > 0.05 * 4000


def test_few_clusters_and_numbers_that_do_not_vary_have_no_interval() -> None:
    values = alone(mean_of(np.arange(4.0)))[:, None]
    assert intervals(values, [4], 0.95)[0].interval is None
    assert intervals(values, [5], 0.95)[0].interval is not None
    assert intervals(np.ones((100, 1)), [50], 0.95)[0].interval is None


@pytest.mark.parametrize(("clusters", "resamples", "seed"), [(0, 1, 0), (3, 0, 0), (3, 1, -1)])
def test_numbers_out_of_range_are_refused(clusters: int, resamples: int, seed: int) -> None:
    with pytest.raises(InvalidInputError, match="at least 1 pair"):
        list(cluster_counts(np.arange(clusters), resamples, seed))


def test_measures_share_the_swaps_of_a_test() -> None:
    rng = np.random.default_rng(5)
    gaps = np.stack([rng.normal(0.1, 1, 60), rng.integers(-1, 2, 60), np.zeros(60)], axis=1)
    together = randomisation_tests(gaps, 999, 3)
    assert together == [randomisation_test(column, permutations=999, seed=3) for column in gaps.T]
    assert together[2] == 1
