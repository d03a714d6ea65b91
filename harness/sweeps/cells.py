"""The cells of a sweep: one run of `sociolect eval` each."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from hashlib import sha256
from pathlib import Path
from typing import Any

from sociolect.harness.sweeps import options
from sociolect.harness.sweeps.settings import Model, Sweep

_UNSAFE = re.compile(r"[^A-Za-z0-9_.+-]+")
_LONGEST = 80
_HEAD = 60


def slug(name: str) -> str:
    """A name that is safe as the name of a folder, the same for the same name every time."""
    safe = _UNSAFE.sub("_", name).strip(".-_+")
    if safe and len(safe) <= _LONGEST:
        return safe
    return f"{safe[:_HEAD] or 'model'}-{sha256(name.encode('utf-8', 'replace')).hexdigest()[:8]}"


@dataclass(frozen=True, slots=True)
class Cell:
    """One run of `sociolect eval`.

    Attributes:
        model: That is asked.
        tasks: That are asked.
        seed: Of the errors.
        environment: Variables of the run.
    """

    model: Model
    tasks: tuple[str, ...]
    seed: int
    environment: Mapping[str, str]

    @property
    def id(self) -> str:
        """Its folder below that of the sweep, `model/task` or `model/task-seed1`."""
        end = f"-seed{self.seed}" if self.seed else ""
        return f"{self.model.slug}/{slug('+'.join(self.tasks))}{end}"

    def folder(self, out: Path) -> Path:
        """Where it leaves its results."""
        return out / self.id

    def line(self, out: Path) -> list[str]:
        """Arguments of `sociolect eval`."""
        return line_of(self.model, self.tasks, self.seed, str(self.folder(out)))

    def asked(self) -> dict[str, Any]:
        """What makes it this cell and no other, ready for JSON; not where it lies."""
        asked = {
            "model": self.model.model,
            "model_args": dict(self.model.model_args),
            "tasks": list(self.tasks),
            "seed": self.seed,
            "arguments": dict(self.model.arguments),
            "environment": dict(self.environment),
        }
        made: dict[str, Any] = json.loads(json.dumps(asked))
        return made


def line_of(model: Model, tasks: Sequence[str], seed: int, output: str) -> list[str]:
    """Arguments of `sociolect eval` for one cell.

    Raises:
        InvalidInputError: A value that an argument cannot have.
    """
    arguments = dict(model.arguments)
    metadata = {**(arguments.pop("metadata", None) or {}), **({"error_seed": seed} if seed else {})}
    model_args = json.dumps(dict(model.model_args), ensure_ascii=False)
    return [
        "--model",
        model.model,
        *(["--model_args", model_args] if model.model_args else []),
        "--tasks",
        *tasks,
        *options.words({**arguments, **({"metadata": metadata} if metadata else {})}),
        "--output_path",
        output,
        "--log_samples",
    ]


def cells_of(sweep: Sweep, only: str = "*") -> list[Cell]:
    """The cells of a sweep, model by model.

    Args:
        sweep: Of which they are.
        only: A shell pattern of `Cell.id`.
    """
    runs = list(_runs(sweep))
    found = [Cell(one, *run, sweep.environment) for one in sweep.models for run in runs]
    return [cell for cell in found if fnmatchcase(cell.id, only)]


def _runs(sweep: Sweep) -> Iterator[tuple[tuple[str, ...], int]]:
    """Tasks and seed of every run; what holds no drawn errors is asked once, with seed 0."""
    from sociolect.harness.sweeps.sweep_tasks import has_errors

    for entry in sweep.entries:
        drawn = tuple(task for task in entry if has_errors(task))
        if len(drawn) < len(entry) and 0 not in sweep.seeds:
            yield tuple(task for task in entry if task not in drawn), 0
        for seed in sweep.seeds:
            if asked := entry if seed == 0 else drawn:
                yield asked, seed
