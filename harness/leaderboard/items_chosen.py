"""Which items the page shows: those whose answers change most."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from sociolect.harness.leaderboard.board import Board, Section, Subject
from sociolect.harness.results import Run
from sociolect.harness.store.loading import load_run
from sociolect.harness.store.stored import Store, StoredRun
from sociolect.harness.units import Values, unit_numbers, unit_word, whole_units
from sociolect.tasks.kinds import kind_of

_Prompt = tuple[str, int]
"""Item id and option order."""


@dataclass(frozen=True, slots=True)
class Prompts:
    """The prompts of a run; one for all runs that asked the same in the same order.

    Attributes:
        ids: Item of every prompt.
        orders: Option order of every prompt.
        places: Position of each prompt.
        items: Ids of all items.
    """

    ids: list[str]
    orders: list[int]
    places: Mapping[_Prompt, int]
    items: frozenset[str]


@dataclass(frozen=True, slots=True)
class Choices:
    """What a run answered to every prompt, in a byte an answer.

    Attributes:
        asked: The prompts.
        chosen: The answers of all prompts, one after the other.
        ends: Where those of each prompt end. Shape (prompts,).
    """

    asked: Prompts
    chosen: npt.NDArray[np.int8]
    ends: npt.NDArray[np.int64]

    def of(self, prompt: _Prompt) -> list[int]:
        """The option that each generation names, -1 for none."""
        place = self.asked.places[prompt]
        start = int(self.ends[place - 1]) if place else 0
        found: list[int] = self.chosen[start : self.ends[place]].tolist()
        return found


@dataclass(slots=True)
class Seen:
    """What is kept of the runs of a subject, each of which is loaded once.

    Attributes:
        units: By unit its items with what never changes, in order of appearance.
        moved: By unit how far its values moved, over sections and conditions.
        compared: Number of runs that were held against a clean one.
        choices: By id of the run.
    """

    units: dict[str, dict[str, tuple[Any, ...]]] = field(default_factory=dict)
    moved: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    compared: int = 0
    choices: dict[str, Choices] = field(default_factory=dict)

    def asked(self, run: Run) -> Prompts:
        """The prompts of a run: those of the last one, where they are the same."""
        ids = [record.id for record in run.records]
        orders = [record.order for record in run.records]
        last = next(reversed(self.choices.values()), None)
        if last is not None and (last.asked.ids, last.asked.orders) == (ids, orders):
            return last.asked
        places = {prompt: i for i, prompt in enumerate(zip(ids, orders, strict=True))}
        return Prompts(ids, orders, places, frozenset(ids))

    def ranked(self) -> list[str]:
        """The units, those that moved most first; ties by id."""
        return sorted(self.units, key=lambda unit: (-self.moved.get(unit, 0.0), unit))


def see(store: Store, board: Board, subject: Subject) -> Seen:
    """Load every run of a subject once: values of the units, and choices.

    Args:
        store: Holds the runs.
        board: Says which runs were compared with which.
        subject: One of its subjects.
    """
    runs = {run.id: run for run in store.runs}
    seen = Seen()
    for section in sections_of(board, subject):
        before: Values = {}
        if section.clean:
            clean = _load(store, runs[section.clean.run], seen)
            _add_units(seen, clean, include_invalid=board.method.include_invalid)
            before = unit_numbers(clean, subject.metric)
        for id_, compared in _errored_runs(section):
            run = _load(store, runs[id_], seen)
            if compared:
                _add_moves(seen, before, unit_numbers(run, subject.metric))
    return seen


def sections_of(board: Board, subject: Subject) -> list[Section]:
    """The sections of a subject, those of an older data version last."""
    found = [one for one in board.sections if one.subject == subject.id]
    return sorted(found, key=lambda section: section.older)


def _errored_runs(section: Section) -> Iterator[tuple[str, bool]]:
    """Ids of the errored runs of a section, and whether each was compared.

    The mean over error seeds is no run of its own: its runs are there one by one.
    """
    for change in section.changes:
        if len(change.runs) == 1:
            yield change.runs[0], bool(change.row)


def _load(store: Store, stored: StoredRun, seen: Seen) -> Run:
    run = load_run(store, stored)
    lengths = [len(record.choices) for record in run.records]
    chosen = chain.from_iterable(record.choices for record in run.records)
    seen.choices[stored.id] = Choices(
        seen.asked(run),
        np.fromiter(chosen, dtype=np.int8, count=sum(lengths)),
        np.cumsum(lengths, dtype=np.int64),
    )
    return run


def _add_units(seen: Seen, clean: Run, *, include_invalid: bool) -> None:
    """The units that a comparison takes, with their items."""
    whole = set(whole_units(clean, include_invalid=include_invalid).whole)
    for id_, content in clean.items.items():
        if content[0] in whole:
            seen.units.setdefault(str(content[0]), {}).setdefault(id_, content)


def _add_moves(seen: Seen, before: Values, after: Values) -> None:
    seen.compared += 1
    for unit, value in before.items():
        other = after.get(unit)
        if value is not None and other is not None:
            seen.moved[unit] += abs(other - value)


def rule(subject: Subject, seen: Seen, chosen: Sequence[str]) -> str:
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
