"""What can be chosen about surface noise besides its kind and its probability."""

from __future__ import annotations

from dataclasses import dataclass

from sociolect.generators.errors import UnknownNameError

DRAWS: tuple[str, ...] = ("independent", "shared")


@dataclass(frozen=True, slots=True)
class NoiseOptions:
    """Options of surface noise.

    Attributes:
        draws: `independent`: every slot has a number of its own. `shared`: the slots of one token
            share one number, so that the parts of combined noise fall on the same words. The paper
            does not say which; see `docs/noise.md`.

    Raises:
        UnknownNameError: Another way to draw.
    """

    draws: str = "independent"

    def __post_init__(self) -> None:
        if self.draws not in DRAWS:
            raise UnknownNameError("way to draw noise", self.draws, DRAWS)


DEFAULT_NOISE = NoiseOptions()
