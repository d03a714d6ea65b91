from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")

from sociolect.generators.errors import InvalidInputError, ModelError  # noqa: E402
from sociolect.steering.tracing.items import Traced  # noqa: E402
from sociolect.steering.tracing.layers import (  # noqa: E402
    LayerEffects,
    choose,
    layer_effects,
    weights,
)


def traced(*rows: tuple[float, ...]) -> list[Traced]:
    return [
        Traced(f"item-{i}", torch.tensor(row, dtype=torch.float64), 1.0, 0.0, 2, 0.1)
        for i, row in enumerate(rows)
    ]


def of_means(*means: float) -> LayerEffects:
    values = torch.tensor(means, dtype=torch.float64)
    return LayerEffects(values, values, values, values, 7)


def test_means_of_items() -> None:
    found = layer_effects(traced((1.0, -2.0), (3.0, -6.0)), resamples=10)
    assert found.mean.tolist() == [2.0, -4.0]
    assert found.items == 2


def test_of_one_item_nothing_varies() -> None:
    found = layer_effects(traced((1.0, -2.0, 0.5)), count=1, resamples=50)
    assert found.low.tolist() == found.high.tolist() == [1.0, -2.0, 0.5]
    assert found.top_share.tolist() == [0.0, 1.0, 0.0]


def test_intervals_of_two_items() -> None:
    """Of two items a quarter of the resamples is −1, −1, a quarter 0, 0, and half is mixed."""
    items = traced((-1.0, -0.6), (0.0, -0.6))
    found = layer_effects(items, count=1, resamples=20_000)
    assert (found.low[0], found.high[0]) == (-1.0, 0.0)
    narrow = layer_effects(items, resamples=20_000, confidence=0.4)
    assert (narrow.low[0], narrow.high[0]) == (-0.5, -0.5)
    assert found.low[1] == pytest.approx(-0.6)
    # Block 0 is the lower one where the first item is drawn twice: −1 against −0.6.
    assert found.top_share.tolist() == pytest.approx([0.25, 0.75], abs=0.015)


def test_a_block_is_not_among_the_chosen_where_it_has_no_effect_or_the_other_one() -> None:
    found = layer_effects(traced((0.5, 0.0, -0.1), (-1.0, 0.0, -0.1)), count=2, resamples=20_000)
    # Block 0 is below 0 unless the first item is drawn twice; block 1 never is.
    assert found.top_share.tolist() == pytest.approx([0.75, 0.0, 1.0], abs=0.015)


def test_against_a_bootstrap_written_otherwise() -> None:
    """Items drawn by index, the interval by sorting."""
    import numpy as np

    generator = np.random.default_rng(5)
    rows = generator.normal(-0.1, 1.0, size=(40, 3))
    found = layer_effects(traced(*map(tuple, rows)), count=2, resamples=20_000)
    drawn = rows[generator.integers(0, 40, size=(20_000, 40))].mean(axis=1)
    ends = np.sort(drawn, axis=0)[[499, 19_499]]
    assert found.low.numpy() == pytest.approx(ends[0], abs=0.02)
    assert found.high.numpy() == pytest.approx(ends[1], abs=0.02)
    highest = drawn.argmax(axis=1)[:, None] == np.arange(3)
    chosen = (~highest & (drawn < 0)).mean(axis=0)
    assert found.top_share.numpy() == pytest.approx(chosen, abs=0.02)


def test_the_order_of_items_does_not_matter() -> None:
    items = traced((0.3, -0.2), (-0.1, 0.7), (0.2, 0.1))
    one, other = (layer_effects(some, resamples=500) for some in (items, items[::-1]))
    for name in ("mean", "low", "high", "top_share"):
        assert torch.equal(getattr(one, name), getattr(other, name))


def test_a_seed_gives_the_same_and_another_one_other_numbers() -> None:
    items = traced(*((float(i % 7), float(-i % 5)) for i in range(30)))
    ends = [layer_effects(items, resamples=200, seed=seed).low.tolist() for seed in (0, 0, 1)]
    assert ends[0] == ends[1] != ends[2]


def test_the_most_negative_blocks_are_chosen() -> None:
    assert choose(of_means(-0.1, -0.5, 0.2, -0.3, -0.2, -0.4)) == (1, 5, 3, 4)
    assert choose(of_means(-0.1, -0.5, 0.2, -0.3), count=1) == (1,)
    assert choose(of_means(-0.1, -0.1, -0.2), count=2) == (2, 0)


def test_a_block_without_a_negative_effect_is_never_chosen() -> None:
    assert choose(of_means(0.1, -0.5, 0.0, 0.2, -0.3)) == (1, 4)


def test_nothing_to_choose() -> None:
    with pytest.raises(ModelError, match=r"\+0\.1000 nats at the lowest, over 7 items"):
        choose(of_means(0.3, 0.1))


def test_weights_by_hand() -> None:
    """0.5 + 0.3 + 0.2 = 1, halved effects give the same weights."""
    effects = of_means(-0.25, 0.4, -0.15, -0.1, -0.01)
    found = weights(effects, choose(effects, 3))
    assert found == pytest.approx({0: 0.5, 2: 0.3, 3: 0.2})
    assert list(found) == [0, 2, 3]
    assert sum(found.values()) == pytest.approx(1)


@pytest.mark.parametrize("layers", [(), (0, 1), (2,)])
def test_no_weight_is_negative(layers: tuple[int, ...]) -> None:
    with pytest.raises(InvalidInputError, match="R_l < 0"):
        weights(of_means(-0.2, 0.4, 0.0), layers)


@pytest.mark.parametrize(
    "wrong", [{"count": 0}, {"resamples": 0}, {"seed": -1}, {"confidence": 1.0}]
)
def test_numbers_out_of_range(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError, match="count="):
        layer_effects(traced((1.0,)), **wrong)


def test_items_of_one_model() -> None:
    with pytest.raises(InvalidInputError, match="2 and 3 blocks"):
        layer_effects(traced((1.0, 2.0), (1.0, 2.0, 3.0)))
    with pytest.raises(InvalidInputError, match="no traced items"):
        layer_effects([])
