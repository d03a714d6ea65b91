"""From traced items to the blocks to steer, and how much each (dialect paper, Eq. 9 and 11)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from sociolect.generators.errors import InvalidInputError, ModelError
from sociolect.steering.tracing.items import Traced

COUNT = 4
"""Blocks that the paper steers."""
RESAMPLES = 10_000

_CHUNK = 1_000
"""Resamples at once, so that thousands of items fit in memory."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LayerEffects:
    """Effects of blocks over items; all tensors float64, shape (blocks,).

    Attributes:
        mean: R_l in nats, every item counting the same (Eq. 9).
        low: Lower end of its interval.
        high: Upper end.
        top_share: Share of the resamples in which the block would be chosen: R_l is below 0, and
            among the `count` most negative.
        items: How many were traced.
    """

    mean: torch.Tensor
    low: torch.Tensor
    high: torch.Tensor
    top_share: torch.Tensor
    items: int


def layer_effects(
    traced: Sequence[Traced],
    *,
    count: int = COUNT,
    resamples: int = RESAMPLES,
    seed: int = 0,
    confidence: float = 0.95,
) -> LayerEffects:
    """R_l with percentile intervals, from items drawn again with replacement.

    Args:
        traced: Of one model. The order does not matter.
        count: Blocks that are to be chosen.
        resamples: How often items are drawn.
        seed: Of a local generator.
        confidence: Of the intervals.

    Raises:
        InvalidInputError: No items, items of different models, or a number out of range.
    """
    _check(traced, count, resamples, seed, confidence)
    ordered = sorted(traced, key=lambda one: one.id)
    effects: Floats = torch.stack([one.effects for one in ordered]).double().numpy()
    means = _resampled(effects, resamples, seed)
    tail = (1 - confidence) / 2
    low, high = np.quantile(means, (tail, 1 - tail), axis=0)
    return LayerEffects(
        mean=torch.from_numpy(effects.mean(axis=0)),
        low=torch.from_numpy(low),
        high=torch.from_numpy(high),
        top_share=torch.from_numpy(_among_the_lowest(means, count).mean(axis=0)),
        items=len(traced),
    )


def _check(
    traced: Sequence[Traced], count: int, resamples: int, seed: int, confidence: float
) -> None:
    if not traced:
        raise InvalidInputError("there are no traced items, so that no block has an effect")
    depths = sorted({len(one.effects) for one in traced})
    if len(depths) > 1:
        raise InvalidInputError(
            f"traced items of models with {' and '.join(map(str, depths))} blocks; give one's"
        )
    if count < 1 or resamples < 1 or seed < 0 or not 0 < confidence < 1:
        raise InvalidInputError(
            f"count={count}, resamples={resamples}, seed={seed}, confidence={confidence}: give at "
            "least 1, 1 and 0, and a number between 0 and 1"
        )


def _resampled(effects: Floats, resamples: int, seed: int) -> Floats:
    """Means over items drawn with replacement, shape (resamples, blocks)."""
    items = len(effects)
    generator = np.random.default_rng(seed)
    shares = np.full(items, 1 / items)
    means = [
        generator.multinomial(items, shares, size=min(_CHUNK, resamples - start)) @ effects / items
        for start in range(0, resamples, _CHUNK)
    ]
    return np.concatenate(means)


def _among_the_lowest(means: Floats, count: int) -> NDArray[np.bool_]:
    """Whether a block is chosen in a resample; of equal ones the first, as in `choose`."""
    order = np.argsort(means, axis=1, kind="stable")[:, :count]
    found = np.zeros(means.shape, dtype=np.bool_)
    np.put_along_axis(found, order, np.True_, axis=1)
    return found & (means < 0)


def choose(effects: LayerEffects, count: int = COUNT) -> tuple[int, ...]:
    """Blocks to steer: those with the most negative R_l, the strongest first.

    A block whose restoration does not move the model towards the variety of the context
    (R_l ≥ 0) is never chosen: Eq. 11 would give it a negative weight. So there may be fewer.

    Raises:
        InvalidInputError: A count below 1.
        ModelError: No block has R_l < 0.
    """
    if count < 1:
        raise InvalidInputError(f"count={count} blocks to steer: give at least 1")
    mean: list[float] = effects.mean.tolist()
    negative = [layer for layer, value in enumerate(mean) if value < 0]
    if not negative:
        raise ModelError(
            "no block, restored, moves this model towards the variety of the context: R_l is "
            f"{min(mean):+.4f} nats at the lowest, over {effects.items} items. There is nothing to "
            "weight blocks by; trace more items, or other ones"
        )
    return tuple(sorted(negative, key=lambda layer: (mean[layer], layer))[:count])


def weights(effects: LayerEffects, layers: Sequence[int]) -> dict[int, float]:
    """w_l, proportional to −R_l, with a sum of 1 (Eq. 11).

    Args:
        effects: Of all blocks.
        layers: From `choose`.

    Raises:
        InvalidInputError: No blocks, or one whose R_l is not below 0.
    """
    chosen = {layer: -float(effects.mean[layer]) for layer in layers}
    wrong = [layer for layer, strength in chosen.items() if not strength > 0]
    if wrong or not chosen:
        raise InvalidInputError(
            f"blocks {list(layers)}: weights are of blocks with R_l < 0, and at least one"
        )
    whole = math.fsum(chosen.values())
    return {layer: strength / whole for layer, strength in chosen.items()}
