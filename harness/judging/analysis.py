"""What noise does to the verdicts of one judge: every measure, computed from verdict arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from sociolect.harness.judging.amplification import amplifications
from sociolect.harness.judging.asymmetry import Rate, holm, parity_test, ratio, sign_test
from sociolect.harness.judging.clustered import Contrast, Estimate, contrast
from sociolect.harness.judging.counted import Counted, count
from sociolect.harness.judging.findings import (
    BY_CATEGORY,
    CategoryFlips,
    Change,
    ConditionFlips,
    FlipMethod,
    Flips,
)
from sociolect.harness.judging.matched import matched_pairs, matched_points, slopes
from sociolect.harness.judging.ranks import RankAgreement, agreement
from sociolect.harness.judging.resampling import Interval, draws, percentile_intervals, quotient
from sociolect.harness.judging.transitions import NAMES, POOLS, transitions
from sociolect.harness.judging.verdicts import Coded, Ints, Judgements, Noisy


def analyse(judgements: Judgements, method: FlipMethod | None = None) -> Flips:
    """Compute all measures.

    Args:
        judgements: Clean and noisy verdicts of one judge.
        method: Seed, level and number of resamples.

    Raises:
        InvalidInputError: A question under two categories.
    """
    method = method or FlipMethod()
    counted = count(judgements, method.resamples, method.seed)
    categories = _categories(judgements, counted, method)
    found = _adjusted(
        [
            _condition(judgements, counted, number, categories[number], method)
            for number in range(len(judgements.noisy))
        ]
    )
    return Flips(
        judgements,
        method,
        found,
        _ranks(found),
        amplifications(judgements, counted, method.confidence),
        matched_pairs(judgements, counted, method.confidence),
        matched_points(judgements, counted, method.confidence),
        slopes(judgements, method.confidence),
    )


def _condition(
    judgements: Judgements,
    counted: Counted,
    number: int,
    categories: Sequence[CategoryFlips],
    method: FlipMethod,
) -> ConditionFlips:
    noisy, clean, items = judgements.noisy[number], judgements.clean, judgements.items
    everything = Coded(("",), np.zeros_like(clean))
    matrix = transitions(clean, noisy.verdicts, everything)[0]
    part, by_name = counted.part[number], {name: i for i, name in enumerate(NAMES)}
    fabricated, erased = (part[:, by_name[name]] for name in ("fabrication", "erasure"))
    counts = int(fabricated.sum()), int(erased.sum())
    intervals = _relations(counted, number, method.confidence)
    rates = _rates(counted, number, method.confidence)
    return ConditionFlips(
        condition=noisy.condition,
        label=noisy.label,
        error_seed=noisy.error_seed,
        partial=noisy.partial,
        change=_change(noisy, clean),
        matrix=tuple(tuple(map(int, row)) for row in matrix),
        rates=rates,
        ratio=ratio(*counts, intervals[0], method.confidence),
        parity_p=parity_test(*counts),
        parity_p_holm=None,
        sign=sign_test(fabricated, erased),
        difference=intervals[1],
        quotient=_over(rates["fabrication_eligible"].value, rates["erasure_eligible"].value),
        quotient_interval=intervals[2] if counts[1] else None,
        contrast=contrast(clean, noisy.verdicts, items, method.confidence),
        categories=tuple(categories),
    )


def _rates(counted: Counted, number: int, confidence: float) -> dict[str, Rate]:
    part, whole = counted.part[number].sum(axis=0), counted.whole[number].sum(axis=0)
    intervals = percentile_intervals(counted.rates(number), confidence)
    return {
        name: Rate(int(part[i]), int(whole[i]), POOLS[name], intervals[i])
        for i, name in enumerate(NAMES)
    }


def _relations(counted: Counted, number: int, confidence: float) -> list[Interval | None]:
    """Intervals of the ratio of counts, the difference and the quotient of conditional rates."""
    fabrications, erasures = (counted.sums(number, name) for name in ("fabrication", "erasure"))
    fabrication, erasure = (
        counted.rate(number, name) for name in ("fabrication_eligible", "erasure_eligible")
    )
    columns = [
        quotient(fabrications, erasures),
        fabrication - erasure,
        quotient(fabrication, erasure),
    ]
    return percentile_intervals(np.stack(columns, axis=1), confidence)


def _over(first: float | None, second: float | None) -> float | None:
    return first / second if first is not None and second else None


def _change(noisy: Noisy, clean: Ints) -> Change | None:
    if noisy.changes is None:
        return None
    token, char, length = (float(mean) for mean in noisy.changes.mean(axis=0))
    pools = (clean == 2, (clean == 0) | (clean == 1))
    of_pools = [float(noisy.changes[pool, 0].mean()) if pool.any() else None for pool in pools]
    return Change(token, char, length, *of_pools)


def _adjusted(conditions: Sequence[ConditionFlips]) -> tuple[ConditionFlips, ...]:
    """With Holm-adjusted p-values; every kind of test is a family over the conditions."""
    parity = holm([one.parity_p for one in conditions])
    signs = holm([one.sign.p for one in conditions])
    questions = _adjusted_estimates([one.contrast.by_question for one in conditions])
    pairs = _adjusted_estimates([one.contrast.by_question_and_pair for one in conditions])
    return tuple(
        replace(
            one,
            parity_p_holm=parity[i],
            sign=replace(one.sign, p_holm=signs[i]),
            contrast=Contrast(questions[i], pairs[i]),
        )
        for i, one in enumerate(conditions)
    )


def _adjusted_estimates(estimates: Sequence[Estimate]) -> list[Estimate]:
    adjusted = holm([one.p for one in estimates])
    return [replace(one, p_holm=p) for one, p in zip(estimates, adjusted, strict=True)]


def _categories(
    judgements: Judgements, counted: Counted, method: FlipMethod
) -> list[list[CategoryFlips]]:
    """By condition: its categories, whose questions are drawn among themselves."""
    items = judgements.items
    of_question = items.category_of_question()
    columns = [NAMES.index(name) for name in BY_CATEGORY]
    found: list[list[CategoryFlips]] = [[] for _ in judgements.noisy]
    for code, name in enumerate(items.categories.names):
        mine = np.flatnonzero(of_question == code)
        part, whole = (a[:, mine][:, :, columns] for a in (counted.part, counted.whole))
        own = Counted(part, whole, draws(len(mine), method.resamples, method.seed))
        size = int((items.categories.codes == code).sum())
        for number, rows in enumerate(found):
            intervals = percentile_intervals(own.rates(number), method.confidence)
            sums = part[number].sum(axis=0), whole[number].sum(axis=0)
            rates = {
                rate: Rate(int(sums[0][i]), int(sums[1][i]), POOLS[rate], intervals[i])
                for i, rate in enumerate(BY_CATEGORY)
            }
            rows.append(CategoryFlips(name, len(mine), size, rates))
    return found


def _ranks(conditions: Sequence[ConditionFlips]) -> tuple[RankAgreement, ...]:
    """Every two transforms at one level, both with the raw and the conditional rate."""
    return tuple(
        _agreement(first, second, rate)
        for first, second in combinations(conditions, 2)
        if (first.condition.level, first.error_seed) == (second.condition.level, second.error_seed)
        and first.condition.transform != second.condition.transform
        for rate in ("fabrication", "fabrication_eligible")
    )


def _agreement(first: ConditionFlips, second: ConditionFlips, rate: str) -> RankAgreement:
    rates = [[one.rates[rate].value for one in side.categories] for side in (first, second)]
    names = [one.name for one in first.categories]
    labels = (first.label, second.label)
    return agreement(first.condition.level, labels, rate, names, (rates[0], rates[1]))


__all__ = ["FlipMethod", "Flips", "analyse"]
