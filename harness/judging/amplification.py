"""Does noise of several kinds at once fabricate more than the worst of them alone?

Noise paper, §4: combined over any single type at one attempt probability.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sociolect.generators.conditions import NOISES
from sociolect.harness.judging.counted import Counted
from sociolect.harness.judging.resampling import Interval, percentile_intervals, quotient
from sociolect.harness.judging.verdicts import Judgements

COMBINED = "combined"
SINGLE: tuple[str, ...] = tuple(name for name in NOISES if name != COMBINED)


@dataclass(frozen=True, slots=True)
class Amplification:
    """Combined noise over the worst single noise at one attempt probability.

    Attributes:
        level: Attempt probability, per cent.
        rate: `fabrication`, compared by counts, or `fabrication_eligible`, compared by rates.
        combined: Count or rate.
        worst: Label of the single noise with the largest.
        single: Its count or rate.
        singles: Single noises that were run.
        value: The ratio; `None` where it is undefined.
        interval: Clustered by question; the worst is chosen anew in every resample.
        undefined: Why there is no ratio.
    """

    level: int
    error_seed: int
    rate: str
    combined: float | None
    worst: str
    single: float | None
    singles: tuple[str, ...]
    value: float | None
    interval: Interval | None
    undefined: str = ""


def amplifications(
    judgements: Judgements, counted: Counted, confidence: float
) -> tuple[Amplification, ...]:
    """One for each level that has the combined noise and a single one, and each way to count."""
    groups: dict[tuple[int, int], dict[str, int]] = defaultdict(dict)
    for number, noisy in enumerate(judgements.noisy):
        groups[noisy.condition.level, noisy.error_seed][noisy.condition.transform] = number
    found = []
    for (level, seed), by_name in sorted(groups.items()):
        singles = [by_name[name] for name in SINGLE if name in by_name]
        if COMBINED in by_name and singles:
            found += [
                _amplification(
                    judgements, counted, (level, seed, rate), by_name[COMBINED], singles, confidence
                )
                for rate in ("fabrication", "fabrication_eligible")
            ]
    return tuple(found)


def _amplification(
    judgements: Judgements,
    counted: Counted,
    key: tuple[int, int, str],
    combined: int,
    singles: Sequence[int],
    confidence: float,
) -> Amplification:
    of_counts = key[2] == "fabrication"
    values = [_amount(counted, number, key[2]) for number in (combined, *singles)]
    labels = tuple(judgements.noisy[number].label for number in singles)
    top, rest = values[0], [-1.0 if value is None else value for value in values[1:]]
    worst = int(np.argmax(rest))
    single = values[1 + worst]
    if top is None or single is None:
        why = "undefined (no clean NONE verdict)"
    else:
        why = "" if single else f"undefined (no single noise fabricates; combined {top:g})"
    value = top / single if top is not None and single else None
    interval = None
    if value is not None:
        look = counted.sums if of_counts else counted.rate
        others = np.stack([look(number, key[2]) for number in singles])
        ratios = quotient(look(combined, key[2]), others.max(axis=0))
        (interval,) = percentile_intervals(ratios[:, None], confidence)
    return Amplification(*key, top, labels[worst], single, labels, value, interval, why)


def _amount(counted: Counted, number: int, rate: str) -> float | None:
    """What is compared: a count, or a conditional rate."""
    if rate == "fabrication":
        return float(counted.total(number, rate)[0])
    return counted.value(number, rate)
