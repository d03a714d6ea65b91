"""An audit of the whole grid by code of its own: no fault in any row of any dataset.

The one exception is *a* or *an* before a letter that is a variable (*let a R be*), or written
together with a mark (`provides that:"An`), in a few rows of MMLU in ten thousand.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from grid_audit import Dataset, audit, grid_folders
from grid_entities import entities_of
from grid_texts import clashes
from rich.table import Table

pytestmark = pytest.mark.benchmark

MOST_CLASHES = {"mmlu": 5e-5}
"""Share of the rows that may have a new wrong article; none elsewhere."""
LONGEST = 12 * 60


def test_no_fault_in_the_whole_grid(
    grid: Path,
    sources: Path,
    show: Callable[[Table | str], None],
) -> None:
    started, reports = time.process_time(), []
    for folder in grid_folders(grid):
        before = time.process_time()
        dataset = Dataset(folder)
        report = audit(dataset, entities_of(dataset.name, sources))
        seconds = time.process_time() - before
        faults = ", ".join(f"{n} {k}" for k, n in report.faults.items()) or "0 faults"
        show(
            f"{report.name}: {report.configs} configs, {report.rows:,} rows, "
            f"{report.edits:,} errors; protected in the clean inputs: {report.stored_spans:,} "
            f"stored, {report.found_spans:,} found again; {report.pairs:,} pairs, {report.steps} "
            f"nested steps, {report.unions} unions, means within {report.worst_mean:.3f} points: "
            f"{faults} ({seconds:.0f} CPU s)"
        )
        for kind, example in report.examples.items():
            show(f"  {kind}: {example[:600]}")
        reports.append(report)
    total = time.process_time() - started
    rows, edits = sum(r.rows for r in reports), sum(r.edits for r in reports)
    show(f"{len(reports)} datasets: {rows:,} rows, {edits:,} errors in {total:.0f} CPU s")
    assert reports
    for report in reports:
        clashes = report.faults.pop("clash", 0)
        assert clashes <= report.rows * MOST_CLASHES.get(report.name, 0), report.name
        assert not report.faults, report.name
    assert all(r.configs and r.edits for r in reports)
    # Without mentions that are found again, the check of protected words would be empty.
    assert all(r.found_spans for r in reports if not r.name.startswith("degen"))
    assert total < LONGEST


WRONG = ("a apple", "an hour and an Banana", "an unit", "a MRI", "an one", "a uninterested")
RIGHT = ("an apple, a hat", "an hour", "a unit", "an MRI", "an unnamed", "a CEO", "a uqestion")


@pytest.mark.parametrize(("text", "count"), [*((t, 1) for t in WRONG), *((t, 0) for t in RIGHT)])
def test_the_rule_for_articles(text: str, count: int) -> None:
    assert clashes(text) == count
