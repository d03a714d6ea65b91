"""The tests of a report: FT errors against FT clean and Base, on one benchmark in one metric.

A steered model is tested against Base, FT errors and its control in the same way.

Learner-error paper, App. C.3 (Significance) with the paired test of App. D.2: the value on clean
prompts, the value on errored prompts, and the increase from one to the other, a difference of
differences. Everything statistical is that of `compare`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from sociolect.harness import statistics
from sociolect.harness.compare import POOLED_GAP, Comparison
from sociolect.harness.comparison_rows import Row
from sociolect.harness.finetune_report_models import ROLE_NAMES, Role
from sociolect.harness.finetune_report_subjects import ModelRuns, Trio, on_shared_prompts
from sociolect.harness.paired import Arm, Method, make_row
from sociolect.tasks.kinds import Kind, kind_of

Value = Literal["clean", "errored", "increase"]
VALUES: tuple[Value, ...] = get_args(Value)
OTHERS: tuple[Role, ...] = ("ft_clean", "base")
"""What FT errors is compared with, the relevant comparison first (App. C.3)."""
STEERED_OTHERS: tuple[Role, ...] = ("control", "base", "ft_errors")
"""What a steered model is compared with, as far as there is one."""

METRICS: Mapping[Kind, tuple[str, ...]] = {
    "coreference": ("bias", "acc_pro", "acc_anti"),
    "stereotype": ("bias",),
    "preference": ("bias",),
    "disambiguated": ("acc",),
    "accuracy": ("acc",),
}
"""The metrics of a report by kind: Table C.3, then the accuracies of Figure 4."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One benchmark in one metric.

    Attributes:
        within: For each model its errored prompts against its clean ones.
        against: By value and other model, FT errors (`Row.other`) against that model
            (`Row.baseline`). The delta is FT errors − other.
        steered: The same of the steered model. All are Holm-adjusted together.
    """

    metric: str
    within: Mapping[Role, Row]
    against: Mapping[tuple[Value, Role], Row]
    steered: Mapping[tuple[Value, Role], Row] = field(default_factory=dict)

    @property
    def rows(self) -> tuple[Row, ...]:
        """All rows, the tests between models first."""
        return (*self.against.values(), *self.steered.values(), *self.within.values())

    def tests(self, role: Role) -> Mapping[tuple[Value, Role], Row]:
        """A model against the others; empty for one that is not tested against any."""
        return {"ft_errors": self.against, "steered": self.steered}.get(role, {})

    @property
    def is_bias(self) -> bool:
        """Whether the metric is a bias, else an accuracy."""
        return self.metric == "bias"

    def number(self, role: Role, value: Value) -> float | None:
        """What Table C.3 shows: the metric over all answers; `None` if nothing was answered."""
        row = self.within[role]
        before, after = row.baseline.pooled, row.other.pooled
        if value == "increase":
            return None if before is None or after is None else after - before
        return before if value == "clean" else after

    @property
    def gap(self) -> float:
        """Largest difference between a number of the table and the mean of the tested units."""
        pairs = [
            (side.pooled, mean)
            for row in self.rows
            if row.test is not None
            for side, mean in ((row.baseline, row.test.clean), (row.other, row.test.errored))
        ]
        return max((abs(p - mean) for p, mean in pairs if p is not None), default=0.0)


@dataclass(frozen=True, slots=True)
class SubjectReport:
    """Everything on one benchmark and form.

    Attributes:
        trio: The runs as they are.
        comparison: The runs and all rows in the form of `compare`, with the notes.
        outcomes: One a metric.
    """

    trio: Trio
    comparison: Comparison
    outcomes: tuple[Outcome, ...]

    @property
    def benchmark(self) -> str:
        """Name of the benchmark."""
        return self.comparison.clean.benchmark

    @property
    def form(self) -> str:
        """Form of the prompts."""
        return self.comparison.clean.form


def report_subject(trio: Trio, method: Method, notes: Sequence[str]) -> SubjectReport:
    """Compute the tests on one benchmark.

    Args:
        trio: Comparable runs (`check_trio`).
        method: Levels and seeds; its metrics are not used.
        notes: Sentences on these runs.
    """
    same, lost = on_shared_prompts(trio)
    base = trio["base"]
    outcomes = tuple(_outcome(same, m, method) for m in METRICS[kind_of(base.clean.benchmark)])
    more = [*notes, *_lost(lost), *_gaps(outcomes)]
    comparison = Comparison(
        clean=base.clean,
        others=base.errored,
        method=method,
        rows=tuple(row for outcome in outcomes for row in outcome.rows),
        notes=tuple(more),
        against=tuple(run for role in trio if role != "base" for run in trio[role].all),
    )
    return SubjectReport(trio, comparison, outcomes)


def _lost(count: int) -> Iterable[str]:
    if count:
        yield f"Left out: {count} prompts that not all of the runs asked."


def _gaps(outcomes: Iterable[Outcome]) -> Iterable[str]:
    for outcome in outcomes:
        if outcome.gap > POOLED_GAP:
            yield (
                f"{outcome.metric}: the tests are on means over units, which are up to "
                f"{outcome.gap:.2f} points from the numbers over all answers in the table."
            )


def _outcome(trio: Trio, metric: str, method: Method) -> Outcome:
    within = {role: _within(trio[role], role, metric, method) for role in trio}
    against = _between(trio, "ft_errors", OTHERS, metric, method)
    steered = _between(trio, "steered", STEERED_OTHERS, metric, method)
    adjusted = iter(_adjusted([*against.values(), *steered.values()]))
    return Outcome(
        metric,
        within,
        {key: next(adjusted) for key in against},
        {key: next(adjusted) for key in steered},
    )


def _between(
    trio: Trio, role: Role, others: Sequence[Role], metric: str, method: Method
) -> dict[tuple[Value, Role], Row]:
    """A model against others, as far as they are there."""
    if role not in trio:
        return {}
    return {
        (value, other): make_row(
            _arm(trio[other], other, value, f"{ROLE_NAMES[other]}, {_phrase(value, trio)}"),
            _arm(
                trio[role],
                role,
                value,
                f"{_phrase(value, trio)}, {ROLE_NAMES[role]} against {ROLE_NAMES[other]}",
            ),
            metric,
            method,
        )
        for value in VALUES
        for other in others
        if other in trio
    }


def _within(runs: ModelRuns, role: Role, metric: str, method: Method) -> Row:
    name = ROLE_NAMES[role]
    condition = runs.errored[0].condition.config_name
    before = Arm((runs.clean,), name, f"{name}, clean")
    after = Arm(runs.errored, name, f"{name}, {condition} against clean")
    return make_row(before, after, metric, method)


def _arm(runs: ModelRuns, role: Role, value: Value, label: str) -> Arm:
    held = (runs.clean,) if value == "clean" else runs.errored
    return Arm(held, ROLE_NAMES[role], label, runs.clean if value == "increase" else None)


def _phrase(value: Value, trio: Trio) -> str:
    condition = trio["base"].errored[0].condition.config_name
    return {"clean": "clean", "errored": condition, "increase": f"increase to {condition}"}[value]


def _adjusted(rows: Iterable[Row]) -> list[Row]:
    """Holm over the tests between models in one metric on one benchmark."""
    held = list(rows)
    tested = [row.test.p for row in held if row.test is not None]
    p_values = iter(statistics.holm(tested))
    return [
        row if row.test is None else replace(row, test=replace(row.test, p_holm=next(p_values)))
        for row in held
    ]
