"""Model arguments that say how a model is steered: the same ones of both backends."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sociolect.generators.errors import InvalidInputError
from sociolect.steering.backends.identity import STEERING_ARGUMENTS
from sociolect.steering.vector_files import load
from sociolect.steering.vectors import SCALES, OfModel, check_strength, require_fit

if TYPE_CHECKING:
    import torch

_SWITCHES = {"true": True, "false": False}


@dataclass(frozen=True)
class SteeringArguments:
    """How a model is to be steered.

    Attributes:
        path: File of a steering vector, or folder that `sociolect steer fit` wrote.
        beta: β (dialect paper, Eq. 10). 0 is the unsteered model; below 0 steers away.
        scale: What β is relative to, one of `SCALES`.
        blocks: Name of the list of decoder blocks; empty to find it.
        unchecked: Take a vector of other weights of the same shape.
    """

    path: Path
    beta: float
    scale: str
    blocks: str
    unchecked: bool

    def model_arguments(self) -> dict[str, Any]:
        """As they would be given, each value in one spelling: part of the key of kept answers."""
        found: dict[str, Any] = {"steering": str(self.path), "beta": self.beta}
        found["beta_scale"] = self.scale
        if self.blocks:
            found["steering_blocks"] = self.blocks
        return found | ({"steering_unchecked": True} if self.unchecked else {})


def steering_arguments(arguments: MutableMapping[str, Any]) -> SteeringArguments | None:
    """Take the arguments about steering out of those of a model.

    Args:
        arguments: `--model_args`, parsed; those named in `STEERING_ARGUMENTS` are removed.

    Returns:
        None if nothing is said about steering.

    Raises:
        InvalidInputError: A strength without a vector or a vector without a strength, β is no
            finite number, or a value that there is not.
    """
    given = {name: arguments.pop(name, None) for name in STEERING_ARGUMENTS}
    given = {name: value for name, value in given.items() if value is not None}
    if not given:
        return None
    _check_complete(given)
    scale = str(given.get("beta_scale", SCALES[0]))
    return SteeringArguments(
        path=Path(str(given["steering"])).expanduser(),
        beta=check_strength(given["beta"], scale),
        scale=scale,
        blocks=str(given.get("steering_blocks", "")),
        unchecked=_switch("steering_unchecked", given.get("steering_unchecked", False)),
    )


def _check_complete(given: Mapping[str, Any]) -> None:
    if not str(given.get("steering", "")):
        alone = ", ".join(f"{name}={value}" for name, value in given.items())
        raise InvalidInputError(
            f"{alone} steers nothing without steering=PATH; give the file or the folder that "
            "`sociolect steer fit` wrote"
        )
    if "beta" not in given:
        raise InvalidInputError(
            f"steering={given['steering']} says no strength; give beta=…, e.g. beta=0.6 "
            "(0 is unsteered)"
        )


def _switch(name: str, value: object) -> bool:
    found = _SWITCHES.get(str(value).lower())
    if found is None:
        raise InvalidInputError(f"{name}={value}; give True or False")
    return found


def vectors_to_add(given: SteeringArguments, model: OfModel) -> dict[int, torch.Tensor]:
    """What is added to the hidden states after blocks: β·w_l·v̂_l (dialect paper, Eq. 10).

    Args:
        given: From `steering_arguments`.
        model: That is to be steered.

    Returns:
        By number of the block, from 0, shape (width,); nothing for β = 0.

    Raises:
        ModelError: The file cannot be read, or its vector was fitted on another model.
    """
    vector = load(given.path)
    require_fit(vector, model, unchecked=given.unchecked)
    return vector.added(given.beta, given.scale)
