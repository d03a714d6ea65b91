"""A report for machines: CSV and JSON with unrounded numbers."""

from __future__ import annotations

from typing import Any

from sociolect import __version__
from sociolect.harness.compare import Comparison
from sociolect.harness.exports import csv_text, flat, inputs, json_text, method_table
from sociolect.harness.finetune_report import Report
from sociolect.harness.finetune_report_models import Role
from sociolect.harness.finetune_report_rows import VALUES, SubjectReport
from sociolect.harness.finetune_report_sheets import TESTED
from sociolect.harness.finetune_report_text import report_remarks

SCHEMA_VERSION = 1
"""Of the JSON document; grows when a key changes its meaning or goes."""


def render_csv(report: Report) -> str:
    """One line a test, with the columns of `sociolect compare` after four of its own."""
    return csv_text(report_rows(report))


def report_rows(report: Report) -> list[dict[str, Any]]:
    """The tests, unrounded; what does not exist is `None`.

    `test` is `between` two models, or `within` one, errored against clean; `value` is what is
    compared; `role` and `baseline_role` say of which models.
    """
    return [row for subject in report.subjects for row in _subject_rows(subject)]


def _subject_rows(subject: SubjectReport) -> list[dict[str, Any]]:
    one = subject.comparison
    between = [
        {"test": "between", "value": value, "role": role, "baseline_role": other} | flat(row, one)
        for outcome in subject.outcomes
        for role in TESTED
        for (value, other), row in outcome.tests(role).items()
    ]
    within = [
        {"test": "within", "value": "increase", "role": role, "baseline_role": role}
        | flat(row, one)
        for outcome in subject.outcomes
        for role, row in outcome.within.items()
    ]
    return between + within


def table_rows(report: Report) -> list[dict[str, Any]]:
    """The numbers of Table C.3, one line a model, benchmark and metric."""
    return [
        {
            "benchmark": subject.benchmark,
            "axis": subject.comparison.clean.axis,
            "form": subject.form,
            "metric": outcome.metric,
            "role": role,
            **{value: outcome.number(role, value) for value in VALUES},
            "clean_unanswered": outcome.within[role].baseline.unanswered,
            "errored_unanswered": outcome.within[role].other.unanswered,
            "warning": outcome.within[role].warning,
        }
        for subject in report.subjects
        for outcome in subject.outcomes
        for role in subject.trio
    ]


def render_json(report: Report) -> str:
    """Everything: models, inputs with hashes and settings, method, numbers, tests, remarks."""
    return json_text(
        {
            "schema": "sociolect.finetune_report",
            "schema_version": SCHEMA_VERSION,
            "sociolect_version": __version__,
            "condition": report.condition.config_name,
            "models": dict(report.models),
            "training": report.training.as_dict(),
            "method": method_table([subject.comparison for subject in report.subjects]),
            "table": table_rows(report),
            "tests": report_rows(report),
            "missing": list(report.missing),
            "remarks": report_remarks(report),
            "inputs": [entry for subject in report.subjects for entry in _inputs(subject)],
        }
    )


def _inputs(subject: SubjectReport) -> list[dict[str, Any]]:
    """The runs of a subject by model."""
    return [
        {"model_role": role} | entry
        for role in subject.trio
        for entry in inputs(_alone(subject, role))
    ]


def _alone(subject: SubjectReport, role: Role) -> Comparison:
    """The runs of one model, as `exports.inputs` takes them."""
    runs = subject.trio[role]
    return Comparison(runs.clean, runs.errored, subject.comparison.method, (), ())
