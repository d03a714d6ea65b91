"""What a fit was asked to do."""

from __future__ import annotations

from dataclasses import dataclass, field

from sociolect.generators.errors import InvalidInputError
from sociolect.steering.tracing.items import TraceSettings

LAYERS = 4
"""Blocks that the dialect paper steers (§4.3)."""
SEEDS = 2**63
CONFIDENCE = 0.95
"""Of the intervals of R."""
FEWEST_ITEMS = 5
"""Of fewer items no interval is given."""


@dataclass(frozen=True, slots=True)
class FitSettings:
    """How a steering vector is fitted.

    Attributes:
        trace: Of the causal tracing.
        layers: Most blocks that are steered.
        resamples: Of the items, for the intervals of R.
        seed: Of everything that is drawn but the noise, whose seed is in `trace`.
        batch: Contexts that the model reads at once.
        longest: Tokens of a context; longer ones are left out. None: what the model holds.
        blocks: Name of the list of blocks (`hooks.decoder_blocks`).

    Raises:
        InvalidInputError: A number that makes no sense.
    """

    trace: TraceSettings = field(default_factory=TraceSettings)
    layers: int = LAYERS
    resamples: int = 10_000
    seed: int = 0
    batch: int = 16
    longest: int | None = None
    blocks: str = ""

    def __post_init__(self) -> None:
        least = {"layers": 1, "resamples": 1, "batch-size": 1}
        given = {"layers": self.layers, "resamples": self.resamples, "batch-size": self.batch}
        for name, number in given.items():
            if number < least[name]:
                raise InvalidInputError(f"--{name} {number}: give {least[name]} or more")
        if not 0 <= self.seed < SEEDS:
            raise InvalidInputError(f"--seed {self.seed}: give a number from 0 to 2**63 - 1")
