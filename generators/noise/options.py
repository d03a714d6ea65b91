"""How surface noise is drawn."""

from __future__ import annotations

from dataclasses import dataclass

from sociolect.generators.errors import UnknownNameError

DRAWS: tuple[str, ...] = ("independent", "shared")


@dataclass(frozen=True, slots=True)
class NoiseOptions:
    """What decides the noise beside transform, probability and seed.

    Attributes:
        draws: `independent`: every slot has a number of its own. `shared`: the parts of `combined`
            share one number a token, so their edits fall on the same tokens.

    Raises:
        UnknownNameError: Another way to draw.
    """

    draws: str = "independent"

    def __post_init__(self) -> None:
        if self.draws not in DRAWS:
            raise UnknownNameError("way to draw noise", self.draws, DRAWS)


DEFAULT_NOISE = NoiseOptions()
