"""Measures models of which no cell is finished yet, by a part of their first task."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sociolect.harness.sweeps.cells import Cell
from sociolect.harness.sweeps.child import nothing, run_job
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
    said = []
    for cell in cells:
        if cell.model.slug in measured:
            continue
        measured.add(cell.model.slug)
        part = _part(cell, count)
        try:
            outcome = run_job(job_of(part, out / _FOLDER), nothing)
        finally:
            shutil.rmtree(out / _FOLDER, ignore_errors=True)
        if outcome.state == "finished":
            estimate.learn(part.asked(), outcome.facts)
        else:
            said.append(f"{cell.model.name} was not measured: {outcome.reason}")
    return said


def _part(cell: Cell, count: int) -> Cell:
    arguments = {k: v for k, v in cell.model.arguments.items() if k != "samples"}
    model = replace(cell.model, arguments={**arguments, "limit": count})
    return replace(cell, model=model, tasks=cell.tasks[:1])
