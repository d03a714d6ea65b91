"""The record that `sociolect eval` left beside the results of a run (`provenance.write_record`)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from sociolect.generators.errors import ResultsError
from sociolect.harness.result_files import RunFiles, finite_json

ModelFiles = Mapping[str, Mapping[str, Any]]


class Recorded(NamedTuple):
    """A record and what it holds."""

    path: Path
    content: Mapping[str, Any]


def record_beside(files: RunFiles) -> Recorded | None:
    """The record of a run; `None` for a run of lm_eval's own command.

    Raises:
        ResultsError: A record that is damaged.
    """
    for path in sorted(files.results.parent.glob(f"sociolect_*{files.time}.json")):
        try:
            record = finite_json(path.read_bytes())
        except (OSError, ValueError, RecursionError) as error:
            raise ResultsError(f"{path}: not a readable record of a run ({error})") from error
        if isinstance(record, dict) and record.get("results") == files.results.name:
            return Recorded(path, record)
    return None


def recorded_files(files: RunFiles) -> ModelFiles | None:
    """What the files of the model held when it was run (`provenance.model_files`).

    Returns:
        By model argument and file name; `None` without a record that knows: a run of lm_eval's
        own command, or of an older version.

    Raises:
        ResultsError: A record that is damaged.
    """
    beside = record_beside(files)
    held = beside.content.get("model_files") if beside else None
    if beside is None or held is None:
        return None
    if not isinstance(held, dict) or not all(isinstance(one, dict) for one in held.values()):
        raise ResultsError(f"{beside.path}: model_files is no table of files; it was edited")
    return held
