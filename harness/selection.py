"""From the paths of a command line to the runs that are meant."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sociolect.generators.conditions import CLEAN
from sociolect.generators.errors import ResultsError
from sociolect.harness.result_files import RunFiles, find_runs, read_task
from sociolect.harness.results import USUAL_RULES

_SUBJECT = ("benchmark", "axis", "form")
_ORDER = ("transform", "part", "level", "seed")


class Selection(NamedTuple):
    """The clean run, the runs to compare with it, and what was chosen among several."""

    clean: RunFiles
    others: list[RunFiles]
    notes: list[str]


class _Found(NamedTuple):
    files: RunFiles
    doc: Mapping[str, Any]

    @property
    def subject(self) -> tuple[object, ...]:
        return tuple(self.doc.get(key) for key in _SUBJECT)

    @property
    def is_clean(self) -> bool:
        return self.doc.get("transform") == CLEAN


def select_runs(paths: Sequence[Path]) -> Selection:
    """Find the clean run in the first path and errored runs in the others.

    A samples file is taken as it is. Of a folder or a results file, the first path gives its one
    clean run, and the others give all their errored runs of the same benchmark, axis and form;
    what is passed over is in the notes. A single path gives both.

    Raises:
        ResultsError: No or several clean runs, or nothing to compare with.
    """
    candidates, notes = _found(paths[0])
    clean = _clean_run(paths[0], candidates)
    others: list[RunFiles] = []
    for path in paths[1:] or paths[:1]:
        found, more = (candidates, []) if path == paths[0] else _found(path)
        chosen = found if _is_samples(path) else _errored(found, clean)
        passed = [run.files.task for run in found if run not in chosen and not run.is_clean]
        notes += more
        if passed:
            notes.append(f"{path}: not compared, of another kind: {', '.join(passed)}")
        if not chosen:
            tasks = ", ".join(run.files.task for run in found)
            raise ResultsError(
                f"{path}: no errored run to compare with {clean.files.task}; found only {tasks}"
            )
        others += [run.files for run in chosen]
    return Selection(clean.files, others, notes)


def _is_samples(path: Path) -> bool:
    return path.suffix == ".jsonl"


def _found(path: Path) -> tuple[list[_Found], list[str]]:
    """Runs of our tasks under a path; of a named file also one that is not, to fail later."""
    runs = [_Found(run, _first_doc(run.samples)) for run in find_runs(path)]
    ours = [run for run in runs if "pair_id" in run.doc or _is_samples(path)]
    if not ours:
        tasks = ", ".join(sorted({run.files.task for run in runs}))
        raise ResultsError(f"{path}: holds no task of sociolect, only {tasks}")
    return _newest(ours)


def _newest(runs: Iterable[_Found]) -> tuple[list[_Found], list[str]]:
    """The newest of the runs that are repetitions of one another, and a note on each choice.

    Runs of one task are repetitions if all their settings are equal. Another error seed is another
    run, and kept; clean prompts are the same under every seed.

    Raises:
        ResultsError: Runs of one task with other settings: which one is meant cannot be guessed.
    """
    groups: dict[tuple[str, str], list[_Found]] = defaultdict(list)
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


def _fingerprint(run: _Found, *, hashed: bool) -> dict[str, str]:
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
        "model_args": results["config"].get("model_args"),
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


def _first_doc(samples: Path) -> Mapping[str, Any]:
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


def _clean_run(path: Path, found: Sequence[_Found]) -> _Found:
    if _is_samples(path):
        return found[0]
    clean = [run for run in found if run.is_clean]
    if len(clean) == 1:
        return clean[0]
    listed = "".join(f"\n  {run.files.samples}" for run in clean or found)
    problem = "several clean runs; name the samples file of one" if clean else "no clean run among"
    raise ResultsError(f"{path}: {problem}{listed}")


def _errored(found: Sequence[_Found], clean: _Found) -> list[_Found]:
    """Errored runs of the same subject, by transform, part and level."""
    chosen = [run for run in found if not run.is_clean and run.subject == clean.subject]
    return sorted(chosen, key=lambda run: [_sortable(run.doc.get(key)) for key in _ORDER])


def _sortable(value: object) -> tuple[int, str]:
    return (value, "") if isinstance(value, int) else (0, str(value))
