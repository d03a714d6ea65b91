"""Vectors that a fitted one is compared with.

If one of them does as much, it is not the fitted direction, or not the blocks, that does it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from hashlib import blake2b
from typing import Any

import numpy as np
import torch

from sociolect.generators.errors import InvalidInputError
from sociolect.steering.vectors import SteeringVector


def random_direction(vector: SteeringVector, seed: int) -> SteeringVector:
    """Random directions of length 1 in the blocks and with the weights of a vector.

    They are drawn evenly from all directions, for every block.
    """
    drawn = _generator("direction", seed).standard_normal(tuple(vector.unit.shape))
    unit = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    return _control(vector, {"control": "random", "seed": seed}, unit=torch.from_numpy(unit))


def other_layers(vector: SteeringVector, seed: int) -> SteeringVector:
    """The fitted directions of random blocks that a vector leaves alone.

    There are as many as it steers, with its weights in random order. A model with fewer others
    has all of those, with as many of the weights, made to sum to 1. Blocks without a direction
    are none of them.

    Raises:
        InvalidInputError: The vector steers every block that has a direction.
    """
    known: list[bool] = vector.unit.any(dim=1).tolist()
    others = [k for k, there in enumerate(known) if there and k not in vector.weights]
    if not others:
        raise InvalidInputError(
            f"all {sum(known)} blocks of {vector.model.name} that have a direction are steered, so "
            "there are no others to compare with; steer fewer"
        )
    generator = _generator("layers", seed)
    count = min(len(others), len(vector.weights))
    layers = generator.choice(others, size=count, replace=False).tolist()
    weights = generator.permutation([vector.weights[k] for k in vector.layers])[:count]
    facts: dict[str, Any] = {"control": "layers", "seed": seed, "blocks": count}
    if count < len(vector.weights):
        facts["blocks_wanted"] = len(vector.weights)
    shares = dict(zip(layers, (weights / weights.sum()).tolist(), strict=True))
    return _control(vector, facts, weights=dict(sorted(shares.items())))


def single_layer(vector: SteeringVector) -> SteeringVector:
    """The block of the largest weight alone, the first one of several; its weight is 1."""
    layer = min(vector.layers, key=lambda k: -vector.weights[k])
    return _control(vector, {"control": "single", "block": layer}, weights={layer: 1.0})


def with_directions(vector: SteeringVector, unit: torch.Tensor, what: str) -> SteeringVector:
    """Other directions in the blocks and with the weights of a vector.

    Args:
        vector: The fitted one.
        unit: Of length 1 each, shape (depth, width).
        what: They are, for the facts.

    Raises:
        InvalidInputError: They are of another shape, or not of length 1.
    """
    return _control(vector, {"control": what}, unit=unit)


def _control(vector: SteeringVector, facts: Mapping[str, Any], **changed: Any) -> SteeringVector:
    if "unit" in changed:
        changed["unit"] = changed["unit"].float()
    return replace(vector, facts={**facts, "of": vector.sha256()}, **changed)


def _generator(what: str, seed: int) -> np.random.Generator:
    digest = blake2b(f"{what} {seed}".encode(), digest_size=8).digest()
    return np.random.default_rng(int.from_bytes(digest, "big"))
