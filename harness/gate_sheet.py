"""The verdict of the regression gate as tables and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from sociolect import __version__
from sociolect.harness import sheets
from sociolect.harness.comparison_rows import MAX_UNANSWERED, MAX_UNANSWERED_CHANGE
from sociolect.harness.exports import json_text
from sociolect.harness.gate_rows import Gate, GateRow, IncreaseTest
from sociolect.harness.sheets import NONE, Cell, Column, Sheet
from sociolect.harness.tables import number

SCHEMA_VERSION = 1
"""Of the JSON document; grows when a key changes its meaning or goes."""


def render_gate(gate: Gate, *, width: int | None = None, colour: bool = False) -> str:
    """One table a benchmark and form, one line a condition, without the verdict.

    Args:
        gate: What was found.
        width: Columns of the terminal; notes are wrapped to it.
        colour: Whether to write escape sequences (bold for what is red).
    """
    subjects = dict.fromkeys(row.subject for row in gate.rows)
    shown = [_sheet(gate, [row for row in gate.rows if row.subject == one]) for one in subjects]
    return sheets.as_text(shown, _notes(gate), width=width, colour=colour)


def verdict(gate: Gate) -> str:
    """The last line."""
    of = f"{len(gate.rows)} condition{'s' * (len(gate.rows) != 1)}"
    reasons = dict.fromkeys(row.red for row in gate.rows if row.red)
    if not reasons:
        points = f"{gate.options.max_increase:g} points"
        return f"GREEN: none of {of} is worse by more than {points} beyond chance."
    counts = ", ".join(f"{sum(row.red == why for row in gate.rows)} {why}" for why in reasons)
    red = sum(bool(row.red) for row in gate.rows)
    return f"RED: {red} of {of} ({counts})."


def render_gate_json(gate: Gate) -> str:
    """Everything: verdict, options, rows with unrounded numbers, notes, inputs with hashes."""
    return json_text(
        {
            "schema": "sociolect.gate",
            "schema_version": SCHEMA_VERSION,
            "sociolect": __version__,
            "green": gate.is_green,
            "verdict": verdict(gate),
            "baseline": gate.models[0],
            "candidate": gate.models[1],
            "options": _options(gate),
            "rows": [_flat(row) for row in gate.rows],
            "notes": [*gate.notes, *_remarks(gate)],
            "inputs": [dict(one) for one in gate.inputs],
        }
    )


def _options(gate: Gate) -> dict[str, Any]:
    method = asdict(gate.options.method)
    method |= {"metrics": list(method["metrics"]), "allow": sorted(method["allow"])}
    own = {name: getattr(gate.options, name) for name in ("max_increase", "holm", "strict")}
    return own | method


def _flat(row: GateRow) -> dict[str, Any]:
    """A row, its test and what is left out in one level; what does not exist is `None`."""
    found = asdict(row)
    test = found.pop("test") or dict.fromkeys(IncreaseTest.__dataclass_fields__)
    left = {f"left_{name}": count for name, count in found.pop("left").items()}
    rates = zip(("baseline", "candidate"), found.pop("unanswered"), strict=True)
    unanswered = {f"{side}_unanswered": rate for side, rate in rates}
    return {"green": not row.red} | found | test | unanswered | left


def _sheet(gate: Gate, rows: Sequence[GateRow]) -> Sheet:
    level = f"{100 * (1 - gate.options.method.alpha):g} % CI"
    holm = (Column("p (Holm)"),) if gate.options.holm else ()
    columns = (
        Column("condition", left=True),
        Column("n"),
        Column("baseline"),
        Column("candidate"),
        Column("worse by"),
        Column(level),
        Column("p"),
        *holm,
        Column("detectable"),
        Column("unanswered %"),
        Column("left"),
        Column("verdict", left=True),
    )
    first, second = gate.models
    title = f"{first} → {second or NONE} · {rows[0].subject} · {rows[0].metric}"
    cells = tuple(tuple(_cells(row, holm=gate.options.holm)) for row in rows)
    return Sheet(title, columns, cells, tuple(_left_out(rows)))


def _cells(row: GateRow, *, holm: bool) -> Iterator[Cell]:
    test = row.test
    before, after = (number(rate, ".1f") for rate in row.unanswered)
    yield Cell(row.condition)
    yield Cell(str(test.n if test else 0))
    yield from map(Cell, _tested(test, holm=holm) if test else [NONE] * (6 + holm))
    yield Cell(f"{before} → {after}{' !' if row.warning else '  '}")
    yield Cell(str(row.left.unanswered))
    marks = " ?" * row.small + " !" * row.warning
    yield Cell((f"RED {row.red}" if row.red else "green") + marks, bold=bool(row.red))


def _tested(test: IncreaseTest, *, holm: bool) -> Iterator[str]:
    yield number(test.baseline)
    yield number(test.candidate)
    yield f"{test.increase:+.2f}"
    ends = (test.low, test.high)
    yield NONE if None in ends else f"[{', '.join(number(end, '+.2f') for end in ends)}]"
    yield f"{test.p:.4f}"
    if holm:
        yield f"{test.p_holm:.4f}"
    yield number(test.detectable)


def _left_out(rows: Sequence[GateRow]) -> Iterator[str]:
    """What is in no number; the unanswered units have a column."""
    if invalid := max(row.left.invalid for row in rows):
        yield (
            f"Left out: {invalid} pairs whose members differ in more than the protected attribute."
        )
    for row in rows:
        if row.left.incomplete:
            yield (
                f"{row.condition}: left out {row.left.incomplete} {row.unit}s that were not asked "
                "whole."
            )
        if row.left.prompts and row.red != "not run":
            yield f"{row.condition}: left out {row.left.prompts} prompts that only one run asked."


def _notes(gate: Gate) -> list[str]:
    return [*_legend(gate), *gate.notes, *_remarks(gate)]


def _legend(gate: Gate) -> Iterator[str]:
    """What is tested, and what makes a condition red."""
    options, method = gate.options, gate.options.method
    p = f"Holm-adjusted p < {method.alpha:g}" if options.holm else f"p < {method.alpha:g}"
    strict = ", or the interval reaches above that" if options.strict else ""
    yield (
        f"worse by: points by which |bias| grew, or by which an accuracy fell. RED: more than "
        f"{options.max_increase:g} and {p}{strict}; or not run, or not answered."
    )
    yield (
        f"One-sided paired randomisation test, {method.permutations:,} permutations; percentile "
        f"bootstrap over {_resampled(gate.rows)}, {method.resamples:,} resamples; seed "
        f"{method.seed}; sociolect {__version__}."
    )


def _resampled(rows: Sequence[GateRow]) -> str:
    kinds = {("templates" if row.test.templates else f"{row.unit}s") for row in rows if row.test}
    return " or ".join(sorted(kinds)) or "units"


def _remarks(gate: Gate) -> Iterator[str]:
    """What the marks say, with their counts."""
    of = len(gate.rows)
    small = sum(row.small for row in gate.rows)
    if small:
        are = "is" if small == 1 else "are"
        points = f"{gate.options.max_increase:g} points"
        yield f"? {small} of {of} conditions {are} too small to see {points} (80 % power)."
    doubtful = sum(row.warning for row in gate.rows)
    if doubtful:
        leave = "leaves" if doubtful == 1 else "leave"
        yield (
            f"! {doubtful} of {of} conditions {leave} over {MAX_UNANSWERED:g} % of the generations "
            f"unanswered, or over {MAX_UNANSWERED_CHANGE:g} points more than the baseline."
        )
