"""Why something was not compared, and what is not whole, in sentences."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from sociolect.generators.conditions import CLEAN
from sociolect.harness.comparability import differences
from sociolect.harness.comparison_rows import Row
from sociolect.harness.leaderboard.sections import Plan
from sociolect.harness.leaderboard.subjects import Cell
from sociolect.harness.paired import Method
from sociolect.harness.results import Run

NO_CLEAN = "There is no clean run of this model, asked in the same way, to compare with"


def no_clean_run(plan: Plan) -> str:
    """That there is no clean run, and under which other rule sets there is one."""
    if not plan.clean_under:
        return f"{NO_CLEAN}."
    one = len(plan.clean_under) == 1
    rules = " and ".join(map(repr, plan.clean_under))
    made = "clean run was made under rule set" if one else "clean runs were made under rule sets"
    return (
        f"{NO_CLEAN}: its {made} {rules}; run the clean task on the data built with rule set "
        f"{plan.rules!r}, too."
    )


def partial_notes(runs: Mapping[Cell, Run]) -> list[str]:
    """Runs that are not the whole task, once where all are so alike."""
    where: dict[str, list[str]] = defaultdict(list)
    for cell, run in runs.items():
        if run.partial:
            where[run.partial].append(cell.shown().label if cell.seeds else CLEAN)
    return [
        f"{'all conditions' if len(names) == len(runs) > 1 else ', '.join(names)}: {partial}."
        for partial, names in where.items()
    ]


def refused(first: Run, second: Run, method: Method, implied: frozenset[str]) -> str:
    """What makes two runs incomparable, in a sentence; empty if nothing does."""
    found = differences(first, second)
    kept = [f"{k}: {v}" for k, v in found.items() if k not in method.allow | implied]
    if not kept:
        return ""
    return (
        f"{second.described} is not comparable with {first.described} (first value / second "
        f"value): {'; '.join(kept)}."
    )


def untested(row: Row) -> str:
    """Why there is no test although the runs are comparable."""
    left = row.left
    silent = [side for side in (row.baseline, row.other) if side.pooled is None]
    counts = f"{left.unanswered} unanswered, {left.incomplete} incomplete, {left.invalid} not valid"
    if len(silent) > 1:
        return f"No prompt was answered, so no {row.unit} could be compared ({counts})."
    said = "".join(f"{side.label} got no answer: " for side in silent)
    return f"{said}No {row.unit} could be compared ({counts})."
