"""Measures models of which no cell is finished yet, by a part of their first task."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sociolect.generators.locks import only_one
from sociolect.harness.sweeps.cells import Cell
from sociolect.harness.sweeps.child import Outcome, nothing, run_job
from sociolect.harness.sweeps.estimate import Estimate
from sociolect.harness.sweeps.sweeping import job_of

_FOLDER = ".measure"


def measure(
    out: Path, cells: Sequence[Cell], finished: Mapping[str, Any], count: int, estimate: Estimate
) -> list[str]:
    """Ask `count` documents of the first task of every model without a finished cell.

    What was asked is removed again; the estimate keeps what it took.

    Args:
        out: Folder of results; a folder in it is made and removed.
        cells: Of one sweep.
        finished: Those that are finished, by id.
        count: Documents.
        estimate: To learn from it.

    Returns:
        What could not be measured, and why.
    """
    measured = {cell.model.slug for cell in cells if cell.id in finished}
    first = {cell.model.slug: cell for cell in reversed(cells) if cell.model.slug not in measured}
    said = []
    for cell in reversed(first.values()):
        part = _part(cell, count)
        outcome = _asked(part, out)
        if outcome.state == "finished":
            estimate.learn(part.asked(), outcome.facts)
        else:
            said.append(f"{cell.model.name} was not measured: {outcome.reason}")
    return said


def _asked(part: Cell, out: Path) -> Outcome:
    folder = out / _FOLDER
    with only_one(folder.resolve()):
        try:
            return run_job(job_of(part, folder), nothing)
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _part(cell: Cell, count: int) -> Cell:
    arguments = {k: v for k, v in cell.model.arguments.items() if k != "samples"}
    model = replace(cell.model, arguments={**arguments, "limit": count})
    return replace(cell, model=model, tasks=cell.tasks[:1])
