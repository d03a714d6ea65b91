"""From the paths of a command line to the verdicts of each judge."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sociolect.generators.conditions import JUDGED, NOISES
from sociolect.generators.errors import ResultsError
from sociolect.harness.candidates import is_samples, our_runs
from sociolect.harness.comparability import check_allowed, require_comparable, shared
from sociolect.harness.exports import input_of
from sociolect.harness.judging.verdicts import Floats, Ints, Items, Judgements, Noisy, coded
from sociolect.harness.labels import condition_labels, model_labels
from sociolect.harness.results import Run
from sociolect.harness.sections import Section, read_section
from sociolect.harness.selection import Selection, select_models, select_sections
from sociolect.tasks.metrics import template_of
from sociolect.tasks.prompts import VERDICTS


def read_judges(
    paths: Sequence[Path], *, strict: bool = False, allow: Collection[str] = ()
) -> tuple[list[Judgements], list[str]]:
    """Read the runs that some paths name.

    A samples file in the first place is the clean run, and all else is held against it. Folders
    may hold several judges and several benchmarks of judge items.

    Args:
        paths: The clean run, then noisy ones; or folders that hold both.
        strict: Read the answers again in strict mode.
        allow: Differences between clean and noisy run that are accepted, by name.

    Returns:
        One entry for each judge, benchmark and form, and notes on what was chosen.

    Raises:
        ResultsError: No clean run to hold the others against, no noisy one, or a damaged file.
        NotComparableError: Clean and noisy run differ in more than the noise.
        UnknownNameError: A difference that does not exist.
    """
    accepted = check_allowed(allow)
    selections = _selected(paths)
    notes = [note for selection in selections for note in selection.notes]
    wanted = [one for one in selections if _is_judged(one.clean.task)]
    notes += [
        f"{one.clean.task}: passed over, it has no judge" for one in selections if one not in wanted
    ]
    if not wanted:
        raise ResultsError(
            f"{', '.join(map(str, paths))}: no run of a judge task ({', '.join(JUDGED)}); found "
            f"{', '.join(one.clean.task for one in selections)}. `sociolect compare` compares those"
        )
    return [_judgements(read_section(one, strict=strict), accepted) for one in wanted], notes


def _selected(paths: Sequence[Path]) -> list[Selection]:
    if is_samples(paths[0]):
        return select_sections(paths)
    try:
        return select_models(paths)
    except ResultsError:
        _require_noise(paths)
        # Clean runs of one judge and noisy ones of another: this way the message says what differs.
        return select_sections(paths)


def _require_noise(paths: Sequence[Path]) -> None:
    """Refuse paths that hold clean runs of judges and nothing else."""
    runs = [run for path in paths for run in our_runs(path, several=True)]
    judged = [run.files.task for run in runs if _is_judged(run.files.task)]
    if judged and all(run.is_clean for run in runs):
        raise ResultsError(f"{', '.join(map(str, paths))}: {_no_noise(judged[0])}")


def _no_noise(clean_task: str) -> str:
    """What is missing, and which tasks give it."""
    noisy = [clean_task.replace("_clean", f"_{name}_30", 1) for name in (NOISES[0], NOISES[-1])]
    return (
        f"no noisy run, only {clean_task}. Ask the same judge on noisy responses (--tasks "
        f"{','.join(noisy)} or others that `sociolect tasks` lists) and name these runs after the "
        "clean one"
    )


def _require_baseline(clean: Run, others: Sequence[Run]) -> None:
    """Flips are from the verdicts on clean responses: no other difference is held against them.

    Raises:
        ResultsError: The first run is not clean, no other one is noisy, or another one is clean.
    """
    where = clean.files.samples
    if not clean.condition.is_clean:
        task = clean.task.replace(f"_{clean.condition.task_suffix}", "_clean", 1)
        raise ResultsError(
            f"{where}: {clean.task} is no clean run. Flips are counted from the verdicts on clean "
            f"responses: name the run of {task} first"
        )
    if all(run.condition.is_clean for run in others):
        raise ResultsError(f"{where}: {_no_noise(clean.task)}")
    for run in others:
        if run.condition.is_clean:
            raise ResultsError(
                f"{run.files.samples}: a second clean run ({run.task}). One clean run is the "
                "baseline, all others are noisy"
            )


def _is_judged(task: str) -> bool:
    return any(task.startswith(f"{name}_") for name in JUDGED)


def _judgements(section: Section, allow: Collection[str]) -> Judgements:
    distinct = {run.files.samples.resolve(): run for run in section.others}
    others = sorted(distinct.values(), key=_place)
    _require_baseline(section.clean, others)
    notes = require_comparable(section.clean, others, allow)
    runs = [section.clean, *others]
    notes += [f"{run.task} is {run.partial}." for run in runs if run.partial]
    clean, *noisy = shared(*runs)
    if not clean.records:
        raise ResultsError(f"{clean.files.samples}: no item that all the runs judged")
    ids = tuple(sorted(record.id for record in clean.records))
    labels = condition_labels(runs, model_labels(runs))[1:]
    return Judgements(
        judge=clean.model,
        benchmark=clean.benchmark,
        form=clean.form,
        items=_items(clean, ids),
        clean=_verdicts(clean, ids),
        noisy=tuple(_noisy(r, label, ids) for r, label in zip(noisy, labels, strict=True)),
        notes=tuple(dict.fromkeys(notes)),
        inputs=tuple(map(_input, runs)),
    )


def _place(run: Run) -> tuple[int, int, int]:
    """Conditions in the order of the paper."""
    name = run.condition.transform
    order = NOISES.index(name) if name in NOISES else len(NOISES)
    return order, run.condition.level, run.error_seed


def _items(run: Run, ids: Sequence[str]) -> Items:
    options = {id_: run.items[id_][-1] for id_ in ids}
    target = {record.id: record.target_option for record in run.records}
    categories = [id_.split("/")[1] if id_.count("/") > 2 else "" for id_ in ids]
    return Items(
        tuple(ids),
        coded([template_of(id_) for id_ in ids]),
        coded(categories),
        coded(["|".join(sorted(options[id_][:2])) for id_ in ids]),
        np.array([target[id_] for id_ in ids], dtype=np.int64),
    )


def _verdicts(run: Run, ids: Sequence[str]) -> Ints:
    """One verdict an item.

    Raises:
        ResultsError: An item with several answers, or with other options than A, B, NONE.
    """
    found: dict[str, int] = {}
    for record in run.records:
        if record.id in found or len(record.choices) != 1:
            raise ResultsError(
                f"{run.files.samples}: {record.id} has several answers; a verdict is one answer to "
                "one prompt, so ask with repeats 1"
            )
        if len(run.items[record.id][-1]) != len(VERDICTS):
            raise ResultsError(
                f"{run.files.samples}: {record.id} has {len(run.items[record.id][-1])} options; a "
                "judge item has two names and NONE"
            )
        found[record.id] = record.choices[0]
    return np.array([found[id_] for id_ in ids], dtype=np.int64)


def _noisy(run: Run, label: str, ids: Sequence[str]) -> Noisy:
    return Noisy(
        run.condition, label, _verdicts(run, ids), _changes(run, ids), run.error_seed, run.partial
    )


def _changes(run: Run, ids: Sequence[str]) -> Floats | None:
    """Realised change by item; `None` where the run does not say it of every one."""
    if not all(id_ in run.changes for id_ in ids):
        return None
    return np.array([run.changes[id_] for id_ in ids], dtype=np.float64)


def _input(run: Run) -> dict[str, Any]:
    return {**input_of(run), "unparsed": run.unanswered}
