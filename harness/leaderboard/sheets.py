"""A leaderboard as tables of text, at most eight columns each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sociolect.harness.leaderboard.board import (
    Board,
    Change,
    ConditionOf,
    Model,
    Panel,
    Section,
    Subject,
    Value,
)
from sociolect.harness.sheets import NONE, Cell, Column, Sheet
from sociolect.harness.tables import number

UNDER = "↳ "
"""Before a mitigated model, which stands under its base."""
MAX_CONDITIONS = 5
"""In one table; model, clean value and unanswered answers stand beside them."""


def ordered_models(board: Board) -> list[Model]:
    """The models, each followed by what was done to it."""
    under: dict[str, list[Model]] = defaultdict(list)
    for model in board.models:
        under[model.base].append(model)
    return [one for base in under[""] for one in (base, *under[base.id])]


def sections_of(board: Board, subject: Subject) -> list[tuple[Model, Section]]:
    """The sections of a subject in the order of `ordered_models`."""
    return [
        (model, section)
        for model in ordered_models(board)
        for section in board.sections
        if section.model == model.id and section.subject == subject.id
    ]


def board_sheets(board: Board) -> list[Sheet]:
    """For each subject the models, their changes by kind of error, and mitigations; then panels."""
    found = []
    for subject in board.subjects:
        lines = sections_of(board, subject)
        found.append(_overview(subject, lines, board))
        found += [_changes(subject, lines, part) for part in _parts(subject.conditions)]
        found += _mitigations(board, subject)
    return [*found, *map(_panel, board.panels)]


def line_name(model: Model, section: Section) -> str:
    """The model, with how it was asked where that is not the same for all."""
    asked = [section.asked] if section.asked else []
    asked += ["older data"] if section.older else []
    extra = f" ({', '.join(asked)})" if asked else ""
    return f"{UNDER if model.base else ''}{model.label}{extra}"


def marks(row: Mapping[str, Any]) -> str:
    """`*` and `†` for significant changes, `!` where unanswered prompts make one doubtful."""
    signs = ("*", "significant"), ("†", "significant_holm"), ("!", "warning")
    return "".join(sign for sign, key in signs if row[key])


def _parts(conditions: Sequence[ConditionOf]) -> Iterator[Sequence[ConditionOf]]:
    """The conditions of one kind of error, few enough for a table."""
    groups: dict[tuple[str, ...], list[ConditionOf]] = defaultdict(list)
    for one in conditions:
        extra = one.label.partition(" ")[2]
        groups[one.transform, one.part, extra].append(one)
    for group in groups.values():
        for start in range(0, len(group), MAX_CONDITIONS):
            yield group[start : start + MAX_CONDITIONS]


def _overview(subject: Subject, lines: Sequence[tuple[Model, Section]], board: Board) -> Sheet:
    columns = [
        Column("model", left=True),
        Column(f"clean {subject.metric}"),
        Column(f"{100 * (1 - board.method.alpha):g} % CI"),
        Column("rank"),
        Column(f"{subject.unit}s"),
        Column("unanswered %"),
        Column("worst condition", left=True),
        Column("value"),
    ]
    labels = {one.id: one.label for one in subject.conditions}
    rows = [
        (Cell(line_name(model, section)), *_clean(section.clean), *_worst(section, labels))
        for model, section in lines
    ]
    return Sheet(subject.label, tuple(columns), tuple(rows), tuple(_notes(lines, labels)))


def _clean(value: Value | None) -> tuple[Cell, ...]:
    if value is None:
        return tuple(Cell(NONE) for _ in range(5))
    known = value.low is not None and value.high is not None
    interval = f"[{value.low:.2f}, {value.high:.2f}]" if known else NONE
    shown = (number(value.value), interval, rank_text(value), str(value.n))
    return (*map(Cell, shown), Cell(number(value.unanswered, ".1f")))


def rank_text(value: Value) -> str:
    """Place and interval, as `2 [1–3] of 4`, and `=2 [1–3] of 4` where another has the place."""
    rank = value.rank
    if rank is None:
        return NONE
    return f"{'=' * rank.tied}{rank.place} [{rank.low}–{rank.high}] of {rank.of}"


def _worst(section: Section, labels: Mapping[str, str]) -> tuple[Cell, Cell]:
    if section.worst < 0:
        return Cell(NONE), Cell(NONE)
    change = section.changes[section.worst]
    return Cell(labels[change.condition]), _value_and_change(change)


def _value_and_change(change: Change | None) -> Cell:
    """The value and, in brackets, the change from the clean prompts."""
    if change is None:
        return Cell(NONE)
    value = number(change.value.value)
    if not change.row:
        return Cell(value)
    shown = f"{value} ({change.row['delta']:+.2f})"
    return Cell(shown, marks(change.row), bool(change.row["significant"]))


def _changes(
    subject: Subject, lines: Sequence[tuple[Model, Section]], conditions: Sequence[ConditionOf]
) -> Sheet:
    columns = [Column("model", left=True), Column("clean")]
    columns += [Column(f"{one.label} (Δ)") for one in conditions]
    rows = []
    for model, section in lines:
        held = {change.condition: change for change in section.changes}
        here = [held.get(one.id) for one in conditions]
        if any(here):
            clean = number(section.clean.value) if section.clean else NONE
            cells = [Cell(line_name(model, section)), Cell(clean), *map(_value_and_change, here)]
            rows.append((*cells, Cell(_unanswered(here))))
    title = f"{subject.label} · {_title(conditions)}"
    return Sheet(title, (*columns, Column("unanswered %")), tuple(rows))


def _title(conditions: Sequence[ConditionOf]) -> str:
    first = conditions[0]
    part = "" if first.part == "input" else f" in {first.part}"
    return f"{first.transform}{part}"


def _unanswered(changes: Sequence[Change | None]) -> str:
    """The least and the most that stayed unanswered in some conditions."""
    rates = [one.value.unanswered for one in changes if one]
    known = [f"{rate:.1f}" for rate in sorted(r for r in rates if r is not None)]
    if not known:
        return NONE
    return known[0] if known[0] == known[-1] else f"{known[0]}–{known[-1]}"


def _notes(lines: Sequence[tuple[Model, Section]], labels: Mapping[str, str]) -> Iterator[str]:
    """What a reader must know, each thing once with the models that it is about."""
    about: dict[str, list[str]] = defaultdict(list)
    for model, section in lines:
        name = line_name(model, section).removeprefix(UNDER)
        for note in _notes_of(section, labels):
            about[note].append(name)
    for note, names in about.items():
        everyone = len(names) == len(lines) > 1
        yield f"{'All models' if everyone else '; '.join(names)}: {note}"


def _notes_of(section: Section, labels: Mapping[str, str]) -> Iterator[str]:
    """Of one section: what was not compared, and all else."""
    reasons: dict[str, list[str]] = defaultdict(list)
    for change in section.changes:
        if change.why_not:
            reasons[change.why_not].append(labels[change.condition])
    yield from (f"{', '.join(where)}: {why}" for why, where in reasons.items())
    yield from (note for note in section.notes if note not in reasons)


def _mitigations(board: Board, subject: Subject) -> list[Sheet]:
    """Mitigated models against their bases, a row a condition."""
    models = {model.id: model for model in board.models}
    lines = {s.id: models[s.model] for s in board.sections if s.subject == subject.id}
    labels = {"clean": "clean", **{one.id: one.label for one in subject.conditions}}
    found = [one for one in board.versus if one.section in lines]
    if not found:
        return []
    rows, notes = [], []
    for one in found:
        name, label = lines[one.section].label, labels[one.condition]
        if one.why_not:
            notes.append(f"{name}, {label}: {one.why_not}")
        else:
            rows.append((Cell(name), Cell(label), *_held_against(one.row)))
    interval = f"{100 * (1 - board.method.alpha):g} % CI"
    names = (f"{subject.unit}s", "base", "mitigated", "Δ", interval, "p (Holm)")
    columns = (Column("model", left=True), Column("condition", left=True), *map(Column, names))
    return [Sheet(f"{subject.label} · mitigated − base", columns, tuple(rows), tuple(notes))]


def interval_of(row: Mapping[str, Any]) -> tuple[float | None, float | None]:
    """The interval of a change: over question templates where there are any, else over units."""
    name = "ci_templates" if row.get("templates") else "ci"
    return row.get(f"{name}_low"), row.get(f"{name}_high")


def _held_against(row: Mapping[str, Any]) -> tuple[Cell, ...]:
    low, high = interval_of(row)
    interval = NONE if low is None or high is None else f"[{low:+.2f}, {high:+.2f}]"
    delta = Cell(f"{row['delta']:+.2f}", marks(row), bool(row["significant"]))
    numbers = [str(row["n"]), number(row["clean"]), number(row["errored"])]
    return (*map(Cell, numbers), delta, Cell(interval), Cell(f"{row['p_holm']:.4f}"))


def _panel(panel: Panel) -> Sheet:
    bold = set(panel.bold)
    rows = tuple(
        tuple(Cell(text, bold=(i, j) in bold) for j, text in enumerate(row))
        for i, row in enumerate(panel.rows)
    )
    columns = tuple(Column(name, left=not i) for i, name in enumerate(panel.columns))
    return Sheet(panel.title, columns, rows, panel.notes)
