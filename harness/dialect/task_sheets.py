"""Tables of the audit by task: labels, continuations, choices, features; a row a system."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from sociolect.generators.dialect.pairs import VARIETIES
from sociolect.harness.dialect.audits import CHOICE, CONTINUATION, SENTIMENT, Key
from sociolect.harness.dialect.findings import Audit, Audited, Estimate
from sociolect.harness.dialect.localisation_sheet import entry_sheet, lp_sheet, overlap_sheets
from sociolect.harness.dialect.report_cells import (
    cell,
    shown,
    value,
)
from sociolect.harness.sheets import NONE, Cell, Column, Sheet
from sociolect.tasks.dialect.catalogue import LABELS, WORDINGS
from sociolect.tasks.dialect.continuation_measures import COMBINATIONS
from sociolect.tasks.dialect.label_measures import NOT_ASKED

SENTIMENT_TASKS: Mapping[str, str] = {SENTIMENT: "written", f"{SENTIMENT}_ll": "ll"}
"""How the label was asked for."""
CONSISTENCY: tuple[str, ...] = ("dgi", "two_way_dgi", "cdgi", "cdgi_any")
_NATS = ("b_sae", "b_aae", "lp", "interaction")
_VERSIONS = (*VARIETIES, "back")
_SYSTEM = (Column("model", left=True), Column("system", left=True))


def _named(one: Audited) -> tuple[Cell, ...]:
    return Cell(one.system.model), Cell(one.system.name)


def titled(audit: Audit, what: str) -> str:
    """A title that says which data a table is of."""
    return f"{what} · {audit.dataset.label}"


def _n(estimate: Estimate | None) -> Cell:
    return Cell(NONE if estimate is None else str(estimate.n))


def _missing(one: Audited, task: str) -> Cell:
    """Per cent of the answers to a task that there are not."""
    count = one.answers.counts.get(task)
    if count is None or not count.asked:
        return Cell(NONE)
    return Cell(f"{100 * count.missing / count.asked:.1f}")


def _with_n(one: Audited, task: str, measures: Iterable[str]) -> list[Cell]:
    """Number with interval, and pairs, for each measure."""
    cells = []
    for name in measures:
        estimate = one.estimates.get(Key(task, name))
        cells += [cell(name, estimate), _n(estimate)]
    return cells


def _with_n_columns(names: Iterable[str]) -> list[Column]:
    return [Column(text) for name in names for text in (name, "n")]


def _left_notes(audit: Audit, tasks: Iterable[str], measures: Iterable[str]) -> tuple[str, ...]:
    """Why pairs do not count, one sentence a system and measure."""
    names = list(measures)
    notes = []
    for one in audit.systems:
        for task in tasks:
            for name in names:
                found = one.estimates.get(Key(task, name))
                if found is not None and found.left:
                    why = ", ".join(f"{n} {reason}" for reason, n in found.left.items())
                    notes.append(
                        f"{one.system.label}, {task}, {shown(name).label}: left out {why}."
                    )
    return tuple(notes)


def consistency(audit: Audit) -> Sheet | None:
    """DGI, two-way DGI and cDGI of each system (Table 2)."""
    rows = [
        (
            *_named(one),
            Cell(how),
            *_with_n(one, task, CONSISTENCY),
            _missing(one, task),
        )
        for one in audit.systems
        for task, how in SENTIMENT_TASKS.items()
        if task in one.system.runs
    ]
    if not rows:
        return None
    names = [shown(name).label for name in CONSISTENCY]
    columns = (
        *_SYSTEM,
        Column("label", left=True),
        *_with_n_columns(names),
        Column("unanswered %"),
    )
    notes = _left_notes(audit, SENTIMENT_TASKS, ["cdgi"])
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
        *_SYSTEM,
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
        rows.append((*_named(one), Cell(how), Cell(version), *cells, Cell(str(len(asked)))))
    return rows


def _asked(audit: Audit) -> list[Audited]:
    return [one for one in audit.systems if one.answers.scores is not None]


def preference(audit: Audit) -> Sheet | None:
    """b_SAE, b_AAE, LP and the interaction (Eqs. 2–4), summed and a token."""
    rows = []
    for one in _asked(audit):
        for form in ("sum", "token"):
            names = [f"{name}_{form}" for name in _NATS]
            found = [one.estimates.get(Key(CONTINUATION, name)) for name in names]
            cells = [cell(name, e) for name, e in zip(names, found, strict=True)]
            row = (*_named(one), Cell(form), *cells, _n(found[0]), _missing(one, CONTINUATION))
            rows.append(row)
    if not rows:
        return None
    columns = (
        *_SYSTEM,
        Column("nats", left=True),
        *(Column(name) for name in ("b_SAE", "b_AAE", "LP", "interaction", "n", "unanswered %")),
    )
    notes = _left_notes(audit, [CONTINUATION], ["lp_sum"])
    title = titled(audit, "Preference among continuations (Eqs. 2–4)")
    return Sheet(title, columns, tuple(rows), notes)


def perplexities(audit: Audit) -> Sheet | None:
    """Perplexity of the four combinations (Fig. 3), and which continuation is the likelier one."""
    names = [f"ppl_{'_'.join(combination)}" for combination in _BY_CONTEXT]
    shares = [f"prefers_sae_in_{context}" for context in reversed(VARIETIES)]
    rows = [
        (
            *_named(one),
            *(cell(name, one.estimates.get(Key(CONTINUATION, name))) for name in (*names, *shares)),
            _n(one.estimates.get(Key(CONTINUATION, shares[0]))),
        )
        for one in _asked(audit)
    ]
    if not rows:
        return None
    heads = [f"PPL {x.upper()}→{y.upper()}" for x, y in _BY_CONTEXT]
    columns = (
        *_SYSTEM,
        *map(Column, heads),
        *(Column(shown(name).label) for name in shares),
        Column("n"),
    )
    return Sheet(titled(audit, "Perplexity by context → continuation"), columns, tuple(rows))


_BY_CONTEXT = tuple(sorted(COMBINATIONS, key=lambda c: (c[0] != "sae", c[1] != "sae")))


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
        *_SYSTEM,
        Column("wording", left=True),
        *map(Column, heads),
        *map(Column, ("first option %", "n", "unanswered %")),
    )
    return Sheet(titled(audit, "Choice by wording, per cent (Table 7)"), columns, tuple(rows))


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
            cells.append(Cell(value(name, other)))
    first = one.estimates.get(Key(task, "first_option"))
    return (
        *_named(one),
        Cell(wording),
        *cells,
        cell("first_option", first),
        _n(first),
        _missing(one, task),
    )


def features(audit: Audit) -> list[Sheet]:
    """LP by class of feature in the AAE text (Fig. 5), overlaps, and the entries of each Base."""
    found = []
    for form in range(2):  # nats, nats a token
        if these := [one.features[form] for one in audit.systems if len(one.features) > form]:
            found.append(lp_sheet(these))
            if not form:
                found += overlap_sheets(these)
    bases = [one.features[0] for one in audit.systems if one.system.is_base and one.features]
    found += [entry_sheet(one) for one in bases if one.entries]
    return [replace(sheet, title=titled(audit, sheet.title)) for sheet in found]
