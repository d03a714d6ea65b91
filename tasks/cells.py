"""Which tasks exist: benchmark × condition × form, less what cannot be reached.

Surface noise is in the input of every benchmark and always reached. Judge benchmarks have no
learner errors.

`cells.json` names the benchmarks, the version of their data that the tasks ask for, and under
`ceilings` the conditions above what the error rules can reach, with the highest token error
rate in per cent that they do reach, e.g. `"l2det-30-instruction": 24.3`. Whole builds say what
they are: `python -m sociolect.tasks.ceilings FOLDER…` writes it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from sociolect.generators.conditions import (
    NOISES,
    PARTS,
    TRANSFORMS,
    Condition,
    conditions_of,
)
from sociolect.generators.errors import LevelUnreachableError, UnknownNameError
from sociolect.tasks.kinds import kind_of
from sociolect.tasks.prompts import Form, forms_of

CELLS = Path(__file__).parent / "cells.json"
NAMES_HINT = "`sociolect tasks` lists them."

_AXES = ("gender", "race", "religion")
SUITES: Mapping[str, tuple[str, ...]] = {
    "sociolect": (
        "winobias",
        *(f"bbq_{axis}" for axis in _AXES),
        *(f"degen_{axis}" for axis in _AXES),
    ),
    "sociolect_gender": ("winobias", "bbq_gender", "degen_gender"),
    "sociolect_accuracy": ("mmlu", *(f"bbq_{axis}_disambig" for axis in _AXES)),
}
"""Benchmarks that the learner-error paper reports together: all of its biases (Table E.1 and
WinoBias), those on gender (Table 1), and the accuracies on what no stereotype answers (App. C.2).
In a tag, a suite takes the place of a benchmark: `sociolect_gender_l2_ll`."""

NOISE = "noise"
"""In a tag, all transforms of surface noise: `winobias_noise_ll`."""


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

        Named like a task without its level, `winobias_l2`, `winobias_l2_both`, `winobias_l2_ll`,
        of the benchmark and of every suite that it is in.
        """
        suites = [suite for suite, members in SUITES.items() if self.benchmark in members]
        return tuple(f"{start}_{end}" for start in (self.benchmark, *suites) for end in self._ends)

    @property
    def _ends(self) -> list[str]:
        """The tags without benchmark or suite."""
        clean, form = self.condition.is_clean, self.form
        own = () if clean else (self.condition.transform,)
        if form != "reason":
            kinds: tuple[str, ...] = (form,)
        else:
            kinds = PARTS if clean else (self.condition.part,)
        ends = []
        if (clean and kind_of(self.benchmark) != "judge") or self.condition.types:
            ends += [_end(t, kind) for t in own or TRANSFORMS for kind in kinds]
        if clean or self.condition.is_noise:
            kind = "input" if form == "reason" else form
            ends += [_end(t, kind) for t in (*(own or NOISES), NOISE)]
        return ends


def _end(transform: str, kind: str) -> str:
    return transform if kind == "input" else f"{transform}_{kind}"


@lru_cache(maxsize=1)
def _table() -> dict[str, dict[str, Any]]:
    table: dict[str, dict[str, Any]] = json.loads(CELLS.read_text("utf-8"))
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


@lru_cache(maxsize=64)
def _full_grid(benchmark: str) -> tuple[Cell, ...]:
    """Every condition in the reasoning form; clean and input conditions in all forms."""
    return tuple(
        Cell(benchmark, condition, form)
        for condition in conditions_of(benchmark)
        for form in forms_of(benchmark)
        if form == "reason" or condition.part == "input"
    )


def cells(benchmark: str) -> tuple[Cell, ...]:
    """The tasks of a benchmark.

    Raises:
        UnknownNameError: The benchmark has no tasks.
    """
    missing = ceilings(benchmark)
    return tuple(c for c in _full_grid(benchmark) if c.condition.config_name not in missing)


def all_cells() -> tuple[Cell, ...]:
    """The tasks of every benchmark."""
    return tuple(cell for benchmark in benchmarks() for cell in cells(benchmark))


@lru_cache(maxsize=4)
def _by_task(names: tuple[str, ...]) -> Mapping[str, Cell]:
    return {cell.task: cell for benchmark in names for cell in _full_grid(benchmark)}


def cell(task: str) -> Cell:
    """The cell with this task name.

    Raises:
        LevelUnreachableError: The level is above what the error rules reach.
        UnknownNameError: No such task.
    """
    found = _by_task(benchmarks()).get(task)
    if found is None:
        known = [c.task for c in all_cells()]
        raise UnknownNameError("task", task, known, hint=NAMES_HINT)
    return _reachable(found)


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


def tag_members() -> dict[str, tuple[str, ...]]:
    """The tasks behind every tag, in the order of the benchmarks."""
    members: dict[str, list[str]] = {}
    for one in all_cells():
        for tag in one.tags:
            members.setdefault(tag, []).append(one.task)
    return {tag: tuple(tasks) for tag, tasks in members.items()}


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
