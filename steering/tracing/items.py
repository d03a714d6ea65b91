"""What is traced, how, and what comes of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import torch

from sociolect.generators.errors import InvalidInputError

Sites = Literal["single", "joint"]
"""Restored at once: one feature token (dialect paper, Eq. 8-9), or all of them (its B.4)."""
Method = Literal["staircase", "reference"]
"""How it is computed: in one pass through the model, or plainly. The numbers are the same."""


@dataclass(frozen=True, slots=True)
class TracedItem:
    """A context with the same continuation in two varieties.

    Attributes:
        id: Unique among the items; the noise depends on it.
        context: Tokens, with those that come first in every text of the model.
        positions: Where the feature tokens are in the context, ascending.
        matched: Tokens of the continuation in the variety of the context.
        other: Tokens of the other continuation.

    Raises:
        InvalidInputError: Something is empty, or the positions are not in the context.
    """

    id: str
    context: tuple[int, ...]
    positions: tuple[int, ...]
    matched: tuple[int, ...]
    other: tuple[int, ...]

    def __post_init__(self) -> None:
        for name in ("id", "context", "positions", "matched", "other"):
            if not getattr(self, name):
                raise InvalidInputError(
                    f"item {self.id!r} to trace has no {name}; leave it out and count it"
                )
        ordered = sorted({*self.positions})
        inside = ordered[0] >= 0 and ordered[-1] < len(self.context)
        if list(self.positions) != ordered or not inside:
            raise InvalidInputError(
                f"item {self.id!r}: positions {list(self.positions)} must ascend and be indices "
                f"of its {len(self.context)} context tokens"
            )


@dataclass(frozen=True, slots=True)
class TraceSettings:
    """How items are traced.

    Attributes:
        alpha: Noise relative to the spread of the feature embeddings (dialect paper, Eq. 7).
        draws: Of noise an item; effects are their mean.
        seed: Of the noise.
        sites: What is restored at once.
        method: How it is computed.
        max_rows: Of a batch; bounds the memory and changes no number.

    Raises:
        InvalidInputError: A value out of range.
    """

    alpha: float = 3.0
    draws: int = 1
    seed: int = 0
    sites: Sites = "single"
    method: Method = "staircase"
    max_rows: int = 64

    def __post_init__(self) -> None:
        _require(math.isfinite(self.alpha) and self.alpha >= 0, "alpha", self.alpha, "0 or above")
        _require(self.draws >= 1, "draws", self.draws, "at least 1")
        _require(self.seed >= 0, "seed", self.seed, "0 or above")
        _require(self.max_rows >= 3, "max_rows", self.max_rows, "at least 3")
        for name, known in (("sites", Sites), ("method", Method)):
            names = get_args(known)
            _require(getattr(self, name) in names, name, getattr(self, name), " or ".join(names))


def _require(holds: bool, name: str, value: object, wanted: str) -> None:
    if not holds:
        raise InvalidInputError(f"{name}={value} for causal tracing: give {wanted}")


@dataclass(frozen=True)
class Traced:
    """What tracing found of one item, in nats.

    b is log P(matched | context) − log P(other | context) (dialect paper, Eq. 3).

    Attributes:
        id: Of the item.
        effects: R(l) of every block, float64, shape (blocks,): b of the corrupted run less b with
            that block restored, mean over the feature positions and draws. Below 0 if restoring
            it moves the model towards the continuation in the variety of the context.
        clean: b without noise.
        corrupted: b with noise, mean over the draws.
        positions: Number of feature tokens.
        sigma: Standard deviation of the noise (Eq. 7).
    """

    id: str
    effects: torch.Tensor
    clean: float
    corrupted: float
    positions: int
    sigma: float
