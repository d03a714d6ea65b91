"""Runs under a path, before it is decided which of them are compared."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sociolect.generators.conditions import CLEAN
from sociolect.generators.errors import ResultsError
from sociolect.harness.result_files import RunFiles, find_runs, read_task
from sociolect.harness.result_folders import model_key
from sociolect.harness.results import USUAL_RULES
from sociolect.harness.run_settings import answering_arguments
from sociolect.tasks.dialect.catalogue import is_dialect

_SUBJECT = ("benchmark", "axis", "form")


class Found(NamedTuple):
    """A run, known by its first document."""

    files: RunFiles
    doc: Mapping[str, Any]

    @property
    def subject(self) -> tuple[str, ...]:
        """Benchmark, axis and form."""
        return tuple(str(self.doc.get(key, "")) for key in _SUBJECT)

    @property
    def name(self) -> str:
        """The subject as text."""
        return " · ".join(part for part in self.subject if part)

    @property
    def is_clean(self) -> bool:
        """Whether the prompts had no errors."""
        return self.doc.get("transform") == CLEAN


def is_samples(path: Path) -> bool:
    """Whether a path names one run."""
    return path.suffix == ".jsonl"


def found_runs(path: Path) -> tuple[list[Found], list[str]]:
    """Runs under a path without repetitions, and notes on what was chosen."""
    return newest(our_runs(path))


def our_runs(path: Path, *, several: bool = False) -> list[Found]:
    """Runs of our tasks under a path; of a named file also one that is not, to fail later.

    Args:
        path: Where to look.
        several: Whether runs of several models may be there.
    """
    runs = [Found(run, first_doc(run.samples)) for run in find_runs(path, several=several)]
    ours = [run for run in runs if "pair_id" in run.doc or is_samples(path)]
    if not ours:
        tasks = ", ".join(sorted({run.files.task for run in runs}))
        if any(is_dialect(run.files.task) for run in runs):
            raise ResultsError(
                f"{path}: holds tasks of the dialect audit ({tasks}), which are not compared by "
                f"errors or noise. `sociolect dialect report {path}` shows them"
            )
        raise ResultsError(f"{path}: holds no task of sociolect, only {tasks}")
    return ours


def newest(runs: Iterable[Found]) -> tuple[list[Found], list[str]]:
    """The newest of the runs that are repetitions of one another, and a note on each choice.

    Runs of one task are repetitions if all their settings are equal. Another error seed is another
    run, and kept; clean prompts are the same under every seed.

    Raises:
        ResultsError: Runs of one task with other settings: which one is meant cannot be guessed.
    """
    groups: dict[tuple[str, str], list[Found]] = defaultdict(list)
    for run in runs:
        groups[run.files.task, "" if run.is_clean else _text(run.doc.get("seed"))].append(run)
    kept, notes = [], []
    for (task, _), group in groups.items():
        one_seed = len({_text(run.doc.get("seed")) for run in group}) == 1
        if differing := _differing([_fingerprint(run, hashed=one_seed) for run in group]):
            raise ResultsError(
                f"{task}: {len(group)} runs that differ in {', '.join(differing)}; name one of"
                + "".join(f"\n  {run.files.samples}" for run in group)
            )
        last = max(group, key=lambda run: run.files.time)
        kept.append(last)
        if len(group) > 1:
            notes.append(f"{task}: read {last.files.samples.name}, the newest of {len(group)}")
    return kept, notes


def _text(value: object) -> str:
    return json.dumps(value, sort_keys=True, default=str)


def _fingerprint(run: Found, *, hashed: bool) -> dict[str, str]:
    """What two runs of a task must share to be repetitions, as text.

    Args:
        run: One of them.
        hashed: Compare the data by hash. A row names its error seed, so clean data that are the
            same but for the seed have unlike hashes.
    """
    files = run.files
    results = read_task(files)
    task = results["configs"][files.task]
    metadata = dict(task.get("metadata") or {})
    for name in ("config_source", "error_seed"):
        metadata.pop(name, None)
    parts = {
        "model": results["config"].get("model"),
        "model_args": answering_arguments(results["config"].get("model_args")),
        "rules": run.doc.get("rules") or USUAL_RULES,
        "data_sha256": run.doc.get("data_sha256") if hashed else None,
        "limit": results["config"].get("limit"),
        "metadata": metadata,
        "generation": [task.get("generation_kwargs"), task.get("repeats")],
        "few_shot": task.get("num_fewshot"),
        "chat_template": results.get("chat_template"),
        "system_instruction": results.get("system_instruction"),
    }
    return {key: _text(value) for key, value in parts.items()}


def _differing(fingerprints: Sequence[Mapping[str, str]]) -> list[str]:
    return [key for key in fingerprints[0] if len({f[key] for f in fingerprints}) > 1]


def first_doc(samples: Path) -> Mapping[str, Any]:
    """The document of the first answer in a samples file; empty if there is none.

    Raises:
        ResultsError: Unreadable, or its first line is not JSON.
    """
    try:
        with samples.open("rb") as file:
            lines = ((n, line) for n, line in enumerate(file, start=1) if not line.isspace())
            number, line = next(lines, (1, b"{}"))
    except OSError as error:
        raise ResultsError(f"{samples}: cannot be read ({error})") from error
    try:
        sample = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ResultsError(f"{samples}, line {number}: not JSON ({error}); damaged") from error
    doc = sample.get("doc") if isinstance(sample, dict) else None
    return doc if isinstance(doc, dict) else {}


def model_of(run: Found) -> str:
    """Backend and model with its arguments, as text: what must be equal within one model."""
    return model_key(read_task(run.files))
