"""What the tables of the audit have in common: who, how many, how many not and why."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sociolect.harness.dialect.audits import Key
from sociolect.harness.dialect.findings import Audit, Audited, Estimate
from sociolect.harness.dialect.report_cells import cell, shown
from sociolect.harness.sheets import NONE, Cell, Column

SYSTEM = (Column("model", left=True), Column("system", left=True))
"""Columns of a table with a row a system."""


def named(one: Audited) -> tuple[Cell, ...]:
    """The cells of `SYSTEM`."""
    return Cell(one.system.model), Cell(one.system.name)


def titled(audit: Audit, what: str) -> str:
    """A title that says which data a table is of."""
    return f"{what} · {audit.dataset.label}"


def n_of(estimate: Estimate | None) -> Cell:
    """Pairs that count."""
    return Cell(NONE if estimate is None else str(estimate.n))


def missing(one: Audited, task: str) -> Cell:
    """Per cent of what was asked in a task that was not answered."""
    count = one.answers.counts.get(task)
    if count is None or not count.asked:
        return Cell(NONE)
    return Cell(f"{100 * count.missing / count.asked:.1f}")


def with_n(one: Audited, task: str, measures: Iterable[str]) -> list[Cell]:
    """Number with interval, and pairs, for each measure."""
    cells = []
    for name in measures:
        estimate = one.estimates.get(Key(task, name))
        cells += [cell(name, estimate), n_of(estimate)]
    return cells


def with_n_columns(names: Iterable[str]) -> list[Column]:
    """The heads of `with_n`."""
    return [Column(text) for name in names for text in (name, "n")]


def left_notes(audit: Audit, tasks: Iterable[str], measures: Iterable[str]) -> tuple[str, ...]:
    """Why pairs do not count, one sentence a measure and reason."""
    keys = [Key(task, name) for task in tasks for name in measures]
    where: dict[tuple[str, str], list[str]] = {}
    for one in audit.systems:
        for key in keys:
            found = one.estimates.get(key)
            if found is not None and found.left:
                why = ", ".join(f"{n} {reason}" for reason, n in found.left.items())
                place = where.setdefault((shown(key.measure).label, why), [])
                place.append(f"{one.system.label}, {key.task}")
    return tuple(
        f"{'; '.join(places)}: {label}: left out {why}." for (label, why), places in where.items()
    )


def has_same(systems: Sequence[Audited]) -> bool:
    """Whether any system was asked about pairs with one continuation in both varieties."""
    scores = [one.answers.scores for one in systems if one.answers.scores is not None]
    return any(not one.differ.all() for one in scores)
