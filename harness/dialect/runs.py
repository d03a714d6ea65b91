"""Runs of the audit of dialect bias, read back: settings, and the answer to every prompt."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from sociolect.generators.dialect.pairs import BENCHMARK
from sociolect.generators.errors import ResultsError
from sociolect.harness.candidates import Found, first_doc, is_samples, model_of, newest
from sociolect.harness.dialect.run_samples import PairFacts, Prompt, Samples
from sociolect.harness.result_files import RunFiles, find_runs, read_task
from sociolect.harness.run_settings import sampler, settings
from sociolect.harness.sample_lines import why_partial
from sociolect.tasks.dialect.catalogue import is_dialect
from sociolect.tasks.dialect.records import (
    ChoiceRecord,
    ContinuationRecord,
    Record,
    SentimentRecord,
)

PROMPTED = "_prompted"
"""End of the names of tasks that ask with the equivalence instruction (dialect paper, App. C.1)."""
EVALUATION, ALL = "evaluation", "all"
_DATA = ("data_version", "data_sha256", "local_data", "segmented_with")
_R = TypeVar("_R", SentimentRecord, ContinuationRecord, ChoiceRecord)


@dataclass(frozen=True)
class DialectRun:
    """One task of one run.

    Attributes:
        files: Where it was read from.
        kind: sentiment, continuation or choice.
        prompted: Whether the prompts hold the equivalence instruction.
        sha256: Of the files, `samples` and `results`.
        split: The split that was asked for.
        data: `data_version`, `data_sha256`, `local_data`, and `segmented_with`: the models that
            found the boundaries, empty where none are needed or none is named.
        settings: What two runs must share to be comparable, by the name that `compare` uses.
        sampler: Seeds and versions; may differ.
        expected: Prompts in the task (`original`) and to be asked (`effective`), as far as
            lm-eval recorded them.
        prompts: All that were asked.
        pairs: By id, in file order.
        records: The answers, in file order.
    """

    files: RunFiles
    kind: str
    prompted: bool
    sha256: Mapping[str, str]
    split: str
    data: Mapping[str, Any]
    settings: Mapping[str, Any]
    sampler: Mapping[str, Any]
    expected: Mapping[str, int]
    prompts: frozenset[Prompt]
    pairs: Mapping[str, PairFacts]
    records: tuple[Record, ...]

    @property
    def task(self) -> str:
        """Name of the task without the end that says how it was asked."""
        return self.files.task.removesuffix(PROMPTED)

    def of(self, kind: type[_R]) -> list[_R]:
        """The answers of a kind."""
        return [one for one in self.records if isinstance(one, kind)]

    @property
    def partial(self) -> str:
        """Why this is not the whole task, empty if it is."""
        return why_partial(len(self.records), self.expected)


def read_runs(paths: Sequence[Path]) -> tuple[list[DialectRun], list[str]]:
    """The runs of the audit under some paths, the newest of each task, model and dataset.

    Args:
        paths: Samples files, results files, or folders of them, of any number of models.

    Returns:
        At least one, and notes on what was chosen or passed over.

    Raises:
        ResultsError: No such run, a damaged file, or repetitions of a task that differ in a
            setting, so that it cannot be guessed which one is meant.
    """
    found, notes = _found(paths)
    groups: dict[tuple[str, ...], list[Found]] = defaultdict(list)
    for one in found:
        groups[model_of(one), str(one.doc.get("data_sha256")), _split(one.files)].append(one)
    runs: list[DialectRun] = []
    for group in groups.values():
        kept, more = newest(group)
        notes += more
        runs += [read_run(one.files) for one in kept]
    return runs, notes


def _found(paths: Sequence[Path]) -> tuple[list[Found], list[str]]:
    """Runs of the audit by their first document; a note on those of other tasks."""
    by_file = {}
    for path in paths:
        for files in find_runs(path, several=True):
            one = Found(files, first_doc(files.samples))
            if is_samples(path) and not _is_ours(one):
                raise ResultsError(
                    f"{path}: no run of a task aae_…; name runs of the dialect audit"
                )
            by_file[files.samples.resolve()] = one
    ours = [one for one in by_file.values() if _is_ours(one)]
    others = sorted({one.files.task for one in by_file.values() if not _is_ours(one)})
    if not ours:
        where = ", ".join(map(str, paths))
        raise ResultsError(f"{where}: no run of a task aae_…, only {', '.join(others)}")
    return ours, [f"passed over, not of the dialect audit: {', '.join(others)}"] if others else []


def _is_ours(one: Found) -> bool:
    """By its first document, or by its name: a damaged file is to fail when it is read."""
    return one.doc.get("benchmark") == BENCHMARK or is_dialect(one.files.task)


def _split(files: RunFiles) -> str:
    """The split that a task was asked for with `--metadata`."""
    metadata = read_task(files)["configs"][files.task].get("metadata") or {}
    return str(metadata.get("split") or EVALUATION)


def read_run(files: RunFiles) -> DialectRun:
    """Read one run.

    Raises:
        ResultsError: A damaged file, documents that do not belong together or occur twice, or
            responses that cannot be read; names the file and the line.
    """
    results = read_task(files)
    lines = Samples(files.samples, files.task)
    records = tuple(lines)
    if not records:
        raise ResultsError(f"{files.samples}: empty; the run logged no answer")
    task, split = lines.task, _split(files)
    _check_split(lines, split)
    return DialectRun(
        files=files,
        kind=task["kind"],
        prompted=task["prompted"],
        sha256=_sha256(files, lines),
        split=split,
        data={key: task[key] for key in _DATA},
        settings=settings(results, files.task, {**task, "axis": ""}),
        sampler=sampler(results, files.task),
        expected=_expected(files, results, len(records)),
        prompts=frozenset(lines.prompts),
        pairs=lines.pairs,
        records=records,
    )


def _check_split(lines: Samples, asked: str) -> None:
    """All pairs are of the split that was asked for, or of none."""
    if asked == ALL:
        return
    for id_, pair in lines.pairs.items():
        if pair.split not in (asked, ""):
            raise ResultsError(
                f"{lines.path}: pair {id_} is of split {pair.split!r}, but {asked!r} was asked "
                "for; a file was edited"
            )


def _expected(files: RunFiles, results: Mapping[str, Any], found: int) -> dict[str, int]:
    """Prompts that lm-eval recorded; `found` in the samples file are not more."""
    expected: dict[str, int] = (results.get("n-samples") or {}).get(files.task) or {}
    effective = expected.get("effective")
    if effective is not None and found > effective:
        raise ResultsError(
            f"{files.samples}: {found} prompts, but {files.results.name} speaks of {effective}; "
            "the files do not belong together"
        )
    return expected


def _sha256(files: RunFiles, lines: Samples) -> dict[str, str]:
    """Of the files of a run, the samples as they were read."""
    return {
        "samples": lines.digest.hexdigest(),
        "results": hashlib.sha256(files.results.read_bytes()).hexdigest(),
    }


__all__ = ["PROMPTED", "DialectRun", "PairFacts", "Prompt", "read_run", "read_runs"]
