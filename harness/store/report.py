"""What a store holds, as a table and as JSON."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from sociolect.harness.leaderboard.models import model_key, models_of
from sociolect.harness.sample_lines import why_partial
from sociolect.harness.sheets import NONE, Cell, Column, Sheet
from sociolect.harness.store.stored import Store, StoredRun

_COLUMNS = ("model", "benchmark", "axis", "form", "conditions", "runs", "not whole", "prompts")
_NAMES = 4
"""Columns of names."""
_LONGEST, _END = 80, 30
"""Characters of a name in a table, and those of its end, which tells models apart."""
_SHOWN = 20
"""Problems that a table lists; JSON has all."""


class Held(NamedTuple):
    """The runs of one model, by its label on a leaderboard, on one benchmark, asked in one way."""

    model: str
    benchmark: str
    axis: str
    form: str
    runs: tuple[StoredRun, ...]

    @property
    def numbers(self) -> tuple[int, int, int, int]:
        """Conditions, runs, runs that are not the whole task, prompts with answers."""
        partial = sum(bool(why_partial(run.rows, run.prompts)) for run in self.runs)
        conditions = len({run.condition for run in self.runs})
        return conditions, len(self.runs), partial, sum(run.rows for run in self.runs)


def held(store: Store) -> list[Held]:
    """The runs by model and benchmark; models are told apart as on a leaderboard."""
    models, _ = models_of(store.runs)
    groups: dict[tuple[str, str, str, str], list[StoredRun]] = defaultdict(list)
    for run in store.runs:
        groups[models[model_key(run)].label, run.benchmark, run.axis, run.form].append(run)
    return [Held(*key, tuple(groups[key])) for key in sorted(groups)]


def sheet(store: Store, seconds: float) -> Sheet:
    """A table of what is there, with what is not below it.

    Args:
        store: What was read.
        seconds: How long that took.
    """
    groups = held(store)
    rows = [
        (
            *(Cell(text or NONE) for text in (shortened(g.model), g.benchmark, g.axis, g.form)),
            *(Cell(f"{number:,}") for number in g.numbers),
        )
        for g in groups
    ]
    columns = [Column(name, left=at < _NAMES) for at, name in enumerate(_COLUMNS)]
    return Sheet(str(store.folder), tuple(columns), tuple(rows), tuple(_notes(store, seconds)))


def shortened(name: str) -> str:
    """A name that fits a table: its middle is left out where it is very long."""
    if len(name) <= _LONGEST:
        return name
    return f"{name[: _LONGEST - _END - 1]}…{name[-_END:]}"


def _notes(store: Store, seconds: float) -> Iterator[str]:
    yield f"{len(store.runs):,} runs; {store.read:,} files read in {seconds:.1f} s, the rest known"
    if store.foreign:
        named = ", ".join(f"{task} ({count})" for task, count in store.foreign.items())
        yield f"of other projects' tasks, passed over: {named}"
    if store.ignored:
        files = "file that is" if store.ignored == 1 else "files that are"
        yield f"{store.ignored:,} {files} no output of lm-eval, passed over"
    if store.problems:
        yield f"{len(store.problems):,} could not be used:"
    for problem in store.problems[:_SHOWN]:
        yield f"  {problem.path}: {problem.what}"
    if len(store.problems) > _SHOWN:
        yield f"  … and {len(store.problems) - _SHOWN:,} more; --format json lists all"


def as_json(store: Store, seconds: float) -> str:
    """The same, with all problems."""
    found = [
        {**dict(zip(_COLUMNS, (*group[:_NAMES], *group.numbers), strict=True))}
        for group in held(store)
    ]
    content = {
        "folder": str(store.folder),
        "index": str(store.index),
        "runs": len(store.runs),
        "read": store.read,
        "seconds": seconds,
        "held": [{key.replace(" ", "_"): value for key, value in row.items()} for row in found],
        "problems": [{"path": one.path, "what": one.what} for one in store.problems],
        "ignored": store.ignored,
        "foreign": dict(store.foreign),
    }
    return json.dumps(content, indent=2) + "\n"
