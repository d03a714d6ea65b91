"""Which runs are those of Base, of FT clean and FT errors, and of a steered model.

A model is named by the paths of its runs, or, where the runs of all three lie together, by its
name: that of the model or of its adapter, whole or by its last folders, as runs are labelled.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from sociolect.generators.errors import InvalidInputError, ResultsError
from sociolect.harness.candidates import Found, our_runs
from sociolect.harness.labels import model_labels
from sociolect.harness.result_files import read_task
from sociolect.harness.results import Run, read_run
from sociolect.harness.run_settings import settings

Role = Literal["base", "ft_clean", "ft_errors", "steered", "control"]
ALL_ROLES: tuple[Role, ...] = get_args(Role)
ROLES: tuple[Role, ...] = ALL_ROLES[:3]
"""The three models of the learner-error paper."""
TUNED: tuple[Role, ...] = ROLES[1:]
STEERED: tuple[Role, ...] = ALL_ROLES[3:]
"""Base with steered activations, and the same with a direction that should do nothing."""
ROLE_NAMES: Mapping[Role, str] = {
    "base": "Base",
    "ft_clean": "FT clean",
    "ft_errors": "FT errors",
    "steered": "Steered",
    "control": "Control",
}
"""The first three as the learner-error paper calls them."""

ADAPTER_ARGS = ("peft", "lora_local_path")
"""Model arguments that name an adapter."""
_MODEL_SETTINGS = ("model", "model_args", "backend", "dtype")
_SETTING_FIELDS = ("benchmark", "axis", "form", "task_format", "data_version", "answer_mode")


@dataclass(frozen=True, slots=True)
class FoundModel:
    """The runs of one model under some paths.

    Attributes:
        name: The model, the adapter or the steering vector as the run was given it.
        identity: Model, arguments, backend and number format, as text.
        runs: At least one, in the order of task and time.
    """

    name: str
    identity: str
    runs: tuple[Found, ...]


def option(role: Role) -> str:
    """The option of the command line that names the model of a role."""
    return f"--{role.replace('_', '-')}"


def find_models(paths: Sequence[Path]) -> list[FoundModel]:
    """The models whose runs lie under some paths, in the order in which they are found.

    Raises:
        ResultsError: Nothing there that lm-eval wrote, or no run of a task of ours.
    """
    runs: dict[Path, Found] = {}
    for path in paths:
        runs |= {run.files.samples.resolve(): run for run in our_runs(path, several=True)}
    groups: dict[str, list[Found]] = {}
    names: dict[str, str] = {}
    for run in runs.values():
        if "pair_id" not in run.doc:
            read_run(run.files)  # a named file that is not ours: this says so
        model = _model_settings(run)
        identity = json.dumps(model, sort_keys=True, default=str)
        groups.setdefault(identity, []).append(run)
        names[identity] = str(model["model_args"].get("steering") or model["model"]["name"])
    return [FoundModel(names[key], key, tuple(group)) for key, group in groups.items()]


def _model_settings(run: Found) -> dict[str, Any]:
    """What identifies the model of a run."""
    task = {**dict.fromkeys(_SETTING_FIELDS), **run.doc}
    found: dict[str, Any] = settings(read_task(run.files), run.files.task, task)
    return {key: found[key] for key in _MODEL_SETTINGS}


def assign(together: Sequence[Path], given: Mapping[Role, Sequence[str]]) -> dict[Role, FoundModel]:
    """The model of each role.

    Args:
        together: Paths with runs of several of the models; then a role may be a name.
        given: By role paths of its runs, or one name. Base and one mitigation are needed: FT clean
            and FT errors, or a steered model, which may have a control; or both.

    Raises:
        InvalidInputError: A role without a model, or two roles with the same one.
        ResultsError: Nothing that is called so, or several models where one is meant; lists the
            models that were found.
    """
    pool = find_models(together) if together else []
    roles = _wanted([role for role in ALL_ROLES if given.get(role)])
    chosen = {role: _chosen(role, list(given.get(role, ())), pool) for role in roles}
    for number, role in enumerate(roles):
        for other in roles[:number]:
            if chosen[role].identity == chosen[other].identity:
                raise InvalidInputError(
                    f"{option(other)} and {option(role)} are the same model, "
                    f"{chosen[role].name}, run in the same way; give the runs of two"
                )
    return chosen


def _wanted(named: Sequence[Role]) -> list[Role]:
    """The roles that a report needs, given those that were named."""
    steered = any(role in named for role in STEERED)
    tuned = not steered or any(role in named for role in TUNED)
    needed = {"base", *(TUNED if tuned else ()), *(("steered",) if steered else ())}
    return [role for role in ALL_ROLES if role in needed or role in named]


def _chosen(role: Role, given: Sequence[str], pool: Sequence[FoundModel]) -> FoundModel:
    if not given:
        raise InvalidInputError(
            f"no model for {ROLE_NAMES[role]}: give {option(role)} the paths of its runs, or its "
            "name among the runs in a folder that holds those of all three models"
        )
    if len(given) == 1 and pool and (named := _named(given[0], pool)):
        return _only(role, named, f"{option(role)} {given[0]}: names several models")
    if pool and not all(Path(text).exists() for text in given):
        raise ResultsError(
            f"{option(role)} {' '.join(given)}: no model of this name, and no path" + listing(pool)
        )
    found = find_models([Path(text) for text in given])
    return _only(role, found, f"{option(role)} {' '.join(given)}: holds runs of several models")


def _only(role: Role, found: Sequence[FoundModel], problem: str) -> FoundModel:
    if len(found) == 1:
        return found[0]
    raise ResultsError(
        f"{problem}; name the folder or the files of one, or give the folder as the first "
        f"argument and {option(role)} one of these names" + listing(found)
    )


def _named(text: str, pool: Sequence[FoundModel]) -> list[FoundModel]:
    """The models that a text names: by label or whole name, else by their last folders."""
    exact = [
        model
        for model, label in zip(pool, labels(pool), strict=True)
        if text in (label, model.name) or _same_place(text, model.name)
    ]
    wanted = Path(text).parts
    return exact or [m for m in pool if wanted and Path(m.name).parts[-len(wanted) :] == wanted]


def _same_place(text: str, name: str) -> bool:
    path, other = Path(text).expanduser(), Path(name).expanduser()
    try:
        return path.exists() and other.exists() and path.samefile(other)
    except OSError:
        return False


def labels(models: Sequence[FoundModel]) -> list[str]:
    """Names by which the models can be told apart.

    Raises:
        ResultsError: A damaged samples file.
    """
    smallest = [min(m.runs, key=lambda r: r.files.samples.stat().st_size) for m in models]
    return model_labels([read_run(run.files) for run in smallest])


def listing(models: Sequence[FoundModel]) -> str:
    """The models that were found, one a line."""
    lines = zip(labels(models), models, strict=True)
    shown = [f"\n  {label} ({model.runs[0].files.samples.parent})" for label, model in lines]
    return ". Models found:" + "".join(shown)


def adapter_of(run: Run) -> str | None:
    """The adapter that a run was given, a path or a name on the Hub; `None` without one."""
    for key in ADAPTER_ARGS:
        for part in ("model", "model_args"):
            held = run.settings[part]
            if isinstance(held, Mapping) and held.get(key):
                return str(held[key])
    return None


def is_adapter_argument(name: str) -> bool:
    """Whether a model argument belongs to an adapter; so does the name that is made of it."""
    return name in (*ADAPTER_ARGS, "name") or "lora" in name
