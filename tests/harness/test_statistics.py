"""The paired test, the interval, Holm and the smallest detectable effect."""

from __future__ import annotations

import itertools
import math
import tracemalloc
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from sociolect.generators.errors import InvalidInputError
from sociolect.harness import statistics
from sociolect.harness.statistics import (
    bootstrap_interval,
    difference_of_differences,
    holm,
    randomisation_test,
    smallest_detectable_effect,
)


def exact_p(differences: list[float]) -> float:
    """Share of all 2ⁿ sign patterns whose |mean| reaches the observed one."""
    observed = abs(sum(differences))
    signs = itertools.product((-1, 1), repeat=len(differences))
    sums = [abs(sum(s * d for s, d in zip(pattern, differences, strict=True))) for pattern in signs]
    return sum(s >= observed - 1e-9 for s in sums) / len(sums)


def monte_carlo_error(p: float, permutations: int) -> float:
    """Five standard errors of a simulated p, plus the offset that the +1 brings."""
    return 5 * math.sqrt(p * (1 - p) / permutations) + 1 / permutations


@pytest.mark.parametrize("n", [2, 3, 5, 8, 12])
@pytest.mark.parametrize("seed", [0, 1])
def test_agrees_with_exact_enumeration(n: int, seed: int) -> None:
    rng = np.random.default_rng([seed, n])
    # Tenths, as ten answers an item give: ties are the rule here, not the exception.
    differences = (rng.integers(-4, 8, size=n) / 10).tolist()
    exact = exact_p(differences)
    got = randomisation_test(differences, permutations=20_000, seed=seed)
    assert got == pytest.approx(exact, abs=monte_carlo_error(exact, 20_000))


@pytest.mark.parametrize("shift", [0.0, 0.05, 0.12])
def test_agrees_with_scipy_on_the_same_formula(shift: float) -> None:
    rng = np.random.default_rng(3)
    clean = rng.binomial(10, 0.5, size=60) / 10
    errored = np.clip(clean + rng.choice([-0.1, 0.0, 0.1], size=60) + shift, 0, 1)

    def statistic(x: np.ndarray, y: np.ndarray, axis: int = -1) -> np.ndarray:
        return np.abs(np.mean(y - x, axis=axis))

    theirs = stats.permutation_test(
        (clean, errored),
        statistic,
        permutation_type="samples",
        alternative="greater",
        n_resamples=20_000,
        rng=np.random.default_rng(11),
    ).pvalue
    ours = randomisation_test(errored - clean, permutations=20_000, seed=5)
    assert ours == pytest.approx(theirs, abs=2 * monte_carlo_error(theirs, 20_000))


def test_no_difference_anywhere_is_p_1() -> None:
    assert randomisation_test([0.0] * 20) == 1.0


def test_one_unit_is_p_1() -> None:
    assert randomisation_test([0.7]) == 1.0


def test_overwhelming_evidence_reaches_the_smallest_p_and_not_zero() -> None:
    assert randomisation_test([0.5] * 200, permutations=999) == 1 / 1000


def test_ties_that_differ_in_the_last_bit_count() -> None:
    # 0.1 + 0.2 + … is summed in another order under a flip; two of the four patterns tie exactly.
    differences = [0.1, 0.2, 0.3, -0.3, -0.2, -0.1, 0.6]
    exact = exact_p(differences)
    got = randomisation_test(differences, permutations=50_000)
    assert got == pytest.approx(exact, abs=monte_carlo_error(exact, 50_000))


@settings(deadline=None, max_examples=50)
@given(
    st.lists(st.integers(-10, 10), min_size=1, max_size=40),
    st.integers(0, 100),
)
def test_p_is_a_probability_that_ignores_sign_scale_and_the_global_state(
    tenths: list[int], seed: int
) -> None:
    differences = np.array(tenths) / 10
    p = randomisation_test(differences, permutations=200, seed=seed)
    assert 1 / 201 <= p <= 1
    assert randomisation_test(-differences, permutations=200, seed=seed) == p
    assert randomisation_test(differences * 100, permutations=200, seed=seed) == p


def test_seed_decides_and_nothing_else() -> None:
    differences = np.random.default_rng(0).normal(0.1, 1, size=100)
    first = randomisation_test(differences, permutations=500, seed=4)
    np.random.default_rng(9).random(10)
    assert randomisation_test(differences, permutations=500, seed=4) == first
    others = {randomisation_test(differences, permutations=500, seed=s) for s in range(5, 15)}
    assert len(others) > 1


def test_the_test_holds_its_level_under_the_null() -> None:
    rng = np.random.default_rng(1)
    rejected = sum(
        randomisation_test(rng.normal(size=40), permutations=199, seed=i) <= 0.05
        for i in range(600)
    )
    # Binomial(600, 0.05): mean 30, standard deviation 5.3.
    assert 30 - 4 * 5.3 < rejected < 30 + 4 * 5.3


def test_memory_stays_bounded() -> None:
    differences = np.random.default_rng(0).normal(size=50_000)
    tracemalloc.start()
    randomisation_test(differences, permutations=300)
    bootstrap_interval(differences, resamples=300)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60e6  # all signs at once would take 120 MB as float64


@pytest.mark.parametrize("function", [randomisation_test, bootstrap_interval])
def test_zero_units_is_an_error_not_a_number(function: object) -> None:
    with pytest.raises(InvalidInputError, match="zero units"):
        function([])  # type: ignore[operator]


def test_missing_values_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="difference 1 is nan"):
        randomisation_test([0.1, math.nan])
    with pytest.raises(InvalidInputError, match="one number per unit"):
        randomisation_test(np.zeros((3, 2)))
    with pytest.raises(InvalidInputError, match="permutations"):
        randomisation_test([0.1], permutations=0)


def test_difference_of_differences_is_the_change_of_the_change() -> None:
    got = difference_of_differences([1, 0], [2, 0], [1, 1], [4, 0])
    assert got.tolist() == [2.0, -1.0]
    with pytest.raises(InvalidInputError, match="same units"):
        difference_of_differences([1, 0], [2, 0], [1, 1], [4])


def test_interval_agrees_with_a_plain_bootstrap_and_with_theory() -> None:
    values = np.random.default_rng(2).normal(1, 3, size=150)
    rng = np.random.default_rng(1)
    means = [rng.choice(values, size=150).mean() for _ in range(20_000)]
    low, high = bootstrap_interval(values, resamples=20_000, seed=3) or (math.nan, math.nan)
    error = values.std() / math.sqrt(150)
    assert (low, high) == pytest.approx(tuple(np.quantile(means, [0.025, 0.975])), abs=0.1 * error)
    assert high - low == pytest.approx(2 * 1.96 * error, rel=0.05)


def test_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(6)
    covered = 0
    for i in range(300):
        interval = bootstrap_interval(rng.normal(2, 5, size=80), resamples=500, seed=i)
        assert interval is not None
        covered += interval[0] <= 2 <= interval[1]
    assert 0.90 <= covered / 300 <= 0.985


def test_interval_narrows_with_confidence_and_contains_the_mean() -> None:
    values = np.random.default_rng(8).normal(size=100)
    wide = bootstrap_interval(values, confidence=0.99)
    narrow = bootstrap_interval(values, confidence=0.5)
    assert wide is not None
    assert narrow is not None
    assert wide[0] < narrow[0] < values.mean() < narrow[1] < wide[1]


def test_interval_of_one_unit_or_one_cluster_does_not_exist() -> None:
    assert bootstrap_interval([0.3]) is None
    assert bootstrap_interval([0.3, 0.4, 0.5], clusters=["a", "a", "a"]) is None


def test_interval_of_what_does_not_vary_does_not_exist() -> None:
    assert bootstrap_interval([0.0] * 10) is None
    assert bootstrap_interval([100 / 3, 100 / 3 + 1e-14, 100 / 3]) is None
    assert bootstrap_interval([0.0] * 9 + [1.0]) is not None
    # Every cluster has the mean 1: whichever are drawn, the mean stays.
    assert bootstrap_interval([0.0, 2.0, 0.0, 2.0], clusters=["a", "a", "b", "b"]) is None
    assert smallest_detectable_effect([100 / 3, 100 / 3 + 1e-14, 100 / 3]) is None


def test_units_as_their_own_clusters_change_nothing() -> None:
    values = np.random.default_rng(8).normal(size=50)
    alone = bootstrap_interval(values, seed=2)
    assert bootstrap_interval(values, seed=2, clusters=list(range(50))) == pytest.approx(alone)


def test_clusters_widen_the_interval_of_correlated_units() -> None:
    rng = np.random.default_rng(4)
    labels = np.repeat(np.arange(20), 10)
    values = rng.normal(size=20)[labels] + 0.1 * rng.normal(size=200)
    plain = bootstrap_interval(values)
    clustered = bootstrap_interval(values, clusters=labels.tolist())
    assert plain is not None
    assert clustered is not None
    # Design effect of fully correlated clusters of ten: √10 ≈ 3.2.
    assert 2.4 < (clustered[1] - clustered[0]) / (plain[1] - plain[0]) < 4
    with pytest.raises(InvalidInputError, match="19 cluster labels for 200 units"):
        bootstrap_interval(values, clusters=list(range(19)))


def test_interval_rejects_impossible_settings() -> None:
    for options in ({"confidence": 1.0}, {"confidence": 0.0}, {"resamples": 0}):
        with pytest.raises(InvalidInputError):
            bootstrap_interval([1.0, 2.0], **options)  # type: ignore[arg-type]


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_as_statsmodels_has_it(p_values: list[float]) -> None:
    with patch("gc.collect"):  # it collects in every call, seconds in a process as large as this
        expected = list(multipletests(p_values, method="holm")[1]) if p_values else []
    assert holm(p_values) == pytest.approx(expected)


def test_holm_by_hand() -> None:
    # Sorted .005 .01 .03 .04 times 4 3 2 1 = .02 .03 .06 .04; the running maximum lifts the last.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.6]) == pytest.approx([1.0, 1.0])
    assert holm([0.03]) == pytest.approx([0.03])
    assert holm([]) == []


def test_smallest_detectable_effect_by_hand() -> None:
    values = [1.0, -1.0] * 50
    deviation = math.sqrt(100 / 99)
    expected = (1.959964 + 0.841621) * deviation / 10
    assert smallest_detectable_effect(values) == pytest.approx(expected, rel=1e-5)


def test_smallest_detectable_effect_is_found_four_times_in_five() -> None:
    rng = np.random.default_rng(12)
    n, deviation = 100, 2.0
    effect = smallest_detectable_effect(rng.normal(0, deviation, size=20_000))
    assert effect is not None
    effect *= math.sqrt(20_000 / n)
    found = sum(
        randomisation_test(rng.normal(effect, deviation, size=n), permutations=199, seed=i) <= 0.05
        for i in range(400)
    )
    assert 0.72 < found / 400 < 0.87


def test_smallest_detectable_effect_needs_noise() -> None:
    assert smallest_detectable_effect([0.4]) is None
    assert smallest_detectable_effect([0.4] * 10) is None
    with pytest.raises(InvalidInputError, match="zero units"):
        smallest_detectable_effect([])
    with pytest.raises(InvalidInputError, match="alpha"):
        smallest_detectable_effect([1.0, 2.0], alpha=0)


@pytest.mark.parametrize("units", [2, 40, 700])
def test_kept_draws_give_the_interval_of_scipy_to_the_last_bit(units: int) -> None:
    for seed in (0, 3):
        values = np.random.default_rng([seed, units]).normal(size=units)
        fresh = stats.bootstrap(
            (values,),
            np.mean,
            vectorized=True,
            method="percentile",
            n_resamples=999,
            batch=max(1, 2**18 // units),
            rng=np.random.default_rng(seed),
        ).confidence_interval
        for _ in range(2):  # drawn, and kept
            found = bootstrap_interval(values, resamples=999, seed=seed)
            assert found == (fresh.low, fresh.high)


@pytest.mark.parametrize(
    "asked",
    [
        {"low": 0, "high": 40, "size": (5, 40)},
        {"low": 1, "high": 40, "size": (99, 40)},
        {"low": 0, "high": 40, "size": (99, 40), "endpoint": True},
        {"low": 40},
    ],
)
def test_other_draws_than_the_kept_ones_are_those_of_a_plain_generator(asked: Any) -> None:
    kept, plain = statistics._generator(3, 40, 99, 99), np.random.default_rng(3)
    assert np.array_equal(kept.integers(**asked), plain.integers(**asked))
