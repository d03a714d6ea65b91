"""The audit as tables: those of the dialect paper in shape, with intervals beside every number."""

from __future__ import annotations

from collections.abc import Sequence

from sociolect.generators.dialect.pairs import VARIETIES
from sociolect.harness.dialect.audits import CHOICE, CONTINUATION, SENTIMENT, Key
from sociolect.harness.dialect.continuation_sheets import likelier, perplexities, preference
from sociolect.harness.dialect.differences import Difference
from sociolect.harness.dialect.findings import Audit, Audited
from sociolect.harness.dialect.report_cells import (
    PLAIN,
    cell,
    delta_cell,
    p_value,
    shown,
    value,
)
from sociolect.harness.dialect.sheet_parts import has_same, titled
from sociolect.harness.dialect.task_sheets import (
    CONSISTENCY,
    SENTIMENT_TASKS,
    consistency,
    features,
    labels,
    wordings,
)
from sociolect.harness.sheets import Cell, Column, Sheet
from sociolect.tasks.dialect.catalogue import WORDINGS
from sociolect.tasks.dialect.continuation_measures import DIFFERING

_BEST = f"{CHOICE}_{WORDINGS[0]}"
_MITIGATION: tuple[Key, ...] = (
    Key(CONTINUATION, "ppl_aae_aae"),
    Key(CONTINUATION, "ppl_sae_sae"),
    Key(_BEST, "aae_match"),
    Key(_BEST, "sae_match"),
    *(
        Key(CONTINUATION, f"{name}_{form}{end}")
        for form in ("sum", "token")
        for name in ("lp", "interaction")
        for end in ("", DIFFERING)
    ),
)
"""Rows of Table 3 below those of the sentiment tasks; not all are always shown (`_shown_of`)."""


def audit_sheets(audit: Audit) -> list[Sheet]:
    """All tables of one dataset that have anything to show; Table 3 always."""
    sheets = [consistency(audit), labels(audit), *mitigation(audit), *differences(audit)]
    sheets += [preference(audit), likelier(audit), perplexities(audit), wordings(audit)]
    sheets += features(audit)
    return [sheet for sheet in sheets if sheet is not None]


def mitigation(audit: Audit) -> list[Sheet]:
    """The systems of each model side by side (Tables 3 and 11)."""
    return [_mitigation(audit, model, systems) for model, systems in audit.models.items()]


def _mitigation(audit: Audit, model: str, systems: Sequence[Audited]) -> Sheet:
    rows = [
        (
            Cell(_row_name(key)),
            *(cell(key.measure, one.estimates.get(key)) for one in systems),
        )
        for key in _rows(systems)
    ]
    columns = (
        Column("measure", left=True),
        *(Column(one.system.name) for one in systems),
    )
    missing = dict.fromkeys(key.task for key in _rows(systems) if _nowhere(key, systems))
    notes = [f"{model}: {task} was not run." for task in missing]
    return Sheet(
        titled(audit, f"{model} · bias by system (Table 3)"), columns, tuple(rows), tuple(notes)
    )


def _nowhere(key: Key, systems: Sequence[Audited]) -> bool:
    return all(key.task not in one.system.runs for one in systems)


def _rows(systems: Sequence[Audited]) -> list[Key]:
    """Rows of Table 3: those that were asked for both ways of asking for a label."""
    tasks = [task for task in SENTIMENT_TASKS if any(task in one.system.runs for one in systems)]
    keys = []
    for task in tasks or [SENTIMENT]:
        judged = any(_is_judged(one, task) for one in systems)
        keys += [Key(task, "dgi"), Key(task, "cdgi" if judged else "cdgi_any")]
    return [*keys, *_shown_of(systems)]


def _shown_of(systems: Sequence[Audited]) -> list[Key]:
    """Measures over differing continuations only where some are the same."""
    several = has_same(systems)
    return [key for key in _MITIGATION if several or not key.measure.endswith(DIFFERING)]


def _is_judged(one: Audited, task: str) -> bool:
    """Whether raters judged any back-translation."""
    return task in one.answers.labels and bool(one.answers.labels[task].judged.any())


def _row_name(key: Key) -> str:
    label = shown(key.measure).label
    if key.task == f"{SENTIMENT}_ll":
        return f"{label}, ll"
    wording = key.task.removeprefix(f"{CHOICE}_")
    return f"{label}, {wording}" if key.task.startswith(CHOICE) else label


def differences(audit: Audit) -> list[Sheet]:
    """Each system against the Base of its model."""
    found = []
    for model, systems in audit.models.items():
        if rows := [row for one in systems for row in _difference_rows(audit, one)]:
            level = f"Δ [{100 * audit.method.confidence:g} % CI]"
            columns = (
                Column("system", left=True),
                Column("measure", left=True),
                *(Column(name) for name in ("n", "Base", "value", level, "p", "p (Holm)")),
            )
            title = titled(audit, f"{model} · differences from Base")
            found.append(Sheet(title, columns, tuple(rows)))
    return found


def _difference_rows(audit: Audit, one: Audited) -> list[tuple[Cell, ...]]:
    rows: list[tuple[Cell, ...]] = []
    base = audit.dataset.base_of(one.system)
    of_base = next((other for other in audit.systems if other.system is base), None)
    for key in _compared(one):
        found = one.differences[key]
        rows.append(
            (
                Cell(one.system.name),
                Cell(_row_name(key)),
                Cell(_pairs(found)),
                Cell(value(key.measure, found.base), _plain(of_base, key)),
                Cell(value(key.measure, found.value), _plain(one, key)),
                delta_cell(key.measure, found, audit.method.alpha),
                Cell(p_value(found.p)),
                Cell(p_value(found.p_holm)),
            )
        )
    return rows


def _plain(one: Audited | None, key: Key) -> str:
    estimate = one.estimates.get(key) if one else None
    return PLAIN * (estimate is not None and estimate.uninformative)


def _pairs(found: Difference) -> str:
    """Pairs behind both numbers; of cDGI each number has its own."""
    same = found.n_base == found.n_value == found.n
    return str(found.n) if same else f"{found.n_base} / {found.n_value}"


def _compared(one: Audited) -> list[Key]:
    """What the table of differences shows: the rows of Table 3 and the other wordings."""
    wanted = [Key(task, name) for task in SENTIMENT_TASKS for name in CONSISTENCY]
    wanted += [key for key in _shown_of([one]) if key.task == CONTINUATION]
    wanted += [
        Key(f"{CHOICE}_{wording}", f"{context}_match")
        for wording in WORDINGS
        for context in VARIETIES
    ]
    return [key for key in wanted if key in one.differences]
