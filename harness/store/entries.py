"""One line of the index: what is known of a samples file, and when that is no longer true."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from sociolect import __version__
from sociolect.generators.conditions import Condition
from sociolect.harness.result_files import RunFiles, named
from sociolect.harness.store.stored import StoredRun
from sociolect.tasks.prompts import TASK_FORMAT

FORMAT = 3
"""Of the index; grows when anything that is written there changes."""
READER = f"index {FORMAT}, sociolect {__version__}, tasks {TASK_FORMAT}"
"""What wrote an index; what another one wrote is made again."""

Outcome = Literal["run", "problem", "foreign"]
_OF_FILE = ("files", "path", "condition")
"""Fields of a run that follow from where its files lie, or are no JSON."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What was read of a samples file.

    Attributes:
        path: Relative to the folder of results.
        stamps: Of the files as they were read (`SamplesFile.stamps`).
        outcome: `foreign`: a run of a task that is not ours.
        content: Of a run `facts`; of a problem `what`; of another project's run its `task`. JSON.
        kept: Bytes of the file that holds its records; 0 for none.
        lasting: Whether the same files would be read the same; not so after an error of the disk.
    """

    path: str
    stamps: str
    outcome: Outcome
    content: Mapping[str, Any]
    kept: int = 0
    lasting: bool = True


def facts(run: StoredRun) -> dict[str, Any]:
    """A run as JSON, without the folder in which it lies."""
    plain = {key: value for key, value in asdict(run).items() if key not in _OF_FILE}
    condition = run.condition
    return {
        **plain,
        "command": list(run.command),
        "condition": [condition.transform, condition.level, condition.part],
        "results": run.files.results.name,
    }


def stored_run(entry: Entry, folder: Path) -> StoredRun:
    """The run of an entry.

    Args:
        entry: Of a run.
        folder: The folder of results.
    """
    given = dict(entry.content)
    samples = folder / entry.path
    name = named(samples.name)
    if name is None:
        raise ValueError(f"{entry.path}: no name of a samples file")
    results = samples.with_name(given.pop("results"))
    given["condition"] = Condition(*given["condition"])
    given["command"] = tuple(given["command"])
    files = RunFiles(name.task, name.time, samples, results)
    return StoredRun(files=files, path=entry.path, **given)


def content_id(sha256: Mapping[str, str]) -> str:
    """A name for the content of a samples file and its results file: 16 digits."""
    both = f"{sha256['samples']} {sha256['results']}"
    return hashlib.sha256(both.encode()).hexdigest()[:16]


def task_version(results: Mapping[str, Any], task: str) -> str:
    """lm-eval's version of a task, empty if it is not recorded."""
    versions = results.get("versions")
    found = versions.get(task) if isinstance(versions, dict) else None
    return "" if found is None else str(found)


def records_name(id_: str, path: str) -> str:
    """Name of the file that holds the records of a run; copies of a run have one each."""
    place = hashlib.sha256(path.encode("utf-8", "surrogateescape")).hexdigest()[:8]
    return f"{id_}-{place}.parquet"


def records_of(entry: Entry) -> str:
    """Name of the file of records that an entry needs; empty for none."""
    if entry.outcome != "run" or entry.content["family"] != "bias":
        return ""
    return records_name(entry.content["id"], entry.path)


def relative(text: str, folder: Path, path: str) -> str:
    """A message about a samples file, without its path and without the folder of results."""
    own = str(folder / PurePosixPath(path))
    for end in (": ", ", "):
        text = text.removeprefix(f"{own}{end}")
    return text.replace(f"{folder}/", "")
