"""How much of an effect is the error seed's: the same condition, drawn several times.

Every error seed puts other errors of the same kind and number into the same sentences. One seed
therefore mixes what the *kind* of errors does with what these particular errors do; several seeds
tell the two apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sociolect.generators.errors import InvalidInputError

MIN_SEEDS = 3
"""Seeds below which nothing is pooled: two say next to nothing about their spread."""

_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Components:
    """Where the changes of units under several error seeds come from; points squared.

    Attributes:
        seed: Variance between seeds, all units moving together.
        unit: Variance between units, all seeds alike.
        residual: The rest: which unit a seed happens to hit, and the sampling of answers.
        clipped: Of `seed` and `unit`, those whose estimate was negative and is given as 0.
    """

    seed: float
    unit: float
    residual: float
    clipped: tuple[str, ...]

    @property
    def share(self) -> float | None:
        """Per cent of the variance that is the seed's; `None` where nothing varies."""
        total = self.seed + self.unit + self.residual
        return 100 * self.seed / total if total > 0 else None


@dataclass(frozen=True, slots=True)
class SeedSpread:
    """One condition under several error seeds.

    Attributes:
        seeds: The error seeds, in the order of `deltas`.
        deltas: Mean change over the units by seed, in points.
        components: `None` from a single unit.
    """

    seeds: tuple[int, ...]
    deltas: tuple[float, ...]
    components: Components | None

    @property
    def sd(self) -> float:
        """Standard deviation of the deltas, in points."""
        return float(np.std(self.deltas, ddof=1))


def seed_spread(seeds: Sequence[int], changes: npt.ArrayLike) -> SeedSpread:
    """The spread of an effect over error seeds.

    Args:
        seeds: At least `MIN_SEEDS`, one a column.
        changes: Errored minus clean, shape (units, seeds), in points.

    Raises:
        InvalidInputError: Too few seeds, no unit, or a matrix of another shape.
    """
    matrix = np.asarray(changes, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[1] != len(seeds) or matrix.shape[0] == 0:
        raise InvalidInputError(
            f"changes have shape {matrix.shape}; give units × {len(seeds)} seeds, at least one unit"
        )
    if len(seeds) < MIN_SEEDS:
        raise InvalidInputError(f"{len(seeds)} error seeds; at least {MIN_SEEDS} are needed")
    found = variance_components(matrix) if matrix.shape[0] > 1 else None
    return SeedSpread(tuple(seeds), tuple(float(d) for d in matrix.mean(axis=0)), found)


def variance_components(changes: npt.ArrayLike) -> Components:
    """Two-way random effects without replication, by the method of moments.

    The change of unit i under seed j is y_ij = μ + u_i + s_j + e_ij. With n units, k seeds and
    the mean squares of the two-way analysis of variance,

        MS_seed = n Σ_j (ȳ_·j − ȳ)² / (k − 1)
        MS_unit = k Σ_i (ȳ_i· − ȳ)² / (n − 1)
        MS_res  = Σ_ij (y_ij − ȳ_i· − ȳ_·j + ȳ)² / ((n − 1)(k − 1))

    whose expectations are n σ²_seed + σ²_res, k σ²_unit + σ²_res and σ²_res, the estimates are
    σ²_seed = (MS_seed − MS_res) / n, σ²_unit = (MS_unit − MS_res) / k and σ²_res = MS_res
    (Searle, Casella and McCulloch, Variance Components, ch. 4). A negative one is set to 0.

    Args:
        changes: Shape (units, seeds), at least 2 × 2, finite.

    Raises:
        InvalidInputError: A smaller matrix, or a number that is not finite.
    """
    y = np.asarray(changes, dtype=np.float64)
    if y.ndim != 2 or min(y.shape) < 2 or not np.isfinite(y).all():
        raise InvalidInputError(f"changes of shape {y.shape}: give at least 2 × 2 finite numbers")
    n, k = y.shape
    mean = y.mean()
    units, seeds = y.mean(axis=1, keepdims=True), y.mean(axis=0, keepdims=True)
    rest = y - units - seeds + mean
    ms_res = float((rest**2).sum() / ((n - 1) * (k - 1)))
    ms_seed = float(n * ((seeds - mean) ** 2).sum() / (k - 1))
    ms_unit = float(k * ((units - mean) ** 2).sum() / (n - 1))
    raw = {"seed": (ms_seed - ms_res) / n, "unit": (ms_unit - ms_res) / k, "residual": ms_res}
    noise = _ROUNDING * max(1.0, float((y**2).mean()))
    kept = {name: value if value > noise else 0.0 for name, value in raw.items()}
    return Components(
        **kept,
        clipped=tuple(name for name, value in raw.items() if value < -noise),
    )
