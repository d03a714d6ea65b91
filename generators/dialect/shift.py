"""The place where the sense of a text shifts most (dialect paper, App. B.1, Eq. 12)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sociolect.generators.dialect.places import Place, Rules

TIE = 1e-6
"""Values of Eq. 12 that differ by less are equal: they differ by rounding alone."""


def sides(text: str, found: Sequence[Place]) -> list[str]:
    """L and R of each place in turn, without the white space around them."""
    return [side.strip() for p in found for side in (text[: p.offset], text[p.offset :])]


def shifts(vectors: NDArray[Any]) -> NDArray[Any]:
    """Semantic shift d_j = 1 − cos(φ(L_j), φ(R_j)) of each place (dialect paper, App. B.1).

    Args:
        vectors: φ of L and R of each place in turn, shape (2 × places, dimensions).

    Returns:
        Shape (places,), from 0 to 2; NaN where a vector is NaN or has no direction.
    """
    left, right = (
        np.asarray(vectors, dtype=np.float64).reshape(-1, 2, vectors.shape[-1]).swapaxes(0, 1)
    )
    lengths = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(1 - (left * right).sum(axis=1) / lengths)


def best_place(found: Sequence[Place], shift: NDArray[Any], rules: Rules) -> Place:
    """j* = argmax d_j − γ·|j/n − ρ| (dialect paper, Eq. 12).

    Of equals, the one nearest to ρ; then the leftmost.

    Args:
        found: At least one place.
        shift: d_j of each, without NaN.
        rules: ρ and γ.
    """
    distance = np.abs(np.array([p.share for p in found]) - rules.rho)
    value = shift - rules.gamma * distance
    equal = np.flatnonzero(value >= value.max() - TIE)
    # Rounded, for 0.5 − 4/9 and 5/9 − 0.5 differ in their last digit.
    return found[min(equal.tolist(), key=lambda i: (round(float(distance[i]), 9), i))]
