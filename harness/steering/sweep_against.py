"""A vector held against its controls at the same strength, pair by pair."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sociolect.harness.dialect.audits import CONTINUATION, Key, measures, only
from sociolect.harness.dialect.differences import Difference, Versus, differences
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


@dataclass(frozen=True)
class Against:
    """A vector minus one of its controls at the same strength.

    Attributes:
        control: Its name.
        beta: The strength.
        differences: Control as base, vector as value; Holm over the controls.
    """

    control: str
    beta: float
    differences: Mapping[Key, Difference]

    @property
    def is_better(self) -> bool:
        """Whether the vector brings LP nearer to 0 than the control, interval and all."""
        found = self.differences.get(LP)
        interval = ends(found.interval) if found else None
        if found is None or interval is None:
            return False
        return not interval[0] <= 0 <= interval[1] and abs(found.value) < abs(found.base)


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
    found = differences(sides, sampled, dataset, numbers.audit.method)
    return [Against(row.cell.system, first.cell.beta, found.get(row.place, {})) for row in others]


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
