"""Where lm-eval put a run: its samples file and the results file of the same time.

`lm_eval --output_path OUT --log_samples` writes `OUT/<model>/results_<time>.json` and one
`OUT/<model>/samples_<task>_<time>.jsonl` a task. An output path that ends in `.json` puts
`<stem>_<time>.json` and the samples side by side. Nothing but the time joins the two. A sweep puts
such folders into one folder a cell.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

from sociolect.generators.errors import ResultsError
from sociolect.harness.result_folders import files_below, require_one_model

_SAMPLES = re.compile(r"samples_(?P<task>.+)_(?P<time>\d{4}-\d\d-\d\dT[\d.-]+)\.jsonl")
_SHOWN = 60
_RESULTS = re.compile(r".+_(?P<time>\d{4}-\d\d-\d\dT[\d.-]+)\.json")


@dataclass(frozen=True, slots=True)
class RunFiles:
    """One task of one run of lm-eval.

    Attributes:
        time: As in the file names; sorts chronologically.
        samples: The answers, one line a prompt.
        results: The settings of the run.
    """

    task: str
    time: str
    samples: Path
    results: Path


class Named(NamedTuple):
    """What the name of a samples file says."""

    task: str
    time: str


def named(name: str) -> Named | None:
    """What the name of a samples file says; `None` for any other file."""
    match = _SAMPLES.fullmatch(name)
    return Named(match["task"], match["time"]) if match else None


def time_of(name: str) -> str:
    """The time in the name of a results file or of a record; empty for any other file."""
    match = _RESULTS.fullmatch(name)
    return match["time"] if match else ""


def identified(
    files: RunFiles,
    sha256: Mapping[str, str],
    data: Mapping[str, Any],
    settings: Mapping[str, Any],
    sampler: Mapping[str, Any],
) -> dict[str, Any]:
    """What identifies a run in an export: its files with their hashes, data and settings."""
    return {
        "task": files.task,
        "samples": str(files.samples),
        "samples_sha256": sha256["samples"],
        "results": str(files.results),
        "results_sha256": sha256["results"],
        "data": dict(data),
        "settings": dict(settings),
        "sampler": dict(sampler),
    }


def finite_json(content: bytes) -> Any:
    """Parsed JSON in which numbers that no float holds (`Infinity`, `NaN`, `1e999`) are text.

    Raises:
        ValueError: Not JSON.
        RecursionError: Nested too deeply.
    """
    return json.loads(content, parse_constant=str, parse_float=_number)


def _number(text: str) -> float | str:
    value = float(text)
    return value if isfinite(value) else text


def read_results(path: Path) -> dict[str, Any]:
    """The results file of a run.

    Raises:
        ResultsError: Unreadable, not JSON, or not written by lm-eval.
    """
    try:
        loaded = finite_json(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise ResultsError(f"{path}: not a readable results file ({error})") from error
    if not isinstance(loaded, dict) or not all(
        isinstance(loaded.get(key), dict) for key in ("results", "configs", "config")
    ):
        raise ResultsError(f"{path}: not a results file of lm-eval (no results, configs, config)")
    return loaded


def read_task(files: RunFiles) -> dict[str, Any]:
    """The results file of a run, with what it says of the task in the types of lm-eval.

    Raises:
        ResultsError: It is damaged, or does not know the task.
    """
    results, task = read_results(files.results), files.task
    config = results["configs"].get(task)
    if not isinstance(config, dict):
        raise ResultsError(f"{files.results}: knows no task {task}, unlike {files.samples}")
    named = f"configs of {task}"
    for key, kind in (("generation_kwargs", dict), ("metadata", dict), ("repeats", int)):
        _check(files.results, f"{named}, {key}", config.get(key), kind)
    shots = _check(files.results, "n-shot", results.get("n-shot"), dict) or {}
    _check(files.results, f"n-shot of {task}", shots.get(task), int)
    samples = _check(files.results, "n-samples", results.get("n-samples"), dict) or {}
    counts = _check(files.results, f"n-samples of {task}", samples.get(task), dict) or {}
    for key in ("original", "effective"):
        _check(files.results, f"n-samples of {task}, {key}", counts.get(key), int)
    return results


def _check(path: Path, where: str, value: Any, kind: type) -> Any:
    """The value, if it is of the type or `None`."""
    if value is None or type(value) is kind:
        return value
    shown = repr(value) if len(repr(value)) <= _SHOWN else f"{repr(value)[:_SHOWN]}…"
    expected = {dict: "an object", int: "a whole number"}[kind]
    raise ResultsError(
        f"{path}: {where} is {shown}, not {expected}; the file is damaged or was edited. "
        "Use the file that lm-eval wrote."
    )


def _results_of(samples: Path, time: str) -> Path:
    """The results file with the same time beside a samples file."""
    return choose_results(samples, time, samples.parent.glob(f"*_{time}.json"))


def choose_results(samples: Path, time: str, candidates: Iterable[Path]) -> Path:
    """The one results file among the files of a time beside a samples file.

    Raises:
        ResultsError: None of them is one, or several are.
    """
    beside = [path for path in sorted(candidates) if is_results(path)]
    if len(beside) != 1:
        found = ", ".join(path.name for path in beside) or "none"
        raise ResultsError(
            f"{samples}: needs exactly one results file *_{time}.json beside it, which names the "
            f"model and its settings; found {found}. Keep the files that lm-eval wrote together."
        )
    return beside[0]


def is_results(path: Path) -> bool:
    """Whether lm-eval wrote this; `sociolect eval` puts a record of its own beside it."""
    return path.name.startswith("results_") or _holds_results(path)


def _holds_results(path: Path) -> bool:
    try:
        read_results(path)
    except ResultsError:
        return False
    return True


def _from_samples(path: Path) -> RunFiles:
    match = _SAMPLES.fullmatch(path.name)
    if match is None:
        raise ResultsError(
            f"{path}: not named samples_<task>_<time>.jsonl; keep the name that lm-eval gave it"
        )
    return RunFiles(match["task"], match["time"], path, _results_of(path, match["time"]))


def _from_results(path: Path) -> list[RunFiles]:
    match = _RESULTS.fullmatch(path.name)
    if match is None:
        raise ResultsError(f"{path}: not named <stem>_<time>.json; keep the name lm-eval gave it")
    read_results(path)
    beside = path.parent.glob(f"samples_*_{match['time']}.jsonl")
    runs = [_from_samples(samples) for samples in sorted(beside)]
    if not runs:
        raise ResultsError(without_samples(path))
    return runs


def without_samples(path: Path) -> str:
    """What is said of scores that nothing can be paired with."""
    return (
        f"{path}: holds scores but no answers (samples_<task>_<time>.jsonl). Run the evaluation "
        "again with --log_samples; a paired comparison needs the answer to every prompt."
    )


def _from_folder(path: Path, *, several: bool) -> list[RunFiles]:
    """Runs in a folder at any depth."""
    files = sorted(files_below(path))
    runs = [_from_samples(file) for file in files if _SAMPLES.fullmatch(file.name)]
    if not runs:
        scored = any(_RESULTS.fullmatch(file.name) for file in files)
        raise ResultsError(
            without_samples(path) if scored else f"{path}: holds no output of lm-eval"
        )
    if not several and len({run.samples.parent for run in runs}) > 1:
        every = {run.results: run.samples.parent for run in runs}
        require_one_model(path, [(beside, read_results(file)) for file, beside in every.items()])
    return runs


def find_runs(path: Path, *, several: bool = False) -> list[RunFiles]:
    """All runs that a path names, in the order of task and time.

    Args:
        path: A samples file, a results file, or a folder that holds some at any depth: of a model,
            lm-eval's `--output_path`, or one of a sweep. Hidden folders are passed over.
        several: Whether runs of several models may be in that folder; those with equal backend and
            answering arguments are of one.

    Raises:
        ResultsError: Nothing there, scores without answers, or several models to choose from.
    """
    try:
        runs = _runs(path, several=several)
    except OSError as error:
        where = error.filename or path
        raise ResultsError(f"{where}: cannot be read ({error.strerror})") from error
    return sorted(runs, key=lambda run: (run.task, run.time))


def _runs(path: Path, *, several: bool) -> list[RunFiles]:
    if path.is_dir():
        return _from_folder(path, several=several)
    if not path.is_file():
        raise ResultsError(f"{path}: no such file or folder")
    return [_from_samples(path)] if path.suffix == ".jsonl" else _from_results(path)
