"""What a cell that is finished was: prompts, tokens, seconds, files and versions."""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sociolect.generators.errors import ResultsError
from sociolect.harness.finished_answers import finished
from sociolect.harness.result_files import time_of

ANSWERS = "answers"
"""As in `run_folders`, whose import takes seconds."""

ASIDE = ".unfinished"
"""Hidden folder in that of a cell, for results of attempts that did not end well."""

NUMBERS = ("seconds", "prompts", "prompts_of_attempt", "answering_seconds", "other_seconds")
"""What an estimate reads of a finished cell."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What lies in the folders of answers of a cell.

    Attributes:
        prompts: Distinct requests, as `sociolect eval --dry-run` counts them.
        tokens: Generated; 0 where options were scored.
        seconds: That the device took.
    """

    prompts: int = 0
    tokens: int = 0
    seconds: float = 0.0


def answered(folder: Path) -> Answered:
    """What is answered in the folder of a cell; nothing for a backend that keeps no answers."""
    found = [one for kept in sorted(folder.glob(f"*/{ANSWERS}")) for one in finished(kept).values()]
    return Answered(
        sum(one.prompts for one in found),
        sum(one.tokens for one in found),
        sum(one.seconds for one in found),
    )


def set_aside(folder: Path) -> None:
    """Hide the results of an attempt that did not end well from whoever reads results.

    They go into a hidden folder of the cell; the answers that a backend keeps stay where they are.
    """
    for results in [path for path in folder.rglob("results_*.json") if _is_shown(path, folder)]:
        time = time_of(results.name)
        aside = folder / ASIDE / results.parent.relative_to(folder)
        aside.mkdir(parents=True, exist_ok=True)
        for path in [*_samples(results), *results.parent.glob(f"sociolect_*{time}.json"), results]:
            path.replace(aside / path.name)


def _is_shown(path: Path, folder: Path) -> bool:
    return ASIDE not in path.relative_to(folder).parts


def newest_results(folder: Path) -> Path | None:
    """The results that the last run in the folder of a cell wrote, None without any."""
    found = [path for path in folder.rglob("results_*.json") if _is_shown(path, folder)]
    return max(found, key=lambda path: path.stem.rpartition("results_")[2], default=None)


def _samples(results: Path) -> list[Path]:
    """The answers that belong to a results file."""
    return sorted(results.parent.glob(f"samples_*_{time_of(results.name)}.jsonl"))


def facts(folder: Path, before: Answered, seconds: float) -> dict[str, Any]:
    """What is written into `finished.json`, beside the arguments.

    `files` are the results and the answers, relative to the folder of the cell.
    `answering_seconds` is what the device took for the prompts of this attempt, and
    `other_seconds` the rest: start, data, loading of the model, scores. Both are left out for a
    backend that keeps no answers, which does not say them apart.

    Args:
        folder: Of the cell.
        before: What was answered when the attempt began.
        seconds: That the attempt took.

    Raises:
        ResultsError: The run left no results.
    """
    results = newest_results(folder)
    if results is None:
        raise ResultsError("the run ended without an error, and left no results")
    now = answered(folder)
    answering = now.seconds - before.seconds
    documents = _documents(results)
    apart = {
        "prompts": now.prompts,
        "prompts_of_attempt": now.prompts - before.prompts,
        "tokens": now.tokens,
        "tokens_of_attempt": now.tokens - before.tokens,
        "answering_seconds": round(answering, 3),
        "other_seconds": round(max(0.0, seconds - answering), 3),
    }
    return {
        "seconds": round(seconds, 3),
        "documents": documents,
        "files": [str(path.relative_to(folder)) for path in [results, *_samples(results)]],
        **(apart if now.prompts else {}),
        "host": socket.gethostname(),
        "ended": datetime.now(UTC).isoformat(timespec="seconds"),
        **_recorded(results),
    }


def _documents(results: Path) -> dict[str, int]:
    """Documents by task."""
    counts = _read(results).get("n-samples")
    try:
        found = {task: int(one["effective"]) for task, one in dict(counts or {}).items()}
    except (TypeError, ValueError, KeyError) as error:
        raise ResultsError(f"{results.name} of the run is damaged: n-samples {counts!r}") from error
    if not found:
        raise ResultsError(f"{results.name} of the run names no task with answers")
    return found


def _recorded(results: Path) -> dict[str, Any]:
    """What `sociolect eval` wrote down of the run: files of the model, versions."""
    for path in sorted(results.parent.glob("sociolect_*.json"), reverse=True):
        record = _read(path)
        if record.get("results") == results.name:
            names = ("model_files", "sociolect", "python", "packages")
            data = {task: one.get("data_sha256") for task, one in record["tasks"].items()}
            return {**{name: record[name] for name in names if name in record}, "data": data}
    return {}


def _read(path: Path) -> Mapping[str, Any]:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ResultsError(f"{path.name} of the run cannot be read ({error})") from error
    if not isinstance(found, dict):
        raise ResultsError(f"{path.name} of the run is damaged")
    return found
