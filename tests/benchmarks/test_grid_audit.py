"""An audit of the whole grid by code of its own: no fault in any row of any dataset.

MMLU is audited on a sample of its questions, the same in every config; its means are those of all.
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

MMLU_SAMPLE = 2000
LONGEST = 12 * 60


def test_no_fault_in_the_whole_grid(
    grid: Path,
    sources: Path,
    show: Callable[[Table | str], None],
) -> None:
    started, reports = time.process_time(), []
    for folder in grid_folders(grid):
        before = time.process_time()
        sample = MMLU_SAMPLE if folder.name.startswith("mmlu") else 0
        dataset = Dataset(folder, sample)
        report = audit(dataset, entities_of(dataset.name, sources))
        seconds = time.process_time() - before
        faults = ", ".join(f"{n} {k}" for k, n in report.faults.items()) or "0 faults"
        sampled = f" ({len(dataset.clean):,} a config)" if dataset.indices else ""
        show(
            f"{report.name}: {report.configs} configs, {report.rows:,} rows{sampled}, "
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
    assert not [(r.name, r.faults) for r in reports if r.faults]
    assert all(r.configs and r.edits for r in reports)
    # Without mentions that are found again, the check of protected words would be empty.
    assert all(r.found_spans for r in reports if not r.name.startswith("degen"))
    assert total < LONGEST


WRONG = ("a apple", "an hour and an Banana", "an unit", "a MRI", "an one")
RIGHT = ("an apple, a hat", "an hour", "a unit", "an MRI", "an unnamed", "a CEO")


@pytest.mark.parametrize(("text", "count"), [*((t, 1) for t in WRONG), *((t, 0) for t in RIGHT)])
def test_the_rule_for_articles(text: str, count: int) -> None:
    assert clashes(text) == count
