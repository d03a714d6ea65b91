"""The known curve: two rows of 10 and 5 tokens, whose edits have the keys written below."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolect.generators.calibrate import TOLERANCE, RateCurve, calibrate
from sociolect.generators.errors import LevelUnreachableError
from sociolect.generators.learner.slots import DELETED, Slot
from sociolect.generators.learner.tables import Pool
from sociolect.generators.state import Choice
from sociolect.generators.units import Unit

UnitOf = Callable[..., Unit]
TEN = "One two three four five six seven eight nine ten"
FIVE = "One two three four five"


def choice(key: float, operation: str = "replacement") -> Choice:
    return Choice(key, Slot(0, Pool("det", operation), DELETED), "", ())


def curve(
    unit_of: UnitOf, first: Sequence[Choice], second: Sequence[Choice] = (), members: int = 1
) -> RateCurve:
    units = [unit_of(*[TEN] * members), unit_of(FIVE)]
    return RateCurve(units, [list(first), list(second)])


def test_the_rate_is_the_mean_over_rows(unit_of: UnitOf) -> None:
    rate = curve(unit_of, [choice(1.0), choice(3.0)], [choice(2.0)])
    assert rate(0.5) == 0
    assert rate(1.0) == pytest.approx((1 / 10 + 0 / 5) / 2)
    assert rate(2.0) == pytest.approx((1 / 10 + 1 / 5) / 2)
    assert rate(2.9) == rate(2.0)
    assert rate(9.0) == pytest.approx((2 / 10 + 1 / 5) / 2)


def test_an_insertion_lengthens_the_text_a_deletion_does_not_shorten_n(unit_of: UnitOf) -> None:
    longer = curve(unit_of, [choice(1.0, "insertion"), choice(2.0, "insertion")])
    shorter = curve(unit_of, [choice(1.0, "deletion"), choice(2.0, "deletion")])
    assert longer(2.0) == pytest.approx((2 / 12 + 0) / 2)
    assert shorter(2.0) == pytest.approx((2 / 10 + 0) / 2)


def test_each_member_of_a_unit_is_a_row(unit_of: UnitOf) -> None:
    rate = curve(unit_of, [choice(1.0)], [choice(2.0)], members=2)
    assert rate(2.0) == pytest.approx((1 / 10 + 1 / 10 + 1 / 5) / 3)


@pytest.mark.parametrize(
    ("level", "key"),
    [(0.01, 0.0), (0.04, 1.0), (0.05, 1.0), (0.09, 1.0), (0.11, 2.0), (0.16, 2.0), (0.99, 3.0)],
)
def test_solve_takes_the_nearest_step(unit_of: UnitOf, level: float, key: float) -> None:
    # Steps: 0 below 1.0, 0.05 from 1.0, 0.15 from 2.0, 0.20 from 3.0.
    rate = curve(unit_of, [choice(1.0), choice(3.0)], [choice(2.0)])
    assert rate.solve(level) == key


def test_a_curve_without_choices_solves_to_nothing(unit_of: UnitOf) -> None:
    empty = curve(unit_of, [])
    assert empty.solve(0.2) == 0.0
    assert empty(1.0) == 0.0


def test_a_benchmark_without_rows_has_no_rate() -> None:
    assert RateCurve([], [])(1.0) == 0.0


@given(st.lists(st.floats(0.01, 100), min_size=1, max_size=30), st.floats(0.001, 1))
def test_no_other_step_is_nearer(keys: list[float], level: float) -> None:
    rate = RateCurve.__new__(RateCurve)
    rate._unit = np.zeros(len(keys), dtype=np.int64)
    rate._key = np.array(keys)
    rate._growth = np.zeros(len(keys), dtype=np.int64)
    rate._row_unit, rate._row_n, rate._n_units = np.array([0]), np.array([40]), 1
    rate.keys = np.unique(rate._key)
    distances = [abs(rate(k) - level) for k in (0.0, *rate.keys)]
    assert abs(rate(rate.solve(level)) - level) == min(distances)


def spread(unit_of: UnitOf, count: int) -> RateCurve:
    """One row of 100 tokens, whose edit number k has the key k."""
    unit = unit_of(" ".join(["word"] * 100))
    return RateCurve([unit], [[choice(float(k)) for k in range(1, count + 1)]])


def test_a_level_within_reach(unit_of: UnitOf) -> None:
    rate = spread(unit_of, 60)
    found = calibrate(rate, rate, 0.2, "this")
    assert found.cutoff == 20
    assert found.mean_error_rate == pytest.approx(0.2)
    assert found.ceiling == pytest.approx(0.6)
    assert not found.at_ceiling


def test_the_solution_is_corrected_by_what_is_measured(unit_of: UnitOf) -> None:
    """A tenth of the edits is swallowed by shorter paths: 22 edits make 20 % of 100 tokens."""
    rate = spread(unit_of, 60)
    found = calibrate(rate, lambda cutoff: rate(cutoff) * 0.9, 0.2, "this")
    assert found.cutoff == 22
    assert found.mean_error_rate == pytest.approx(0.198)


def test_a_correction_that_makes_it_worse_is_not_taken(unit_of: UnitOf) -> None:
    rate = spread(unit_of, 60)
    measured = {20.0: 0.195, 21.0: 0.3}
    found = calibrate(rate, lambda cutoff: measured.get(cutoff, rate(cutoff)), 0.2, "this")
    assert found.cutoff == 20


def test_a_ceiling_less_than_a_point_below_serves_the_level(unit_of: UnitOf) -> None:
    rate = spread(unit_of, 29)
    found = calibrate(rate, rate, 0.295, "this")
    assert found.at_ceiling
    assert found.cutoff == 29
    assert found.mean_error_rate == found.ceiling == pytest.approx(0.29)


def test_a_ceiling_one_point_below_still_serves(unit_of: UnitOf) -> None:
    rate = spread(unit_of, 29)
    assert calibrate(rate, rate, 0.29 + TOLERANCE, "this").at_ceiling


def test_a_ceiling_further_below_is_named(unit_of: UnitOf) -> None:
    rate = spread(unit_of, 28)
    with pytest.raises(LevelUnreachableError, match=r"winobias l2det-30: 30% .* 28\.0%"):
        calibrate(rate, rate, 0.30, "winobias l2det-30")


def test_nothing_to_edit_is_unreachable(unit_of: UnitOf) -> None:
    rate = spread(unit_of, 0)
    with pytest.raises(LevelUnreachableError, match=r"is 0\.0%"):
        calibrate(rate, rate, 0.05, "this")
