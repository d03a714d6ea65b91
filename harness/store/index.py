"""The index of a folder of results: what changed is read again, nothing else."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from tqdm import tqdm

from sociolect.generators.errors import InvalidInputError, ResultsError
from sociolect.generators.locks import only_one
from sociolect.generators.processes import available, check_started, pool
from sociolect.harness.store.entries import Entry, stored_run
from sociolect.harness.store.index_files import DEFAULT, IndexFolder
from sociolect.harness.store.reading import read_entry
from sociolect.harness.store.scan import SamplesFile, Scanned, scan
from sociolect.harness.store.stored import Problem, Store, StoredRun

_WORTH_PROCESSES = 20_000_000
"""Bytes below which starting processes takes longer than reading."""


def read_store(
    results: Path, *, index: Path | None = None, processes: int = 0, progress: bool = True
) -> Store:
    """The runs under a folder of results, with as little reading as possible.

    Files whose size and time of change are those of an earlier call are not opened. Several calls
    at once wait for each other; one that was killed is gone on with.

    Args:
        results: A folder of lm-eval outputs, of any depth.
        index: Where the index lies; by default `.sociolect-index` in `results`.
        processes: How many read; 0 for one a CPU.
        progress: Show a bar on standard error.

    Raises:
        ResultsError: No such folder, or an index that cannot be written.
        InvalidInputError: `processes` is negative.
    """
    check_started()
    if processes < 0:
        raise InvalidInputError(f"processes must be 0 or more, not {processes}")
    folder = IndexFolder(index or results / DEFAULT)
    if not results.is_dir():
        raise ResultsError(f"{results}: no such folder; name one that holds outputs of lm-eval")
    with only_one(folder.path.resolve()):
        scanned = scan(results, skip=folder.path)
        known = folder.known(scanned.samples)
        pending = [one for one in scanned.samples if one.path not in known]
        if pending:
            folder.prepare()
        for entry in _read(results.absolute(), pending, folder.records, processes, progress):
            known[entry.path] = entry
        if not folder.is_current({p: e for p, e in known.items() if e.lasting}):
            folder.prepare()
            folder.write(list(known.values()))
    entries = sorted(known.values(), key=lambda entry: entry.path)
    return _store(results, folder.path, entries, scanned, len(pending))


def _read(
    root: Path, pending: Sequence[SamplesFile], kept: Path, processes: int, progress: bool
) -> Iterator[Entry]:
    """The entries of files that were not read yet, in any order."""
    workers = min(processes or available(), len(pending))
    if sum(one.size for one in pending) < _WORTH_PROCESSES:
        workers = 1
    # The longest first, so that no process is left with it at the end.
    order = sorted(pending, key=lambda one: -one.size)
    hidden = not (progress and pending)
    with tqdm(total=len(order), desc="index", unit="run", disable=hidden, file=sys.stderr) as bar:
        for entry in _entries(root.absolute(), order, kept.absolute(), workers):
            bar.update()
            yield entry


def _entries(root: Path, order: Sequence[SamplesFile], kept: Path, workers: int) -> Iterator[Entry]:
    left = {found.path: found for found in order}
    if workers > 1:
        try:
            for entry in _in_processes(root, order, kept, workers):
                del left[entry.path]
                yield entry
        except BrokenProcessPool:
            print("sociolect: a process that reads results ended; going on alone", file=sys.stderr)
    yield from (read_entry(root, found, kept) for found in left.values())


def _in_processes(
    root: Path, order: Sequence[SamplesFile], kept: Path, workers: int
) -> Iterator[Entry]:
    with pool(workers) as executor:
        futures = [executor.submit(read_entry, root, found, kept) for found in order]
        for future in as_completed(futures):
            yield future.result()


def _store(
    results: Path, index: Path, entries: Sequence[Entry], scanned: Scanned, read: int
) -> Store:
    runs: dict[str, StoredRun] = {}
    problems = list(scanned.problems)
    foreign: Counter[str] = Counter()
    for entry in entries:
        if entry.outcome == "problem":
            problems.append(Problem(entry.path, entry.content["what"]))
        elif entry.outcome == "foreign":
            foreign[entry.content["task"]] += 1
        else:
            run = stored_run(entry, results)
            first = runs.setdefault(run.id, run)
            if first is not run:
                problems.append(Problem(run.path, f"a copy of {first.path}; read there"))
    return Store(
        folder=results,
        index=index,
        runs=tuple(runs.values()),
        problems=tuple(sorted(problems, key=lambda problem: problem.path)),
        ignored=scanned.ignored,
        foreign=dict(sorted(foreign.items())),
        read=read,
    )
