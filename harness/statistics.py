"""Paired statistics: randomisation test, bootstrap interval, Holm, smallest detectable effect.

Everything works on *unit differences*: one number per independent unit (a counterfactual pair, an
item), errored minus clean, after all answers of the unit have been averaged. Averaging first keeps
the ten answers of an item from counting as ten independent observations.

Random numbers come from a local generator made of the `seed` argument, so that a result depends on
nothing but its differences and its seed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from sociolect.generators.errors import InvalidInputError

Floats = npt.NDArray[np.float64]

ALPHA = 0.05
PERMUTATIONS = 10_000
RESAMPLES = 10_000

_CHUNK_NUMBERS = 2**18
"""Random numbers held at once; bounds the memory to a few MB."""

_TIE = 1e-10
"""Sums that differ by less than this share of the sum of absolute differences are equal. Item
values are multiples of small fractions, so exact ties are common, and their floating-point sums
differ in the last bits (relative error at most n · 2.2e-16)."""


def _checked(differences: npt.ArrayLike) -> Floats:
    """The differences as a vector.

    Raises:
        InvalidInputError: Not one finite number per unit, or no unit at all.
    """
    values = np.asarray(differences, dtype=np.float64)
    if values.ndim != 1:
        raise InvalidInputError(f"differences have shape {values.shape}; give one number per unit")
    if values.size == 0:
        raise InvalidInputError("no unit to compare: a test on zero units has no result")
    if not np.isfinite(values).all():
        bad = int(np.flatnonzero(~np.isfinite(values))[0])
        raise InvalidInputError(
            f"difference {bad} is {values[bad]}; leave units without an answer out, and count them"
        )
    return values


def _constant(values: Floats) -> bool:
    """Whether the values are equal but for rounding: they then say nothing about noise."""
    return bool(np.ptp(values) <= _TIE * float(np.abs(values).max()))


def _chunks(rows: int, width: int) -> Iterator[int]:
    """Row counts that add up to `rows`, each with at most `_CHUNK_NUMBERS` numbers."""
    step = max(1, _CHUNK_NUMBERS // width)
    for start in range(0, rows, step):
        yield min(step, rows - start)


def randomisation_test(
    differences: npt.ArrayLike, *, permutations: int = PERMUTATIONS, seed: int = 0
) -> float:
    """Two-sided p-value of the paired approximate randomisation test.

    Learner-error paper, App. D.2: each permutation swaps the two conditions of every unit with
    probability one half, which flips the sign of its difference. With c the number of permutations
    whose absolute mean difference is at least the observed one, p = (c + 1) / (N + 1).

    Args:
        differences: One number per unit, any scale; shape (n,).
        permutations: N, at least 1.
        seed: Of the sign flips.

    Returns:
        A number in [1 / (N + 1), 1]; exactly 1 if all differences are zero.

    Raises:
        InvalidInputError: No units, a difference that is not finite, or no permutations.
    """
    return randomisation_tests(_checked(differences)[:, None], permutations, seed)[0]


def randomisation_tests(
    differences: Floats, permutations: int = PERMUTATIONS, seed: int = 0
) -> list[float]:
    """As `randomisation_test`, for several measures of the same units: one set of swaps for all.

    Args:
        differences: Finite; 0 for a unit that a measure does not have. Shape (n, measures), n at
            least 1.
        permutations: N, at least 1.
        seed: Of the sign flips.

    Returns:
        One p-value a measure.

    Raises:
        InvalidInputError: No permutations.
    """
    if permutations < 1:
        raise InvalidInputError(f"{permutations} permutations; at least 1 is needed")
    rng = np.random.default_rng(seed)
    totals = differences.sum(axis=0)
    thresholds = np.abs(totals) - _TIE * np.abs(differences).sum(axis=0)
    counts = np.zeros(differences.shape[1], dtype=np.int64)
    for rows in _chunks(permutations, len(differences)):
        kept = rng.integers(0, 2, size=(rows, len(differences)), dtype=np.uint8)
        # A unit that is not kept enters with the opposite sign: sum = 2 · (kept) − total.
        sums = 2.0 * (kept.astype(np.float64) @ differences) - totals
        counts += np.count_nonzero(np.abs(sums) >= thresholds, axis=0)
    return [float(count + 1) / (permutations + 1) for count in counts]


def difference_of_differences(
    clean_a: npt.ArrayLike,
    errored_a: npt.ArrayLike,
    clean_b: npt.ArrayLike,
    errored_b: npt.ArrayLike,
) -> Floats:
    """Per unit, how much more model B changes than model A.

    Learner-error paper, App. D.2: to compare the effect of errors between two models, the value of
    a unit is its change from the clean to the errored prompt. The result goes into
    `randomisation_test` and `bootstrap_interval`.

    Args:
        clean_a: Unit values of model A on clean prompts, shape (n,).
        errored_a: The same units on errored prompts, shape (n,).
        clean_b: Model B, clean, shape (n,).
        errored_b: Model B, errored, shape (n,).

    Returns:
        (errored_b − clean_b) − (errored_a − clean_a), shape (n,).

    Raises:
        InvalidInputError: The four do not have one finite value for each of the same units.
    """
    a0, a1, b0, b1 = (_checked(v) for v in (clean_a, errored_a, clean_b, errored_b))
    sizes = [v.size for v in (a0, a1, b0, b1)]
    if len(set(sizes)) != 1:
        raise InvalidInputError(f"unit counts {sizes} differ; the four must hold the same units")
    return (b1 - b0) - (a1 - a0)


def _cluster_sums(values: Floats, clusters: Sequence[object]) -> tuple[Floats, Floats]:
    """Sum and size of every cluster.

    Raises:
        InvalidInputError: Not one label per unit.
    """
    if len(clusters) != values.size:
        raise InvalidInputError(f"{len(clusters)} cluster labels for {values.size} units")
    codes: dict[object, int] = {}
    index = [codes.setdefault(label, len(codes)) for label in clusters]
    sums = np.bincount(index, weights=values).astype(np.float64)
    return sums, np.bincount(index).astype(np.float64)


def _pooled_mean(sums: Floats, sizes: Floats, axis: int = -1) -> Floats:
    """Mean over all units of the drawn clusters."""
    mean: Floats = sums.sum(axis=axis) / sizes.sum(axis=axis)
    return mean


def bootstrap_interval(
    differences: npt.ArrayLike,
    *,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
    clusters: Sequence[object] | None = None,
) -> tuple[float, float] | None:
    """Percentile bootstrap interval of the mean difference, by resampling whole units.

    Paired, as a unit carries both its conditions. With `clusters`, whole clusters are drawn (BBQ:
    question templates), and the mean is over the units of the drawn clusters.

    Args:
        differences: One number per unit; shape (n,).
        confidence: Coverage aimed at, between 0 and 1.
        resamples: Bootstrap samples.
        seed: Of the draws.
        clusters: One hashable label per unit.

    Returns:
        Lower and upper end on the scale of the differences; `None` where there are fewer than two
        units or clusters, or where they do not vary: an interval of no width would say that the
        mean is known exactly.

    Raises:
        InvalidInputError: No units, a difference that is not finite, labels of another length, or
            a confidence or number of resamples out of range.
    """
    values = _checked(differences)
    if not 0 < confidence < 1 or resamples < 1:
        raise InvalidInputError(
            f"confidence {confidence} (between 0 and 1) or {resamples} resamples (at least 1)"
        )
    parts = (values,) if clusters is None else _cluster_sums(values, clusters)
    if parts[0].size < 2 or _constant(parts[0] if len(parts) == 1 else parts[0] / parts[1]):
        return None
    from scipy.stats import bootstrap

    batch = max(1, _CHUNK_NUMBERS // parts[0].size)
    found = bootstrap(
        parts,
        np.mean if clusters is None else _pooled_mean,
        paired=clusters is not None,
        vectorized=True,
        method="percentile",
        confidence_level=confidence,
        n_resamples=resamples,
        batch=batch,
        rng=_generator(seed, parts[0].size, resamples, batch),
    ).confidence_interval
    return float(found.low), float(found.high)


_KEPT_NUMBERS = 2**23
"""Draws of the bootstrap that are kept; 32 MB."""


def _generator(seed: int, units: int, resamples: int, batch: int) -> np.random.Generator:
    """What draws the units of the resamples.

    The conditions of a benchmark have as many units each, and one seed: drawing the same numbers
    again for every one of them would take longer than all the rest.
    """
    if units * resamples > _KEPT_NUMBERS:
        return np.random.default_rng(seed)
    return _Drawn(seed, units, resamples, batch)


class _Drawn(np.random.Generator):
    """A generator that has made its draws before, for the resamples of `bootstrap_interval`.

    If scipy came to ask for other draws than those, it gets them from a plain generator.
    """

    def __init__(self, seed: int, units: int, resamples: int, batch: int) -> None:
        super().__init__(np.random.PCG64(seed))
        self._units = units
        self._chunks = list(_draws(seed, units, resamples, batch))[::-1]

    def integers(
        self,
        low: Any,
        high: Any = None,
        size: Any = None,
        dtype: Any = np.int64,
        endpoint: bool = False,
    ) -> Any:
        """The units of the next resamples."""
        asked = (low, high, size, endpoint)
        if self._chunks and asked == (0, self._units, self._chunks[-1].shape, False):
            return self._chunks.pop().astype(dtype)
        return super().integers(low, high, size, dtype, endpoint)


@lru_cache(maxsize=2)
def _draws(seed: int, units: int, resamples: int, batch: int) -> tuple[npt.NDArray[np.int32], ...]:
    """Units of all resamples, some resamples at a time, as a generator of this seed draws them."""
    rng = np.random.default_rng(seed)
    sizes = [min(batch, resamples - start) for start in range(0, resamples, batch)]
    return tuple(rng.integers(0, units, (size, units)).astype(np.int32) for size in sizes)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down adjusted p-values, in the order given; empty for none.

    Not statsmodels' `multipletests`, which collects garbage in every call: of the flips of a judge
    that took longer than everything else together.
    """
    adjusted, largest = [0.0] * len(p_values), 0.0
    for rank, i in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        largest = max(largest, min(1.0, (len(p_values) - rank) * float(p_values[i])))
        adjusted[i] = largest
    return adjusted


def smallest_detectable_effect(
    differences: npt.ArrayLike, *, alpha: float = ALPHA, power: float = 0.8
) -> float | None:
    """Smallest true mean difference that a paired comparison of this size would probably find.

    Normal approximation for n paired differences with standard deviation s and a two-sided test:
    (z(1 − α/2) + z(power)) · s / √n, 2.80 · s / √n by default. A property of the noise, not of the
    effect observed.

    Args:
        differences: One number per unit; shape (n,).
        alpha: Two-sided significance level, between 0 and 1.
        power: Probability of finding the effect, between 0 and 1.

    Returns:
        A non-negative number on the scale of the differences; `None` for a single unit, or where
        the units do not vary and so say nothing about noise.

    Raises:
        InvalidInputError: No units, a difference that is not finite, or a level out of range.
    """
    values = _checked(differences)
    if not 0 < alpha < 1 or not 0 < power < 1:
        raise InvalidInputError(f"alpha {alpha} and power {power} must lie between 0 and 1")
    if values.size < 2 or _constant(values):
        return None
    from scipy.stats import norm

    z = float(norm.ppf(1 - alpha / 2) + norm.ppf(power))
    return z * float(values.std(ddof=1)) / float(np.sqrt(values.size))
