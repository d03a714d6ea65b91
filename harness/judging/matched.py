"""Noise types held against each other at one realised change.

Noise paper, App. C: typo at 0.7 fabricates as much as combined at 0.3, and changes more.
One probability means unlike amounts of change, so the rates are also read off at the same share of
changed tokens: between the levels of a transform, never beyond them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from sociolect.harness.judging.clustered import Estimate, slope
from sociolect.harness.judging.counted import Counted
from sociolect.harness.judging.resampling import Interval, percentile_intervals
from sociolect.harness.judging.verdicts import Floats, Ints, Judgements, Noisy

PAPER_PAIR = (("typo", 70), ("combined", 30))
"""Conditions with as many fabrications at unlike realised change: noise paper, App. C."""
GRID: tuple[float, ...] = tuple(round(0.05 * step, 2) for step in range(1, 20))
"""Token changes at which transforms are compared."""
MATCHED_RATES: tuple[str, ...] = ("fabrication_eligible", "erasure_eligible")
PER_CHANGE = 0.1
"""Slopes are per this much token change."""


@dataclass(frozen=True, slots=True)
class MatchedPair:
    """Two conditions, and what they change and fabricate.

    Attributes:
        labels: Of the two.
        token_changes: Means over the responses; `None` where unknown.
        fabrications: Counts.
        rates: Conditional on clean NONE verdicts.
        difference: Second rate minus first; `None` without clean NONE verdicts.
        interval: Of it, clustered by question.
    """

    labels: tuple[str, str]
    token_changes: tuple[float | None, float | None]
    fabrications: tuple[int, int]
    rates: tuple[float | None, float | None]
    difference: float | None
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class MatchedPoint:
    """A conditional rate at a given token change, interpolated between two levels.

    Attributes:
        transform: With the error seed if it is not 0.
        token_change: Mean over the responses that could move.
        rate: One of `MATCHED_RATES`.
        value: In [0, 1].
        interval: Clustered by question.
        between: Labels of the two conditions.
    """

    transform: str
    token_change: float
    rate: str
    value: float
    interval: Interval | None
    between: tuple[str, str]


@dataclass(frozen=True, slots=True)
class ChangeSlope:
    """By how much a conditional rate grows with the token change of the single response.

    Attributes:
        transform: All its levels together.
        rate: One of `MATCHED_RATES`.
        n: Verdicts.
        estimate: Per `PER_CHANGE` of token change; errors clustered by question.
    """

    transform: str
    rate: str
    n: int
    estimate: Estimate


def matched_pairs(
    judgements: Judgements, counted: Counted, confidence: float
) -> tuple[MatchedPair, ...]:
    """The paper's pair of conditions, for every error seed that has both."""
    found = {
        ((one.condition.transform, one.condition.level), one.error_seed): number
        for number, one in enumerate(judgements.noisy)
    }
    seeds = sorted({one.error_seed for one in judgements.noisy})
    numbers = [[found.get((key, seed)) for key in PAPER_PAIR] for seed in seeds]
    return tuple(
        _pair(judgements, counted, (first, second), confidence)
        for first, second in numbers
        if first is not None and second is not None
    )


def _pair(
    judgements: Judgements, counted: Counted, numbers: tuple[int, int], confidence: float
) -> MatchedPair:
    rate = MATCHED_RATES[0]
    first, second = (judgements.noisy[number] for number in numbers)
    rates = [counted.value(number, rate) for number in numbers]
    counts = [counted.total(number, rate)[0] for number in numbers]
    gap = counted.rate(numbers[1], rate) - counted.rate(numbers[0], rate)
    known = rates[0] is not None and rates[1] is not None
    return MatchedPair(
        (first.label, second.label),
        (_mean_change(first, None), _mean_change(second, None)),
        (counts[0], counts[1]),
        (rates[0], rates[1]),
        (rates[1] or 0.0) - (rates[0] or 0.0) if known else None,
        percentile_intervals(gap[:, None], confidence)[0],
    )


def _mean_change(noisy: Noisy, among: Ints | None) -> float | None:
    """Mean token change of some responses; `None` where it is unknown or there are none."""
    if noisy.changes is None:
        return None
    values = noisy.changes[:, 0] if among is None else noisy.changes[among, 0]
    return float(values.mean()) if values.size else None


def _eligible(judgements: Judgements, rate: str) -> Ints:
    """Indices of the responses whose clean verdict can move in this way."""
    neutral = judgements.clean == 2
    return np.flatnonzero(
        neutral if rate == MATCHED_RATES[0] else ~neutral & (judgements.clean >= 0)
    )


def _curves(judgements: Judgements) -> Iterator[tuple[str, list[int]]]:
    """The conditions of each transform, by error seed."""
    curves: dict[tuple[str, int], list[int]] = defaultdict(list)
    for number, noisy in enumerate(judgements.noisy):
        curves[noisy.condition.transform, noisy.error_seed].append(number)
    for (name, seed), numbers in curves.items():
        yield (f"{name} (error seed {seed})" if seed else name), numbers


def matched_points(
    judgements: Judgements, counted: Counted, confidence: float
) -> tuple[MatchedPoint, ...]:
    """Conditional rates at the token changes of `GRID` that two or more transforms cover."""
    found: list[MatchedPoint] = []
    for rate in MATCHED_RATES:
        points = [
            point
            for name, numbers in _curves(judgements)
            for point in _curve_points(judgements, counted, (name, rate), numbers, confidence)
        ]
        shared = [point.token_change for point in points]
        found += [point for point in points if shared.count(point.token_change) > 1]
    return tuple(sorted(found, key=lambda point: (point.rate, point.token_change)))


def _curve_points(
    judgements: Judgements,
    counted: Counted,
    key: tuple[str, str],
    numbers: Sequence[int],
    confidence: float,
) -> Iterator[MatchedPoint]:
    """Points on the line through the levels of one transform, in the order of their change."""
    eligible = _eligible(judgements, key[1])
    changes = {n: _mean_change(judgements.noisy[n], eligible) for n in numbers}
    known = sorted((change, n) for n, change in changes.items() if change is not None)
    for at in GRID:
        for (low, first), (high, second) in pairwise(known):
            values = [counted.value(n, key[1]) for n in (first, second)]
            if not low <= at < high or values[0] is None or values[1] is None:
                continue
            weight = (at - low) / (high - low)
            draws: Floats = (1 - weight) * counted.rate(first, key[1])
            draws = draws + weight * counted.rate(second, key[1])
            labels = (judgements.noisy[first].label, judgements.noisy[second].label)
            value = (1 - weight) * values[0] + weight * values[1]
            (interval,) = percentile_intervals(draws[:, None], confidence)
            yield MatchedPoint(key[0], at, key[1], value, interval, labels)


def slopes(judgements: Judgements, confidence: float) -> tuple[ChangeSlope, ...]:
    """One for each transform and rate, over all its levels; none where changes are unknown."""
    return tuple(
        _slope(judgements, name, rate, numbers, confidence)
        for rate in MATCHED_RATES
        for name, numbers in _curves(judgements)
        if all(judgements.noisy[number].changes is not None for number in numbers)
    )


def _slope(
    judgements: Judgements, name: str, rate: str, numbers: Sequence[int], confidence: float
) -> ChangeSlope:
    eligible, questions = _eligible(judgements, rate), judgements.items.questions.codes
    x, y, groups = [], [], []
    for number in numbers:
        noisy = judgements.noisy[number]
        kept = eligible[noisy.verdicts[eligible] >= 0]
        moved = noisy.verdicts[kept] == 2
        changes = noisy.changes
        assert changes is not None  # asked before
        x.append(changes[kept, 0] / PER_CHANGE)
        y.append((~moved if rate == MATCHED_RATES[0] else moved).astype(np.float64))
        groups.append(questions[kept])
    joined = np.concatenate(x)
    if joined.size == 0:
        return ChangeSlope(
            name, rate, 0, Estimate(undefined="undefined (no verdict that can move)")
        )
    fitted = slope(joined, np.concatenate(y), [np.concatenate(groups)], confidence)
    return ChangeSlope(name, rate, int(joined.size), fitted)
