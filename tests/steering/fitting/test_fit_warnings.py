"""What is weak in a fit is said, and a control that is none is not written."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest
import torch
from measured_fits import WIDTH, measured

from sociolect.steering.fitting.fit import Measured
from sociolect.steering.fitting.fit_vectors import (
    OTHER_LAYERS,
    RANDOM,
    SHUFFLED,
    SINGLE,
    VECTOR,
    chosen_weights,
    facts,
    fitted_vectors,
    layer_rows,
    used_ids,
)
from sociolect.steering.fitting.fit_warnings import warnings

NAN = math.nan
GOOD = [(-0.3, -0.1, 0.2, 0.2)] * 30
"""Blocks 0 and 1 are steered."""
ALL = {VECTOR, SINGLE, RANDOM, SHUFFLED, OTHER_LAYERS}


def said(found: Measured) -> list[str]:
    return warnings(found, layer_rows(found, chosen_weights(found)))


def one(found: Measured, about: str) -> str:
    (line,) = [line for line in said(found) if about in line]
    return line


def vectors(found: Measured) -> dict[str, Any]:
    return fitted_vectors(found, chosen_weights(found))


def of_block(layer: int, row: Any) -> torch.Tensor:
    """Shuffled directions that differ at one block."""
    made = torch.eye(WIDTH)[1].repeat(4, 1)
    made[layer] = torch.as_tensor(row)
    return made


def test_of_a_fit_without_a_weakness_nothing_is_said() -> None:
    found = measured(GOOD, layers=2)
    assert said(found) == []
    assert vectors(found).keys() == ALL


@pytest.mark.parametrize(
    ("found", "why"),
    [
        ({"pairs": 1}, "no half of 1 pair to swap"),
        ({"shuffled": of_block(1, NAN)}, "nothing is left at block 1"),
        ({"shuffled": of_block(0, [1.0, 0, 0, 0])}, r"block 0 is still the fitted one.*\+1.000"),
        ({"shuffled": of_block(0, [-0.995, 0.0999, 0, 0])}, r"block 0 is still .*-0.995"),
    ],
)
def test_a_shuffled_direction_that_is_no_control_is_left_out(found: Any, why: str) -> None:
    fit = measured(GOOD, layers=2, **found)
    assert vectors(fit).keys() == ALL - {SHUFFLED}
    assert re.search(why, one(fit, SHUFFLED))


@pytest.mark.parametrize("row", [NAN, [1.0, 0, 0, 0]])
def test_a_block_that_is_not_steered_decides_nothing_about_the_control(row: Any) -> None:
    found = measured(GOOD, layers=2, shuffled=of_block(3, row))
    assert said(found) == []
    assert bool(vectors(found)[SHUFFLED].unit.isfinite().all())


def test_stability_that_is_low_and_stability_that_is_not_known() -> None:
    found = measured(GOOD, layers=2, pairs=1, stability=torch.tensor([NAN, 0.4, NAN, NAN]))
    assert one(found, "cosine below 0.5").startswith("block 1:")
    line = one(found, "cannot be told")
    assert line.startswith("block 0: how stable the direction is")
    assert "halves of 1 pair that" in line


def test_fewer_items_than_five_have_no_interval() -> None:
    four, five = measured(GOOD[:4], layers=2), measured(GOOD[:5], layers=2)
    for row in layer_rows(four):
        assert all(math.isnan(x) for x in (row.low, row.high, row.top_share))
    assert layer_rows(five)[0].low == pytest.approx(-0.3)
    tracing = facts(four)["tracing"]
    assert tracing["low"] == tracing["high"] == tracing["top_share"] == [None] * 4
    assert tracing["confidence"] == 0.95
    assert "4 items were traced; " in one(four, "traced")
    assert "fewer than 5 give no interval" in one(four, "traced")
    assert "no interval" not in one(five, "traced")
    assert "1 item was traced" in one(measured(GOOD[:1], layers=2), "traced")


@pytest.mark.parametrize(("b", "is_said"), [((0.5, 0.5), 1), ((0.2, 0.5), 1), ((0.5, 0.4), 0)])
def test_noise_that_takes_nothing_away(b: tuple[float, float], is_said: int) -> None:
    lines = [line for line in said(measured(GOOD, layers=2, b=b)) if "nothing to restore" in line]
    assert len(lines) == is_said


def test_an_item_that_carries_most_of_an_effect_is_named() -> None:
    """It has −10 of −19 at block 0, and −1 of −10 at block 1."""
    rest = [(-9 / 29, -9 / 29, 1.0, 1.0)] * 29
    found = measured([*rest[:3], (-10.0, -1.0, 1.0, 1.0), *rest[3:]], layers=2)
    assert [line for line in said(found) if "carries" in line] == [
        "block 0: item t3 carries 53% of R; without it R is -0.3103"
    ]


def test_a_small_model_says_nothing_of_what_was_fitted() -> None:
    small = {"parameters": 10**9 - 1}
    assert one(measured(GOOD, layers=2, facts=small), "parameters").endswith(
        "nothing about dialect in language models"
    )
    errors = one(measured(GOOD, layers=2, facts=small, kind="errors"), "parameters")
    assert errors.endswith("nothing about how language models take errors")


def test_ids_are_of_pairs_that_were_read() -> None:
    found = used_ids(measured(GOOD[:11], too_long=("d7", "d8")))
    assert found["directions"] == sorted(f"d{n}" for n in range(40) if n not in (7, 8))
    assert found["tracing"] == sorted(f"t{n}" for n in range(11))
