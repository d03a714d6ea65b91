"""What the index knows of a folder of results.

The folder of lm-eval outputs is the database. The index is derived from it and can be deleted at
any time: a run is read once, and again only when its files have changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from sociolect.generators.conditions import Condition
from sociolect.harness.result_files import RunFiles

Family = Literal["bias", "dialect"]
"""`bias`: tasks that `sociolect.harness.results.read_run` reads, judges included. `dialect`: those
of `sociolect.harness.dialect.runs`."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something under the folder that is no usable run.

    Attributes:
        path: Relative to the folder of results.
        what: What is wrong, with the line where there is one, and what to do.
    """

    path: str
    what: str


@dataclass(frozen=True, slots=True)
class StoredRun:
    """One task of one run as the index knows it; the answers are read when asked for.

    Attributes:
        id: Stable for the content: 16 digits made of the SHA-256 of the samples file and of the
            results file. No two runs of a store share one: a copy is a problem.
        family: Which reader its answers need.
        files: Where it was read from.
        path: Its samples file relative to the folder of results, with `/`.
        sha256: Of the files, `samples` and `results`.
        task_version: lm-eval's version of the task, empty if not recorded.
        benchmark, axis, form, condition, error_seed, data, settings, sampler, prompts: As in
            `sociolect.harness.results.Run`; of a dialect task as far as it has them, else empty.
        rows: Prompts in the samples file.
        asked: Answers asked for.
        unanswered: Those that name no option; `None` for a run of the dialect audit, whose answers
            the index does not read.
        command: The command line that made it, without secrets; empty for a run of lm-eval's own
            command.
        model_files: What the files of the model held (`run_records.recorded_files`); empty if not
            recorded.
        too_long: Prompts that the context of the model did not hold.
    """

    id: str
    family: Family
    files: RunFiles
    path: str
    sha256: Mapping[str, str]
    task_version: str
    benchmark: str
    axis: str
    form: str
    condition: Condition
    error_seed: int
    data: Mapping[str, Any]
    settings: Mapping[str, Any]
    sampler: Mapping[str, Any]
    prompts: Mapping[str, int]
    rows: int
    asked: int
    unanswered: int | None
    command: tuple[str, ...] = ()
    model_files: Mapping[str, Any] = field(default_factory=dict)
    too_long: int = 0

    @property
    def task(self) -> str:
        """Task name of lm-eval."""
        return self.files.task

    @property
    def time(self) -> str:
        """As in the file names; sorts chronologically."""
        return self.files.time


@dataclass(frozen=True, slots=True)
class Store:
    """The runs under a folder.

    Attributes:
        folder: The folder of results.
        index: The folder of the index.
        runs: In the order of their paths.
        problems: What could not be read, and why; in the order of their paths.
        ignored: Files that are no output of lm-eval.
        foreign: Runs of tasks that are not ours, by task name.
        read: Samples files that were read anew by this call.
    """

    folder: Path
    index: Path
    runs: tuple[StoredRun, ...]
    problems: tuple[Problem, ...]
    ignored: int
    foreign: Mapping[str, int]
    read: int
