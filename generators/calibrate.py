"""From an error level to the cutoff of the selection: learner-error paper, App. B.2.

The mean error rate is a step function of the cutoff. A curve that counts edits is solved by
bisection, nothing being generated again. In a dense text an insertion and a deletion can make a
shorter path, so the distance is a little below the number of edits: the solution is measured
once and corrected.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sociolect.generators.errors import LevelUnreachableError
from sociolect.generators.state import Choice
from sociolect.generators.units import Unit

TOLERANCE = 0.01
"""A ceiling at most this far below a level still serves it (paper, B.2: one point)."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """The solved cutoff of one condition and part.

    Attributes:
        cutoff: Choices with a key up to this belong to the condition.
        mean_error_rate: Mean of ε over the benchmark's rows, in [0, 1].
        ceiling: The mean with every choice made.
        at_ceiling: The level is above the ceiling, by no more than `TOLERANCE`.
    """

    cutoff: float
    mean_error_rate: float
    ceiling: float
    at_ceiling: bool


class RateCurve:
    """Edits per token of a benchmark part, averaged over its rows, by cutoff.

    Args:
        units: Units of the part; each member of a unit is a row.
        choices: For each unit, all its choices.
    """

    def __init__(self, units: Sequence[Unit], choices: Sequence[Sequence[Choice]]) -> None:
        flat = [(i, c.key, c.growth) for i, of_unit in enumerate(choices) for c in of_unit]
        self._unit = np.array([i for i, _, _ in flat], dtype=np.int64)
        self._key = np.array([k for _, k, _ in flat], dtype=np.float64)
        self._growth = np.array([g for _, _, g in flat], dtype=np.int64)
        rows = [(i, m.n_counted) for i, unit in enumerate(units) for m in unit.members]
        self._row_unit = np.array([i for i, _ in rows], dtype=np.int64)
        self._row_n = np.array([n for _, n in rows], dtype=np.int64)
        self._n_units = len(units)
        self.keys: NDArray[np.float64] = np.unique(self._key)

    def __call__(self, cutoff: float) -> float:
        """Mean of edits / n over the rows when choices up to `cutoff` are made."""
        if not len(self._row_n):
            return 0.0
        taken = self._key <= cutoff
        unit = self._unit[taken]
        distance = np.bincount(unit, minlength=self._n_units)[self._row_unit]
        growth = np.bincount(unit, self._growth[taken], self._n_units)[self._row_unit]
        n = np.maximum(self._row_n, self._row_n + growth)
        return float(np.mean(distance / np.maximum(n, 1)))

    def solve(self, level: float) -> float:
        """The key whose mean rate is nearest to `level` (0 if no edit at all is nearer)."""
        low, high = 0, len(self.keys)
        while low < high:
            middle = (low + high) // 2
            if self(self.keys[middle]) < level:
                low = middle + 1
            else:
                high = middle
        near = [0.0, *self.keys[max(low - 1, 0) : low + 1]]
        return float(min(near, key=lambda c: abs(self(float(c)) - level)))


def calibrate(
    curve: RateCurve, measured: Callable[[float], float], level: float, what: str
) -> Calibration:
    """Solve for the cutoff at which the mean error rate is `level`.

    Args:
        curve: Edits per token by cutoff.
        measured: Mean ε by cutoff, from the Levenshtein distance of the rendered texts.
        level: Wanted mean ε, in (0, 1].
        what: The condition and part, for the error message.

    Raises:
        LevelUnreachableError: The ceiling is more than `TOLERANCE` below the level.
    """
    highest = float(curve.keys[-1]) if len(curve.keys) else 0.0
    ceiling = measured(highest)
    if ceiling < level - TOLERANCE:
        raise LevelUnreachableError(
            f"{what}: {level:.0%} cannot be reached, the ceiling is {ceiling:.1%} "
            "(every eligible slot edited). Ask for a lower level."
        )
    if ceiling < level:
        return Calibration(highest, ceiling, ceiling, at_ceiling=True)
    first = curve.solve(level)
    second = curve.solve(2 * level - measured(first))
    cutoff = min(first, second, key=lambda c: abs(measured(c) - level))
    return Calibration(cutoff, measured(cutoff), ceiling, at_ceiling=False)
