"""Tables of the tests in a report: a model against the others, and each model by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from sociolect.harness.comparison_rows import PairedTest, Row
from sociolect.harness.finetune_report import Report
from sociolect.harness.finetune_report_models import ROLE_NAMES, Role
from sociolect.harness.finetune_report_rows import Outcome, SubjectReport
from sociolect.harness.sheets import NONE, Cell, Column, Sheet
from sociolect.harness.tables import number

TESTED: tuple[Role, ...] = ("ft_errors", "steered")
"""Models that are tested against others."""


class Entry(NamedTuple):
    """One outcome with its place in the tables."""

    subject: SubjectReport
    outcome: Outcome

    @property
    def name(self) -> str:
        """Name above its columns: the benchmark, and the sentences if only some count."""
        metric = self.outcome.metric
        sentences = metric.removeprefix("acc_") if metric.startswith("acc_") else ""
        return f"{self.subject.benchmark} {sentences}".strip()


def entries(report: Report, form: str, *, bias: bool) -> list[Entry]:
    """The outcomes in one form, biases or accuracies."""
    return [
        Entry(subject, outcome)
        for subject in report.subjects
        if subject.form == form
        for outcome in subject.outcomes
        if outcome.is_bias == bias
    ]


def blocks(report: Report) -> Iterator[tuple[str, list[Entry]]]:
    """What one table each is about: a title, and its outcomes."""
    for form in report.forms:
        for bias, word in ((True, "bias"), (False, "accuracy")):
            if held := entries(report, form, bias=bias):
                yield f"{word} · clean and {report.condition.config_name} · {form}", held


def significant(row: Row, alpha: float) -> bool:
    """Whether there is a test, and its p is below alpha."""
    return row.test is not None and row.test.p < alpha


def detail_sheets(report: Report) -> list[Sheet]:
    """The tests between the models, then each model by itself."""
    held = list(blocks(report))
    return [
        *(
            _tests(report, role, title, found)
            for role in TESTED
            for title, found in held
            if any(entry.outcome.tests(role) for entry in found)
        ),
        *(_changes(report, title, found) for title, found in held),
    ]


def _p(value: float) -> str:
    return f"{value:.4f}" if value >= 0.00005 else "<0.0001"


def _interval(low: float | None, high: float | None) -> str:
    return NONE if low is None or high is None else f"[{low:+.2f}, {high:+.2f}]"


def _tests(report: Report, role: Role, title: str, held: Sequence[Entry]) -> Sheet:
    """One model against the others."""
    rows = [
        (entry, value, other, row)
        for entry in held
        for (value, other), row in entry.outcome.tests(role).items()
    ]
    name = ROLE_NAMES[role]
    clustered = any(row.test and row.test.clusters for *_, row in rows)
    names = {"clean": "clean", "errored": f"{report.condition.level} %", "increase": "Δ"}
    head = [Column(text, left=True) for text in ("benchmark", "value", "against")]
    lines = [
        (
            Cell(entry.name),
            Cell(names[value]),
            Cell(ROLE_NAMES[other]),
            *_numbers(row, report.method.alpha, signed=value == "increase", clustered=clustered),
        )
        for entry, value, other, row in rows
    ]
    columns = [*head, *_columns(report, ("other", name, "difference"), clustered=clustered)]
    return Sheet(f"{name} against the others · {title}", tuple(columns), tuple(lines))


def _changes(report: Report, title: str, held: Sequence[Entry]) -> Sheet:
    """Each model on errored prompts against itself on clean ones."""
    rows = [(entry, role, entry.outcome.within[role]) for entry in held for role in report.models]
    clustered = any(row.test and row.test.clusters for *_, row in rows)
    lines = [
        (
            Cell(entry.name),
            Cell(ROLE_NAMES[role]),
            *_numbers(row, report.method.alpha, signed=False, clustered=clustered, holm=False),
        )
        for entry, role, row in rows
    ]
    head = [Column("benchmark", left=True), Column("model", left=True)]
    names = ("clean", f"{report.condition.level} %", "Δ")
    columns = [*head, *_columns(report, names, clustered=clustered, holm=False)]
    return Sheet(f"each model, errored against clean · {title}", tuple(columns), tuple(lines))


def _columns(
    report: Report, names: Sequence[str], *, clustered: bool, holm: bool = True
) -> list[Column]:
    level = f"{100 * (1 - report.method.alpha):g} % CI"
    texts = [
        *names,
        level,
        *([f"{level} (templates)", "templates"] if clustered else []),
        "p",
        *(["p (Holm)"] if holm else []),
        "detectable",
        "unanswered %",
        "n",
        "left",
    ]
    return [Column(text) for text in texts]


def _numbers(
    row: Row, alpha: float, *, signed: bool, clustered: bool, holm: bool = True
) -> list[Cell]:
    pattern = "+.2f" if signed else ".2f"

    def tested(show: Callable[[PairedTest], str]) -> Cell:
        return Cell(NONE if row.test is None else show(row.test))

    rates = [number(side.unanswered, ".1f") for side in (row.baseline, row.other)]
    templates = [
        tested(lambda t: _interval(t.cluster_low, t.cluster_high)),
        tested(lambda t: str(t.clusters or NONE)),
    ]
    return [
        tested(lambda t: number(t.clean, pattern)),
        tested(lambda t: number(t.errored, pattern)),
        Cell(tested(lambda t: f"{t.delta:+.2f}").text, "", significant(row, alpha)),
        tested(lambda t: _interval(t.low, t.high)),
        *(templates if clustered else ()),
        tested(lambda t: _p(t.p)),
        *([tested(lambda t: _p(t.p_holm))] if holm else []),
        tested(lambda t: number(t.detectable)),
        Cell(f"{rates[0]} → {rates[1]}{' !' if row.warning else '  '}"),
        Cell(str(row.test.n if row.test else 0)),
        Cell(str(row.left.unanswered)),
    ]
