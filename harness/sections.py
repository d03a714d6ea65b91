"""Comparisons of everything that some paths hold: one for each model, benchmark and form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from sociolect.generators.errors import ResultsError, UnknownNameError
from sociolect.harness.compare import (
    Comparison,
    Method,
    compare,
    compare_changes,
    subject_name,
)
from sociolect.harness.results import Run, read_run
from sociolect.harness.selection import Selection, select_sections
from sociolect.tasks.kinds import METRICS_OF, kind_of


class Section(NamedTuple):
    """The runs of one comparison."""

    clean: Run
    others: list[Run]

    @property
    def subject(self) -> tuple[str, str, str]:
        """Benchmark, axis and form."""
        return (self.clean.benchmark, self.clean.axis, self.clean.form)

    @property
    def name(self) -> str:
        """The subject as text."""
        return subject_name(self.clean)


def read_section(selection: Selection, *, strict: bool = False) -> Section:
    """Read the runs of a selection.

    Raises:
        ResultsError: A damaged file.
    """
    others = [read_run(files, strict=strict) for files in selection.others]
    return Section(read_run(selection.clean, strict=strict), others)


def compare_sections(sections: Sequence[Section], method: Method) -> list[Comparison]:
    """A comparison for every section that has one of the metrics asked for.

    Raises:
        NotComparableError: Runs that differ in more than the errors.
        UnknownNameError: No section has any of the metrics.
    """
    asked = _with_metrics(sections, method)
    found = [
        _noted(compare(section.clean, section.others, own), skipped)
        for section, own, skipped in asked
    ]
    return _left_out(found, sections, asked)


_Asked = tuple[Section, Method, tuple[str, ...]]


def _with_metrics(sections: Sequence[Section], method: Method) -> list[_Asked]:
    """The sections with those of the metrics that each has, and with those that it has not."""
    found = []
    for section in sections:
        known = METRICS_OF[kind_of(section.clean.benchmark)]
        have = tuple(metric for metric in method.metrics if metric in known)
        lack = tuple(metric for metric in method.metrics if metric not in known)
        if have or not method.metrics:
            found.append((section, replace(method, metrics=have), lack))
    for metric in method.metrics:
        if all(metric in lack for _, _, lack in found):
            kinds = {kind_of(section.clean.benchmark) for section in sections}
            names = dict.fromkeys(name for kind in sorted(kinds) for name in METRICS_OF[kind])
            where = ", ".join(dict.fromkeys(section.clean.benchmark for section in sections))
            raise UnknownNameError(f"metric of {where}", metric, names)
    return found


def _noted(comparison: Comparison, lacking: Sequence[str]) -> Comparison:
    note = f"It has no metric {', '.join(lacking)}."
    return replace(comparison, notes=(*comparison.notes, note)) if lacking else comparison


def _left_out(
    found: Sequence[Comparison], sections: Sequence[Section], asked: Sequence[_Asked]
) -> list[Comparison]:
    """The comparisons; the first names the sections that have none of the metrics."""
    kept = {section.subject for section, _, _ in asked}
    metrics = dict.fromkeys(metric for _, own, lack in asked for metric in (*own.metrics, *lack))
    notes = [
        f"{section.name}: left out, it has no metric {', '.join(metrics)}."
        for section in sections
        if section.subject not in kept
    ]
    first, *rest = found
    return [replace(first, notes=(*first.notes, *notes)), *rest]


def compare_with_model(
    first: Sequence[Section], second: Sequence[Path], method: Method, *, strict: bool = False
) -> tuple[list[Comparison], list[str]]:
    """Compare the changes of a second model with those of the first, section by section.

    Args:
        first: Of the first model.
        second: Paths of the runs of the second model.
        method: Metrics, levels and seeds.
        strict: Read the answers of the second model in strict mode.

    Returns:
        One comparison for each benchmark and form that both have, and notes.

    Raises:
        NotComparableError: Runs that differ in more than errors and model.
        ResultsError: The two models share no benchmark and form.
    """
    chosen = select_sections(second)
    notes = [note for selection in chosen for note in selection.notes]
    theirs = {s.subject: s for s in (read_section(one, strict=strict) for one in chosen)}
    mine = [section for section in first if section.subject in theirs]
    unmatched = {s.subject for s in first} ^ theirs.keys()
    if not mine:
        raise ResultsError(
            f"{', '.join(map(str, second))}: no clean and errored runs of "
            f"{' or '.join(section.clean.task for section in first)} to compare changes with"
        )
    notes += [
        f"only one of the two models was run on {section.name}"
        for section in (*first, *theirs.values())
        if section.subject in unmatched
    ]
    asked = _with_metrics(mine, method)
    found = [
        _noted(compare_changes(section, theirs[section.subject], own), skipped)
        for section, own, skipped in asked
    ]
    return _left_out(found, mine, asked), notes
