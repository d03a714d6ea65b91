"""Which items the page shows: those whose answers change most."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sociolect.harness.leaderboard.board import Board, Section, Subject
from sociolect.harness.leaderboard.pool import ordered
from sociolect.harness.results import Run
from sociolect.harness.store.loading import load_run
from sociolect.harness.store.stored import Store
from sociolect.harness.units import Values, unit_numbers, unit_word, whole_units
from sociolect.tasks.kinds import kind_of


@dataclass(slots=True)
class Moves:
    """What the answers of a subject, or of one section of it, do from clean to errored prompts.

    Attributes:
        units: By unit its items with what never changes, in order of appearance.
        moved: By unit how far its values moved, over sections and conditions.
        compared: Number of runs that were held against a clean one.
    """

    units: dict[str, dict[str, tuple[Any, ...]]] = field(default_factory=dict)
    moved: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    compared: int = 0

    def ranked(self) -> list[str]:
        """The units, those that moved most first; ties by id."""
        return sorted(self.units, key=lambda unit: (-self.moved.get(unit, 0.0), unit))


def moves(store: Store, board: Board, subject: Subject, *, processes: int = 1) -> Moves:
    """Load every run of a subject once, and see how far each unit moves.

    Args:
        store: Holds the runs.
        board: Says which runs were compared with which.
        subject: One of its subjects.
        processes: How many; 0 for as many as there are CPUs. The result is the same for any.
    """
    given = [
        (only(store, section), section, subject.metric, board.method.include_invalid)
        for section in sections_of(board, subject)
    ]
    found = Moves()
    for one in ordered(moves_of, given, processes=processes):
        found.compared += one.compared
        for unit, items in one.units.items():
            kept = found.units.setdefault(unit, {})
            for id_, content in items.items():
                kept.setdefault(id_, content)
        for unit, moved in one.moved.items():
            found.moved[unit] += moved
    return found


def only(store: Store, section: Section) -> Store:
    """The store with no runs but those of a section."""
    ids = {id_ for change in section.changes for id_ in change.runs}
    ids |= {section.clean.run} if section.clean else set()
    return replace(store, runs=tuple(run for run in store.runs if run.id in ids), problems=())


def moves_of(store: Store, section: Section, metric: str, include_invalid: bool) -> Moves:
    """What one section adds."""
    runs = {run.id: run for run in store.runs}
    found = Moves()
    before: Values = {}
    if section.clean:
        clean = load_run(store, runs[section.clean.run])
        _add_units(found, clean, include_invalid=include_invalid)
        before = unit_numbers(clean, metric)
    for id_ in _compared_runs(section):
        _add_moves(found, before, unit_numbers(load_run(store, runs[id_]), metric))
    return found


def sections_of(board: Board, subject: Subject) -> list[Section]:
    """The sections of a subject, those of an older data version last."""
    found = [one for one in board.sections if one.subject == subject.id]
    return sorted(found, key=lambda section: section.older)


def _compared_runs(section: Section) -> Iterator[str]:
    """Ids of the errored runs of a section that were compared.

    The mean over error seeds is no run of its own: its runs are there one by one.
    """
    for change in section.changes:
        if len(change.runs) == 1 and change.row:
            yield change.runs[0]


def _add_units(seen: Moves, clean: Run, *, include_invalid: bool) -> None:
    """The units that a comparison takes, with their items."""
    whole = set(whole_units(clean, include_invalid=include_invalid).whole)
    for id_, content in clean.items.items():
        if content[0] in whole:
            seen.units.setdefault(str(content[0]), {}).setdefault(id_, content)


def _add_moves(seen: Moves, before: Values, after: Values) -> None:
    seen.compared += 1
    for unit, value in before.items():
        other = after.get(unit)
        if value is not None and other is not None:
            seen.moved[unit] += abs(other - value)


def rule(subject: Subject, seen: Moves, chosen: Sequence[str]) -> str:
    """How the items were chosen, in a sentence."""
    unit = unit_word(kind_of(subject.benchmark))
    if not seen.units:
        return f"There are none: no clean run asked whole {unit}s."
    if not seen.compared:
        return f"The first {unit}s by id, as no condition was compared with clean prompts."
    if len(chosen) == len(seen.units):
        return f"All {unit}s, those whose answers change most first."
    return (
        f"The {unit}s whose answers change most: largest sum, over models and conditions that were "
        f"compared, of the difference between errored and clean prompts in {subject.metric}; of "
        "equal ones the first by id."
    )
