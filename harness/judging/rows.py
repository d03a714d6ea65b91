"""The findings as flat rows with unrounded numbers, for CSV and JSON.

What does not exist is `None`; the column beside it says why.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sociolect.harness.judging.asymmetry import Rate
from sociolect.harness.judging.clustered import Estimate
from sociolect.harness.judging.findings import ConditionFlips, Flips
from sociolect.harness.judging.resampling import Interval
from sociolect.harness.judging.transitions import NAMES
from sociolect.harness.judging.verdicts import OUTCOMES

Row = dict[str, Any]


def subject(flips: Flips) -> Row:
    """Judge, benchmark and form."""
    judged = flips.judgements
    return {"judge": judged.judge, "benchmark": judged.benchmark, "form": judged.form}


def _which(one: ConditionFlips) -> Row:
    return {
        "condition": one.condition.config_name,
        "label": one.label,
        "transform": one.condition.transform,
        "p": one.condition.level / 100,
        "error_seed": one.error_seed,
    }


def _ends(name: str, interval: Interval | None) -> Row:
    low, high = interval or (None, None)
    return {f"{name}_low": low, f"{name}_high": high}


def _rate(name: str, rate: Rate) -> Row:
    return {
        name: rate.value,
        f"{name}_n": rate.count,
        f"{name}_pool": rate.pool,
        **_ends(name, rate.interval),
    }


def _rates(rates: Mapping[str, Rate]) -> Row:
    return {key: value for name in rates for key, value in _rate(name, rates[name]).items()}


def _estimate(name: str, found: Estimate) -> Row:
    return {
        name: found.value,
        f"{name}_low": found.low,
        f"{name}_high": found.high,
        f"{name}_p": found.p,
        f"{name}_p_holm": found.p_holm,
        f"{name}_clusters": " ".join(map(str, found.clusters)),
        f"{name}_undefined": found.undefined,
    }


def condition_rows(flips: Flips) -> list[Row]:
    """One row a condition."""
    return [_condition(flips, one) for one in flips.conditions]


def _condition(flips: Flips, one: ConditionFlips) -> Row:
    change = one.change
    ratio, sign = one.ratio, one.sign
    return {
        **subject(flips),
        **_which(one),
        "partial": one.partial,
        "items": len(flips.judgements.items.ids),
        "questions": flips.questions,
        "token_change": change.token_change if change else None,
        "char_distance": change.char_distance if change else None,
        "length_ratio": change.length_ratio if change else None,
        "token_change_clean_none": change.neutral if change else None,
        "token_change_clean_named": change.named if change else None,
        **_rates({name: one.rates[name] for name in NAMES}),
        "ratio": ratio.value,
        **_ends("ratio", ratio.interval),
        "ratio_bound": ratio.bound,
        "ratio_undefined": ratio.undefined,
        "parity_p": one.parity_p,
        "parity_p_holm": one.parity_p_holm,
        "questions_more": sign.more,
        "questions_fewer": sign.fewer,
        "questions_tied": sign.ties,
        "sign_p": sign.p,
        "sign_p_holm": sign.p_holm,
        "difference": one.difference_value,
        **_ends("difference", one.difference),
        "quotient": one.quotient,
        **_ends("quotient", one.quotient_interval),
        **_estimate("difference_by_question", one.contrast.by_question),
        **_estimate("difference_by_question_and_pair", one.contrast.by_question_and_pair),
    }


def transition_rows(flips: Flips) -> list[Row]:
    """One row a cell of the 4 × 4 matrices."""
    return [
        {**subject(flips), **_which(one), "clean": clean, "noisy": noisy, "n": one.matrix[i][j]}
        for one in flips.conditions
        for i, clean in enumerate(OUTCOMES)
        for j, noisy in enumerate(OUTCOMES)
    ]


def category_rows(flips: Flips) -> list[Row]:
    """One row a condition and category."""
    return [
        {
            **subject(flips),
            **_which(one),
            "category": category.name,
            "questions": category.questions,
            "items": category.items,
            **_rates(category.rates),
        }
        for one in flips.conditions
        for category in one.categories
    ]


def rank_rows(flips: Flips) -> list[Row]:
    """One row a pair of transforms at one level, and rate; ranks as `category:first:second`."""
    return [
        {
            **subject(flips),
            "p": one.level / 100,
            "first": one.first,
            "second": one.second,
            "rate": one.rate,
            "categories": len(one.categories),
            "tau": one.tau,
            "rho": one.rho,
            "undefined": one.undefined,
            "ranks": " ".join(
                f"{name}:{first:g}:{second:g}"
                for name, (first, second) in zip(one.categories, one.ranks, strict=True)
            ),
        }
        for one in flips.ranks
    ]


def amplification_rows(flips: Flips) -> list[Row]:
    """One row a level and rate."""
    return [
        {
            **subject(flips),
            "p": one.level / 100,
            "error_seed": one.error_seed,
            "rate": one.rate,
            "combined": one.combined,
            "worst": one.worst,
            "single": one.single,
            "singles": " ".join(one.singles),
            "amplification": one.value,
            **_ends("amplification", one.interval),
            "undefined": one.undefined,
        }
        for one in flips.amplifications
    ]


def pair_rows(flips: Flips) -> list[Row]:
    """One row for each of the pairs of App. C."""
    return [
        {
            **subject(flips),
            "first": one.labels[0],
            "second": one.labels[1],
            "token_change_first": one.token_changes[0],
            "token_change_second": one.token_changes[1],
            "fabrications_first": one.fabrications[0],
            "fabrications_second": one.fabrications[1],
            "rate_first": one.rates[0],
            "rate_second": one.rates[1],
            "difference": one.difference,
            **_ends("difference", one.interval),
        }
        for one in flips.pairs
    ]


def point_rows(flips: Flips) -> list[Row]:
    """One row a rate, token change and transform."""
    return [
        {
            **subject(flips),
            "rate": one.rate,
            "token_change": one.token_change,
            "transform": one.transform,
            "value": one.value,
            **_ends("value", one.interval),
            "between": " ".join(one.between),
        }
        for one in flips.points
    ]


def slope_rows(flips: Flips) -> list[Row]:
    """One row a transform and rate."""
    return [
        {
            **subject(flips),
            "transform": one.transform,
            "rate": one.rate,
            "n": one.n,
            **_estimate("slope", one.estimate),
        }
        for one in flips.slopes
    ]


TABLES: Mapping[str, Callable[[Flips], list[Row]]] = {
    "conditions": condition_rows,
    "transitions": transition_rows,
    "categories": category_rows,
    "ranks": rank_rows,
    "amplification": amplification_rows,
    "pairs": pair_rows,
    "matched": point_rows,
    "slopes": slope_rows,
}
"""All tables by name."""


def table_rows(name: str, found: Sequence[Flips]) -> list[Row]:
    """The rows of one of `TABLES`, over all judges."""
    return [row for flips in found for row in TABLES[name](flips)]
