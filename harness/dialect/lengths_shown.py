"""Lengths of continuations in tables, and which way they push a summed preference."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sociolect.harness.dialect.lengths import Lengths
from sociolect.harness.sheets import NONE, Cell, Column
from sociolect.harness.tables import number

_UNITS: Mapping[str, str] = {"chars": ".0f", "tokens": ".1f"}
_PUSHED: Mapping[int, str] = {1: "above 0", -1: "below 0", 0: "pushed both ways"}


def length_units(found: Iterable[Lengths | None]) -> tuple[str, ...]:
    """The units in which any of some lengths are known, `chars` and `tokens`."""
    known = [one for one in found if one is not None]
    return tuple(u for u in _UNITS if any(getattr(one, f"aae_{u}") is not None for one in known))


def length_columns(units: Sequence[str]) -> tuple[Column, ...]:
    """Heads of `length_cells`."""
    return tuple(Column(f"AAE / SAE {unit}") for unit in units)


def length_cells(lengths: Lengths | None, units: Sequence[str]) -> tuple[Cell, ...]:
    """Mean lengths of the AAE and of the SAE continuations, one cell a unit."""
    return tuple(Cell(_both(lengths, unit)) for unit in units)


def _both(lengths: Lengths | None, unit: str) -> str:
    ends = [getattr(lengths, f"{variety}_{unit}", None) for variety in ("aae", "sae")]
    return NONE if None in ends else " / ".join(number(end, _UNITS[unit]) for end in ends)


def longer(lengths: Lengths) -> str:
    """By how much the AAE continuations are longer or shorter; empty if by little."""
    return ", ".join(
        f"{100 * abs(share):.0f} % {'longer' if share > 0 else 'shorter'} in {unit}"
        for unit, share in lengths.longer.items()
    )


def pushed(lengths: Lengths) -> int:
    """Which way the lengths push LP (sum): 1 above 0, −1 below 0, 0 one way in each unit."""
    signs = {1 if share > 0 else -1 for share in lengths.longer.values()}
    return sum(signs)


def length_remark(lengths: Lengths, over: str) -> str:
    """What an LP that is summed owes to the lengths; empty where they differ by little.

    Args:
        lengths: Mean ones, of the pairs that count.
        over: Which pairs these are.
    """
    if not (said := longer(lengths)):
        return ""
    return (
        f"over {over} the AAE continuations are {said} than the SAE ones, so that LP (sum) is "
        f"{_PUSHED[pushed(lengths)]} for a model that is indifferent to all but length; "
        f"{_see(lengths)}."
    )


def class_remark(lengths: Mapping[str, Lengths]) -> str:
    """The same for several classes of pairs; empty where the lengths differ by little in all.

    Args:
        lengths: By the name to show of a class.
    """
    found: dict[int, list[str]] = {}
    for name, one in lengths.items():
        if said := longer(one):
            found.setdefault(pushed(one), []).append(f"{name} (AAE {said})")
    if not found:
        return ""
    parts = [f"{_PUSHED[way]} over {', '.join(found[way])}" for way in _PUSHED if way in found]
    return (
        f"For a model that is indifferent to all but length, LP (sum) is {'; '.join(parts)}; "
        f"{_see(next(iter(lengths.values())))}."
    )


def _see(lengths: Lengths) -> str:
    if lengths.aae_tokens is None:
        return "count tokens (--tokenizer) and see LP (token)"
    return "see LP (token)"
