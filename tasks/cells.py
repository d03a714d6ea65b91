"""Which tasks exist: benchmark × condition × form, less what cannot be reached.

`cells.json` names the benchmarks, the version of their data that the tasks ask for, and under
`ceilings` the conditions above what the error rules can reach, with the highest token error
rate in per cent that they do reach, e.g. `"l2det-30-instruction": 24.3`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from sociolect.generators.conditions import PARTS, TRANSFORMS, Condition, all_conditions
from sociolect.generators.errors import LevelUnreachableError, UnknownNameError
from sociolect.tasks.prompts import FORMS, Form

NAMES_HINT = "Their files are in the folder that `sociolect tasks-path` prints."


@dataclass(frozen=True, slots=True)
class Cell:
    """One task."""

    benchmark: str
    condition: Condition
    form: Form = "reason"

    @property
    def task(self) -> str:
        """Task name, e.g. `winobias_l2_30_direct`; the reasoning form stays unnamed."""
        suffix = "" if self.form == "reason" else f"_{self.form}"
        return f"{self.benchmark}_{self.condition.task_suffix}{suffix}"

    @property
    def tags(self) -> tuple[str, ...]:
        """Tags: a transform in one part and form, all its levels and the clean task beside them.

        Named like a task without its level: `winobias_l2`, `winobias_l2_both`, `winobias_l2_ll`.
        """
        clean = self.condition.is_clean
        transforms = tuple(TRANSFORMS) if clean else (self.condition.transform,)
        if self.form != "reason":
            kinds: tuple[str, ...] = (self.form,)
        else:
            kinds = PARTS if clean else (self.condition.part,)
        ends = ["" if kind == "input" else f"_{kind}" for kind in kinds]
        return tuple(f"{self.benchmark}_{t}{end}" for t in transforms for end in ends)


@lru_cache(maxsize=1)
def _table() -> dict[str, dict[str, Any]]:
    text = (Path(__file__).parent / "cells.json").read_text("utf-8")
    table: dict[str, dict[str, Any]] = json.loads(text)
    return table


def benchmarks() -> tuple[str, ...]:
    """The benchmarks that have tasks."""
    return tuple(_table())


def data_version(benchmark: str) -> str:
    """Version of the data that the tasks of a benchmark ask for.

    Raises:
        UnknownNameError: The benchmark has no tasks.
    """
    return str(_entry(benchmark)["data_version"])


def ceilings(benchmark: str) -> dict[str, float]:
    """Config names above reach, with the token error rate (per cent) that can be reached.

    Raises:
        UnknownNameError: The benchmark has no tasks.
    """
    return dict(_entry(benchmark)["ceilings"])


def _entry(benchmark: str) -> dict[str, Any]:
    if benchmark not in _table():
        raise UnknownNameError("benchmark", benchmark, benchmarks())
    return _table()[benchmark]


def _full_grid(benchmark: str) -> list[Cell]:
    """Every condition in the reasoning form; clean and input conditions in all three."""
    return [
        Cell(benchmark, condition, form)
        for condition in all_conditions()
        for form in FORMS
        if form == "reason" or condition.part == "input"
    ]


def cells(benchmark: str) -> tuple[Cell, ...]:
    """The tasks of a benchmark.

    Raises:
        UnknownNameError: The benchmark has no tasks.
    """
    missing = ceilings(benchmark)
    return tuple(c for c in _full_grid(benchmark) if c.condition.config_name not in missing)


def cell(task: str) -> Cell:
    """The cell with this task name.

    Raises:
        LevelUnreachableError: The level is above what the error rules reach.
        UnknownNameError: No such task.
    """
    for benchmark in benchmarks():
        for found in _full_grid(benchmark):
            if found.task == task:
                return _reachable(found)
    known = [c.task for benchmark in benchmarks() for c in cells(benchmark)]
    raise UnknownNameError("task", task, known, hint=NAMES_HINT)


def other_forms(task: str) -> tuple[str, ...]:
    """Names of the tasks of the same condition in another form, as far as there are any.

    Raises:
        LevelUnreachableError: The level is above what the error rules reach.
        UnknownNameError: No such task.
    """
    own = cell(task)
    return tuple(
        c.task for c in cells(own.benchmark) if c.condition == own.condition and c.form != own.form
    )


def _reachable(found: Cell) -> Cell:
    condition = found.condition
    ceiling = ceilings(found.benchmark).get(condition.config_name)
    if ceiling is not None:
        where = " and ".join(condition.perturbed_parts)
        raise LevelUnreachableError(
            f"there is no task {found.task}: {condition.transform} errors in the {where} of "
            f"{found.benchmark} reach {ceiling:.1f} %, not {condition.level} %; choose a lower "
            "level"
        )
    return found
