"""Which of the requested tasks are ours, found with lm_eval's own index.

Indexing lm_eval's 14,000 task files takes about ten seconds and our 2,500 more than one. The big
index is built only when a requested name is not found without it, and of ours only one folder is
read where all names stand for one benchmark.
"""

from __future__ import annotations

import fnmatch
import glob
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sociolect.generators.conditions import CLEAN, NOISES, TRANSFORMS
from sociolect.generators.dialect.pairs import BENCHMARK as DIALECT
from sociolect.generators.errors import InvalidInputError, UnknownNameError
from sociolect.harness.run_options import TaskFacts
from sociolect.tasks.cells import (
    NAMES_HINT,
    NOISE,
    SUITES,
    benchmarks,
    cell,
)
from sociolect.tasks.listing import tag_members, task_folders
from sociolect.tasks.paths import tasks_path

_WILDCARDS = "*?["


@dataclass(frozen=True, slots=True)
class Requested:
    """The result of looking up every name of `--tasks`.

    Attributes:
        manager: lm_eval's `TaskManager`, knowing every requested name.
        include_path: The folders that it was given, ours and the user's.
        tasks: Facts about the requested tasks of ours, tags and groups taken apart.
        others: Whether something else is requested too.
    """

    manager: Any
    include_path: list[str]
    tasks: tuple[TaskFacts, ...]
    others: bool


def find_tasks(
    specs: Sequence[str],
    include_path: Sequence[str] = (),
    metadata: Mapping[str, Any] | None = None,
) -> Requested:
    """Look up task names, patterns, tags, groups and YAML paths as lm_eval does.

    Args:
        specs: The values of `--tasks`.
        include_path: The user's own folders; their tasks win over ours, as in lm_eval.
        metadata: Passed on to the tasks.

    Raises:
        UnknownNameError: A name that neither we, the user's folders nor lm_eval know.
        LevelUnreachableError: A task of ours that does not exist, its level being too high.
        InvalidInputError: No name, or a task asked for twice through a group.
    """
    from lm_eval.tasks import TaskManager

    if not specs:
        raise InvalidInputError("no task named: add --tasks, for example --tasks winobias_clean")
    folders = [str(tasks_path()), *include_path]
    extra = dict(metadata or {})
    needed = "" if include_path else _needed_folder(specs)
    manager = TaskManager(
        include_path=[needed] if needed else folders, include_defaults=False, metadata=extra
    )
    ours = _our_names(manager)
    unknown = [spec for spec in specs if not _found_without_core(spec, manager)]
    for name in unknown:
        if _looks_like_ours(name):
            if not name.startswith(f"{DIALECT}_"):
                cell(name)  # says so if only the level is out of reach
            raise _unknown_task(name)
    if unknown:
        folders = folders[1:] if _is_registered() else folders
        manager = TaskManager(include_path=folders, metadata=extra)
        for name in unknown:
            if not _is_known(name, manager):
                raise _unknown_task(name)
    leaves = _leaves(specs, manager)
    facts = tuple(_facts(name, config) for name, config in leaves.items() if name in ours)
    return Requested(manager, folders, facts, others=len(facts) < len(leaves))


def load_documents(
    tasks: Sequence[TaskFacts], metadata: Mapping[str, Any] | None = None
) -> dict[str, Sequence[Mapping[str, Any]]]:
    """The documents of our tasks, so that missing data are met before a model is loaded.

    Args:
        tasks: Requested tasks.
        metadata: lm_eval's metadata: model arguments and `--metadata`.

    Raises:
        DataError: The data are damaged, incomplete, or of another version or seed.
        InvalidInputError: `error_seed` is not a whole number.
    """
    from sociolect.tasks import functions
    from sociolect.tasks.dialect import functions as dialect

    loaders = {task.name: (dialect if task.is_dialect else functions).load for task in tasks}
    extra = metadata or {}
    return {
        task.name: loaders[task.name](**{**task.data_arguments, **extra})["test"] for task in tasks
    }


def _needed_folder(specs: Sequence[str]) -> str:
    """The folder of the benchmark that all names stand for; empty if there is no such one.

    Not several folders: of a tag that stands in more than one, lm_eval keeps the last folder's
    tasks alone.
    """
    tags = tag_members()
    folder_of = task_folders()
    needed: set[str] = set()
    for spec in specs:
        found = fnmatch.filter([*folder_of, *tags], spec)
        if not found:
            return ""
        needed.update(folder_of[task] for name in found for task in tags.get(name, (name,)))
    return str(tasks_path() / needed.pop()) if len(needed) == 1 else ""


def _our_names(manager: Any) -> frozenset[str]:
    folder = tasks_path()
    return frozenset(
        name
        for name, entry in manager.task_index.items()
        if entry.yaml_path is not None and Path(entry.yaml_path).is_relative_to(folder)
    )


def _is_registered() -> bool:
    from sociolect.harness.register import lm_eval_tasks, registered

    return registered(lm_eval_tasks()).state == "registered"


def _looks_like_ours(name: str) -> bool:
    return name.startswith(_own_starts())


def _own_starts() -> tuple[str, ...]:
    """What only names of ours begin with; `mmlu_` alone begins many of lm_eval's own."""
    own = [f"{b}_{t}" for b in benchmarks() for t in (CLEAN, *TRANSFORMS, *NOISES, NOISE)]
    return (*own, f"{DIALECT}_", *(f"{suite}_" for suite in SUITES))


def _found_without_core(spec: str, manager: Any) -> bool:
    if spec.endswith(".yaml") or spec in manager.task_index:
        return True
    if not any(mark in spec for mark in _WILDCARDS):
        return False
    literal = spec[: min(spec.index(mark) for mark in _WILDCARDS if mark in spec)]
    starts = (*_own_starts(), *(f"{b}_" for b in benchmarks() if b != "mmlu"))
    return literal.startswith(starts) and bool(manager.match_tasks([spec]))


def _unknown_task(name: str) -> UnknownNameError:
    return UnknownNameError(
        "task",
        name,
        sorted((*task_folders(), *tag_members())),
        hint=f"{NAMES_HINT} lm_eval's own tasks: `lm_eval ls tasks`.",
    )


def _is_folder(spec: str, manager: Any) -> bool:
    """Whether lm_eval would look for task files in a folder of this name."""
    return not manager.match_tasks([spec]) and Path(spec).is_dir()


def _is_known(spec: str, manager: Any) -> bool:
    if spec.endswith(".yaml"):
        return bool(glob.glob(spec))  # noqa: PTH207 (an absolute pattern)
    return bool(manager.match_tasks([spec])) or Path(spec).is_dir()


def _leaves(specs: Sequence[str], manager: Any) -> dict[str, Mapping[str, Any]]:
    """Configuration of every single task behind the names.

    Raises:
        InvalidInputError: lm_eval would refuse the list, after it loaded the model.
    """
    found: dict[str, Mapping[str, Any]] = {}
    origin: dict[str, str] = {}
    for spec in specs:
        if len(specs) > 1 and _is_folder(spec, manager):
            raise InvalidInputError(
                f"--tasks {spec} is a folder, which lm_eval takes alone only; name its task files "
                f"({Path(spec) / '*.yaml'}) instead"
            )
        for name, config, through in _expand(spec, manager):
            if origin.setdefault(name, through) != through:
                raise InvalidInputError(
                    f"task {name} is asked for twice, through {origin[name]!r} and through "
                    f"{through!r}. Name one of them."
                )
            found[name] = config
    return found


def _expand(spec: str, manager: Any) -> Iterator[tuple[str, Mapping[str, Any], str]]:
    """Name and configuration of single tasks, and the name that they were asked through."""
    matches = [] if spec.endswith(".yaml") else manager.match_tasks([spec])
    for name in matches:
        entry = manager.task_index[name]
        for leaf in _members(entry, manager.task_index):
            through = name if entry.kind.name == "GROUP" else leaf.name
            yield leaf.name, leaf.cfg or {}, through
    if not matches:
        paths = _yaml_files(spec)
        if not paths:
            what = "holds no task file (*.yaml)" if Path(spec).is_dir() else "is no file"
            raise InvalidInputError(f"--tasks {spec} {what}; check the path")
        for path in paths:
            config = _load_yaml(path)
            name = str(config["task"])
            yield name, config, name


def _yaml_files(spec: str) -> list[str]:
    pattern = spec if spec.endswith(".yaml") else str(Path(spec) / "*.yaml")
    return sorted(glob.glob(pattern))  # noqa: PTH207 (an absolute pattern)


def _load_yaml(path: str) -> Mapping[str, Any]:
    """A task file with what it includes.

    Raises:
        InvalidInputError: It cannot be read, or names no task.
    """
    import yaml
    from lm_eval.tasks._yaml_loader import load_yaml

    try:
        config: Mapping[str, Any] = load_yaml(path, resolve_func=False)
    except (OSError, ValueError, TypeError, yaml.YAMLError) as error:
        raise InvalidInputError(f"{path} is not a task file of lm_eval: {error}") from error
    if not config.get("task"):
        raise InvalidInputError(f"{path} is not a task file of lm_eval: it has no `task`")
    return config


def _members(entry: Any, index: Mapping[str, Any]) -> Iterator[Any]:
    """The single tasks below a tag or group (inline tasks of a group have no entry)."""
    kind = entry.kind.name
    if kind == "TAG":
        names = sorted(entry.tags)
    elif kind == "GROUP":
        names = [_child_name(child) for child in entry.cfg.get("task") or []]
    else:
        yield entry
        return
    for name in names:
        if name in index:
            yield from _members(index[name], index)


def _child_name(child: Any) -> str:
    return child if isinstance(child, str) else str(child.get("group") or child.get("task"))


def _facts(name: str, config: Mapping[str, Any]) -> TaskFacts:
    return TaskFacts(
        name=name,
        output_type=config.get("output_type", "generate_until"),
        repeats=config.get("repeats", 1),
        generation_kwargs=config.get("generation_kwargs") or {},
        data_arguments={**(config.get("metadata") or {}), **(config.get("dataset_kwargs") or {})},
    )
