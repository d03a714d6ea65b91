"""A report as tables: Table C.3 of the learner-error paper, and the tests behind its marks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sociolect import __version__
from sociolect.harness import sheets
from sociolect.harness.comparison_rows import MAX_UNANSWERED, MAX_UNANSWERED_CHANGE
from sociolect.harness.finetune_report import Report
from sociolect.harness.finetune_report_models import ROLE_NAMES, Role
from sociolect.harness.finetune_report_rows import VALUES, Outcome, Value
from sociolect.harness.finetune_report_sheets import (
    TESTED,
    Entry,
    blocks,
    detail_sheets,
    significant,
)
from sociolect.harness.remarks import method_lines, remarks
from sociolect.harness.sheets import NONE, Cell, Column, Sheet
from sociolect.harness.tables import number

GROUPS = 4
"""Benchmarks side by side in one table; with more, another table follows."""
_MARKS: Mapping[Role, str] = {"ft_clean": "*", "control": "*", "base": "†", "ft_errors": "‡"}
"""Of values that differ from those of another model; `*` is bold in Markdown and LaTeX."""
_TOPRULE = "\\toprule\n"


def render_text(report: Report, *, width: int | None = None, colour: bool = False) -> str:
    """For a terminal, or as plain text: `*` stands for the bold of the paper.

    Args:
        report: What to show.
        width: Columns of the terminal; notes are wrapped to it.
        colour: Whether to write escape sequences.
    """
    held = [*_main(report, plain=True, named=True), *detail_sheets(report)]
    return sheets.as_text(held, notes(report, plain=True), width=width, colour=colour)


def render_markdown(report: Report) -> str:
    """Pipe tables, their notes as lists."""
    held = [*_main(report, plain=False, named=True), *detail_sheets(report)]
    return sheets.as_markdown(held, notes(report, plain=False))


def render_tex(report: Report) -> str:
    """LaTeX tables for `booktabs`, the benchmarks above their columns."""
    tables = [
        sheets.as_tex([sheet]).replace(_TOPRULE, _TOPRULE + _spanning(names), 1)
        for sheet, names in zip(
            _main(report, plain=False, named=False), _group_names(report), strict=True
        )
    ]
    return "\n".join([*tables, sheets.as_tex(detail_sheets(report), notes(report, plain=False))])


def _batches(held: Sequence[Entry]) -> list[Sequence[Entry]]:
    return [held[start : start + GROUPS] for start in range(0, len(held), GROUPS)]


def _group_names(report: Report) -> list[list[str]]:
    return [[e.name for e in batch] for _, held in blocks(report) for batch in _batches(held)]


def _spanning(names: Sequence[str]) -> str:
    """The line above the column heads, with a rule under each name."""
    width = len(VALUES)
    heads = "".join(f" & \\multicolumn{{{width}}}{{c}}{{{sheets.escape_tex(n)}}}" for n in names)
    starts = [2 + width * index for index in range(len(names))]
    rules = " ".join(f"\\cmidrule(lr){{{start}-{start + width - 1}}}" for start in starts)
    return f"{heads.strip()} \\\\\n{rules}\n"


def _main(report: Report, *, plain: bool, named: bool) -> list[Sheet]:
    """Table C.3: a row for each model, three columns for each benchmark.

    Args:
        report: What to show.
        plain: Mark by signs what is else bold.
        named: Put the name of the benchmark into the head of its first column.
    """
    return [
        _main_sheet(report, title, batch, plain=plain, named=named)
        for title, held in blocks(report)
        for batch in _batches(held)
    ]


def _main_sheet(
    report: Report, title: str, held: Sequence[Entry], *, plain: bool, named: bool
) -> Sheet:
    heads = ("clean", f"{report.condition.level} %", "Δ")
    columns = [Column("model", left=True)]
    for entry in held:
        first = f"{entry.name}: {heads[0]}" if named else heads[0]
        columns += [Column(first), Column(heads[1]), Column(heads[2])]
    rows = tuple(
        (
            Cell(ROLE_NAMES[role]),
            *(
                _cell(entry.outcome, role, value, report.method.alpha, plain=plain)
                for entry in held
                for value in VALUES
            ),
        )
        for role in report.models
    )
    return Sheet(title, tuple(columns), rows)


def _cell(outcome: Outcome, role: Role, value: Value, alpha: float, *, plain: bool) -> Cell:
    found = outcome.number(role, value)
    if found is None:
        return Cell(NONE)
    doubtful = "!" if value == "increase" and outcome.within[role].warning else ""
    tests = outcome.tests(role)
    differs = {other for (v, other), row in tests.items() if v == value and significant(row, alpha)}
    marks = "".join(dict.fromkeys(mark for other, mark in _MARKS.items() if other in differs))
    bold = "*" in marks
    signs = (marks if plain else marks.replace("*", "")) + doubtful
    return Cell(number(found, "+.2f" if value == "increase" else ".2f"), signs, bold)


def notes(report: Report, *, plain: bool) -> list[str]:
    """What was compared, what is missing or unusual, and what the numbers mean."""
    return [
        *(f"{ROLE_NAMES[role]}: {name}" for role, name in report.models.items()),
        *report_remarks(report),
        *_legend(report, plain=plain),
        *_method(report),
    ]


def report_remarks(report: Report) -> list[str]:
    """Everything unusual, and what is not in the tables."""
    return [
        *report.training.remarks,
        *(f"Missing, so not in the tables: {text}." for text in report.missing),
        *report.notes,
        *(
            f"{subject.comparison.subject}: {remark}"
            for subject in report.subjects
            for remark in dict.fromkeys(remarks(subject.comparison, pooled=False))
        ),
    ]


def _legend(report: Report, *, plain: bool) -> Iterable[str]:
    alpha = report.method.alpha
    bold = "*" if plain else "bold"
    marks = [
        f"Of {ROLE_NAMES[role]}, "
        + "; ".join(
            f"{bold if mark == '*' else mark}: p < {alpha:g} against {ROLE_NAMES[other]}"
            for other, mark in _MARKS.items()
            if any(o == other for _, o in report.subjects[0].outcomes[0].tests(role))
        )
        + "."
        for role in TESTED
        if role in report.models
    ]
    yield (
        "Bias in points, accuracy in per cent, over all answers as lm-eval prints them; Δ: "
        f"{report.condition.level} % − clean. {' '.join(marks)} {NONE}: nothing was answered."
    )
    yield (
        "In the tables of tests: means over the units (counterfactual pairs of sentences, else "
        "items) that all compared runs answered, n of them; difference: the model − other, of Δ a "
        "difference of differences. left: units without an answer in one of the compared runs. "
        "detectable: smallest true difference that is found with 80 % power."
    )
    yield (
        f"!: more than {MAX_UNANSWERED:g} % unanswered, or rates of the compared runs more than "
        f"{MAX_UNANSWERED_CHANGE:g} points apart: read with care."
    )


def _method(report: Report) -> list[str]:
    method = report.method
    comparisons = [subject.comparison for subject in report.subjects]
    modes = dict.fromkeys(str(r.settings["answer_mode"]) for one in comparisons for r in one.runs)
    _, *data = method_lines(comparisons)
    return [
        f"Paired randomisation test, {method.permutations:,} permutations; percentile bootstrap "
        f"over units, {method.resamples:,} resamples; Holm over the {_tests(report)} "
        f"tests of {_tested(report)} in one metric on one benchmark; α = {method.alpha:g}; seed "
        f"{method.seed}; {' and '.join(modes)} reading of answers; sociolect {__version__}.",
        *data,
    ]


def _tests(report: Report) -> int:
    """How many tests between models there are of one metric on one benchmark."""
    outcome = report.subjects[0].outcomes[0]
    return len(outcome.against) + len(outcome.steered)


def _tested(report: Report) -> str:
    return " and ".join(ROLE_NAMES[role] for role in TESTED if role in report.models)
