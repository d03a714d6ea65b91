from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest
import scripted_model
from hypothesis import given
from hypothesis import strategies as st

from sociolect.generators.benchmarks import winogrande
from sociolect.generators.conditions import LEVELS, Condition
from sociolect.generators.errors import InvalidInputError, UnknownNameError
from sociolect.generators.rows import edits_of
from sociolect.generators.text import apply
from sociolect.generators.variants import Variants
from sociolect.steering.lora.items import (
    Drawn,
    check_levels,
    chosen_ids,
    draw_items,
    drawn_level,
    error_rates,
)

SOURCES = os.environ.get("SOCIOLECT_SOURCES")
IDS = [f"winogrande_train/{n}" for n in range(2000)]


def test_a_smaller_number_is_the_start_of_a_larger_one() -> None:
    all_of_them = chosen_ids(IDS, len(IDS), seed=1)
    assert sorted(all_of_them) == sorted(IDS)
    for count in (1, 7, 500):
        assert chosen_ids(IDS[::-1], count, seed=1) == all_of_them[:count]
    assert chosen_ids(IDS, 500, seed=2) != all_of_them[:500]


def test_more_items_than_there_are_cannot_be_chosen() -> None:
    for count in (0, -1, len(IDS) + 1):
        with pytest.raises(InvalidInputError, match=f"1 to 2000, not {count}"):
            chosen_ids(IDS, count, seed=0)


def test_levels_are_drawn_uniformly() -> None:
    counts = Counter(drawn_level(f"item {n}", LEVELS, seed=0) for n in range(20_000))
    assert set(counts) == set(LEVELS)
    assert all(4750 < n < 5250 for n in counts.values())  # 5000 ± 4 standard deviations


@given(st.text(), st.integers(0, 2**63 - 1), st.permutations(LEVELS))
def test_a_level_depends_on_seed_and_id_alone(name: str, seed: int, levels: list[int]) -> None:
    assert drawn_level(name, levels, seed) == drawn_level(name, LEVELS, seed) in LEVELS
    assert drawn_level(name, [20], seed) == 20


def test_levels_are_checked() -> None:
    with pytest.raises(UnknownNameError, match="15"):
        check_levels([5, 15])
    for levels in ([], [5, 5]):
        with pytest.raises(InvalidInputError):
            check_levels(levels)


@pytest.fixture(scope="module")
def drawn() -> Drawn:
    return draw_items(scripted_model.benchmark(), 20, LEVELS, seed=3)


def test_every_item_has_the_rows_of_its_level(drawn: Drawn) -> None:
    benchmark = scripted_model.benchmark()
    variants = Variants(benchmark, seed=3)
    rows = {
        (condition.level, row["id"]): row
        for condition in (Condition(), *(Condition("l2", n) for n in LEVELS))
        for row in variants.config(condition)[0]
    }
    assert len(drawn.items) == 20
    for item in drawn.items:
        name = item.clean["id"]
        assert item.level == drawn_level(name, LEVELS, seed=3)
        assert item.clean == rows[0, name]
        assert item.errors == rows[item.level, name]
        assert apply(item.clean["input"], edits_of(item.errors)) == item.errors["input"]
        assert item.errors["instruction"] == item.clean["instruction"]
    assert [i.clean["id"] for i in drawn.items] == list(
        chosen_ids([item.id for item in benchmark.items], 20, seed=3)
    )


def test_more_items_change_nothing_in_the_first_ones(drawn: Drawn) -> None:
    fewer = draw_items(scripted_model.benchmark(), 5, LEVELS, seed=3)
    assert fewer.items == drawn.items[:5]
    assert fewer.calibration == drawn.calibration


def test_calibration_and_error_rates_are_told(drawn: Drawn) -> None:
    assert list(drawn.calibration) == ["5", "10", "20", "30"]
    for level, entry in drawn.calibration.items():
        assert abs(100 * entry["mean_error_rate_of_all_items"] - int(level)) <= 1
        assert entry["items"] == 24
    rates = error_rates(drawn.items)
    assert rates["items"] == 20 == sum(own["items"] for own in rates["by_level"].values())
    by_hand = [item.errors["error_rate"] for item in drawn.items]
    assert rates["mean_error_rate"] == pytest.approx(sum(by_hand) / 20)
    of_30 = [item.errors["error_rate"] for item in drawn.items if item.level == 30]
    assert rates["by_level"]["30"]["mean_error_rate"] == pytest.approx(sum(of_30) / len(of_30))


@pytest.mark.slow
@pytest.mark.skipif(not SOURCES, reason="SOCIOLECT_SOURCES names no folder of source files")
def test_the_training_items_of_the_paper() -> None:
    assert SOURCES
    found = draw_items(winogrande.load_train(Path(SOURCES)), 5000, LEVELS, seed=0)
    rates = error_rates(found.items)
    assert rates["items"] == 5000
    for level, own in rates["by_level"].items():
        assert 1130 < own["items"] < 1370
        assert own["mean_error_rate"] == pytest.approx(int(level) / 100, abs=0.01)
    assert rates["mean_error_rate"] == pytest.approx(0.1625, abs=0.01)
