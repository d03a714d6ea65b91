"""Reads one samples file for the index; runs in worker processes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sociolect.generators.dialect.pairs import BENCHMARK
from sociolect.generators.errors import ResultsError, SociolectError
from sociolect.harness.candidates import first_doc
from sociolect.harness.result_files import RunFiles, choose_results, read_results
from sociolect.harness.results import read_run_at
from sociolect.harness.run_records import record_beside, recorded_files
from sociolect.harness.store.dialect_facts import dialect_run
from sociolect.harness.store.entries import (
    READER,
    Entry,
    content_id,
    facts,
    records_name,
    relative,
    task_version,
)
from sociolect.harness.store.records import records_from, write_records
from sociolect.harness.store.scan import SamplesFile
from sociolect.harness.store.stored import StoredRun
from sociolect.tasks.dialect.catalogue import is_dialect
from sociolect.tasks.kinds import kind_of

_UNREADABLE = (
    *(ValueError, TypeError, KeyError, IndexError, AttributeError),
    *(ArithmeticError, RecursionError),
)
"""What a file raises that holds another type where lm-eval writes its own."""


def read_entry(root: Path, found: SamplesFile, kept: Path) -> Entry:
    """Read a samples file, and write its records if it is a run of a bias task.

    Args:
        root: The folder of results, absolute.
        found: What to read.
        kept: The folder for files of records.

    Returns:
        A file that cannot be read is an entry, too: what is wrong with it.

    Raises:
        ResultsError: The index cannot be written.
    """
    samples = root / found.path
    try:
        return _read(root, found, kept)
    except (SociolectError, OSError) as error:
        if isinstance(error, _NotWrittenError):
            raise ResultsError(str(error)) from error
        what = relative(str(error), root, found.path)
        lasting = not any(isinstance(one, OSError) for one in (error, error.__cause__))
        return Entry(found.path, found.stamps, "problem", {"what": what}, lasting=lasting)
    except _UNREADABLE as error:
        what = f"cannot be read ({type(error).__name__}: {error}); {samples.name} or its results "
        what += "file is not as lm-eval writes it. Use the files that lm-eval wrote."
        return Entry(found.path, found.stamps, "problem", {"what": what})


class _NotWrittenError(ResultsError):
    """The index, not a run, is at fault."""


def _read(root: Path, found: SamplesFile, kept: Path) -> Entry:
    samples = root / found.path
    doc = first_doc(samples)
    if doc and not _is_ours(found.task, doc):
        return Entry(found.path, found.stamps, "foreign", {"task": found.task})
    beside = [samples.with_name(name) for name in found.beside]
    results = choose_results(samples, found.time, beside)
    files = RunFiles(found.task, found.time, samples, results)
    if is_dialect(found.task) or doc.get("benchmark") == BENCHMARK:
        run = dialect_run(files, found.path, doc, _recorded(files))
        return Entry(found.path, found.stamps, "run", facts(run))
    return _bias(files, found, kept, doc)


def _is_ours(task: str, doc: Mapping[str, Any]) -> bool:
    return "pair_id" in doc or is_dialect(task) or doc.get("benchmark") == BENCHMARK


def _bias(files: RunFiles, found: SamplesFile, kept: Path, doc: Mapping[str, Any]) -> Entry:
    if isinstance(benchmark := doc.get("benchmark"), str):
        kind_of(benchmark)  # one that is not known is said at once
    run, offsets = read_run_at(files)
    content = facts(
        StoredRun(
            id=content_id(run.sha256),
            family="bias",
            files=files,
            path=found.path,
            sha256=run.sha256,
            task_version=task_version(read_results(files.results), files.task),
            benchmark=run.benchmark,
            axis=run.axis,
            form=run.form,
            condition=run.condition,
            error_seed=run.error_seed,
            data=run.data,
            settings=run.settings,
            sampler=run.sampler,
            prompts=run.prompts,
            rows=len(run.records),
            asked=run.asked,
            unanswered=run.unanswered,
            **_recorded(files),
        )
    )
    path = kept / records_name(content["id"], found.path)
    head = {"reader": READER, "path": found.path, "stamps": found.stamps, "content": content}
    try:
        size = write_records(records_from(run, offsets), head, path)
    except OSError as error:
        raise _NotWrittenError(unwritable(path, error)) from error
    return Entry(found.path, found.stamps, "run", content, size)


def unwritable(path: Path, error: OSError) -> str:
    """What is said when the index cannot be written."""
    return (
        f"{path}: the index of the results cannot be written ({error.strerror or error}). Free "
        "some space or make the folder writable, or name another one with --index FOLDER"
    )


def _recorded(files: RunFiles) -> dict[str, Any]:
    """What the record of the run adds: `command`, `model_files`, `too_long`.

    Raises:
        ResultsError: It is damaged, or was edited.
    """
    beside = record_beside(files)
    if beside is None:
        return {}
    command = beside.content.get("command") or []
    left_out = (beside.content.get("too_long") or {}).get(files.task) or {}
    too_long = left_out.get("prompts", 0)
    if type(too_long) is not int or not isinstance(command, list):
        raise ResultsError(f"{beside.path}: command or too_long is not as it was written; edited")
    return {
        "command": tuple(map(str, command)),
        "model_files": recorded_files(files) or {},
        "too_long": too_long,
    }
