"""Tables of other analyses whose runs are in the store: flips of judges, and the dialect audit.

They are the sheets of `sociolect flips` and `sociolect dialect report`, made from the samples files
of the runs that the store found sound.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path

from sociolect.generators.errors import SociolectError
from sociolect.harness.candidates import Found, model_of
from sociolect.harness.compare import Method
from sociolect.harness.leaderboard.board import Panel
from sociolect.harness.selection import Selection, select_models
from sociolect.harness.sheets import Cell, Sheet
from sociolect.harness.store.stored import Store, StoredRun
from sociolect.tasks.kinds import KIND_OF

BY_CONDITION = 2
"""The first tables of flips: a row a condition, with rates, intervals and tests."""

_Made = Iterator[tuple[Sheet, list[Path]]]
"""Tables, and the samples files behind each."""


def panels_of(store: Store, method: Method) -> tuple[list[Panel], list[str]]:
    """The tables of judges and of the dialect audit.

    Intervals and tests take seed and level from the method, and all else as the commands have it
    unless told otherwise.

    Args:
        store: Holds the runs; samples files are read only where there are such runs.
        method: Of the leaderboard.

    Returns:
        Panels, and notes on what was chosen, or could not be analysed and why.
    """
    notes: list[str] = []
    judged = [run for run in store.runs if KIND_OF.get(run.benchmark) == "judge"]
    audited = [run for run in store.runs if run.family == "dialect"]
    ids = {run.files.samples: run.id for run in (*judged, *audited)}
    panels = [
        _panel(f"{name}{number}", sheet, [ids[path] for path in paths])
        for name, made in (
            ("flips", _judges(judged, method, notes)),
            ("dialect", _audits(audited, method, notes)),
        )
        for number, (sheet, paths) in zip(count(1), made, strict=False)
    ]
    return panels, list(dict.fromkeys(notes))


def _panel(id_: str, sheet: Sheet, runs: Sequence[str]) -> Panel:
    return Panel(
        id=id_,
        title=sheet.title,
        columns=tuple(column.name for column in sheet.columns),
        rows=tuple(tuple(map(_text, row)) for row in sheet.rows),
        bold=tuple(
            (i, j)
            for i, row in enumerate(sheet.rows)
            for j, cell in enumerate(row)
            if cell.bold or "*" in cell.marks
        ),
        notes=sheet.notes,
        runs=tuple(runs),
    )


def _text(cell: Cell) -> str:
    return f"{cell.text.strip()} {cell.marks}".rstrip()


def _judges(runs: Sequence[StoredRun], method: Method, notes: list[str]) -> _Made:
    """Flips of every judge, benchmark and form; one that fails leaves the others as they are."""
    for group in _by_model(runs, notes):
        try:
            selections = select_models(group)
        except SociolectError as error:
            notes.append(f"Flips: {error}")
            continue
        for selection in selections:
            notes += selection.notes
            try:
                yield from _flips(selection, method, notes)
            except SociolectError as error:
                notes.append(f"Flips: {error}")


def _by_model(runs: Sequence[StoredRun], notes: list[str]) -> list[list[Path]]:
    """The samples files of each model; models are told apart as by `sociolect flips`."""
    groups: dict[str, list[Path]] = defaultdict(list)
    for run in runs:
        try:
            groups[model_of(Found(run.files, {}))].append(run.files.samples)
        except SociolectError as error:
            notes.append(f"Flips: {error}")
    return list(groups.values())


def _flips(selection: Selection, method: Method, notes: list[str]) -> _Made:
    from sociolect.harness.judging.analysis import FlipMethod, analyse
    from sociolect.harness.judging.reading import read_judges
    from sociolect.harness.judging.relation_sheets import flips_sheets, legend

    paths = [files.samples for files in (selection.clean, *selection.others)]
    judges, more = read_judges(paths, allow=method.allow)
    notes += more
    found = [analyse(judge, FlipMethod(method.seed, method.alpha)) for judge in judges]
    sheets = [sheet for flips in found for sheet in flips_sheets(flips)[:BY_CONDITION]]
    yield from ((sheet, paths) for sheet in _with_notes(sheets, legend(found)))


def _with_notes(sheets: Sequence[Sheet], notes: Sequence[str]) -> list[Sheet]:
    """The sheets, the last with the notes on all of them."""
    *first, last = sheets
    notes = tuple(dict.fromkeys((*last.notes, *notes)))
    return [*first, Sheet(last.title, last.columns, last.rows, notes)]


def _audits(runs: Sequence[StoredRun], method: Method, notes: list[str]) -> _Made:
    """The audit of all models together; where that fails, of each by the folder of its runs."""
    if not runs:
        return
    paths = [run.files.samples for run in runs]
    try:
        yield from _audit(paths, method, notes)
        return
    except SociolectError as error:
        notes.append(f"Dialect: {error}")
    folders: dict[Path, list[Path]] = defaultdict(list)
    for path in paths:
        folders[path.parent].append(path)
    for several in folders.values() if len(folders) > 1 else ():
        try:
            yield from _audit(several, method, notes)
        except SociolectError as error:
            notes.append(f"Dialect: {error}")


def _audit(paths: Sequence[Path], method: Method, notes: list[str]) -> _Made:
    from sociolect.harness.dialect.findings import audit
    from sociolect.harness.dialect.methods import Method as AuditMethod
    from sociolect.harness.dialect.report import legend, remarks
    from sociolect.harness.dialect.report_sheets import audit_sheets
    from sociolect.harness.dialect.report_tokens import tokens_of
    from sociolect.harness.dialect.runs import read_runs
    from sociolect.harness.dialect.system_names import datasets

    runs, more = read_runs(paths)
    how = AuditMethod(method.seed, method.alpha)
    found = [audit(dataset, how, tokens_of()) for dataset in datasets(runs, method.allow)]
    notes += more
    sheets = [(audit_sheets(one), one) for one in found]
    said = [*remarks(found), *legend(found)]
    for number, (several, one) in enumerate(sheets):
        used = [run.files.samples for system in one.dataset.systems for run in system.runs.values()]
        below = said if number == len(sheets) - 1 else ()
        yield from [(sheet, used) for sheet in _with_notes(several, below)]
