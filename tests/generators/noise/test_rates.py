"""Realised rates on real free-form responses: bands around those of the noise paper, App. C."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "noise_rates.py"


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("noise_rates", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["noise_rates"] = module  # its dataclass looks itself up
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def rates() -> ModuleType:
    return _load()


@pytest.fixture(scope="module")
def found(rates: ModuleType, sources: Path) -> Any:
    return rates.rates(rates.texts(sources), seeds=(0,))


@pytest.mark.parametrize(
    ("transform", "level", "paper", "band"),
    [
        ("punct", 30, 0.16, 0.03),
        ("punct", 100, 0.26, 0.05),
        ("typo", 70, 0.58, 0.03),
        ("typo", 100, 0.76, 0.03),
        ("combined", 30, 0.47, 0.11),
    ],
)
def test_token_change(found: Any, transform: str, level: int, paper: float, band: float) -> None:
    assert found[transform, level].token_change == pytest.approx(paper, abs=band)


def test_combined_changes_less_than_its_parts(found: Any) -> None:
    parts = sum(found[t, 30].token_change for t in ("typo", "informal", "punct"))
    assert parts == pytest.approx(0.69, abs=0.05)
    assert found["combined", 30].token_change < parts - 0.1


def test_shared_draws_change_less(rates: ModuleType, found: Any, sources: Path) -> None:
    shared = rates.rates(rates.texts(sources), "shared", seeds=(0,))
    change = shared["combined", 30].token_change
    assert change == pytest.approx(0.47, abs=0.06)
    assert change < found["combined", 30].token_change


def test_lengths(found: Any) -> None:
    for transform, low, high in (("informal", 1.005, 1.04), ("colloquial", 1.01, 1.08)):
        assert all(low <= found[transform, n].length_ratio <= high for n in (10, 30, 50, 70, 100))
    assert all(found[t, 100].length_ratio < 1 for t in ("typo", "punct"))


def test_the_characters_that_punct_changes_peak_below_one(found: Any) -> None:
    distances = [found["punct", n].char_distance for n in (10, 30, 50, 70, 100)]
    assert max(distances) == distances[3] > distances[4]


def test_change_grows_with_p(found: Any) -> None:
    for transform in ("typo", "informal", "punct", "colloquial", "combined"):
        changes = [found[transform, n].token_change for n in (10, 30, 50, 70, 100)]
        assert changes == sorted(changes)
