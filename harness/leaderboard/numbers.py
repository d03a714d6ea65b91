"""The numbers of one section: values with intervals, and changes from the clean prompts."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from sociolect.harness import statistics
from sociolect.harness.compare import Comparison, compare
from sociolect.harness.comparison_rows import Row
from sociolect.harness.exports import flat
from sociolect.harness.leaderboard.board import Change, Value
from sociolect.harness.leaderboard.reasons import (
    no_clean_run,
    partial_notes,
    refused,
    untested,
)
from sociolect.harness.leaderboard.repetitions import repetitions
from sociolect.harness.leaderboard.sections import Plan
from sociolect.harness.leaderboard.subjects import Cell
from sociolect.harness.paired import Method, pooled
from sociolect.harness.remarks import remarks
from sociolect.harness.results import Run
from sociolect.harness.store.loading import load_run
from sociolect.harness.store.stored import Store, StoredRun
from sociolect.harness.units import CLUSTERED, mean_over, unit_numbers, whole_units
from sociolect.tasks.kinds import METRICS_OF, kind_of
from sociolect.tasks.metrics import template_of


@dataclass(frozen=True, slots=True)
class Column:
    """What the units of a section are worth in one condition, for ranks.

    Attributes:
        units: Those with a value, in file order.
        values: Per cent or points, shape (units,).
        prompts: Hash of the prompts that were asked.
        templates: The question template of every unit, which is resampled whole; empty where
            units are independent.
    """

    units: tuple[str, ...]
    values: statistics.Floats
    prompts: str
    templates: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Measured:
    """What the answers of a section say; ranks are not known yet.

    Attributes:
        changes: By cell, in the order of the conditions.
        columns: By cell, the clean one included.
        replaced: Sentences on the other runs of a cell, by the path of the run that is shown.
        notes: What a reader must know.
    """

    clean: Value | None
    changes: Mapping[Cell, Change]
    columns: Mapping[Cell, Column]
    replaced: Mapping[str, tuple[str, ...]]
    notes: tuple[str, ...]


def headline(run: Run) -> str:
    """The metric that is compared."""
    return METRICS_OF[kind_of(run.benchmark)][0]


def measure(store: Store, plan: Plan, method: Method) -> Measured:
    """Read the answers of a section, and compare its conditions with the clean prompts.

    Every number of a change is that of `compare`, with Holm over the conditions of the section.

    Args:
        store: Where the runs are.
        plan: Which runs.
        method: Tests and intervals; the metric is the headline.

    Raises:
        ResultsError: Files that were changed since the index was made.
    """
    own = replace(method, metrics=())
    runs = load_runs(store, plan.runs)
    sides = {cell: ((run,), plan.runs[cell].id) for cell, run in runs.items()}
    clean = next((run for cell, run in runs.items() if not cell.seeds), None)
    no_clean = "" if clean else no_clean_run(plan)
    why = {
        cell: refused(clean, run, own, frozenset()) if clean else no_clean
        for cell, run in runs.items()
        if cell.seeds
    }
    fit = {cell: runs[cell] for cell, text in why.items() if not text}
    comparison = compare(clean, list(fit.values()), own) if clean and fit else None
    rows = _rows(comparison)
    means = {cell: tuple(_seeds(cell, fit)) for cell in rows if len(cell.seeds) > 1}
    columns = {cell: _column(one, own) for cell, (one, _) in sides.items()}
    columns |= {cell: _column(several, own) for cell, several in means.items()}
    values = {cell: _value(one, id_, columns[cell], own) for cell, (one, id_) in sides.items()}
    values |= {cell: _value(many, "", columns[cell], own) for cell, many in means.items()}
    changes = {
        cell: _change(cell, values[cell], plan, rows.get(cell), why.get(cell, ""), comparison)
        for cell in sorted((*why, *means), key=lambda cell: cell.place)
    }
    replaced, more = repetitions(store, plan, runs)
    notes = [*more, *filter(None, [no_clean]), *partial_notes(runs), *_remarks(comparison)]
    clean_cell = next((cell for cell in runs if not cell.seeds), None)
    return Measured(
        clean=values[clean_cell] if clean_cell else None,
        changes=changes,
        columns=columns,
        replaced=replaced,
        notes=tuple(dict.fromkeys(notes)),
    )


def load_runs(store: Store, wanted: Mapping[Cell, StoredRun]) -> dict[Cell, Run]:
    """Runs by cell; what is the same in all of them is held once."""
    found: dict[Cell, Run] = {}
    items: Mapping[str, tuple[Any, ...]] = {}
    for cell, stored in wanted.items():
        run = load_run(store, stored)
        if run.items == items:
            run = replace(run, items=items)
        items = run.items
        found[cell] = run
    return found


def _rows(comparison: Comparison | None) -> dict[Cell, Row]:
    """The rows of a comparison by the cell that they are about."""
    if comparison is None:
        return {}
    conditions = {run.condition.config_name: run.condition for run in comparison.others}
    return {
        Cell(conditions[row.other.condition], row.other.rules, row.error_seeds): row
        for row in comparison.rows
    }


def _seeds(mean: Cell, runs: Mapping[Cell, Run]) -> list[Run]:
    """The runs whose mean a cell is."""
    return [runs[mean._replace(seeds=(seed,))] for seed in mean.seeds]


def _column(runs: Sequence[Run], method: Method) -> Column:
    metric = headline(runs[0])
    values = mean_over([unit_numbers(run, metric) for run in runs])
    units = whole_units(runs[0], include_invalid=method.include_invalid).whole
    known = {unit: value for unit in units if (value := values.get(unit)) is not None}
    clustered = kind_of(runs[0].benchmark) in CLUSTERED
    return Column(
        tuple(known),
        np.array(list(known.values()), dtype=np.float64),
        _digest(frozenset().union(*(run.keys for run in runs))),
        tuple(map(template_of, known)) if clustered else (),
    )


@lru_cache(maxsize=8)
def _digest(prompts: frozenset[tuple[str, int]]) -> str:
    """A hash of the prompts, which are mostly the same in all conditions."""
    text = "".join(f"{key!r}\n" for key in sorted(prompts))
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


def _value(runs: Sequence[Run], id_: str, column: Column, method: Method) -> Value:
    values, kind = column.values, kind_of(runs[0].benchmark)
    low, high = _interval(column, method) if len(values) else (None, None)
    others = {
        metric: _mean([pooled(run, metric) for run in runs]) for metric in METRICS_OF[kind][1:]
    }
    return Value(
        run=id_,
        value=float(values.mean()) if len(values) else None,
        low=low,
        high=high,
        pooled=_mean([pooled(run, headline(run)) for run in runs]),
        others=others,
        n=len(values),
        unanswered=others.pop("unanswered"),
        rank=None,
        partial="; ".join(dict.fromkeys(run.partial for run in runs if run.partial)),
    )


def _interval(column: Column, method: Method) -> tuple[float, float] | tuple[None, None]:
    found = statistics.bootstrap_interval(
        column.values,
        confidence=1 - method.alpha,
        resamples=method.resamples,
        seed=method.seed,
        clusters=column.templates or None,
    )
    return found or (None, None)


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known and len(known) == len(values) else None


def _change(
    cell: Cell,
    value: Value,
    plan: Plan,
    row: Row | None,
    why_not: str,
    comparison: Comparison | None,
) -> Change:
    runs = tuple(plan.runs[cell._replace(seeds=(seed,))].id for seed in cell.seeds)
    if row is None or comparison is None:
        return Change(cell.id, value, runs, {}, why_not)
    if row.test is None:
        return Change(cell.id, value, runs, {}, untested(row))
    return Change(cell.id, value, runs, flat(row, comparison), "")


def _remarks(comparison: Comparison | None) -> list[str]:
    return remarks(comparison, pooled=False, runs=False) if comparison else []
