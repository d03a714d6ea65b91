"""Steering vectors: directions of a model, with the weights of the blocks that are steered."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import Any

import torch

from sociolect.generators.errors import InvalidInputError, ModelError

SCALES = ("unit", "residual")
"""What β is relative to: the unit direction (dialect paper, Eq. 10), or the median norm of the
residual stream at each block, which makes values comparable between models."""
_TOLERANCE = 1e-4
_DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
"""Python's own notation takes more: 1_0 and fullwidth digits."""


@dataclass(frozen=True, slots=True)
class OfModel:
    """The model that a vector was fitted on.

    Attributes:
        name: On the Hub; of a folder its last part.
        identity: Says which weights these are (`sociolect.steering.of_model`).
        architecture: Name of its class.
        depth: Decoder blocks.
        width: Of the residual stream.
    """

    name: str
    identity: str
    architecture: str
    depth: int
    width: int


@dataclass(frozen=True)
class SteeringVector:
    """Directions of one model.

    Attributes:
        model: What they were fitted on.
        unit: v̂_l of every block (dialect paper, Eq. 6), of length 1, shape (depth, width),
            float32. A block that has no direction, and is not steered, has zeros.
        norms: Median norm of the residual stream after every block, shape (depth,).
        weights: w_l by block (Eq. 11), each above 0, with a sum of 1.
        facts: How they were found: extraction, tracing, versions; ready for JSON.

    Raises:
        InvalidInputError: Something is not as said here.
    """

    model: OfModel
    unit: torch.Tensor
    norms: torch.Tensor
    weights: Mapping[int, float]
    facts: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if fault := _fault(self):
            raise InvalidInputError(f"not a steering vector: {fault}")

    @property
    def layers(self) -> tuple[int, ...]:
        """The blocks that are steered, from 0, first to last."""
        return tuple(sorted(self.weights))

    def added(self, beta: float, scale: str = "unit") -> dict[int, torch.Tensor]:
        """β·w_l·v̂_l by block (dialect paper, Eq. 10); nothing for β = 0.

        Args:
            beta: β.
            scale: One of `SCALES`.

        Raises:
            InvalidInputError: β is no finite number or too large for float32, or there is no such
                scale.
        """
        check_strength(beta, scale)
        if beta == 0:
            return {}
        size = self.norms if scale == "residual" else torch.ones_like(self.norms)
        added = {k: beta * w * float(size[k]) * self.unit[k] for k, w in self.weights.items()}
        if bad := [k for k, one in added.items() if not bool(torch.isfinite(one).all())]:
            raise InvalidInputError(
                f"beta={beta}: what is added to block {bad[0]} is beyond float32; give a smaller "
                "one, e.g. 0.6"
            )
        return added

    def head(self) -> dict[str, Any]:
        """What steers, but for the directions and norms; ready for JSON."""
        return {
            "model": asdict(self.model),
            "layers": list(self.layers),
            "weights": {str(k): self.weights[k] for k in self.layers},
        }

    def sha256(self) -> str:
        """Of everything that steers: model, directions, norms and weights."""
        state = sha256(json.dumps(self.head(), sort_keys=True).encode())
        for tensor in (self.unit, self.norms):
            state.update(tensor.contiguous().numpy().astype("<f4").tobytes())
        return state.hexdigest()


def require_fit(vector: SteeringVector, model: OfModel, *, unchecked: bool = False) -> None:
    """Refuse a vector of another model.

    Args:
        vector: What is to steer.
        model: What is to be steered.
        unchecked: Take other weights of the same shape, such as a quantised or merged copy.

    Raises:
        ModelError: Another depth or width, or other weights.
    """
    own = vector.model
    for what, have, want in (
        ("decoder blocks", model.depth, own.depth),
        ("width", model.width, own.width),
        ("architecture", model.architecture, own.architecture),
        ("weights", model.identity, own.identity),
    ):
        if have != want and not (unchecked and what in ("architecture", "weights")):
            raise ModelError(
                f"the steering vector was fitted on {own.name} ({what}: {want}), and {model.name} "
                f"has {what}: {have}. Fit one on this model with `sociolect steer fit`"
                + (
                    "; of a copy of that model (quantised, merged, sharded otherwise) add "
                    "steering_unchecked=True"
                    if what in ("architecture", "weights")
                    else ""
                )
            )


def check_strength(beta: object, scale: str = "unit") -> float:
    """β as a number.

    Args:
        beta: A number, or its text in ASCII digits: `0.6`, `-1`, `5e-1`.
        scale: What it is relative to.

    Raises:
        InvalidInputError: It is no finite number, or `scale` is none of `SCALES`.
    """
    number = float(str(beta)) if _DECIMAL.fullmatch(str(beta)) else math.nan
    if not math.isfinite(number):
        raise InvalidInputError(f"beta={beta} is no number; give one, e.g. 0.6 (0: unsteered)")
    if scale not in SCALES:
        raise InvalidInputError(f"beta_scale={scale}; give one of {', '.join(SCALES)}")
    return number


def _fault(vector: SteeringVector) -> str:
    shape = (vector.model.depth, vector.model.width)
    if min(shape) < 1:
        return f"a model of {shape[0]} blocks of width {shape[1]}"
    weights = vector.weights
    checks = (
        (tuple(vector.unit.shape) == shape, f"directions of shape {tuple(vector.unit.shape)}, "
         f"and a model of {shape[0]} blocks of width {shape[1]}"),
        (tuple(vector.norms.shape) == shape[:1], "norms of other blocks than the model has"),
        (bool(torch.isfinite(vector.unit).all()), "a direction that holds NaN or infinity"),
        (bool(torch.isfinite(vector.norms).all() and (vector.norms > 0).all()),
         "a norm of the residual stream that is not above 0"),
        (bool(weights), "no block is steered"),
        (all(0 <= k < shape[0] for k in weights), f"blocks {sorted(weights)}, and the model has "
         f"0 to {shape[0] - 1}"),
        (all(math.isfinite(w) and w > 0 for w in weights.values()), "a weight that is not above 0"),
        (abs(sum(weights.values()) - 1) < _TOLERANCE, "weights whose sum is not 1"),
    )  # fmt: skip
    fault = next((said for holds, said in checks if not holds), "")
    if fault:
        return fault
    lengths: list[float] = vector.unit.norm(dim=1).tolist()
    bad = [
        k
        for k, length in enumerate(lengths)
        if abs(length - 1) > _TOLERANCE and (length != 0 or k in weights)
    ]
    return f"the direction of block {bad[0]} has length {lengths[bad[0]]:g}" if bad else ""
