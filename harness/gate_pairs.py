"""Which run of a candidate is held against which run of its baseline."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from sociolect.generators.conditions import CLEAN, NOISES, TRANSFORMS, Condition
from sociolect.generators.errors import ResultsError
from sociolect.harness.candidates import Found, model_of, newest, our_runs
from sociolect.harness.result_files import RunFiles
from sociolect.harness.results import USUAL_RULES

_TRANSFORMS = (CLEAN, *TRANSFORMS, *NOISES)


class Pair(NamedTuple):
    """One condition of the baseline.

    Attributes:
        subject: Benchmark, axis and form.
        label: The condition, with rule set and error seed unless they are the usual ones.
        task: Task name of lm-eval.
        candidate: `None` if the candidate was not run on it.
    """

    subject: tuple[str, ...]
    label: str
    task: str
    baseline: RunFiles
    candidate: RunFiles | None


def pair_runs(candidate: Sequence[Path], baseline: Sequence[Path]) -> tuple[list[Pair], list[str]]:
    """Every condition that the baseline was run on, with the run of the candidate.

    Args:
        candidate: Samples files, results files or folders of one model.
        baseline: The same of the model before.

    Returns:
        By benchmark, axis and form, the clean prompts first; and notes on repetitions and on
        conditions that the baseline was not run on.

    Raises:
        ResultsError: No run of ours, runs of several models on one side, or several runs of one
            condition that differ in their settings.
    """
    theirs, notes = _runs(candidate)
    mine, more = _runs(baseline)
    pairs = [
        Pair(
            subject=run.subject,
            label=_label(run),
            task=run.files.task,
            baseline=run.files,
            candidate=theirs[key].files if key in theirs else None,
        )
        for key, run in sorted(mine.items(), key=lambda entry: _order(entry[1]))
    ]
    extra = [f"{run.name} {_label(run)}" for key, run in theirs.items() if key not in mine]
    only = [f"not judged, the baseline was not run on it: {', '.join(extra)}"] if extra else []
    return pairs, [*notes, *more, *only]


def _runs(paths: Sequence[Path]) -> tuple[dict[tuple[str, ...], Found], list[str]]:
    """The runs of one model by what was asked, and notes on repetitions."""
    every = {run.files.samples.resolve(): run for path in paths for run in our_runs(path)}
    models = {model_of(run) for run in every.values()}
    if len(models) > 1:
        raise ResultsError(
            f"{', '.join(map(str, paths))}: runs of {len(models)} models; a gate holds one model "
            "against one other. Name the folder or the files of one"
        )
    kept, notes = newest(every.values())
    return {_key(run): run for run in kept}, notes


def _key(run: Found) -> tuple[str, ...]:
    """What must be equal of both models; clean prompts are the same under every seed and rules."""
    extra = () if run.is_clean else (_rules(run), str(run.doc.get("seed")))
    return (*run.subject, _condition(run).config_name, *extra)


def _condition(run: Found) -> Condition:
    transform, level, part = (run.doc.get(name) for name in ("transform", "level", "part"))
    if transform not in _TRANSFORMS or type(level) is not int or not isinstance(part, str):
        raise ResultsError(
            f"{run.files.samples}: the first document names no condition of this version, but "
            f"transform {transform!r}, level {level!r}, part {part!r}; the file is damaged or newer"
        )
    return Condition(transform, level, part)


def _rules(run: Found) -> str:
    return str(run.doc.get("rules") or USUAL_RULES)


def _label(run: Found) -> str:
    rules, seed = _rules(run), run.doc.get("seed")
    extra = [] if run.is_clean or rules == USUAL_RULES else [rules]
    extra += [] if run.is_clean or not seed else [f"error seed {seed}"]
    name = _condition(run).config_name
    return f"{name} ({', '.join(extra)})" if extra else name


def _order(run: Found) -> tuple[object, ...]:
    condition = _condition(run)
    kind = _TRANSFORMS.index(condition.transform)
    return (*run.subject, kind, condition.part, condition.level, _label(run))
