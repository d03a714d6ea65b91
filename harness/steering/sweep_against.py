"""A vector held against its controls at the same strength, pair by pair."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sociolect.harness.dialect.audits import CONTINUATION, Key, measures, only
from sociolect.harness.dialect.differences import Difference, Versus, differences
from sociolect.harness.dialect.methods import FEW_PAIRS
from sociolect.harness.steering.sweep_cells import Cell
from sociolect.harness.steering.sweep_numbers import (
    AAE_MATCH,
    AAE_PPL,
    LP,
    SAE_MATCH,
    SAE_PPL,
    Numbers,
    Row,
    drawn,
    ends,
)
from sociolect.tasks.dialect.measures import Measure

COMPARED: tuple[Key, ...] = (
    LP,
    Key(CONTINUATION, "lp_token"),
    Key(CONTINUATION, "interaction_sum"),
    AAE_PPL,
    SAE_PPL,
    AAE_MATCH,
    SAE_MATCH,
)
"""What a vector is held against its controls by."""
BETTER, WORSE, TOO_FEW = "better", "not better", "too few pairs to say"
"""What is said of a vector and one of its controls."""


def is_too_few(found: Difference) -> bool:
    """Whether a difference is over so few pairs or groups that its interval is too narrow."""
    return found.clusters < FEW_PAIRS


def is_told_apart(found: Difference, alpha: float) -> bool:
    """Whether neither the interval nor the Holm-adjusted p leaves room for no difference."""
    interval = ends(found.interval)
    if interval is None or interval[0] <= 0 <= interval[1]:
        return False
    return found.p_holm is None or found.p_holm < alpha


@dataclass(frozen=True)
class Against:
    """A vector minus one of its controls at the same strength.

    Attributes:
        control: Its name.
        beta: The strength.
        differences: Control as base, vector as value; Holm over the controls.
        alpha: Level of the verdict.
    """

    control: str
    beta: float
    differences: Mapping[Key, Difference]
    alpha: float

    @property
    def verdict(self) -> str:
        """`BETTER`: LP is nearer to 0 than with the control, by interval and Holm-adjusted p.

        `TOO_FEW` over fewer than 30 pairs or groups, whatever the numbers are; else `WORSE`.
        """
        found = self.differences.get(LP)
        if found is None or is_too_few(found):
            return TOO_FEW
        nearer = abs(found.value) < abs(found.base)
        return BETTER if nearer and is_told_apart(found, self.alpha) else WORSE

    def record(self) -> dict[str, Any]:
        """The verdict with the numbers behind it, ready for JSON."""
        found = self.differences.get(LP)
        low, high = (found.interval if found else None) or (None, None)
        return {
            "verdict": self.verdict,
            "delta_lp": found.delta if found else None,
            "ci_low": low,
            "ci_high": high,
            "pairs_or_groups": found.clusters if found else 0,
            "doubtful": found.doubtful if found else None,
            "p": found.p if found else None,
            "p_holm": found.p_holm if found else None,
        }


def against(numbers: Numbers, first: Row, others: Sequence[Row]) -> list[Against]:
    """Paired differences between a vector and other systems.

    Args:
        numbers: That hold all of them.
        first: The vector.
        others: What it is held against.
    """
    dataset = numbers.audit.dataset
    whole = {row.cell: measures(row.audited.answers, dataset) for row in (first, *others)}
    sides = list(_sides(first, others, whole))
    sampled = drawn(numbers.audit, [m for one in sides for m in (one.base, one.other)])
    method = numbers.audit.method
    found = differences(sides, sampled, dataset, method)
    return [
        Against(row.cell.system, first.cell.beta, found.get(row.place, {}), method.alpha)
        for row in others
    ]


def _sides(
    first: Row, others: Sequence[Row], whole: Mapping[Cell, Mapping[Key, Measure]]
) -> Iterator[Versus]:
    for row in others:
        for key in COMPARED:
            base, other = whole[row.cell].get(key), whole[first.cell].get(key)
            if base is None or other is None:
                continue
            both = (base.denominators > 0) & (other.denominators > 0)
            if both.any():
                either = int(np.count_nonzero((base.denominators > 0) | (other.denominators > 0)))
                yield Versus(row.place, key, only(base, both), only(other, both), either)
