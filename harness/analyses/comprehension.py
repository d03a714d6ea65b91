"""Loss of comprehension against increase of bias, by error type (learner-error paper, App. C.1).

The accuracy on pro-stereotypical sentences is the measure of comprehension: where the stereotype
agrees with the sentence, a wrong answer is not the stereotype's. All values are of the pooled
metrics that lm-eval prints, so that the bias increase is exactly the loss on anti-stereotypical
sentences minus that on pro-stereotypical ones.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from sociolect import __version__
from sociolect.generators.conditions import TRANSFORMS
from sociolect.generators.errors import ResultsError
from sociolect.harness.comparability import require_comparable, shared
from sociolect.harness.exports import json_text
from sociolect.harness.labels import model_labels
from sociolect.harness.paired import Method, pooled
from sociolect.harness.results import Run
from sociolect.harness.sections import Section
from sociolect.harness.sheets import Cell, Column, Sheet
from sociolect.harness.tables import number
from sociolect.tasks.kinds import kind_of

MIN_POINTS = 3
"""Points below which there is no correlation: through two there is always a line."""

_SINGLE = tuple(name for name, types in TRANSFORMS.items() if len(types) == 1)
_CONSTANT = 1e-9


@dataclass(frozen=True, slots=True)
class Point:
    """One model under one condition, in points; the mean over the error seeds that were run."""

    benchmark: str
    axis: str
    form: str
    model: str
    transform: str
    level: int
    error_seeds: tuple[int, ...]
    loss_pro: float
    loss_anti: float
    bias_increase: float


@dataclass(frozen=True, slots=True)
class TypeMean:
    """One transform at the level of the table, averaged over the models that were run on it."""

    transform: str
    models: int
    loss_pro: float
    loss_anti: float
    bias_increase: float


@dataclass(frozen=True, slots=True)
class Correlation:
    """Pearson's r between loss on pro-stereotypical sentences and bias increase.

    Attributes:
        r: `None` where it does not exist, for the `reason` given.
        p: Two-sided, of r = 0.
        n: Points: models × single error types × levels.
    """

    r: float | None
    p: float | None
    n: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Comprehension:
    """The analysis of one benchmark and form."""

    subject: str
    level: int
    points: tuple[Point, ...]
    means: tuple[TypeMean, ...]
    correlation: Correlation
    notes: tuple[str, ...]


def comprehension(
    sections: Sequence[Section], level: int, method: Method
) -> tuple[list[Comprehension], list[str]]:
    """Analyse every benchmark with pairs, over all models.

    Args:
        sections: Runs by model, benchmark and form.
        level: Of the table, in per cent; the correlation is over all levels.
        method: Of it, the differences that are allowed.

    Returns:
        One analysis a benchmark and form, and sentences on sections that are passed over.

    Raises:
        NotComparableError: Runs of one model that differ in more than the errors.
        ResultsError: No benchmark with pairs.
    """
    labels = model_labels([section.clean for section in sections])
    groups: dict[tuple[str, ...], list[tuple[str, Section]]] = defaultdict(list)
    notes = []
    for label, section in zip(labels, sections, strict=True):
        if kind_of(section.clean.benchmark) == "coreference":
            groups[section.subject].append((label, section))
        else:
            notes.append(f"{section.clean.task}: left out, it has no pro and anti sentences")
    if not groups:
        raise ResultsError("; ".join(notes) or "no runs")
    return [_analysed(group, level, method) for group in groups.values()], list(
        dict.fromkeys(notes)
    )


def _analysed(group: Sequence[tuple[str, Section]], level: int, method: Method) -> Comprehension:
    points: list[Point] = []
    notes: list[str] = []
    for label, section in group:
        allowed = require_comparable(section.clean, section.others, method.allow)
        notes += [f"{label}: {note}" for note in allowed]
        found, missing = _points(label, section)
        points += found
        notes += missing
    means = tuple(_means(points, level))
    if len({mean.models for mean in means}) > 1:
        notes.append("The means of the table are over different models; compare with care.")
    if not means:
        notes.append(f"No run with errors in the input at {level} %.")
    subject = group[0][1].name
    single = [point for point in points if point.transform in _SINGLE]
    return Comprehension(subject, level, tuple(points), means, correlate(single), tuple(notes))


def _points(label: str, section: Section) -> tuple[list[Point], list[str]]:
    """A point for every condition with errors in the input, and what has none."""
    groups: dict[tuple[str, int, str], list[Run]] = defaultdict(list)
    for run in section.others:
        if run.condition.part == "input" and run.condition.types:
            groups[run.condition.transform, run.condition.level, run.rules].append(run)
    points, notes = [], []
    if any(run.condition.is_noise for run in section.others):
        notes.append(f"{label}: runs with surface noise are left out, they have no error type.")
    for (transform, level, _), runs in groups.items():
        changes = [_changes(section.clean, run) for run in runs]
        known = [change for change in changes if change is not None]
        if len(known) < len(changes):
            notes.append(f"{label}, {transform} {level} %: left out, no answer to compare.")
            continue
        pro, anti = (float(value) for value in np.mean(known, axis=0))
        seeds = tuple(sorted(run.error_seed for run in runs))
        where = (*section.subject, label, transform, level, seeds)
        points.append(Point(*where, loss_pro=-pro, loss_anti=-anti, bias_increase=pro - anti))
    return points, notes


def _changes(clean: Run, run: Run) -> tuple[float, float] | None:
    """By how much the two accuracies change; `None` where one of them does not exist."""
    runs = shared(clean, run)
    changes = []
    for metric in ("acc_pro", "acc_anti"):
        before, after = (pooled(one, metric) for one in runs)
        if before is None or after is None:
            return None
        changes.append(after - before)
    return changes[0], changes[1]


def _means(points: Sequence[Point], level: int) -> list[TypeMean]:
    found = []
    for transform in TRANSFORMS:
        own = [p for p in points if (p.transform, p.level) == (transform, level)]
        if own:
            values = [(p.loss_pro, p.loss_anti, p.bias_increase) for p in own]
            pro, anti, bias = (float(value) for value in np.mean(values, axis=0))
            found.append(TypeMean(transform, len({p.model for p in own}), pro, anti, bias))
    return found


def correlate(points: Sequence[Point]) -> Correlation:
    """Pearson's r of `loss_pro` and `bias_increase`, with its two-sided p-value."""
    n = len(points)
    if n < MIN_POINTS:
        return Correlation(None, None, n, f"at least {MIN_POINTS} points are needed")
    for name in ("loss_pro", "bias_increase"):
        if np.ptp([getattr(point, name) for point in points]) < _CONSTANT:
            return Correlation(None, None, n, f"{name} is the same in all points")
    from scipy.stats import pearsonr

    found = pearsonr([p.loss_pro for p in points], [p.bias_increase for p in points])
    return Correlation(float(found.statistic), float(found.pvalue), n)


def comprehension_sheets(analyses: Sequence[Comprehension]) -> list[Sheet]:
    """A table for each benchmark and form; the correlation is a note below it."""
    names = ("loss of acc_pro", "loss of acc_anti", "increase of bias")
    head = (Column("errors", left=True), Column("models"), *(Column(name) for name in names))
    return [
        Sheet(
            f"{one.subject} · {one.level} % · change from clean",
            head,
            tuple(_line(mean) for mean in one.means),
            (correlation_line(one.correlation), *one.notes),
        )
        for one in analyses
    ]


def _line(mean: TypeMean) -> tuple[Cell, ...]:
    values = (mean.loss_pro, mean.loss_anti, mean.bias_increase)
    numbers = (Cell(number(value, "+.2f")) for value in values)
    return (Cell(mean.transform), Cell(str(mean.models)), *numbers)


def correlation_line(found: Correlation) -> str:
    """The correlation, or why there is none, in one sentence."""
    what = (
        "Pearson correlation of loss of acc_pro and increase of bias over models, single error "
        f"types and levels (n = {found.n})"
    )
    if found.r is None or found.p is None:
        return f"{what}: none, as {found.reason}."
    p = f"p = {found.p:.4f}" if found.p >= 0.0001 else "p < 0.0001"
    return f"{what}: r = {found.r:.2f}, {p}."


COMPREHENSION_NOTES = (
    "Points, averaged over the models; metrics over all answers of all pairs, as lm-eval prints "
    "them. Increase of bias = loss of acc_anti - loss of acc_pro.",
    "The two quantities share acc_pro: noise in it alone correlates them negatively. Points of "
    "one model are not independent, so p is a description rather than a test.",
)
"""What the numbers mean."""


POINT_COLUMNS = tuple(field.name for field in fields(Point))
"""The columns of `comprehension_rows`."""


def comprehension_rows(analyses: Sequence[Comprehension]) -> list[dict[str, Any]]:
    """Every point, unrounded."""
    return [
        {**asdict(point), "error_seeds": " ".join(map(str, point.error_seeds))}
        for one in analyses
        for point in one.points
    ]


def comprehension_json(analyses: Sequence[Comprehension]) -> str:
    """Everything: points, means, correlation, notes."""
    return json_text(
        {
            "schema": "sociolect.comprehension",
            "schema_version": 1,
            "sociolect_version": __version__,
            "analyses": [asdict(one) for one in analyses],
        }
    )
