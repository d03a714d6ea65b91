"""What a reader of a fit must know before relying on it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from sociolect.steering.fitting.fit import Measured
from sociolect.steering.fitting.fit_settings import FEWEST_ITEMS
from sociolect.steering.fitting.fit_vectors import SHUFFLED, LayerRow, no_shuffled
from sociolect.steering.tracing.items import Traced

FEW_ITEMS = 30
STABLE = 0.5
SMALL = 10**9
MOST_OF_ONE = 0.5
"""An item that carries more of an R than this decides about it."""
_ABOUT = {"dialect": "dialect in language models", "errors": "how language models take errors"}


def warnings(measured: Measured, rows: Sequence[LayerRow]) -> list[str]:
    """Sentences on what is weak in a fit.

    Args:
        measured: What was found.
        rows: Of all blocks, with the weights of those that are steered.
    """
    chosen = [row for row in rows if row.weight]
    return [
        *_of_blocks(measured, chosen),
        *_of_directions(measured, chosen),
        *_of_items(measured, chosen),
    ]


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


def _of_directions(measured: Measured, chosen: Sequence[LayerRow]) -> Iterator[str]:
    if unstable := [row.layer for row in chosen if row.stability < STABLE]:
        yield (
            f"{_blocks(unstable)}: the directions of two halves of the pairs have a cosine below "
            f"{STABLE}; take more pairs (--limit)"
        )
    if unknown := [row.layer for row in chosen if math.isnan(row.stability)]:
        yield (
            f"{_blocks(unknown)}: how stable the direction is cannot be told, as there are no two "
            f"halves of {counted(measured.directions.pairs, 'pair')} that both have one; take more "
            "pairs (--limit)"
        )
    if why := no_shuffled(measured, [row.layer for row in chosen]):
        yield f"{SHUFFLED} is left out: {why}; take more pairs (--limit)"


def _of_items(measured: Measured, chosen: Sequence[LayerRow]) -> Iterator[str]:
    traced = measured.traced
    if len(traced) < FEW_ITEMS:
        few = f", and fewer than {FEWEST_ITEMS} give no interval"
        yield (
            f"{counted(len(traced), 'item')} {'was' if len(traced) == 1 else 'were'} traced; fewer "
            f"than {FEW_ITEMS} say little about which blocks matter"
            f"{few if len(traced) < FEWEST_ITEMS else ''}"
        )
    if math.fsum(one.clean for one in traced) <= math.fsum(one.corrupted for one in traced):
        yield (
            "noise does not lower the mean preference, so there is nothing to restore, and R says "
            "little about which blocks matter; trace more items (--trace-limit), or take more "
            "noise (--alpha)"
        )
    yield from _of_one_item(traced, chosen)
    if measured.facts["parameters"] < SMALL:
        yield (
            f"the model has {measured.facts['parameters']:,} parameters; a fit on one this small "
            "shows that the parts work together, and nothing about "
            f"{_ABOUT[measured.material.kind]}"
        )


def _of_one_item(traced: Sequence[Traced], chosen: Sequence[LayerRow]) -> Iterator[str]:
    if len(traced) == 1:  # it carries all, which needs no saying
        return
    for row in chosen:
        most = min(traced, key=lambda one: (float(one.effects[row.layer]), one.id))
        own = float(most.effects[row.layer])
        whole = row.effect * len(traced)
        if own / whole > MOST_OF_ONE:
            rest = (whole - own) / (len(traced) - 1)
            yield (
                f"block {row.layer}: item {most.id} carries {own / whole:.0%} of R; without it R "
                f"is {rest:+.4f}"
            )


def _blocks(layers: Sequence[int]) -> str:
    return f"block{'s' if len(layers) > 1 else ''} {', '.join(map(str, layers))}"


def counted(number: int, what: str) -> str:
    """`1 item`, `2 items`."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"
