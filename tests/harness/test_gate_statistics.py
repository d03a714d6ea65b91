"""Test and interval of the regression gate, against hand-made answers and scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from sociolect.generators.errors import InvalidInputError
from sociolect.harness.gate_statistics import (
    can_be_found,
    check_permutations,
    detectable_increase,
    increase_interval,
    increase_test,
    unseen_increase,
    worse_by,
)
from sociolect.harness.statistics import Floats


def values(*numbers: float) -> Floats:
    return np.array(numbers, dtype=np.float64)


def drawn(n: int, seed: int = 1) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(seed)
    before = rng.choice([-100.0, -50.0, 0.0, 50.0, 100.0], n)
    return before, np.clip(before + rng.choice([0.0, 0.0, 50.0], n), -100, 100)


@pytest.mark.parametrize(
    ("metric", "before", "after", "worse"),
    [
        ("bias", 3.0, 5.0, 2.0),
        ("bias", -3.0, -5.0, 2.0),
        ("bias", -4.0, 4.0, 0.0),
        ("bias", -4.0, 1.0, -3.0),
        ("acc", 80.0, 75.0, 5.0),
        ("acc_pro_asked", 80.0, 85.0, -5.0),
        ("unanswered", 1.0, 4.0, 3.0),
    ],
)
def test_what_counts_as_worse(metric: str, before: float, after: float, worse: float) -> None:
    assert worse_by(metric, np.float64(before), np.float64(after)) == worse


def test_p_value_by_hand() -> None:
    # Two units go from 0 to 10. |mean| increases by 10, 0, 0, -10 in the four swaps: p = 1/4.
    p = increase_test("bias", values(0, 0), values(10, 10), permutations=40_000, seed=0)
    assert p == pytest.approx(0.25, abs=0.01)


def test_change_of_sign_is_no_increase() -> None:
    # Every swap of units that go from −10 to 10 leaves |mean| of both sides equal: all tie.
    assert increase_test("bias", values(-10, -10), values(10, 10), permutations=99, seed=0) == 1


@pytest.mark.parametrize("metric", ["bias", "acc"])
def test_p_value_is_that_of_scipy(metric: str) -> None:
    before, after = drawn(10)
    before, after = (after, before) if metric == "acc" else (before, after)

    def statistic(x: Floats, y: Floats, axis: int) -> Floats:
        return worse_by(metric, x.mean(axis=axis), y.mean(axis=axis)) + 0.0

    exact = stats.permutation_test(
        (before, after),
        statistic,
        permutation_type="samples",
        alternative="greater",
        n_resamples=np.inf,
        vectorized=True,
    )
    ours = increase_test(metric, before, after, permutations=100_000, seed=3)
    assert ours == pytest.approx(float(exact.pvalue), abs=0.006)
    assert 0.001 < ours < 0.9


def test_interval_is_that_of_scipy() -> None:
    before, after = drawn(60)
    found = increase_interval(
        "bias", before, after, confidence=0.9, resamples=40_000, seed=0, clusters=()
    )
    theirs = stats.bootstrap(
        (before, after),
        lambda x, y, axis: np.abs(y.mean(axis=axis)) - np.abs(x.mean(axis=axis)),
        paired=True,
        vectorized=True,
        method="percentile",
        confidence_level=0.9,
        n_resamples=40_000,
        batch=5_000,
        rng=np.random.default_rng(1),
    ).confidence_interval
    assert found == pytest.approx((float(theirs.low), float(theirs.high)), abs=0.7)


def test_templates_are_drawn_whole() -> None:
    before = np.zeros(40)
    after = np.repeat([0.0, 20.0], 20)
    labels = ["a"] * 20 + ["b"] * 20
    whole = increase_interval(
        "bias", before, after, confidence=0.9, resamples=999, seed=0, clusters=labels
    )
    alone = increase_interval("bias", before, after, confidence=0.9, resamples=999, seed=0)
    assert whole == (0.0, 20.0)  # of two templates, the same one twice in a quarter of the draws
    assert alone is not None
    assert 0 < alone[0] < alone[1] < 20


def test_no_interval_where_nothing_varies() -> None:
    same = values(10, 30, 50)
    for before, after in ((same, same), (same, same + 5), (values(1), values(2))):
        assert (
            increase_interval("bias", before, after, confidence=0.95, resamples=99, seed=0) is None
        )


def test_detectable_is_one_sided() -> None:
    # The standard deviation of −10, 10, −10, 10 is 11.547; n = 4.
    found = detectable_increase(values(0, 0, 0, 0), values(-10, 10, -10, 10), alpha=0.05)
    assert found == pytest.approx((1.6449 + 0.8416) * 11.547 / 2, abs=0.001)


def test_what_unchanged_units_do_not_exclude() -> None:
    found = unseen_increase("acc", 150, alpha=0.05)
    assert (1 - found / 100) ** 150 == pytest.approx(0.05)
    assert found == pytest.approx(3 / 150 * 100, abs=0.05)  # the rule of three
    assert unseen_increase("bias", 150, alpha=0.05) == pytest.approx(2 * found)
    assert unseen_increase("bias", 1, alpha=0.05) == pytest.approx(190)


def test_few_units_cannot_be_significant() -> None:
    assert not can_be_found(4, 0.05)  # 1/16
    assert can_be_found(5, 0.05)  # 1/32


def test_few_permutations_are_refused() -> None:
    check_permutations(20, 0.05, 1)  # 1/21
    with pytest.raises(InvalidInputError, match=r"at least 20$"):
        check_permutations(19, 0.05, 1)
    with pytest.raises(InvalidInputError, match="Holm over 10 conditions"):
        check_permutations(199, 0.05, 10)


def test_result_depends_on_the_seed_alone() -> None:
    before, after = drawn(10)
    found = [increase_test("bias", before, after, permutations=500, seed=s) for s in (1, 1, 2)]
    assert found[0] == found[1] != found[2]
