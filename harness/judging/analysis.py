"""What noise does to the verdicts of one judge: every measure, computed from verdict arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from sociolect.generators.conditions import Condition
from sociolect.generators.errors import InvalidInputError
from sociolect.harness.judging.amplification import Amplification, amplifications
from sociolect.harness.judging.asymmetry import (
    Rate,
    Ratio,
    SignTest,
    holm,
    parity_test,
    ratio,
    sign_test,
)
from sociolect.harness.judging.clustered import Contrast, contrast
from sociolect.harness.judging.counted import Counted, count
from sociolect.harness.judging.matched import (
    ChangeSlope,
    MatchedPair,
    MatchedPoint,
    matched_pairs,
    matched_points,
    slopes,
)
from sociolect.harness.judging.ranks import RankAgreement, agreement
from sociolect.harness.judging.resampling import (
    RESAMPLES,
    Interval,
    draws,
    percentile_intervals,
    quotient,
)
from sociolect.harness.judging.transitions import ALIGNED, NAMES, POOLS, transitions
from sociolect.harness.judging.verdicts import Coded, Ints, Judgements, Noisy

MAX_RESAMPLES = 1_000_000
BY_CATEGORY: tuple[str, ...] = tuple(
    name for name in NAMES if name not in ALIGNED and not name.endswith("_to_none")
)


@dataclass(frozen=True, slots=True)
class FlipMethod:
    """How flips are computed.

    Attributes:
        seed: Of the bootstrap over questions.
        alpha: Intervals cover 1 − alpha; level of the marks.
        resamples: Of the bootstrap.

    Raises:
        InvalidInputError: A number out of range.
    """

    seed: int = 0
    alpha: float = 0.05
    resamples: int = RESAMPLES

    def __post_init__(self) -> None:
        if self.seed < 0 or not 1e-6 <= self.alpha < 1 or not 1 <= self.resamples <= MAX_RESAMPLES:
            raise InvalidInputError(
                f"seed {self.seed}, alpha {self.alpha}, {self.resamples} resamples: give a seed of "
                f"0 or more, an alpha from 1e-6 to below 1, and 1 to {MAX_RESAMPLES:,} resamples"
            )

    @property
    def confidence(self) -> float:
        """Of the intervals."""
        return 1 - self.alpha


@dataclass(frozen=True, slots=True)
class Change:
    """Realised change of the responses, means (noise paper, App. C).

    Attributes:
        token_change: Changed over clean tokens.
        char_distance: Changed over clean characters.
        length_ratio: Noisy over clean length.
        neutral: Token change of the responses with a clean NONE verdict, `None` without any.
        named: Of those with a clean A or B verdict.
    """

    token_change: float
    char_distance: float
    length_ratio: float
    neutral: float | None
    named: float | None


@dataclass(frozen=True, slots=True)
class CategoryFlips:
    """One category under one condition: rates by name (`BY_CATEGORY`)."""

    name: str
    questions: int
    items: int
    rates: Mapping[str, Rate]


@dataclass(frozen=True, slots=True)
class ConditionFlips:
    """One noise condition against the clean verdicts.

    Attributes:
        matrix: Counts by clean outcome (rows) and noisy outcome, 4 × 4.
        rates: By name (`transitions.NAMES`).
        ratio: Fabrications over erasures.
        parity_p: Fabrications against erasures, exact binomial test; `None` without any.
        parity_p_holm: Adjusted over the conditions of the judge.
        sign: The same, a vote a question.
        difference: Interval of conditional fabrication minus conditional erasure (bootstrap over
            questions), on the scale of the rates.
        quotient: Conditional fabrication over conditional erasure; `None` where that is 0.
        quotient_interval: Its interval.
        contrast: The difference with cluster-robust errors.
    """

    condition: Condition
    label: str
    error_seed: int
    partial: str
    change: Change | None
    matrix: tuple[tuple[int, ...], ...]
    rates: Mapping[str, Rate]
    ratio: Ratio
    parity_p: float | None
    parity_p_holm: float | None
    sign: SignTest
    difference: Interval | None
    quotient: float | None
    quotient_interval: Interval | None
    contrast: Contrast
    categories: tuple[CategoryFlips, ...]


@dataclass(frozen=True, slots=True)
class Flips:
    """Everything about one judge."""

    judgements: Judgements
    method: FlipMethod
    conditions: tuple[ConditionFlips, ...]
    ranks: tuple[RankAgreement, ...]
    amplifications: tuple[Amplification, ...]
    pairs: tuple[MatchedPair, ...]
    points: tuple[MatchedPoint, ...]
    slopes: tuple[ChangeSlope, ...]

    @property
    def questions(self) -> int:
        """Clusters of the bootstrap."""
        return len(self.judgements.items.questions.names)


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
    parity = holm([one.parity_p for one in conditions])
    signs = holm([one.sign.p for one in conditions])
    return tuple(
        replace(one, parity_p_holm=p, sign=replace(one.sign, p_holm=q))
        for one, p, q in zip(conditions, parity, signs, strict=True)
    )


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
