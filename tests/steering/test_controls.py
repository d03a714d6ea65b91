"""Vectors to compare a fitted one with."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from sociolect.generators.errors import InvalidInputError  # noqa: E402
from sociolect.steering.controls import (  # noqa: E402
    other_layers,
    random_direction,
    single_layer,
    with_directions,
)
from sociolect.steering.vectors import OfModel, SteeringVector  # noqa: E402

DEPTH, WIDTH = 9, 64
WEIGHTS = {1: 0.4, 2: 0.3, 5: 0.2, 8: 0.1}


def directions(seed: int) -> Any:
    drawn = torch.randn(DEPTH, WIDTH, generator=torch.Generator().manual_seed(seed))
    return torch.nn.functional.normalize(drawn, dim=-1)


def fitted(weights: Any = WEIGHTS) -> SteeringVector:
    return SteeringVector(
        model=OfModel("tiny", "weights 0", "LlamaForCausalLM", DEPTH, WIDTH),
        unit=directions(0),
        norms=torch.arange(1.0, DEPTH + 1),
        weights=weights,
        facts={"kind": "dialect"},
    )


def test_random_directions_are_of_length_1_and_elsewhere() -> None:
    vector = fitted()
    found = random_direction(vector, 3)
    assert found.unit.dtype == torch.float32
    torch.testing.assert_close(found.unit.norm(dim=-1), torch.ones(DEPTH))
    assert found.weights == vector.weights
    assert torch.equal(found.norms, vector.norms)
    assert float((found.unit * vector.unit).sum(-1).abs().max()) < 0.6
    assert len({tuple(row) for row in found.unit.tolist()}) == DEPTH
    assert found.facts == {"control": "random", "seed": 3, "of": vector.sha256()}


def test_random_directions_favour_no_side() -> None:
    found = torch.stack([random_direction(fitted(), seed).unit for seed in range(100)])
    assert float(found.mean().abs()) < 3 / (100 * DEPTH * WIDTH * WIDTH) ** 0.5


@pytest.mark.parametrize("control", [random_direction, other_layers])
def test_seeds_alone_decide(control: Any) -> None:
    vector = fitted()
    torch.manual_seed(1)
    first = control(vector, 7)
    torch.manual_seed(2)
    assert control(vector, 7).sha256() == first.sha256()
    assert len({control(vector, seed).sha256() for seed in range(8)}) > 6
    state = torch.get_rng_state()
    control(vector, 9)
    assert torch.equal(torch.get_rng_state(), state)


def test_other_layers_have_the_fitted_directions_and_all_weights() -> None:
    vector = fitted()
    orders, seen = set(), set()
    for seed in range(40):
        found = other_layers(vector, seed)
        assert not {*found.layers} & {*vector.layers}
        assert sorted(found.weights.values()) == pytest.approx(sorted(WEIGHTS.values()))
        assert torch.equal(found.unit, vector.unit)
        assert found.facts == {
            "control": "layers",
            "seed": seed,
            "blocks": 4,
            "of": vector.sha256(),
        }
        seen |= {*found.layers}
        orders.add(tuple(round(found.weights[k], 6) for k in found.layers))
    assert seen == {0, 3, 4, 6, 7}
    assert len(orders) > 10


def test_too_few_other_layers() -> None:
    weights = dict.fromkeys((0, 1, 2, 3, 4, 5), 0.1) | {6: 0.4}
    found = other_layers(fitted(weights), 0)
    assert set(found.layers) == {7, 8}
    assert sum(found.weights.values()) == pytest.approx(1)
    assert found.facts["blocks"] == 2
    assert found.facts["blocks_wanted"] == 7
    with pytest.raises(InvalidInputError, match="all 9 blocks of tiny that have a direction are"):
        other_layers(fitted(dict.fromkeys(range(DEPTH), 1 / DEPTH)), 0)


def test_blocks_without_a_direction_are_no_control() -> None:
    unit = directions(0)
    unit[[0, 3, 4]] = 0
    vector = replace(fitted(), unit=unit)
    assert {k for seed in range(20) for k in other_layers(vector, seed).layers} == {6, 7}
    unit = unit.clone()
    unit[[6, 7]] = 0
    with pytest.raises(InvalidInputError, match="all 4 blocks of tiny that have a direction are"):
        other_layers(replace(vector, unit=unit), 0)


def test_single_layer_is_that_of_the_largest_weight() -> None:
    vector = fitted({2: 0.2, 4: 0.4, 7: 0.4})
    found = single_layer(vector)
    assert found.weights == {4: 1.0}
    assert found.facts == {"control": "single", "block": 4, "of": vector.sha256()}
    assert torch.equal(found.added(0.5)[4], 0.5 * vector.unit[4])


def test_other_directions() -> None:
    vector = fitted()
    found = with_directions(vector, directions(1).double(), "shuffled")
    assert torch.equal(found.unit, directions(1))
    assert found.weights == vector.weights
    assert found.facts == {"control": "shuffled", "of": vector.sha256()}
    for wrong in (directions(1)[:-1], 2 * directions(1), directions(1) * float("nan")):
        with pytest.raises(InvalidInputError, match="not a steering vector"):
            with_directions(vector, wrong, "shuffled")
