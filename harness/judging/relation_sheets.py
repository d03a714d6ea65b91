"""Tables that hold conditions against each other, and all tables of a judge in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sociolect.harness.judging.cells import (
    ends,
    estimate_ends,
    estimate_p,
    make_sheet,
    per_cent,
)
from sociolect.harness.judging.condition_sheets import (
    alignment_sheet,
    category_sheet,
    conditional_sheet,
    direction_sheet,
    flip_sheet,
    transition_sheet,
)
from sociolect.harness.judging.findings import Flips
from sociolect.harness.judging.resampling import FEW_CLUSTERS, MIN_CLUSTERS
from sociolect.harness.judging.transitions import NONE as NEUTRAL
from sociolect.harness.judging.verdicts import OUTCOMES
from sociolect.harness.sheets import NONE, Sheet

RATE_NAMES = {
    "fabrication": "fabricated",
    "fabrication_eligible": "fabricated, of clean NONE",
    "erasure_eligible": "erased, of clean A/B",
}


def flips_sheets(flips: Flips) -> list[Sheet]:
    """The tables of one judge; those without a row are left out."""
    first = flip_sheet(flips)
    shown = [
        replace(first, notes=(*_clean_line(flips), *flips.judgements.notes)),
        conditional_sheet(flips),
        direction_sheet(flips),
        transition_sheet(flips),
        _alignment(flips),
        replace(category_sheet(flips), notes=tuple(_few(flips))),
        rank_sheet(flips),
        amplification_sheet(flips),
        pair_sheet(flips),
        point_sheet(flips),
        slope_sheet(flips),
    ]
    return [sheet for sheet in shown if sheet.rows]


def _clean_line(flips: Flips) -> list[str]:
    matrix = flips.conditions[0].matrix
    counts = [f"{sum(row)} {name}" for name, row in zip(OUTCOMES, matrix, strict=True)]
    lines = [
        f"Clean verdicts: {', '.join(counts)}; {len(flips.judgements.items.ids)} items of "
        f"{flips.questions} questions."
    ]
    if flips.questions < FEW_CLUSTERS:
        lines.append(_few_text("All intervals and tests by question", flips.questions))
    if not sum(matrix[NEUTRAL]):
        lines.append("Fabrication is undefined: the judge gave no clean NONE verdict.")
    return [*lines, *_unlike_noise(flips)]


def _unlike_noise(flips: Flips) -> Iterator[str]:
    """Where neutral responses carry other noise than biased ones, rates are not comparable."""
    pairs = [
        (one.change.neutral, one.change.named)
        for one in flips.conditions
        if one.change and one.change.neutral is not None and one.change.named is not None
    ]
    if pairs:
        neutral, named = (sum(pair[i] for pair in pairs) / len(pairs) for i in (0, 1))
        yield (
            "Tokens changed, mean over the conditions: "
            f"{per_cent(neutral)} % in responses with a clean NONE verdict, "
            f"{per_cent(named)} % in those with a clean A or B verdict."
        )


def _few(flips: Flips) -> Iterator[str]:
    few = [c.questions for c in flips.conditions[0].categories if c.questions < FEW_CLUSTERS]
    if few:
        yield _few_text("Intervals of categories", min(few))


def _few_text(what: str, clusters: int) -> str:
    return (
        f"{what} rest on as few as {clusters} question{'s' * (clusters > 1)}: below {FEW_CLUSTERS} "
        f"they are too sure of themselves, and below {MIN_CLUSTERS} there are none."
    )


def _alignment(flips: Flips) -> Sheet:
    defined = int((flips.judgements.items.target >= 0).sum())
    note = (
        f"{defined} of {len(flips.judgements.items.ids)} items say which option is the stereotyped "
        "one; fabrications and reversals on others are counted under `without`."
    )
    return replace(alignment_sheet(flips), notes=(note,))


def rank_sheet(flips: Flips) -> Sheet:
    """Do two kinds of noise rank the categories alike?"""
    columns = ["first", "second", "rate", "categories", "tau-b", "rho", "ranks first | second"]
    rows = [
        [
            one.first,
            one.second,
            RATE_NAMES[one.rate],
            str(len(one.categories)),
            one.undefined or f"{one.tau:+.2f}",
            one.undefined or f"{one.rho:+.2f}",
            ", ".join(
                f"{name} {a:g} | {b:g}"
                for name, (a, b) in zip(one.categories, one.ranks, strict=True)
            ),
        ]
        for one in flips.ranks
    ]
    return make_sheet(f"{flips.judgements.name} · ranks of the categories", columns, rows)


def amplification_sheet(flips: Flips) -> Sheet:
    """Combined noise over the worst single noise."""
    columns = ["p", "rate", "combined", "worst single", "single", "ratio", _level(flips), "of"]
    rows = []
    for one in flips.amplifications:
        counts = one.rate == "fabrication"
        amounts = [
            NONE if v is None else f"{v:g}" if counts else f"{per_cent(v)} %"
            for v in (one.combined, one.single)
        ]
        ratio = one.undefined or f"{one.value:.2f}"
        rows.append(
            [
                f"{one.level / 100:g}",
                RATE_NAMES[one.rate],
                amounts[0],
                one.worst,
                amounts[1],
                ratio,
                ends(one.interval, 1, 2),
                f"{len(one.singles)} single",
            ]
        )
    return make_sheet(f"{flips.judgements.name} · combined over single noise", columns, rows)


def pair_sheet(flips: Flips) -> Sheet:
    """The paper's two conditions of one count of fabrications."""
    columns = ["first", "second", "tokens %", "fabricated", "of clean NONE %", "difference"]
    rows = [
        [
            *one.labels,
            _two(*map(per_cent, one.token_changes)),
            _two(*map(str, one.fabrications)),
            _two(*map(per_cent, one.rates)),
            per_cent(one.difference),
            ends(one.interval),
        ]
        for one in flips.pairs
    ]
    columns.append(_level(flips))
    return make_sheet(f"{flips.judgements.name} · unlike change, noise paper App. C", columns, rows)


def _two(first: str, second: str) -> str:
    return f"{first} | {second}"


def point_sheet(flips: Flips) -> Sheet:
    """Conditional rates at one realised change."""
    columns = ["rate", "tokens %", "transform", "%", _level(flips), "between"]
    rows = [
        [
            RATE_NAMES[one.rate],
            f"{100 * one.token_change:.0f}",
            one.transform,
            per_cent(one.value),
            ends(one.interval),
            " and ".join(one.between),
        ]
        for one in flips.points
    ]
    return make_sheet(f"{flips.judgements.name} · at one realised change", columns, rows)


def slope_sheet(flips: Flips) -> Sheet:
    """Growth of the conditional rates with the change of the single response."""
    columns = ["transform", "rate", "n", "points per 10 % of tokens", _level(flips), "p"]
    rows = [
        [
            one.transform,
            RATE_NAMES[one.rate],
            str(one.n),
            one.estimate.undefined or per_cent(one.estimate.value),
            estimate_ends(one.estimate),
            estimate_p(one.estimate),
        ]
        for one in flips.slopes
    ]
    return make_sheet(f"{flips.judgements.name} · growth with realised change", columns, rows)


def _level(flips: Flips) -> str:
    return f"{100 * flips.method.confidence:g} % CI"


def legend(found: Sequence[Flips]) -> list[str]:
    """What holds for all tables."""
    method = found[0].method
    return [
        "flips, fabricated, erased, reversed: among items with a verdict in both conditions; "
        "fabricated NONE → A or B, erased A or B → NONE, reversed A ↔ B. paper's flips: an answer "
        "that cannot be read counts as a verdict of its own (noise paper, §3.4).",
        "ratio: fabricated over erased counts; ≥ is the exact one-sided bound where nothing was "
        "erased. p of parity: exact binomial test of the two counts. questions + − =: with "
        "more fabrications, with more erasures, with as many; p of signs is their test.",
        "difference: fabricated minus erased, each over its own clean verdicts, in points; its p "
        "by a linear model with errors clustered by question, and by question and pair of names. "
        "A judge that answers at random has one above 0 and a ratio near 1: two verdicts lead away "
        "from NONE, one leads to it.",
        f"* p < {method.alpha:g}; † the same after Holm's correction over the conditions of the "
        "judge; – no number exists.",
        f"Intervals: percentile bootstrap over whole questions, {method.resamples:,} resamples, "
        f"seed {method.seed}; – where the resamples do not vary, ∞ where they are unbounded.",
        "p of a condition is the probability of an edit attempt; tokens %, characters % and length "
        "are what it changed.",
    ]
