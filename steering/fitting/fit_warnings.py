"""What a reader of a fit must know before relying on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sociolect.steering.fitting.fit import Measured
from sociolect.steering.fitting.fit_vectors import LayerRow

FEW_ITEMS = 30
STABLE = 0.5
SMALL = 10**9


def warnings(measured: Measured, rows: Sequence[LayerRow]) -> list[str]:
    """Sentences on what is weak in a fit.

    Args:
        measured: What was found.
        rows: Of all blocks, with the weights of those that are steered.
    """
    chosen = [row for row in rows if row.weight]
    return [*_of_blocks(measured, chosen), *_of_items(measured)]


def _of_blocks(measured: Measured, chosen: Sequence[LayerRow]) -> Iterator[str]:
    asked = measured.settings.layers
    if len(chosen) < asked:
        yield (
            f"only {len(chosen)} of {measured.of.depth} blocks have a negative R, so "
            f"{len(chosen)} are steered and not {asked}"
        )
    if len(chosen) == measured.of.depth:
        yield "every block is steered, so there is no control of other blocks; ask for fewer"
    if crossing := [row.layer for row in chosen if row.high >= 0]:
        yield (
            f"{_blocks(crossing)}: the interval of R holds 0, so the effect is not told apart from "
            "no effect; trace more items (--trace-limit) or more draws of noise (--draws)"
        )
    if unstable := [row.layer for row in chosen if not row.stability >= STABLE]:
        yield (
            f"{_blocks(unstable)}: the directions of two halves of the pairs have a cosine below "
            f"{STABLE}; take more pairs (--limit)"
        )


def _of_items(measured: Measured) -> Iterator[str]:
    if len(measured.traced) < FEW_ITEMS:
        yield (
            f"{len(measured.traced)} items were traced; fewer than {FEW_ITEMS} say little about "
            "which blocks matter"
        )
    if measured.facts["parameters"] < SMALL:
        yield (
            f"the model has {measured.facts['parameters']:,} parameters; a fit on one this small "
            "shows that the parts work together, and nothing about dialect in language models"
        )


def _blocks(layers: Sequence[int]) -> str:
    return f"block{'s' if len(layers) > 1 else ''} {', '.join(map(str, layers))}"
