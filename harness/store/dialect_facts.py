"""What the index says of a run of the dialect audit: its settings and its size, not its answers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from sociolect.generators.conditions import Condition
from sociolect.generators.errors import ResultsError
from sociolect.harness.result_files import RunFiles, read_task
from sociolect.harness.run_settings import sampler, settings
from sociolect.harness.store.entries import content_id, task_version
from sociolect.harness.store.stored import StoredRun

_FIELDS: Mapping[str, type] = {
    "benchmark": str,
    "kind": str,
    "form": str,
    "prompted": bool,
    "data_version": str,
    "data_sha256": str,
    "local_data": bool,
    "task_format": int,
}
_DATA = ("data_version", "data_sha256", "local_data")


class _Counted(NamedTuple):
    sha256: str
    rows: int


def dialect_run(
    files: RunFiles, path: str, doc: Mapping[str, Any], recorded: Mapping[str, Any]
) -> StoredRun:
    """A run by its results file, its first document and the number of its lines.

    Args:
        files: Of the run.
        path: Of its samples file, relative to the folder of results.
        doc: The document of its first line.
        recorded: What its record adds.

    Returns:
        Its answers are not read: `unanswered` is `None`, and `asked` what the task samples.

    Raises:
        ResultsError: A damaged file, or more lines than prompts.
    """
    results = read_task(files)
    counted = _counted(files.samples)
    if odd := [name for name, kind in _FIELDS.items() if type(doc.get(name)) is not kind]:
        shown = ", ".join(f"{name} {doc.get(name)!r}" for name in odd)
        raise ResultsError(f"{files.samples}, line 1: doc is not as sociolect writes it: {shown}")
    prompts = (results.get("n-samples") or {}).get(files.task) or {}
    effective = prompts.get("effective")
    if effective is not None and counted.rows > effective:
        raise ResultsError(
            f"{files.samples}: {counted.rows} prompts, but {files.results.name} speaks of "
            f"{effective}; the files do not belong together"
        )
    sha256 = {
        "samples": counted.sha256,
        "results": hashlib.sha256(files.results.read_bytes()).hexdigest(),
    }
    task = {**doc, "axis": "", "answer_mode": doc.get("answer_mode") or "lenient"}
    repeats = 1 if doc["form"] == "ll" else results["configs"][files.task].get("repeats") or 1
    return StoredRun(
        id=content_id(sha256),
        family="dialect",
        files=files,
        path=path,
        sha256=sha256,
        task_version=task_version(results, files.task),
        benchmark=doc["benchmark"],
        axis="",
        form=doc["form"],
        condition=Condition(),
        error_seed=0,
        data={
            **{key: doc[key] for key in _DATA},
            "segmented_with": str(doc.get("segmented_with") or ""),
        },
        settings=settings(results, files.task, task),
        sampler=sampler(results, files.task),
        prompts=prompts,
        rows=counted.rows,
        asked=counted.rows * repeats,
        unanswered=None,
        **recorded,
    )


def _counted(samples: Path) -> _Counted:
    """Hash and number of lines.

    Raises:
        ResultsError: Unreadable, without a line, or cut off in its last line.
    """
    digest, rows, number, last = hashlib.sha256(), 0, 0, (0, b"")
    try:
        with samples.open("rb") as file:
            for number, line in enumerate(file, start=1):
                digest.update(line)
                if not line.isspace():
                    rows, last = rows + 1, (number, line)
    except OSError as error:
        raise ResultsError(f"{samples}: cannot be read ({error})") from error
    if not rows:
        raise ResultsError(f"{samples}: empty; the run logged no answer")
    try:
        json.loads(last[1])
    except (ValueError, RecursionError) as error:
        raise ResultsError(
            f"{samples}, line {last[0]}: not JSON ({error}); the file is truncated or damaged"
        ) from error
    return _Counted(digest.hexdigest(), rows)
