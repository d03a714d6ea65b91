"""Conditions held against each other: ranks, amplification, and one realised change."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.stats import kendalltau, spearmanr

from sociolect.harness.judging.analysis import FlipMethod, analyse
from sociolect.harness.judging.ranks import agreement
from sociolect.harness.judging.verdicts import Judgements

Make = Callable[..., Judgements]
QUICK = FlipMethod(resamples=200)
NAMES = ("age", "disability", "gender", "religion")


def test_ranks_with_ties_against_scipy() -> None:
    first, second = [0.3, 0.1, 0.1, 0.2], [0.4, 0.2, 0.1, 0.2]
    found = agreement(30, ("typo-30", "punct-30"), "fabrication", NAMES, (first, second))
    assert found.ranks == ((1, 1), (3.5, 2.5), (3.5, 4), (2, 2.5))
    assert found.tau == pytest.approx(kendalltau(first, second).statistic)
    assert found.rho == pytest.approx(spearmanr(first, second).statistic)
    assert found.undefined == ""


def test_where_ranks_do_not_agree_or_disagree() -> None:
    few = agreement(
        30, ("a", "b"), "fabrication", NAMES, ([0.1, None, 0.2, 0.3], [0.1, 0, None, 1])
    )
    assert (few.categories, few.tau) == (("age", "religion"), None)
    assert few.undefined == "undefined (fewer than 3 categories)"
    level = agreement(30, ("a", "b"), "fabrication", NAMES, ([0, 0, 0, 0], [0.1, 0, 0.2, 1]))
    assert (level.rho, level.undefined) == (None, "undefined (all categories are level)")


def test_ranks_are_compared_within_a_level(judgements: Make) -> None:
    questions = [f"{name}/{name}" for name in NAMES for _ in range(4)]
    noisy = {
        "typo-30": "AAANAANNANNNNNNN",
        "punct-30": "ANNNNNNNAANNAAAN",
        "punct-50": "N" * 16,
    }
    found = analyse(judgements("N" * 16, noisy, questions=questions), QUICK).ranks
    assert {(one.first, one.second, one.level) for one in found} == {("typo-30", "punct-30", 30)}
    raw, conditional = found
    assert (raw.rate, conditional.rate) == ("fabrication", "fabrication_eligible")
    assert raw.ranks == ((1, 3), (2, 4), (3, 2), (4, 1))
    assert raw.tau == conditional.tau == pytest.approx(-2 / 3)  # five of six pairs are turned


def test_amplification_is_over_the_worst_single_noise(judgements: Make) -> None:
    questions = [f"age/{i}" for i in range(10)]
    noisy = {
        "typo-30": "AA" + "N" * 8,
        "punct-30": "NNB" + "N" * 7,
        "combined-30": "A" * 5 + "N" * 5,
        "combined-50": "A" * 10,
    }
    counts, rates = analyse(judgements("N" * 10, noisy, questions=questions), QUICK).amplifications
    assert (counts.level, counts.worst, counts.singles) == (30, "typo-30", ("typo-30", "punct-30"))
    assert (counts.combined, counts.single, counts.value) == (5, 2, 2.5)
    assert counts.interval is None or counts.interval.low is None or counts.interval.low >= 1
    assert (rates.combined, rates.single) == (0.5, 0.2)
    assert rates.value == pytest.approx(2.5)


def test_amplification_without_single_fabrications_is_undefined(judgements: Make) -> None:
    noisy = {"typo-30": "NNNA", "combined-30": "ABNA"}
    counts, rates = analyse(judgements("NNNA", noisy), QUICK).amplifications
    assert (counts.value, counts.interval) == (None, None)
    assert counts.undefined == "undefined (no single noise fabricates; combined 2)"
    assert rates.value is None
    nothing = analyse(judgements("AAAA", noisy), QUICK).amplifications[1]
    assert nothing.undefined == "undefined (no clean NONE verdict)"


def test_the_pair_of_the_paper(judgements: Make) -> None:
    """App. C: typo at 0.7 changes 58 % and combined at 0.3 47 % of the tokens."""
    questions = [f"age/{i}" for i in range(8)]
    changes = {"typo-70": [0.58] * 8, "combined-30": [0.47] * 8, "typo-30": [0.28] * 8}
    noisy = {"typo-70": "AANNNNAA", "combined-30": "AAANNNAA", "typo-30": "ANNNNNAA"}
    judged = judgements("NNNNNNAA", noisy, questions=questions, changes=changes)
    (pair,) = analyse(judged, QUICK).pairs
    assert pair.labels == ("typo-70", "combined-30")
    assert pair.token_changes == (pytest.approx(0.58), pytest.approx(0.47))
    assert pair.fabrications == (2, 3)
    assert pair.rates == (pytest.approx(2 / 6), pytest.approx(3 / 6))
    assert pair.difference == pytest.approx(1 / 6)
    assert pair.interval is not None


def test_rates_are_read_off_between_levels_and_never_beyond(judgements: Make) -> None:
    noisy = {
        "typo-10": "N" * 10,
        "typo-30": "AA" + "N" * 8,
        "punct-10": "A" + "N" * 9,
        "punct-30": "AA" + "N" * 8,
    }
    changes = {
        "typo-10": [0.1] * 10,
        "typo-30": [0.3] * 10,
        "punct-10": [0.12] * 10,
        "punct-30": [0.22] * 10,
    }
    questions = [f"age/{i}" for i in range(10)]
    judged = judgements("N" * 10, noisy, questions=questions, changes=changes)
    points = analyse(judged, QUICK).points
    found = {(one.transform, one.token_change): one.value for one in points}
    # 0.1 and 0.25 only typo covers, so there is nothing to compare.
    assert found == {
        ("typo", 0.15): pytest.approx(0.05),
        ("typo", 0.2): pytest.approx(0.1),
        ("punct", 0.15): pytest.approx(0.13),
        ("punct", 0.2): pytest.approx(0.18),
    }
    assert {one.rate for one in points} == {"fabrication_eligible"}  # no clean A or B verdict
    assert all(one.between[0].endswith("10") for one in points)


def test_changes_are_those_of_the_responses_that_can_move(judgements: Make) -> None:
    changes = {"typo-30": [0.4, 0.4, 0.1, 0.1]}
    judged = judgements("NNAB", {"typo-30": "NNAB"}, changes=changes)
    change = analyse(judged, QUICK).conditions[0].change
    assert change is not None
    assert (change.neutral, change.named) == (pytest.approx(0.4), pytest.approx(0.1))
    assert change.token_change == pytest.approx(0.25)
    assert change.char_distance == pytest.approx(0.125)


def test_the_slope_of_single_responses_against_statsmodels(judgements: Make) -> None:
    rng = np.random.default_rng(1)
    n, questions = 120, [f"age/{i % 12}" for i in range(120)]
    changes = {name: rng.uniform(0, 0.9, n) for name in ("typo-30", "typo-70")}
    clean = "".join(rng.choice(list("NNA"), n))
    noisy = {
        name: "".join("B" if rng.random() < values[i] else clean[i] for i in range(n))
        for name, values in changes.items()
    }
    judged = judgements(
        clean, noisy, questions=questions, changes={k: list(v) for k, v in changes.items()}
    )
    fabricated, erased = analyse(judged, QUICK).slopes
    neutral = [i for i in range(n) if clean[i] == "N"]
    x = np.concatenate([changes[name][neutral] for name in noisy]) * 10
    y = np.array([letters[i] == "B" for letters in noisy.values() for i in neutral], dtype=float)
    groups = np.array([i % 12 for i in neutral] * 2)
    fit = sm.OLS(y, sm.add_constant(x)).fit(
        cov_type="cluster", cov_kwds={"groups": groups}, use_t=True
    )
    assert fabricated.n == len(y)
    assert fabricated.estimate.value == pytest.approx(fit.params[1])
    assert fabricated.estimate.p == pytest.approx(fit.pvalues[1])
    assert erased.estimate.undefined == "undefined (nothing varies)"  # nothing was erased


def test_without_realised_changes_nothing_is_matched_on_them(judgements: Make) -> None:
    found = analyse(judgements("NNAB", {"typo-30": "ANAB", "punct-30": "NNAB"}), QUICK)
    assert (found.points, found.slopes) == ((), ())
    assert found.conditions[0].change is None
