"""The same losses give the same picture."""

from __future__ import annotations

from pathlib import Path

import pytest

from sociolect.steering.lora.plot import plot_losses, running_mean


@pytest.mark.parametrize("count", [1, 5, 562])
def test_the_same_losses_give_the_same_bytes(tmp_path: Path, count: int) -> None:
    losses = [3 / (step + 1) for step in range(count)]
    for name, values in (("a", losses), ("b", losses), ("c", [*losses[:-1], 9.0])):
        plot_losses(tmp_path / name, values, "model $_{x}^$ , clean prompts")
    first, second, other = ((tmp_path / name).read_bytes() for name in "abc")
    assert first.startswith(b"\x89PNG")
    assert first == second != other
    assert b"Software" not in first
    assert b"tEXt" not in first


def test_the_state_of_pyplot_is_not_touched(tmp_path: Path) -> None:
    import sys

    before = "matplotlib.pyplot" in sys.modules
    plot_losses(tmp_path / "a", [1.0], "x")
    assert ("matplotlib.pyplot" in sys.modules) == before


def test_a_running_mean_looks_back() -> None:
    assert running_mean([1, 2, 3, 4], 2) == [1, 1.5, 2.5, 3.5]
    assert running_mean([1, 2, 3], 9) == [1, 1.5, 2]
