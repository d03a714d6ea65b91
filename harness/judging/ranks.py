"""Do the same categories see most fabrication under other noise? Noise paper, App. B.2."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

MIN_CATEGORIES = 3


@dataclass(frozen=True, slots=True)
class RankAgreement:
    """How two rankings of the categories agree.

    Attributes:
        level: Attempt probability in per cent, of both.
        first: Transform.
        second: Transform.
        rate: `fabrication` (among all verdicts, the paper's) or `fabrication_eligible`.
        categories: Names of those that have both rates.
        ranks: Of each, under the first and under the second; 1 is most, ties share their mean.
        tau: Kendall's tau-b.
        rho: Spearman's.
        undefined: Why there is neither, empty if there is.
    """

    level: int
    first: str
    second: str
    rate: str
    categories: tuple[str, ...]
    ranks: tuple[tuple[float, float], ...]
    tau: float | None
    rho: float | None
    undefined: str = ""


def agreement(
    level: int,
    names: tuple[str, str],
    rate: str,
    categories: Sequence[str],
    rates: tuple[Sequence[float | None], Sequence[float | None]],
) -> RankAgreement:
    """Compare two lists of rates, one entry a category; categories without both are left out."""
    both = [
        (name, x, y)
        for name, x, y in zip(categories, *rates, strict=True)
        if x is not None and y is not None
    ]
    first, second = ([row[i] for row in both] for i in (1, 2))
    tau, rho, why = _correlations([float(x) for x in first], [float(y) for y in second])
    return RankAgreement(
        level,
        *names,
        rate,
        tuple(str(row[0]) for row in both),
        tuple(zip(_ranks(first), _ranks(second), strict=True)),
        tau,
        rho,
        why,
    )


def _ranks(values: Sequence[object]) -> list[float]:
    from scipy.stats import rankdata

    return [float(rank) for rank in rankdata(-np.array(values, dtype=np.float64))]


def _correlations(
    first: Sequence[float], second: Sequence[float]
) -> tuple[float | None, float | None, str]:
    if len(first) < MIN_CATEGORIES:
        return None, None, f"undefined (fewer than {MIN_CATEGORIES} categories)"
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return None, None, "undefined (all categories are level)"
    from scipy.stats import kendalltau, spearmanr

    tau, rho = kendalltau(first, second).statistic, spearmanr(first, second).statistic
    return float(tau), float(rho), ""
