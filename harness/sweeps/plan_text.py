"""The dry run of a sweep as text."""

from __future__ import annotations

from collections.abc import Sequence

from sociolect.harness.sheets import printable
from sociolect.harness.sweeps.planning import Plan, PlannedCell

_HOUR = 3600
_COLUMNS = (
    "model",
    "cells",
    "finished",
    "prompts",
    "left",
    "prompt tokens",
    "generated at most",
    "hours left",
)
UNKNOWN = "unknown"
PROMPTS = (
    "prompts: texts that the model reads, one a document (an item in one option order); where "
    "options are scored, one an option of a document. limit counts documents"
)
CALIBRATE = (
    "unknown: no finished cell of the same model and form in this folder. Give --measure 50, or "
    "run a cell first (--only)"
)


def text_of(plan: Plan, measured: int | None = None) -> str:
    """A line a model, the total, and where the figures come from.

    Args:
        plan: Of a sweep.
        measured: Documents that models without a finished cell were asked; None for no measuring.
    """
    by_model: dict[str, list[PlannedCell]] = {}
    for one in plan.cells:
        by_model.setdefault(one.cell.model.name, []).append(one)
    rows = [_COLUMNS, *(_row(name, found) for name, found in by_model.items())]
    if len(by_model) > 1:
        rows.append(_row("total", plan.cells))
    loaded = f"some are asked {measured} documents" if measured else "no model is loaded"
    lines = [f"dry run: {loaded}", *_laid_out(rows)]
    lines.append(PROMPTS)
    lines += [f"prompt tokens: {origin}" for origin in plan.origins]
    lines.append(
        "hours left: of one cell after the other, loading of the models included; from seconds per "
        "document of finished cells of the same model and form" + " or as measured" * bool(measured)
    )
    if any(one.seconds is None for one in plan.cells):
        lines.append(CALIBRATE)
    if foreign := sum(one.others for one in plan.cells):
        lines.append(f"{foreign} cells have tasks that are not of sociolect, which are not counted")
    return printable_lines(lines)


def printable_lines(lines: Sequence[str]) -> str:
    """Lines without characters that steer a terminal."""
    return "\n".join(printable(line) for line in lines)


def _row(name: str, cells: Sequence[PlannedCell]) -> tuple[str, ...]:
    counts = [count for one in cells for count in one.counts]
    left = sum(one.prompts - one.answered for one in cells if not one.finished)
    numbers = (
        len(cells),
        sum(one.finished for one in cells),
        sum(one.prompts for one in cells),
        left,
        sum(count.prompt_tokens for count in counts),
        sum(count.most_tokens for count in counts),
    )
    return (name, *(f"{number:,}" for number in numbers), _hours(cells))


def _hours(cells: Sequence[PlannedCell]) -> str:
    known = [one.seconds for one in cells if one.seconds is not None]
    missing = len(cells) - len(known)
    if missing == len(cells) or (missing and not sum(known)):
        return UNKNOWN
    return f"{sum(known) / _HOUR:.2f}" + (f" + {missing} cells unknown" if missing else "")


def _laid_out(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(_COLUMNS))]
    return [
        "  ".join(
            cell.rjust(width) if column else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
