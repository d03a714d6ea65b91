"""The rule that chooses a strength, on tables worked by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sociolect.generators.errors import InvalidInputError
from sociolect.harness.steering.sweep_choice import Choice, Tried, choose


def tried(beta: float, lp: float, sae: float = 1.0, aae: float = 1.0, **more: float) -> Tried:
    """LP of base is 10; what changes it is told apart from no change by a hundredth."""
    delta = (lp - 10 - 0.01, lp - 10 + 0.01)
    return Tried(beta, lp, 10.0, aae, sae, **more, delta=delta, groups=50)


@pytest.mark.parametrize(
    ("lp", "delta", "verdict"),
    [
        (9.0, (-1.9, -0.1), "chosen"),
        (9.0, (-2.1, 0.1), "Δ LP is not told apart from 0: [-2.100, +0.100]"),
        (9.0, (-2.0, 0.0), "Δ LP is not told apart from 0: [-2.000, +0.000]"),
        (-9.0, (-19.9, -18.1), "chosen"),
        (
            -9.0,
            (-20.5, -17.5),
            "|LP| is not told apart from that of base (it may overshoot): Δ LP [-20.500, -17.500]",
        ),
    ],
)
def test_a_change_that_may_be_none_is_not_taken(
    lp: float, delta: tuple[float, float], verdict: str
) -> None:
    """LP of base is 10, so that |LP| is lower where Δ LP is between −20 and 0."""
    one = replace(tried(0.1, lp), delta=delta)
    found = choose([one], 0.05)
    assert found.verdicts == {0.1: verdict}
    assert found.beta == (0.1 if verdict == "chosen" else 0.0)
    mirrored = replace(one, lp=-lp, base_lp=-10.0, delta=(-delta[1], -delta[0]))
    assert choose([mirrored], 0.05).beta == found.beta


def test_without_an_interval_nothing_is_recommended() -> None:
    few, same = (replace(tried(0.1, 5.0), delta=None, groups=n) for n in (4, 5))
    assert choose([few], 0.05).verdicts == {0.1: "no interval of Δ LP: fewer than 5 groups"}
    assert choose([same], 0.05).verdicts == {0.1: "no interval of Δ LP: nothing varies"}
    assert choose([few], 0.05).beta == choose([same], 0.05).beta == 0.0


def test_of_what_costs_little_the_lowest_lp() -> None:
    found = choose([tried(0.2, 8.0), tried(0.4, 6.0, 1.05), tried(0.6, 3.0, 1.06)], 0.05)
    assert (found.beta, found.compared) == (0.4, 0.4)
    assert found.verdicts == {
        0.2: "admissible",
        0.4: "chosen",
        0.6: "SAE perplexity is 1.060 times that of base, above 1.05",
    }


def test_both_perplexities_count() -> None:
    found = choose([tried(0.2, 8.0), tried(0.4, 3.0, aae=1.2)], 0.05)
    assert found.beta == 0.2
    assert found.verdicts[0.4] == "AAE perplexity is 1.200 times that of base, above 1.05"


@pytest.mark.parametrize(("tolerance", "beta"), [(0.0, 0.2), (0.05, 0.4), (0.2, 0.6)])
def test_the_tolerance_is_what_it_may_cost(tolerance: float, beta: float) -> None:
    table = [tried(0.2, 8.0), tried(0.4, 6.0, 1.05), tried(0.6, 3.0, 1.2)]
    assert choose(table, tolerance).beta == beta


@pytest.mark.parametrize(("match", "beta"), [(0.88, 0.4), (0.8799, 0.2)])
def test_sae_match_may_fall_by_two_points(match: float, beta: float) -> None:
    table = [
        tried(0.2, 8.0, sae_match=0.9, base_sae_match=0.9),
        tried(0.4, 6.0, sae_match=match, base_sae_match=0.9),
    ]
    assert choose(table, 0.05).beta == beta


def test_overshooting_is_never_better() -> None:
    """LP of −10.1 is a larger preference than the 10 of base, and −4 is a smaller one."""
    found = choose([tried(0.2, 8.0), tried(0.4, -10.1)], 0.05)
    assert found.beta == 0.2
    assert found.verdicts[0.4] == "|LP| is 10.100 (overshot), not below the 10.000 of base"
    assert choose([tried(0.2, 8.0), tried(0.4, -4.0)], 0.05).beta == 0.4


def test_of_equal_ones_the_smaller() -> None:
    assert choose([tried(0.8, -5.0), tried(0.4, 5.0), tried(0.2, 9.0)], 0.05).beta == 0.4


def test_nothing_is_recommended_that_is_no_better() -> None:
    """As good as base is not better; what would be better costs too much."""
    found = choose([tried(0.2, 10.0), tried(0.4, 11.0), tried(0.6, 2.0, 2.0)], 0.05)
    assert (found.beta, found.compared) == (0.0, 0.6)
    assert found.verdicts == {
        0.2: "|LP| is 10.000, not below the 10.000 of base",
        0.4: "|LP| is 11.000, not below the 10.000 of base",
        0.6: "SAE perplexity is 2.000 times that of base, above 1.05",
    }


def test_a_base_that_prefers_aae_is_not_pushed_further() -> None:
    table = [
        replace(tried(0.2, -12.0), base_lp=-10.0, delta=(-2.1, -1.9)),
        replace(tried(0.4, -9.0), base_lp=-10.0, delta=(0.9, 1.1)),
    ]
    assert choose(table, 0.05).beta == 0.4
    assert choose(table[:1], 0.05).beta == 0


def test_what_has_no_number_is_not_taken() -> None:
    table = [replace(tried(0.2, 1.0), sae_ratio=None), replace(tried(0.4, 1.0), lp=None)]
    found = choose(table, 0.05)
    assert found == Choice(0.0, 0.2, {0.2: "no SAE perplexity", 0.4: "no LP"})


def test_something_must_have_been_tried() -> None:
    with pytest.raises(InvalidInputError, match="no strength above 0"):
        choose([], 0.05)
