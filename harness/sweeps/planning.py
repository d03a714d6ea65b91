"""`sociolect sweep --dry-run`: what the cells would ask, need and cost, without their models."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from sociolect.generators.errors import SociolectError
from sociolect.harness import evaluate
from sociolect.harness.document_traps import asked_numbers
from sociolect.harness.dry_checks import checks
from sociolect.harness.dry_counts import TaskCount, TokenCounter, count_task, token_counter
from sociolect.harness.environment import environment
from sociolect.harness.lm_eval_run import check_model
from sociolect.harness.own_arguments import take_arguments
from sociolect.harness.requested import Requested, find_tasks, load_documents
from sociolect.harness.run_folders import place
from sociolect.harness.run_options import RunOptions
from sociolect.harness.sweeps.cells import Cell
from sociolect.harness.sweeps.estimate import Estimate
from sociolect.harness.sweeps.finished_facts import answered
from sociolect.harness.traps import check


@dataclass(frozen=True, slots=True)
class PlannedCell:
    """One cell.

    Attributes:
        cell: It.
        finished: Whether it need not be run again.
        counts: Of its tasks.
        documents: Of its tasks, after `limit` and `samples`.
        answered: Prompts whose answers are kept, of a cell that is not finished.
        seconds: Expected until it is finished; None where nothing like it was measured.
        others: Whether it has tasks that are not ours, which are not counted.
    """

    cell: Cell
    finished: bool
    counts: tuple[TaskCount, ...]
    documents: Mapping[str, int]
    answered: int
    seconds: float | None
    others: bool = False

    @property
    def prompts(self) -> int:
        """Distinct requests; where options are scored, one an option."""
        return sum(one.prompts for one in self.counts)


@dataclass(frozen=True, slots=True)
class Plan:
    """What a sweep would do.

    Attributes:
        cells: Those that could be counted.
        problems: What cells would fail on, each once.
        origins: How tokens were counted.
    """

    cells: tuple[PlannedCell, ...]
    problems: tuple[str, ...]
    origins: tuple[str, ...]


@dataclass(slots=True)
class _Planner:
    """Loads documents once for all models, and counts tokens once for every tokenizer."""

    out: Path
    estimate: Estimate
    problems: dict[str, None] = field(default_factory=dict)
    origins: dict[str, None] = field(default_factory=dict)
    _documents: dict[str, tuple[Requested, Mapping[str, Any]]] = field(default_factory=dict)
    _counters: dict[str, TokenCounter] = field(default_factory=dict)
    _counts: dict[str, TaskCount] = field(default_factory=dict)

    def plan(self, cell: Cell, finished: bool) -> PlannedCell | None:
        """Count a cell; what it would fail on is a problem."""
        try:
            with environment({**cell.environment}):
                return self._planned(cell, finished)
        except SociolectError as error:
            self.problems[f"{cell.id}: {error}"] = None
            return None

    def _planned(self, cell: Cell, finished: bool) -> PlannedCell:
        options, specs = _read(cell, self.out)
        check_model(options.model)
        requested, documents = self._tasks(specs, options, cell)
        self._check(cell, options, requested)
        counter = self._counter(cell, options)
        counts = tuple(
            self._count(task, documents[task.name], options, counter, cell)
            for task in requested.tasks
        )
        sizes = {
            task.name: len(list(asked_numbers(options, task, len(documents[task.name]))))
            for task in requested.tasks
        }
        total = sum(one.prompts for one in counts)
        kept = 0 if finished else min(answered(cell.folder(self.out)).prompts, total)
        seconds = self.estimate.seconds(cell.asked(), sizes) if not requested.others else None
        left = 1 - kept / total if total else 1.0
        expected = 0.0 if finished else None if seconds is None else seconds * left
        return PlannedCell(cell, finished, counts, sizes, kept, expected, requested.others)

    def _tasks(
        self, specs: Sequence[str], options: RunOptions, cell: Cell
    ) -> tuple[Requested, Mapping[str, Any]]:
        key = json.dumps([list(specs), dict(options.metadata), dict(cell.environment)], default=str)
        if key not in self._documents:
            folders = cell.model.arguments.get("include_path")
            requested = find_tasks(specs, [folders] if folders else (), options.metadata)
            self._documents[key] = requested, load_documents(requested.tasks, options.metadata)
        return self._documents[key]

    def _check(self, cell: Cell, options: RunOptions, requested: Requested) -> None:
        refused = [one for one in check(options, requested.tasks) if one.severity == "refuse"]
        said = [one.message for one in refused]
        said += [f"{one.what}: {one.said}" for one in checks(place(options)) if one.problem]
        self.problems.update(dict.fromkeys(f"{cell.model.name}: {one}" for one in said))

    def _counter(self, cell: Cell, options: RunOptions) -> TokenCounter:
        if cell.model.slug not in self._counters:
            self._counters[cell.model.slug] = _counter_of(
                *(options.model_args.get(name) for name in ("pretrained", "tokenizer"))
            )
        counter = self._counters[cell.model.slug]
        self.origins[counter.origin] = None
        return counter

    def _count(
        self, task: Any, documents: Any, options: RunOptions, counter: TokenCounter, cell: Cell
    ) -> TaskCount:
        asked = [task.name, cell.seed, options.limit, options.samples, dict(options.gen_kwargs)]
        key = json.dumps([*asked, counter.origin, dict(cell.environment)], default=str)
        if key not in self._counts:
            self._counts[key] = count_task(task, documents, options, counter)
        return self._counts[key]


@lru_cache(maxsize=32)
def _counter_of(pretrained: object, tokenizer: object) -> TokenCounter:
    given = {"pretrained": pretrained, "tokenizer": tokenizer}
    return token_counter(RunOptions(model_args={k: v for k, v in given.items() if v}))


def _read(cell: Cell, out: Path) -> tuple[RunOptions, list[str]]:
    """The arguments of a cell as lm_eval merges them."""
    namespace = evaluate.build_parser().parse_args(cell.line(out))
    take_arguments(namespace)
    config = evaluate.merged_config(namespace)
    return RunOptions.from_config(config, dict(os.environ)), list(cell.tasks)


def plan(out: Path, cells: Sequence[Cell], finished: Mapping[str, Any], estimate: Estimate) -> Plan:
    """Count the cells of a sweep.

    Args:
        out: Folder of results; nothing is written into it.
        cells: Of one sweep.
        finished: Those that are finished, by id (`sweeping.finished_cells`).
        estimate: That has learnt from these.
    """
    planner = _Planner(out, estimate)
    planned = tuple(
        one for cell in cells if (one := planner.plan(cell, cell.id in finished)) is not None
    )
    return Plan(planned, tuple(planner.problems), tuple(planner.origins))
