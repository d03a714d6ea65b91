"""Accuracy by condition and model, with significance marks (learner-error paper, Tables 2, C.2).

Where there are counterfactual pairs, the accuracies on pro- and on anti-stereotypical sentences are
rows of their own; elsewhere there is one accuracy.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sociolect import __version__
from sociolect.generators.conditions import CLEAN, NOISES, TRANSFORMS, Condition
from sociolect.generators.errors import ResultsError
from sociolect.harness.compare import Comparison, Method, compare
from sociolect.harness.comparison_rows import MAX_UNANSWERED, MAX_UNANSWERED_CHANGE, Row
from sociolect.harness.exports import flat, inputs, json_text, method_table
from sociolect.harness.labels import model_labels
from sociolect.harness.remarks import method_lines, remarks
from sociolect.harness.sections import Section
from sociolect.harness.sheets import NONE, Cell, Column, Sheet
from sociolect.harness.tables import marks, number
from sociolect.tasks.kinds import Kind, kind_of

ACCURACIES: Mapping[Kind, tuple[str, ...]] = {
    "coreference": ("acc_pro", "acc_anti"),
    "disambiguated": ("acc",),
    "accuracy": ("acc",),
    "judge": ("acc",),
}
"""The accuracies of the kinds that have any."""


def accuracy(
    sections: Sequence[Section], method: Method, conditions: Collection[str] = ()
) -> tuple[list[Comparison], list[str]]:
    """Compare the accuracies of every model on every benchmark that has right answers.

    Args:
        sections: Runs by model, benchmark and form.
        method: Levels and seeds; its metrics are not used.
        conditions: Names of dataset configs (`l2-30`); empty for all that were run.

    Returns:
        One comparison for each section, models named alike in all of them, and sentences on
        sections that are passed over.

    Raises:
        NotComparableError: Runs of one model that differ in more than the errors.
        ResultsError: Nothing that has an accuracy.
    """
    found, notes = [], []
    for section in sections:
        metrics = ACCURACIES.get(kind_of(section.clean.benchmark))
        others = [r for r in section.others if not conditions or _named(r.condition, conditions)]
        if metrics and others:
            found.append(compare(section.clean, others, replace(method, metrics=metrics)))
        else:
            reason = "none of the conditions was run" if metrics else "no answer of it is right"
            notes.append(f"{section.clean.task}: left out, {reason}")
    if not found:
        raise ResultsError("no accuracy to show: " + ("; ".join(notes) or "no runs"))
    return same_names(found), list(dict.fromkeys(notes))


def _named(condition: Condition, names: Collection[str]) -> bool:
    return condition.config_name in names


def same_names(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """The comparisons with models so named that they can be told apart across all of them."""
    labels = model_labels([one.clean for one in comparisons])
    return [
        replace(one, rows=tuple(_renamed(row, label) for row in one.rows))
        for one, label in zip(comparisons, labels, strict=True)
    ]


def _renamed(row: Row, model: str) -> Row:
    if row.baseline.model != row.other.model:  # allowed on purpose, and named already
        return row
    sides = [replace(side, model=model) for side in (row.baseline, row.other)]
    return replace(row, baseline=sides[0], other=sides[1])


def accuracy_sheets(comparisons: Sequence[Comparison]) -> list[Sheet]:
    """A table for each benchmark and form: rows are models, columns are conditions."""
    subjects = list(dict.fromkeys(one.subject for one in comparisons))
    return [_sheet([one for one in comparisons if one.subject == s], s) for s in subjects]


def _sheet(comparisons: Sequence[Comparison], subject: str) -> Sheet:
    rows = [row for one in comparisons for row in one.rows]
    labels = list(dict.fromkeys(row.other.label for row in sorted(rows, key=_place)))
    split = len({row.metric for row in rows}) > 1
    columns = [Column("model", left=True), *([Column("sentences", left=True)] if split else [])]
    lines = [
        (
            Cell(one.rows[0].other.model),
            *([Cell(metric.removeprefix("acc_"))] if split else []),
            *_values([row for row in one.rows if row.metric == metric], labels, one.method.alpha),
        )
        for one in comparisons
        for metric in dict.fromkeys(row.metric for row in one.rows)
    ]
    notes = [
        f"{one.rows[0].other.model}: {note}"
        for one in comparisons
        for note in remarks(one, pooled=False)  # the table shows the pooled values
    ]
    head = (*columns, Column("clean"), *(Column(label) for label in labels))
    return Sheet(f"{subject} · accuracy", head, tuple(lines), tuple(notes))


def _place(row: Row) -> tuple[int, str, int, str]:
    """Where the condition of a row stands among the columns."""
    condition = Condition.parse(row.other.condition)
    order = (CLEAN, *TRANSFORMS, *NOISES).index(condition.transform)
    return (order, condition.part, condition.level, row.other.label)


def _values(rows: Sequence[Row], labels: Sequence[str], alpha: float) -> list[Cell]:
    by_label = {row.other.label: row for row in rows}
    cells = [Cell(number(rows[0].baseline.pooled))]
    for label in labels:
        row = by_label.get(label)
        if row is None or row.test is None:
            cells.append(Cell(NONE))
        else:
            signs = marks(row.test, alpha) + "!" * row.warning
            cells.append(Cell(number(row.other.pooled), signs, row.test.p < alpha))
    return cells


def accuracy_notes(comparisons: Sequence[Comparison]) -> list[str]:
    """What the numbers and marks mean, and how they were computed."""
    alpha = comparisons[0].method.alpha
    return [
        "Per cent of the answered generations that are right, over all items, option orders and "
        "samples, as lm-eval prints it.",
        f"* p < {alpha:g} against clean, by a paired randomisation test over pairs or items. "
        f"† Holm-adjusted p < {alpha:g}. ! more than {MAX_UNANSWERED:g} % unanswered, or the "
        f"rates more than {MAX_UNANSWERED_CHANGE:g} points apart. {NONE} not run, or nothing to "
        "test.",
        *method_lines(comparisons),
    ]


def accuracy_remarks(comparisons: Sequence[Comparison]) -> list[str]:
    """Everything unusual, with the model and benchmark that it is about."""
    return [
        f"{one.rows[0].other.model}, {one.subject}: {remark}"
        for one in comparisons
        for remark in remarks(one, pooled=False)
    ]


def accuracy_rows(comparisons: Sequence[Comparison]) -> list[dict[str, Any]]:
    """The rows of all comparisons, unrounded, with the keys of `sociolect compare`."""
    return [flat(row, one) for one in comparisons for row in one.rows]


def accuracy_json(comparisons: Sequence[Comparison]) -> str:
    """Everything: inputs with hashes and settings, method, rows, remarks."""
    return json_text(
        {
            "schema": "sociolect.accuracy",
            "schema_version": 1,
            "sociolect_version": __version__,
            "method": method_table(comparisons),
            "inputs": [entry for one in comparisons for entry in inputs(one)],
            "rows": accuracy_rows(comparisons),
            "remarks": accuracy_remarks(comparisons),
        }
    )
