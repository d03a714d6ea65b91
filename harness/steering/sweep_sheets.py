"""The tables of a sweep: those of the dialect paper in shape, with intervals and controls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from sociolect.harness.dialect import report_sheets
from sociolect.harness.dialect.audits import SENTIMENT, Key
from sociolect.harness.dialect.report_cells import cell, delta_cell, p_value, shown
from sociolect.harness.dialect.sheet_parts import titled
from sociolect.harness.sheets import NONE, Cell, Column, Sheet
from sociolect.harness.steering.sweep import Sweep
from sociolect.harness.steering.sweep_against import BETTER, COMPARED, Against
from sociolect.harness.steering.sweep_fit_sheet import what_was_fitted
from sociolect.harness.steering.sweep_flip_sheets import flipped, flips
from sociolect.harness.steering.sweep_numbers import (
    AAE_MATCH,
    AAE_PPL,
    LP,
    SAE_MATCH,
    SAE_PPL,
    Figure,
    Numbers,
    Row,
    chosen_audit,
)
from sociolect.harness.steering.sweep_vectors import SINGLE, VECTOR

COSTLY, NOT_BETTER = "^", "~"
"""SAE perplexity is above base's, interval and all; not shown to be better than a control."""


def all_sheets(sweep: Sweep) -> list[Sheet]:
    """What was fitted, then every table with the scale of β, that of the choice first."""
    found = [choice(sweep), *full(sweep), *controls(sweep)]
    found += [*systems(sweep), single(sweep), flips(sweep), flipped(sweep)]
    scaled = [
        replace(one, title=f"{one.title} · β scale {sweep.settings.scale}")
        for one in found
        if one.rows
    ]
    return [what_was_fitted(sweep), *scaled]


def choice(sweep: Sweep) -> Sheet:
    """The selection split, and what the rule says of every strength."""
    numbers = sweep.selection
    rows = [(*_who(sweep, numbers.base), *_rule_cells(numbers.base), Cell(""))]
    for name in (VECTOR, SINGLE):
        for row in numbers.of(name):
            verdict = sweep.choices[name].verdicts[row.cell.beta]
            chosen = row.cell.beta == sweep.choices[name].beta
            rows.append((*_who(sweep, row), *_rule_cells(row), Cell(verdict, "", chosen)))
    heads = ("LP (sum)", "SAE PPL ratio", "AAE PPL ratio", "SAE match %")
    columns = (*_WHO, *map(Column, heads), Column("by the rule", left=True))
    return Sheet(titled(numbers.audit, "Choice of the strength"), columns, tuple(rows))


def _rule_cells(row: Row) -> tuple[Cell, ...]:
    return (
        _number(row, LP),
        _figure(row.sae_ratio),
        _figure(row.aae_ratio),
        _number(row, SAE_MATCH),
    )


_WHO = (Column("system", left=True), Column("β"), Column("added / norm"))


def _who(sweep: Sweep, row: Row) -> tuple[Cell, ...]:
    """System, strength, and the largest share of the norm that is added at a block."""
    one = row.cell
    if not one.is_steered:
        return Cell(one.system), Cell("0"), Cell(NONE)
    shares = sweep.vectors[one.system].added(one.beta, sweep.settings.scale)
    return Cell(one.system), Cell(f"{one.beta:g}"), Cell(f"{max(shares.values()):.2g}")


def full(sweep: Sweep) -> list[Sheet]:
    """Every cell of the evaluation split (Table 9): bias, then what it costs."""
    numbers = sweep.evaluation
    bias: tuple[tuple[str, Callable[[Row], Cell]], ...] = (
        ("LP (sum)", lambda row: _number(row, LP)),
        (f"Δ {_level(numbers)}", lambda row: _delta(numbers, row, LP)),
        ("p", lambda row: _p(row, LP, holm=False)),
        ("p (Holm)", lambda row: _p(row, LP, holm=True)),
        ("bias reduction %", lambda row: _figure(row.reduction, ".1f")),
        ("AAE match %", lambda row: _number(row, AAE_MATCH)),
        ("SAE match %", lambda row: _number(row, SAE_MATCH)),
        ("n", lambda row: _count(row, LP)),
    )
    cost: tuple[tuple[str, Callable[[Row], Cell]], ...] = (
        ("AAE PPL", lambda row: _number(row, AAE_PPL)),
        ("ratio", lambda row: _figure(row.aae_ratio)),
        ("SAE PPL", lambda row: _number(row, SAE_PPL)),
        ("ratio", lambda row: _figure(row.sae_ratio, marks=COSTLY * row.costs_sae)),
        *((shown(key.measure).label, _of(key)) for key in agreement(numbers)),
    )
    why = sorted({row.reduction.why for row in numbers.rows.values() if row.cell.is_steered} - {""})
    notes = tuple(f"bias reduction: n/a where {reason}." for reason in why)
    return [
        _sheet(sweep, "Full sweep: bias (Table 9)", bias, notes),
        _sheet(sweep, "Full sweep: perplexity and agreement (Table 9)", cost, _added(sweep)),
    ]


def agreement(numbers: Numbers) -> list[Key]:
    """DGI and cDGI of the sentiment tasks that were run."""
    found = [
        Key(task, name)
        for task in (SENTIMENT, f"{SENTIMENT}_ll")
        for name in ("dgi", "cdgi", "cdgi_any")
    ]
    known = [row.audited.estimates for row in numbers.rows.values()]
    return [key for key in found if any(key in e and e[key].n for e in known)]


def _of(key: Key) -> Callable[[Row], Cell]:
    return lambda row: _number(row, key)


def _added(sweep: Sweep) -> tuple[str, ...]:
    """What is added at β = 1, by block."""
    said = []
    for name, one in sweep.vectors.items():
        shares = one.added(1.0, sweep.settings.scale)
        blocks = ", ".join(f"{k}: {share:.2g}" for k, share in shares.items())
        said.append(
            f"{name}: added at β = 1 by the median norm of the residual, by block: {blocks}."
        )
    return tuple(said)


def _sheet(
    sweep: Sweep,
    title: str,
    columns: Sequence[tuple[str, Callable[[Row], Cell]]],
    notes: tuple[str, ...],
) -> Sheet:
    numbers = sweep.evaluation
    rows = tuple(
        (*_who(sweep, row), *(make(row) for _, make in columns)) for row in numbers.rows.values()
    )
    heads = (*_WHO, *(Column(name) for name, _ in columns))
    return Sheet(titled(numbers.audit, title), heads, rows, notes)


def controls(sweep: Sweep) -> list[Sheet]:
    """The vector minus each control at the same strength, by pair."""
    numbers = sweep.evaluation
    rows = tuple(
        (
            Cell(f"{VECTOR} − {one.control}"),
            Cell(f"{one.beta:g}"),
            Cell(shown(key.measure).label),
            Cell(shown(key.measure).number(found.base)),
            Cell(shown(key.measure).number(found.value)),
            delta_cell(key.measure, found, numbers.audit.method.alpha),
            Cell(p_value(found.p), _verdict(one, key)),
            Cell(p_value(found.p_holm)),
        )
        for one in sweep.against
        for key in COMPARED
        if (found := one.differences.get(key))
    )
    heads = ("β", "measure", "control", "vector", f"Δ {_level(numbers)}", "p", "p (Holm)")
    columns = (Column("difference", left=True), *(Column(h, left=h == "measure") for h in heads))
    title = titled(numbers.audit, "The vector against its controls, same size, same pairs")
    return [Sheet(title, columns, rows)]


def _verdict(one: Against, key: Key) -> str:
    return NOT_BETTER * (key == LP and one.verdict != BETTER)


def systems(sweep: Sweep) -> list[Sheet]:
    """Base, prompt and steering side by side, and against base (Table 3)."""
    numbers = sweep.evaluation
    chosen = [row for row in numbers.rows.values() if not row.cell.is_steered]
    chosen += [sweep.steered, *sweep.controls]
    made = chosen_audit(numbers, chosen)
    return [*report_sheets.mitigation(made), *report_sheets.differences(made)]


def single(sweep: Sweep) -> Sheet:
    """One layer against several, each at its own strength (Table 8)."""
    numbers = sweep.evaluation
    rows = []
    for row, name in ((sweep.single, "single layer"), (sweep.steered, "several layers")):
        layers = sweep.vectors[row.cell.system].vector.layers
        rows.append(
            (
                Cell(name),
                Cell(", ".join(map(str, layers))),
                Cell(f"{row.cell.beta:g}"),
                _number(row, LP),
                _figure(row.reduction, ".1f"),
                _number(row, AAE_PPL),
                _number(row, SAE_PPL),
                _figure(row.sae_ratio, marks=COSTLY * row.costs_sae),
            )
        )
    heads = ("β", "LP (sum)", "bias reduction %", "AAE PPL", "SAE PPL", "ratio")
    columns = (Column("strategy", left=True), Column("layers", left=True), *map(Column, heads))
    return Sheet(titled(numbers.audit, "One layer and several (Table 8)"), columns, tuple(rows))


def _level(numbers: Numbers) -> str:
    return f"[{100 * numbers.audit.method.confidence:g} % CI]"


def _number(row: Row, key: Key) -> Cell:
    return cell(key.measure, row.audited.estimates.get(key))


def _count(row: Row, key: Key) -> Cell:
    found = row.audited.estimates.get(key)
    return Cell(NONE if found is None else str(found.n))


def _delta(numbers: Numbers, row: Row, key: Key) -> Cell:
    found = row.audited.differences.get(key)
    if found is None:
        return Cell(NONE)
    return delta_cell(key.measure, found, numbers.audit.method.alpha)


def _p(row: Row, key: Key, *, holm: bool) -> Cell:
    found = row.audited.differences.get(key)
    if found is None:
        return Cell(NONE)
    return Cell(p_value(found.p_holm if holm else found.p))


def _figure(figure: Figure, pattern: str = ".3f", marks: str = "") -> Cell:
    """A ratio or a reduction with its interval; `n/a` where it would say nothing."""
    if figure.value is None:
        return Cell("n/a")
    text = format(figure.value, pattern)
    if figure.interval is not None:
        low, high = (format(end, pattern) for end in figure.interval)
        text += f" [{low}, {high}]"
    return Cell(text, marks)
