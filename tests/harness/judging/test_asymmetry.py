"""Fabrication against erasure: ratios, tests, and estimates against independent computations."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from scipy.stats import binom, t

from sociolect.generators.errors import InvalidInputError
from sociolect.harness.judging.analysis import FlipMethod, analyse
from sociolect.harness.judging.asymmetry import holm, parity_test, ratio, sign_test
from sociolect.harness.judging.clustered import contrast, slope
from sociolect.harness.judging.resampling import Interval, draws, percentile_intervals, quotient
from sociolect.harness.judging.verdicts import Judgements
from sociolect.harness.statistics import bootstrap_interval
from sociolect.harness.statistics import holm as statistics_holm

Make = Callable[..., Judgements]


def test_the_ratio_of_the_paper() -> None:
    """§4.2: 240 fabrications and 2 erasures."""
    found = ratio(240, 2, Interval(60.0, None))
    assert (found.value, found.interval, found.bound, found.undefined) == (
        120,
        Interval(60.0, None),
        None,
        "",
    )


def test_no_erasure_gives_a_bound_and_no_ratio() -> None:
    found = ratio(30, 0, Interval(1.0, 2.0))
    assert found.value is None
    assert found.interval is None
    assert found.undefined == "no erasure (30 fabrications)"
    share = 0.05 ** (1 / 30)  # 30 of 30 have a chance of 5 % under this share
    assert found.bound == pytest.approx(share / (1 - share))
    assert ratio(1, 0, None).undefined == "no erasure (1 fabrication)"


def test_no_fabrication_is_a_ratio_of_zero_and_neither_is_none() -> None:
    assert ratio(0, 3, None).value == 0
    nothing = ratio(0, 0, None)
    assert (nothing.value, nothing.bound) == (None, None)
    assert nothing.undefined == "undefined (neither fabrication nor erasure)"


@pytest.mark.parametrize(("first", "second"), [(240, 2), (28, 38), (5, 5), (3, 0), (0, 1)])
def test_parity_is_the_exact_two_sided_test(first: int, second: int) -> None:
    n, k = first + second, min(first, second)
    expected = min(1.0, 2 * binom.cdf(k, n, 0.5))
    assert parity_test(first, second) == pytest.approx(expected)


def test_parity_of_nothing_and_of_no_counts() -> None:
    assert parity_test(0, 0) is None
    with pytest.raises(InvalidInputError, match="a count is 0 or more"):
        parity_test(-1, 2)


def test_the_sign_test_leaves_ties_out_and_counts_them() -> None:
    """§4.5: 41 of 42 templates."""
    found = sign_test(np.array([2] * 41 + [0]), np.array([1] * 41 + [1]))
    assert (found.more, found.fewer, found.ties) == (41, 1, 0)
    assert found.p == pytest.approx(2 * (42 + 1) / 2**42)
    tied = sign_test(np.array([0, 3, 1]), np.array([0, 3, 0]))
    assert (tied.more, tied.fewer, tied.ties, tied.p) == (1, 0, 2, 1.0)
    assert sign_test(np.array([1]), np.array([1])).p is None


def test_holm_leaves_out_what_was_not_tested() -> None:
    assert holm([0.01, None, 0.04]) == [pytest.approx(0.02), None, pytest.approx(0.04)]


@pytest.mark.parametrize("p_values", [[], [0.2, 0.01, 0.01, 0.04, 1, 0], [0.5, 0.02, 0.03]])
def test_holm_with_every_p_is_the_plain_one(p_values: list[float]) -> None:
    assert holm(p_values) == pytest.approx(statistics_holm(p_values))


def test_conditions_are_adjusted_together(judgements: Make) -> None:
    noisy = {"typo-10": "A" * 10, "typo-30": "A" * 8 + "NN", "typo-50": "N" * 10}
    found = analyse(judgements("N" * 10, noisy), FlipMethod(resamples=20)).conditions
    assert [one.parity_p for one in found] == [2 / 2**10, 2 / 2**8, None]
    assert [one.parity_p_holm for one in found] == [4 / 2**10, 2 / 2**8, None]
    assert [one.sign.p_holm for one in found] == [1.0, 1.0, None]


def synthetic(judgements: Make, seed: int, questions: int = 12, pairs: int = 15) -> Judgements:
    """Verdicts whose chance to move depends on question and pair."""
    rng = np.random.default_rng(seed)
    by_question, by_pair = rng.uniform(0, 0.4, questions), rng.uniform(0, 0.4, pairs)
    clean, noisy, names, of_pair = [], [], [], []
    for q in range(questions):
        for k in range(pairs):
            clean.append(rng.choice(list("ABNN")))
            moves = rng.random() < by_question[q] + by_pair[k]
            noisy.append(rng.choice(list("ABN?")) if moves else clean[-1])
            names.append(f"age/{q:02d}")
            of_pair.append(f"{k:02d}")
    letters = "".join(noisy)
    return judgements("".join(clean), {"typo-30": letters}, questions=names, pairs=of_pair)


def test_the_contrast_is_the_difference_of_the_rates(judgements: Make) -> None:
    judged = synthetic(judgements, 1)
    (one,) = analyse(judged).conditions
    for estimate in (one.contrast.by_question, one.contrast.by_question_and_pair):
        assert estimate.value == pytest.approx(one.difference_value)
        assert estimate.low is not None
        assert estimate.high is not None
        assert estimate.low < estimate.value < estimate.high  # type: ignore[operator]
        assert estimate.p_holm == estimate.p  # a family of one
    assert one.contrast.by_question.clusters == (12,)
    assert one.contrast.by_question_and_pair.clusters == (12, 15)


def sandwich(x: np.ndarray, y: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Cluster-robust covariance of a straight line, written out, with the usual correction."""
    design = np.stack([np.ones_like(x), x], axis=1)
    bread = np.linalg.inv(design.T @ design)
    residuals = y - design @ (bread @ design.T @ y)
    meat = np.zeros((2, 2))
    names = np.unique(groups)
    for name in names:
        score = design[groups == name].T @ residuals[groups == name]
        meat += np.outer(score, score)
    n, g = len(y), len(names)
    return g / (g - 1) * (n - 1) / (n - 2) * bread @ meat @ bread


def test_cluster_robust_errors_against_a_computation_by_hand(judgements: Make) -> None:
    judged = synthetic(judgements, 2)
    noisy = judged.noisy[0].verdicts
    kept = (judged.clean >= 0) & (noisy >= 0)
    x = (judged.clean[kept] == 2).astype(float)
    y = ((judged.clean[kept] == 2) != (noisy[kept] == 2)).astype(float)
    questions, pairs = judged.items.questions.codes[kept], judged.items.pairs.codes[kept]
    one, both = (slope(x, y, groups, 0.95) for groups in ([questions], [questions, pairs]))
    expected = sandwich(x, y, questions)[1, 1]
    width = (one.high - one.low) / 2  # type: ignore[operator]
    assert width == pytest.approx(t.ppf(0.975, 11) * np.sqrt(expected), rel=1e-6)
    cell = questions * 100 + pairs
    two_way = (
        sandwich(x, y, questions)[1, 1] + sandwich(x, y, pairs)[1, 1] - sandwich(x, y, cell)[1, 1]
    )
    assert (both.high - both.low) / 2 == pytest.approx(  # type: ignore[operator]
        t.ppf(0.975, 11) * np.sqrt(two_way), rel=0.02
    )


def test_the_one_way_estimate_against_a_formula(judgements: Make) -> None:
    judged = synthetic(judgements, 3)
    noisy = judged.noisy[0].verdicts
    found = contrast(judged.clean, noisy, judged.items).by_question
    kept = (judged.clean >= 0) & (noisy >= 0)
    columns = {
        "neutral": (judged.clean[kept] == 2).astype(int),
        "moved": ((judged.clean[kept] == 2) != (noisy[kept] == 2)).astype(int),
    }
    data = pd.DataFrame(columns)
    groups = {"groups": judged.items.questions.codes[kept]}
    fit = smf.ols("moved ~ neutral", data).fit(cov_type="cluster", cov_kwds=groups, use_t=True)
    assert found.p == pytest.approx(fit.pvalues["neutral"])


@pytest.mark.parametrize(
    ("clean", "noisy", "questions", "message"),
    [
        ("NNN", "ANN", "abc", "no clean A or B verdict"),
        ("ABA", "ABN", "abc", "no clean NONE verdict"),
        ("???", "ABN", "abc", "no clean NONE verdict"),
        ("NANAN", "NANAN", "abcde", "nothing varies"),
        ("NANA", "AANA", "aabb", "2 of 5 clusters"),
    ],
)
def test_where_there_is_no_contrast(
    judgements: Make, clean: str, noisy: str, questions: str, message: str
) -> None:
    judged = judgements(clean, {"typo-30": noisy}, questions=[f"age/{q}" for q in questions])
    found = contrast(judged.clean, judged.noisy[0].verdicts, judged.items).by_question
    assert found.undefined == f"undefined ({message})"
    assert (found.value, found.low, found.p) == (None, None, None)


def test_pairs_that_do_not_recur_give_no_second_dimension(judgements: Make) -> None:
    judged = judgements("NANA", {"typo-30": "AANN"}, questions=[f"age/{q}" for q in "abcd"])
    found = contrast(judged.clean, judged.noisy[0].verdicts, judged.items)
    assert found.by_question_and_pair.undefined == "undefined (no pair of names occurs twice)"


def test_intervals_agree_with_the_bootstrap_of_scipy(judgements: Make) -> None:
    judged = synthetic(judgements, 4, questions=30)
    (one,) = analyse(judged, FlipMethod(resamples=20_000)).conditions
    noisy = judged.noisy[0].verdicts
    neutral = (judged.clean == 2) & (noisy >= 0)
    expected = bootstrap_interval(
        (noisy[neutral] != 2).astype(float),
        clusters=list(judged.items.questions.codes[neutral]),
        resamples=20_000,
        seed=5,
    )
    assert one.rates["fabrication_eligible"].interval == pytest.approx(expected, abs=0.004)


def test_draws_hold_every_cluster_once_on_average() -> None:
    drawn = draws(7, 4_000, 1)
    assert (drawn.sum(axis=1) == 7).all()
    assert drawn.mean(axis=0) == pytest.approx(np.ones(7), abs=0.06)
    assert (draws(7, 10, 1) == drawn[:10]).all()
    with pytest.raises(InvalidInputError, match="0 clusters"):
        draws(0, 10, 1)


def test_intervals_where_statistics_do_not_vary_or_do_not_exist() -> None:
    values = np.stack(
        [
            np.ones(100),
            np.r_[np.full(10, np.nan), np.arange(90.0)],
            np.r_[np.full(10, np.inf), np.arange(90.0)],
            np.r_[np.full(2, np.nan), np.arange(98.0)],
        ],
        axis=1,
    )
    constant, lost, unbounded, most = percentile_intervals(values, 0.9)
    assert (constant, lost) == (None, None)
    assert unbounded == Interval(4.0, None)
    assert most == Interval(4.0, 93.0)


def test_a_quotient_of_nothing_is_undefined_and_one_over_nothing_unbounded() -> None:
    found = quotient(np.array([0.0, 2.0, 2.0]), np.array([0.0, 0.0, 4.0]))
    assert np.isnan(found[0])
    assert found[1:].tolist() == [np.inf, 0.5]


@pytest.mark.parametrize("wrong", [{"seed": -1}, {"alpha": 0}, {"alpha": 1}, {"resamples": 0}])
def test_methods_out_of_range(wrong: dict[str, float]) -> None:
    with pytest.raises(InvalidInputError, match="give a seed of 0 or more"):
        FlipMethod(**wrong)  # type: ignore[arg-type]
