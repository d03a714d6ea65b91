"""The audit as tables: those of the dialect paper in shape, with intervals beside every number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from sociolect.generators.dialect.pairs import VARIETIES
from sociolect.harness.dialect.audits import CHOICE, CONTINUATION, SENTIMENT, Key
from sociolect.harness.dialect.findings import Audit, Audited, Estimate
from sociolect.harness.dialect.localisation_sheet import entry_sheet, lp_sheet, overlap_sheet
from sociolect.harness.dialect.report_cells import (
    cell,
    delta_cell,
    p_value,
    shown,
    value,
)
from sociolect.harness.sheets import NONE, Cell, Column, Sheet
from sociolect.tasks.dialect.catalogue import LABELS, WORDINGS
from sociolect.tasks.dialect.measures import COMBINATIONS, NOT_ASKED

SENTIMENT_TASKS: Mapping[str, str] = {SENTIMENT: "written", f"{SENTIMENT}_ll": "ll"}
"""How the label was asked for."""
CONSISTENCY: tuple[str, ...] = ("dgi", "two_way_dgi", "cdgi", "cdgi_any")
_NATS = ("b_sae", "b_aae", "lp", "interaction")
_VERSIONS = (*VARIETIES, "back")
_BEST = f"{CHOICE}_{WORDINGS[0]}"
_MITIGATION: tuple[Key, ...] = (
    Key(CONTINUATION, "ppl_aae_aae"),
    Key(CONTINUATION, "ppl_sae_sae"),
    Key(_BEST, "aae_match"),
    Key(_BEST, "sae_match"),
    Key(CONTINUATION, "lp_sum"),
    Key(CONTINUATION, "interaction_sum"),
    Key(CONTINUATION, "lp_token"),
    Key(CONTINUATION, "interaction_token"),
)
"""Rows of Table 3 below those of the sentiment tasks."""

_SYSTEM = (Column("model", left=True), Column("system", left=True))


def audit_sheets(audit: Audit) -> list[Sheet]:
    """All tables of one dataset that have anything to show; Table 3 always."""
    sheets = [consistency(audit), labels(audit), *mitigation(audit), *differences(audit)]
    sheets += [preference(audit), perplexities(audit), wordings(audit)]
    sheets += features(audit)
    return [sheet for sheet in sheets if sheet is not None]


def _named(one: Audited) -> tuple[Cell, ...]:
    return Cell(one.system.model), Cell(one.system.name)


def _title(audit: Audit, what: str) -> str:
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
    return Sheet(_title(audit, "Consistency of labels (Table 2)"), columns, tuple(rows), notes)


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
    return Sheet(_title(audit, "Labels by version of the text"), columns, tuple(rows))


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
        _title(audit, f"{model} · bias by system (Table 3)"), columns, tuple(rows), tuple(notes)
    )


def _nowhere(key: Key, systems: Sequence[Audited]) -> bool:
    return all(key.task not in one.system.runs for one in systems)


def _rows(systems: Sequence[Audited]) -> list[Key]:
    """Rows of Table 3: those that were asked for both ways of asking for a label."""
    tasks = [task for task in SENTIMENT_TASKS if any(task in one.system.runs for one in systems)]
    keys = []
    for task in tasks or [SENTIMENT]:
        judged = any(_value(one, Key(task, "cdgi")) is not None for one in systems)
        keys += [Key(task, "dgi"), Key(task, "cdgi" if judged else "cdgi_any")]
    return [*keys, *_MITIGATION]


def _value(one: Audited, key: Key) -> float | None:
    return one.estimates[key].value if key in one.estimates else None


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
            title = _title(audit, f"{model} · differences from Base")
            found.append(Sheet(title, columns, tuple(rows)))
    return found


def _difference_rows(audit: Audit, one: Audited) -> list[tuple[Cell, ...]]:
    rows = []
    for key in _compared(one):
        found = one.differences[key]
        rows.append(
            (
                Cell(one.system.name),
                Cell(_row_name(key)),
                Cell(str(found.n)),
                Cell(value(key.measure, found.base)),
                Cell(value(key.measure, found.value)),
                delta_cell(key.measure, found, audit.method.alpha),
                Cell(p_value(found.p)),
                Cell(p_value(found.p_holm)),
            )
        )
    return rows


def _compared(one: Audited) -> list[Key]:
    """What the table of differences shows: the rows of Table 3 and the other wordings."""
    wanted = [Key(task, name) for task in SENTIMENT_TASKS for name in CONSISTENCY]
    wanted += [key for key in _MITIGATION if key.task == CONTINUATION]
    wanted += [
        Key(f"{CHOICE}_{wording}", f"{context}_match")
        for wording in WORDINGS
        for context in VARIETIES
    ]
    return [key for key in wanted if key in one.differences]


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
    title = _title(audit, "Preference among continuations (Eqs. 2–4)")
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
    return Sheet(_title(audit, "Perplexity by context → continuation"), columns, tuple(rows))


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
    return Sheet(_title(audit, "Choice by wording, per cent (Table 7)"), columns, tuple(rows))


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
                found.append(overlap_sheet(these[0].overlap, these[0].jaccard))
    bases = [one.features[0] for one in audit.systems if one.system.is_base and one.features]
    found += [entry_sheet(one) for one in bases if one.entries]
    return [replace(sheet, title=_title(audit, sheet.title)) for sheet in found]
