"""What a mitigation does: the mitigated model against its base, on the same prompts."""

from __future__ import annotations

from sociolect.harness.compare import OTHER_MODEL
from sociolect.harness.comparison_rows import Row
from sociolect.harness.exports import flat_row
from sociolect.harness.labels import model_labels
from sociolect.harness.leaderboard.board import Versus
from sociolect.harness.leaderboard.numbers import headline
from sociolect.harness.leaderboard.reasons import refused, untested
from sociolect.harness.leaderboard.sections import Plan
from sociolect.harness.leaderboard.subjects import Cell
from sociolect.harness.paired import Arm, Method, adjusted, make_row
from sociolect.harness.results import Run
from sociolect.harness.store.loading import load_run
from sociolect.harness.store.stored import Store

_HASH = 8
NOT_RUN = "The base was not run on this condition, asked in the same way."


def hold_against(store: Store, mitigated: Plan, base: Plan, method: Method) -> list[Versus]:
    """Compare a mitigated model with its base in every condition that it was run on.

    The unit is that of `compare`; Holm is over the conditions of the section, the clean prompts
    being one of them.

    Args:
        store: Where the runs are.
        mitigated: Section of the mitigated model.
        base: Section of its base that was asked in the same way.
        method: Tests and intervals; the metric is the headline.

    Raises:
        ResultsError: Files that were changed since the index was made.
    """
    rows: dict[Cell, Row] = {}
    why: dict[Cell, str] = {}
    for cell, stored in mitigated.runs.items():
        why[cell] = NOT_RUN
        if cell in base.runs:
            runs = load_run(store, base.runs[cell]), load_run(store, stored)
            why[cell] = _refused(*runs, method)
            if not why[cell]:
                rows[cell] = _row(*runs, method)
    tested = dict(zip(rows, adjusted(list(rows.values())), strict=True))
    return [
        _versus(mitigated.id, base.id, cell, text, tested.get(cell), method)
        for cell, text in why.items()
    ]


def _refused(base: Run, mitigated: Run, method: Method) -> str:
    """Why the two cannot be compared; data are the same if their hash is."""
    if text := refused(base, mitigated, method, OTHER_MODEL):
        return text
    first, second = (str(run.data["data_sha256"]) for run in (base, mitigated))
    if first != second and "data" not in method.allow:
        return f"The base was asked on other data (sha256 {first[:_HASH]} / {second[:_HASH]})."
    return ""


def _row(base: Run, mitigated: Run, method: Method) -> Row:
    first, second = (
        Arm((run,), label, run.condition.config_name)
        for run, label in zip((base, mitigated), model_labels([base, mitigated]), strict=True)
    )
    return make_row(first, second, headline(base), method)


def _versus(
    section: str, base: str, cell: Cell, why_not: str, row: Row | None, method: Method
) -> Versus:
    if row is None:
        return Versus(section, base, cell.id, {}, why_not)
    if row.test is None:
        return Versus(section, base, cell.id, {}, untested(row))
    return Versus(section, base, cell.id, flat_row(row, method.alpha), "")
