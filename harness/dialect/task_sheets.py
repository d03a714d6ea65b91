"""Tables of the audit by task: labels, choices, features; a row a system."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from sociolect.generators.dialect.pairs import VARIETIES
from sociolect.harness.dialect.audits import CHOICE, SENTIMENT, Key
from sociolect.harness.dialect.findings import Audit, Audited
from sociolect.harness.dialect.localisation_sheet import entry_sheet, lp_sheet, overlap_sheets
from sociolect.harness.dialect.report_cells import PLAIN, cell, shown, value
from sociolect.harness.dialect.sheet_parts import (
    SYSTEM,
    left_notes,
    missing,
    n_of,
    named,
    titled,
    with_n,
    with_n_columns,
)
from sociolect.harness.sheets import Cell, Column, Sheet
from sociolect.tasks.dialect.catalogue import LABELS, WORDINGS
from sociolect.tasks.dialect.label_measures import NOT_ASKED

SENTIMENT_TASKS: Mapping[str, str] = {SENTIMENT: "written", f"{SENTIMENT}_ll": "ll"}
"""How the label was asked for."""
CONSISTENCY: tuple[str, ...] = ("dgi", "two_way_dgi", "cdgi", "cdgi_any")
_VERSIONS = (*VARIETIES, "back")


def consistency(audit: Audit) -> Sheet | None:
    """DGI, two-way DGI and cDGI of each system (Table 2)."""
    rows = [
        (
            *named(one),
            Cell(how),
            *with_n(one, task, CONSISTENCY),
            missing(one, task),
        )
        for one in audit.systems
        for task, how in SENTIMENT_TASKS.items()
        if task in one.system.runs
    ]
    if not rows:
        return None
    names = [shown(name).label for name in CONSISTENCY]
    columns = (
        *SYSTEM,
        Column("label", left=True),
        *with_n_columns(names),
        Column("unanswered %"),
    )
    notes = left_notes(audit, SENTIMENT_TASKS, ["cdgi"])
    return Sheet(titled(audit, "Consistency of labels (Table 2)"), columns, tuple(rows), notes)


def labels(audit: Audit) -> Sheet | None:
    """How often each label was given, by version of the text."""
    rows = [
        row
        for one in audit.systems
        for task, how in SENTIMENT_TASKS.items()
        if task in one.answers.labels
        for row in _label_rows(one, task, how)
    ]
    if not rows:
        return None
    columns = (
        *SYSTEM,
        Column("label", left=True),
        Column("text", left=True),
        *(Column(f"{label} %") for label in LABELS),
        Column("unanswered %"),
        Column("n"),
    )
    return Sheet(titled(audit, "Labels by version of the text"), columns, tuple(rows))


def _label_rows(one: Audited, task: str, how: str) -> list[tuple[Cell, ...]]:
    found = one.answers.labels[task]
    rows = []
    for version, side in zip(_VERSIONS, (found.aae, found.sae, found.back), strict=True):
        asked = side[side != NOT_ASKED]
        if not len(asked):
            continue
        shares = [100 * float(np.mean(asked == label)) for label in (*range(len(LABELS)), -1)]
        cells = [Cell(f"{share:.1f}") for share in shares]
        rows.append((*named(one), Cell(how), Cell(version), *cells, Cell(str(len(asked)))))
    return rows


def wordings(audit: Audit) -> Sheet | None:
    """Chosen continuations by context and wording (Table 7)."""
    rows = [
        _wording_row(one, wording)
        for one in audit.systems
        for wording in WORDINGS
        if f"{CHOICE}_{wording}" in one.answers.choices
    ]
    if not rows:
        return None
    heads = [f"{context.upper()} ctx: {side}" for context, side in _CHOSEN]
    columns = (
        *SYSTEM,
        Column("wording", left=True),
        *map(Column, heads),
        *map(Column, ("first option %", "n", "unanswered %")),
    )
    notes = left_notes(audit, [f"{CHOICE}_{wording}" for wording in WORDINGS], ["first_option"])
    title = titled(audit, "Choice by wording, per cent (Table 7)")
    return Sheet(title, columns, tuple(rows), (_LEFT_OUT, *notes))


_LEFT_OUT = (
    "Pairs whose continuations are the same words are not asked: there is nothing to choose. The "
    "samples do not hold them; where other runs of the same data do, they are counted below."
)
_CHOSEN = (("sae", "SAE"), ("sae", "AAE"), ("aae", "SAE"), ("aae", "AAE"))


def _wording_row(one: Audited, wording: str) -> tuple[Cell, ...]:
    task = f"{CHOICE}_{wording}"
    cells = []
    for context, side in _CHOSEN:
        name = f"{context}_match"
        found = one.estimates.get(Key(task, name))
        if side.lower() == context:
            cells.append(cell(name, found))
        else:  # the other share, whose interval is the mirrored one
            other = None if found is None or found.value is None else 1 - found.value
            cells.append(
                Cell(value(name, other), PLAIN * (found is not None and found.uninformative))
            )
    first = one.estimates.get(Key(task, "first_option"))
    return (
        *named(one),
        Cell(wording),
        *cells,
        cell("first_option", first),
        n_of(first),
        missing(one, task),
    )


def features(audit: Audit) -> list[Sheet]:
    """LP by class of feature in the AAE text (Fig. 5), overlaps, and the entries of each Base."""
    summed = [one.features[0] for one in audit.systems if one.features]
    if not summed:
        return []
    tokens = {one.name: one for system in audit.systems for one in system.features[1:]}
    found = [lp_sheet(summed, tokens), *overlap_sheets(summed)]
    bases = [one.features[0] for one in audit.systems if one.system.is_base and one.features]
    found += [entry_sheet(one) for one in bases if one.entries]
    return [replace(sheet, title=titled(audit, sheet.title)) for sheet in found]
