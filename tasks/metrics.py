"""Bias and accuracy of a coreference benchmark, with standard errors; pure functions.

All values are per cent. Learner-error paper, §3.1: B = Acc_pro − Acc_anti. An accuracy is over
answered generations, pooled over items, option orders and samples; the `_asked` metrics count
an unanswered generation as wrong. Nothing answered (or nothing asked) is NaN, never 0.

The pooled metrics count every row, also those of pairs that are not valid counterfactuals:
they are the published definition, and dropping rows would change the benchmark. Only
`unit_values`, which the paired test uses, leaves such pairs out.

Standard errors are bootstrapped over counterfactual pairs, because the members of a pair share
their sentence, their edits and their options: a resample draws pairs with replacement and
recomputes the pooled metric.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sociolect.generators.errors import UnknownNameError

METRICS: tuple[str, ...] = (
    "bias",
    "acc_pro",
    "acc_anti",
    "acc_pro_asked",
    "acc_anti_asked",
    "unanswered",
)
MEMBERS: tuple[str, ...] = ("pro", "anti")
RESAMPLES = 1_000

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class AnswerRecord:
    """The answers to one prompt.

    Attributes:
        choices: Per generation the index of the chosen option in row order, -1 unanswered.
    """

    id: str
    pair_id: str
    member: str
    order: int
    pair_valid: bool
    gold: int
    target_option: int
    choices: tuple[int, ...]


class Tally(NamedTuple):
    """Counts of one prompt: all that the pooled metrics need."""

    pair_id: str
    member: str
    correct: int
    answered: int
    asked: int


def tally(record: AnswerRecord) -> Tally:
    """Count right, answered and all generations of a record."""
    answered = [choice for choice in record.choices if choice >= 0]
    right = sum(choice == record.gold for choice in answered)
    return Tally(record.pair_id, record.member, right, len(answered), len(record.choices))


def point(metric: str, tallies: Iterable[Tally]) -> float:
    """The pooled value of one of `METRICS`, per cent (`bias`: points).

    Raises:
        UnknownNameError: No such metric.
    """
    return float(_statistic(metric, _pair_sums(tallies).sum(axis=0)))


def standard_error(
    metric: str, tallies: Iterable[Tally], *, resamples: int = RESAMPLES, seed: int = 0
) -> float:
    """Standard deviation of a pooled metric over bootstrap resamples of the pairs.

    Args:
        metric: One of `METRICS`.
        tallies: Counts in any order; a pair may lack a member.
        resamples: How many, at least 2.
        seed: Of the local random generator.

    Returns:
        Per cent; NaN from fewer than two pairs. Resamples in which the metric is undefined
        are left out.

    Raises:
        UnknownNameError: No such metric.
    """
    sums = _pair_sums(tallies)
    pairs = len(sums)
    if pairs < 2:
        _known(metric)
        return float("nan")
    generator = np.random.default_rng(seed)
    drawn = generator.multinomial(pairs, np.full(pairs, 1 / pairs), size=resamples)
    values = _statistic(metric, drawn @ sums)
    defined = values[~np.isnan(values)]
    return float(defined.std(ddof=1)) if len(defined) > 1 else float("nan")


def _pair_sums(tallies: Iterable[Tally]) -> Floats:
    """Per pair: correct, answered, asked of pro, then of anti, then of both and the rest.

    Returns:
        Shape (pairs, 9), pairs in order of appearance.
    """
    rows: dict[str, Floats] = {}
    for pair_id, member, *counts in tallies:
        row = rows.setdefault(pair_id, np.zeros(9))
        if member in MEMBERS:
            at = 3 * MEMBERS.index(member)
            row[at : at + 3] += counts
        row[6:] += counts
    return np.array(list(rows.values())).reshape(-1, 9)


def _statistic(metric: str, sums: Floats) -> Floats:
    """A metric of count vectors, shape (…, 9) to (…)."""
    _known(metric)
    if metric == "bias":
        return _statistic("acc_pro", sums) - _statistic("acc_anti", sums)
    if metric == "unanswered":
        return 100 - _per_cent(sums[..., 7], sums[..., 8])
    _, member, *asked = metric.split("_")
    at = 3 * MEMBERS.index(member)
    return _per_cent(sums[..., at], sums[..., at + (2 if asked else 1)])


def _per_cent(part: Floats, whole: Floats) -> Floats:
    shares: Floats = np.full(np.shape(whole), np.nan)
    np.divide(100 * part, whole, out=shares, where=np.asarray(whole) > 0)
    return shares


def _known(metric: str) -> None:
    if metric not in METRICS:
        raise UnknownNameError("metric", metric, METRICS)


def summary(records: Iterable[AnswerRecord]) -> dict[str, float]:
    """All metrics of a run, in the order of `METRICS`."""
    tallies = [tally(record) for record in records]
    return {metric: point(metric, tallies) for metric in METRICS}


def unit_values(
    records: Iterable[AnswerRecord], *, include_invalid: bool = False
) -> dict[str, float | None]:
    """Per pair acc_pro − acc_anti over its answered generations, the unit of the paired test.

    Learner-error paper, App. D.2: the value of an item is taken over both option orders (and
    all samples) before anything is compared.

    Args:
        records: One condition of one model.
        include_invalid: Keep the pairs that are not valid counterfactuals.

    Returns:
        Pair id to points in [-100, 100], in order of appearance; None where a member has no
        answered generation.
    """
    by_pair: dict[str, list[Tally]] = {}
    for record in records:
        if record.pair_valid or include_invalid:
            by_pair.setdefault(record.pair_id, []).append(tally(record))
    return {pair_id: _unit(tallies) for pair_id, tallies in by_pair.items()}


def _unit(tallies: Sequence[Tally]) -> float | None:
    shares = _shares(tallies)
    if any(member not in shares for member in MEMBERS):
        return None
    return 100 * (shares["pro"] - shares["anti"])


def _shares(tallies: Sequence[Tally]) -> Mapping[str, float]:
    """Share of right answers among those given, for the members that gave any."""
    counts: dict[str, tuple[int, int]] = {}
    for one in tallies:
        correct, answered = counts.get(one.member, (0, 0))
        counts[one.member] = (correct + one.correct, answered + one.answered)
    return {member: correct / given for member, (correct, given) in counts.items() if given}
