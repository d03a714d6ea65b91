"""The report on Base, FT clean and FT errors: its numbers, its units and its tests."""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import permutation_test

from sociolect.harness.finetune_report_models import ROLES
from sociolect.harness.finetune_report_rows import OTHERS
from sociolect.harness.paired import Method

from .finetune_runs import COUNTS, Answer, Study, Write, counted, outcome, table, wrong


@pytest.fixture
def study(write_run: Write, tmp_path: Path) -> Study:
    return Study(write_run, tmp_path)


def noisy(seed: int, right: float, unanswered: float = 0.0) -> Answer:
    """Answers drawn by prompt and sample, the same in whatever order they are asked for."""

    def answer(pair: int, member: str, order: int, sample: int) -> int:
        rng = random.Random(f"{seed} {pair} {member} {order} {sample}")
        return -1 if rng.random() < unanswered else int(rng.random() > right)

    return answer


def unit_bias(answer: Answer, pairs: int) -> np.ndarray:
    """acc_pro − acc_anti of each pair over two orders and five samples, by hand."""

    def share(pair: int, member: str) -> float:
        drawn = [answer(pair, member, o, k) for o, k in product((0, 1), range(5))]
        answered = [choice for choice in drawn if choice >= 0]
        return 100 * answered.count(0) / len(answered)

    return np.array([share(p, "pro") - share(p, "anti") for p in range(pairs)])


def holm_by_hand(p_values: list[float]) -> list[float]:
    found, highest = [0.0] * len(p_values), 0.0
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    for place, index in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - place) * p_values[index]))
        found[index] = highest
    return found


@pytest.mark.parametrize(
    ("benchmark", "metric", "each", "start"),
    [
        ("winobias", "bias", 5, 0),
        ("occupations_mini", "bias", 5, 0),
        ("winobias", "acc_anti", -5, 100),
        ("bbq_gender", "bias", -10, 100),
        ("degen_gender", "bias", -10, 100),
        ("bbq_gender_disambig", "acc", -5, 100),
        ("mmlu", "acc", -5, 100),
        ("winogrande", "acc", -5, 100),
    ],
)
def test_numbers_and_tests_worked_by_hand(
    study: Study, benchmark: str, metric: str, each: int, start: int
) -> None:
    study.runs(counted(), pairs=20, benchmark=benchmark)
    found = outcome(study.report(Method(permutations=20_000, resamples=99)), metric)
    assert table(found) == {
        role: pytest.approx((start + each * a, start + each * b, each * (b - a)))
        for role, (a, b) in COUNTS.items()
    }
    for other in OTHERS:
        for value, index in (("clean", 0), ("errored", 1)):
            test = found.against[value, other].test
            assert test is not None
            changed = abs(COUNTS["ft_errors"][index] - COUNTS[other][index])
            assert test.n == 20
            assert test.delta == pytest.approx(
                each * (COUNTS["ft_errors"][index] - COUNTS[other][index])
            )
            # All changes have one sign: of the 2^k swaps only the two extremes reach the sum.
            assert test.p == pytest.approx(min(1.0, 2 ** (1 - changed)), abs=0.01)
        test = found.against["increase", other].test
        (a0, a1), (b0, b1) = COUNTS[other], COUNTS["ft_errors"]
        assert test is not None
        assert test.clean == pytest.approx(each * (a1 - a0))
        assert test.errored == pytest.approx(each * (b1 - b0))
        assert test.delta == pytest.approx(each * ((b1 - b0) - (a1 - a0)))


def test_accuracy_on_pro_sentences(study: Study) -> None:
    study.runs(counted("pro"), pairs=20)
    report = study.report()
    assert table(outcome(report, "acc_pro"))["ft_clean"] == (95, 55, -40)
    assert table(outcome(report, "acc_anti"))["ft_clean"] == (100, 100, 0)
    assert table(outcome(report, "bias"))["ft_clean"] == (-5, -45, -40)


def test_p_values_by_full_enumeration(study: Study) -> None:
    pairs = 9
    answers = {
        "base": (noisy(1, 0.8), noisy(2, 0.6)),
        "ft_clean": (noisy(3, 0.8), noisy(4, 0.5)),
        "ft_errors": (noisy(5, 0.8), noisy(6, 0.8)),
    }
    study.runs(answers, pairs=pairs)
    found = outcome(study.report(Method(permutations=200_000, resamples=99)), "bias")
    units = {role: [unit_bias(a, pairs) for a in both] for role, both in answers.items()}
    for other in OTHERS:
        changes = {
            "clean": units["ft_errors"][0] - units[other][0],
            "errored": units["ft_errors"][1] - units[other][1],
            "increase": np.subtract(*units["ft_errors"][::-1]) - np.subtract(*units[other][::-1]),
        }
        for value, change in changes.items():
            test = found.against[value, other].test
            exact = permutation_test(
                (change,), np.mean, permutation_type="samples", n_resamples=np.inf
            )
            assert test is not None
            assert test.delta == pytest.approx(change.mean())
            assert test.p == pytest.approx(exact.pvalue, abs=0.005)


def test_increase_is_tested_with_an_interval(study: Study) -> None:
    study.runs(
        {
            "base": (noisy(1, 0.9), noisy(2, 0.6)),
            "ft_clean": (noisy(3, 0.9), noisy(4, 0.6)),
            "ft_errors": (noisy(5, 0.9), noisy(6, 0.9)),
        },
        pairs=40,
        benchmark="bbq_gender",
    )
    test = (
        outcome(study.report(Method(permutations=999, resamples=999)), "bias")
        .against["increase", "ft_clean"]
        .test
    )
    assert test is not None
    assert test.low is not None
    assert test.high is not None
    assert test.low < test.delta < test.high
    assert test.clusters == 10


def test_holm_is_over_the_six_tests_of_a_metric(study: Study) -> None:
    study.runs(
        {r: (noisy(2 * i, 0.8), noisy(2 * i + 1, 0.4 + 0.2 * i)) for i, r in enumerate(ROLES)},
        pairs=30,
    )
    for one in study.report().subjects[0].outcomes:
        tests = [row.test for row in one.against.values()]
        assert len(tests) == 6
        assert [t.p_holm for t in tests if t] == pytest.approx(
            holm_by_hand([t.p for t in tests if t])
        )


def test_units_without_an_answer_leave_only_the_tests_that_compare_them(study: Study) -> None:
    def silent(answer: Answer) -> Answer:
        return lambda p, m, o, k: -1 if p in (0, 1, 2) and m == "pro" else answer(p, m, o, k)

    answers = counted()
    answers["base"] = (answers["base"][0], silent(answers["base"][1]))
    study.runs(answers, pairs=20)
    report = study.report()
    found = outcome(report, "bias")
    sizes = {
        key: (row.test.n, row.left.unanswered) for key, row in found.against.items() if row.test
    }
    assert sizes == {
        ("clean", "ft_clean"): (20, 0),
        ("clean", "base"): (20, 0),
        ("errored", "ft_clean"): (20, 0),
        ("errored", "base"): (17, 3),
        ("increase", "ft_clean"): (20, 0),
        ("increase", "base"): (17, 3),
    }
    assert found.within["base"].other.unanswered == pytest.approx(7.5)
    doubtful = {key for key, row in found.against.items() if row.warning}
    assert doubtful == {("errored", "base"), ("increase", "base")}
    test = found.against["increase", "base"].test
    assert test is not None
    # Of the 17 pairs left, Base is wrong on 5 and FT errors on none.
    assert test.delta == pytest.approx(-100 * 5 / 17)
    assert any(
        "points from the numbers over all answers" in n for n in report.subjects[0].comparison.notes
    )


def test_nothing_answered_is_no_number(study: Study) -> None:
    answers = counted()
    answers["ft_errors"] = (answers["ft_errors"][0], lambda p, m, o, k: -1)
    study.runs(answers, pairs=6)
    report = study.report()
    found = outcome(report, "bias")
    assert table(found)["ft_errors"] == (pytest.approx(100 * 2 / 6), None, None)
    assert found.against["clean", "base"].test is not None
    for value, other in product(("errored", "increase"), OTHERS):
        row = found.against[value, other]
        assert row.test is None
        assert (row.left.unanswered, row.warning) == (6, True)
    assert len(report.unusable) == 5 * 3


def test_a_single_pair(study: Study) -> None:
    study.runs(
        {
            "base": (wrong(0), wrong(1)),
            "ft_clean": (wrong(0), wrong(1)),
            "ft_errors": (wrong(0), wrong(0)),
        },
        pairs=1,
    )
    test = outcome(study.report(), "bias").against["increase", "ft_clean"].test
    assert test is not None
    assert (test.n, test.delta, test.p, test.low) == (1, -100, 1, None)


def test_pairs_that_are_not_valid_leave_the_tests(study: Study) -> None:
    study.runs(counted(), pairs=20, invalid=(0, 1))
    test = outcome(study.report(), "bias").against["errored", "base"].test
    assert test is not None
    assert (test.n, test.errored) == (18, pytest.approx(100 / 18))
    kept = Method(permutations=99, resamples=99, include_invalid=True)
    test = outcome(study.report(kept), "bias").against["errored", "base"].test
    assert test is not None
    assert test.n == 20
