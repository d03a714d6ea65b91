"""Were a system and its Base asked in the same way?"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from sociolect.generators.errors import NotComparableError
from sociolect.harness.comparability import ALLOWABLE, setting_differences
from sociolect.harness.dialect.run_samples import Prompt
from sociolect.harness.dialect.runs import DialectRun
from sociolect.harness.dialect.systems import Dataset, System, is_steering
from sociolect.harness.run_settings import SHAS


def check_systems(dataset: Dataset, allow: Collection[str]) -> list[str]:
    """Sentences on what differs and was accepted.

    Raises:
        NotComparableError: A difference that was not.
    """
    notes, problems = [], []
    for system in dataset.systems:
        base = dataset.base_of(system)
        if base is None and not system.is_base:
            notes.append(
                f"{system.label}: no run of its Base (the same model unprompted, without adapter "
                "or steering) in the same settings, so there are no differences to show."
            )
        if base is None:
            continue
        for task in (task for task in system.runs if task in base.runs):
            found = _differences(base.runs[task], system.runs[task])
            accepted = {name: text for name, text in found.items() if name in allow}
            notes += [f"{system.label}, {task}: allowed: {n}: {t}" for n, t in accepted.items()]
            if refused := {name: t for name, t in found.items() if name not in allow}:
                problems.append(_problem(system, base, task, refused))
    if problems:
        raise NotComparableError("\n".join(problems))
    return [*notes, *_unlike_models(dataset)]


def _asked(run: DialectRun) -> dict[str, Any]:
    """The settings without those that make a system what it is."""
    found = dict(run.settings)
    found.pop("model")
    arguments = found["model_args"]
    found["model_args"] = {key: v for key, v in arguments.items() if not is_steering(key)}
    found["model_sha"] = {key: value for key, value in found["model_sha"].items() if key == SHAS[0]}
    return found


def _differences(base: DialectRun, other: DialectRun) -> dict[str, str]:
    found = setting_differences(_asked(base), _asked(other))
    if base.prompts != other.prompts:
        only = [_count(base.prompts - other.prompts), _count(other.prompts - base.prompts)]
        reasons = [f"{run.files.task} is {run.partial}" for run in (base, other) if run.partial]
        text = f"{only[0]} only in the first, {only[1]} only in the second"
        found["ids"] = f"{text} ({'; '.join(reasons)})" if reasons else text
    return found


def _count(prompts: Collection[Prompt]) -> str:
    if not prompts:
        return "no prompt"
    return f"{len(prompts)} prompt{'s' * (len(prompts) > 1)} (e.g. of pair {min(prompts).id})"


def _problem(system: System, base: System, task: str, refused: Mapping[str, str]) -> str:
    files = [one.runs[task].files.samples for one in (base, system)]
    lines = [
        f"{task}: {system.label} is not comparable with {base.name} (first value Base / second "
        f"value {system.name}):",
        *(f"  {name}: {text}" for name, text in refused.items()),
        f"  files: {files[0]} / {files[1]}",
    ]
    accepted = [f"--allow {name}" for name in refused if name in ALLOWABLE]
    hint = "Run both in the same way"
    if len(accepted) == len(refused):
        hint += f", or, if the difference is meant, add {' '.join(accepted)}"
    return "\n".join([*lines, f"  {hint}."])


def _unlike_models(dataset: Dataset) -> list[str]:
    """Sentences on settings that differ between models; each has a template of its own."""
    notes = []
    names = ("task_format", "answer_mode", "few_shot", "system_instruction", "generation")
    for task in dict.fromkeys(task for one in dataset.systems for task in one.runs):
        runs = [one.runs[task] for one in dataset.systems if task in one.runs]
        differing = [n for n in names if len({repr(run.settings[n]) for run in runs}) > 1]
        if any(run.prompts != runs[0].prompts for run in runs):
            differing.append("the prompts that were asked")
        if differing:
            notes.append(f"{task}: not all systems agree in {', '.join(differing)}.")
    return notes
