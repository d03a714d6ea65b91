"""Opt-in: let the bare `lm_eval --tasks …` of this Python find our tasks.

lm_eval 0.4.13 looks for tasks in its own package only (or in `--include_path`). So one small
folder is put there: a stub per task, whose only line includes the real file, and a list of
exactly what was written. The folder is made beside lm_eval's tasks and renamed into place, so
that an interrupted `register` leaves nothing that lm_eval could see.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from sociolect import __version__
from sociolect.generators.errors import MissingToolError, RegistrationError
from sociolect.tasks.paths import task_files, tasks_path

FOLDER = "sociolect"
MARKER = ".sociolect-register.json"
STAGE_PREFIX = ".sociolect-stage-"

State = Literal["absent", "registered", "stale", "foreign"]


@dataclass(frozen=True, slots=True)
class Status:
    """What lm_eval's task folder holds of ours.

    Attributes:
        folder: Our folder in lm_eval's task folder, whether or not it is there.
        state: absent; registered; stale (written for other tasks or versions, or damaged);
            foreign (there is such a folder, but `register` did not write it).
        details: Why it is stale or foreign, or what is left.
    """

    folder: Path
    state: State
    details: tuple[str, ...] = ()

    def describe(self) -> str:
        """A few lines for the user."""
        headline = {
            "absent": "not registered: lm_eval needs --include_path (or use `sociolect eval`)",
            "registered": "registered: lm_eval finds the tasks without a flag",
            "stale": "registered for another state: run `sociolect register` again",
            "foreign": "not registered: the folder is in use by something else",
        }[self.state]
        lines = [f"{headline} ({self.folder})", *(f"  {line}" for line in self.details)]
        return "\n".join(lines)


def lm_eval_tasks() -> Path:
    """The task folder of the lm_eval that this Python imports.

    Raises:
        MissingToolError: lm_eval is not installed, or has no task folder.
    """
    spec = find_spec("lm_eval")
    for location in (spec.submodule_search_locations if spec else None) or ():
        folder = Path(location).resolve() / "tasks"
        if (folder / "__init__.py").is_file():
            return folder
    raise MissingToolError(
        "no lm_eval with a task folder in this Python; install it with "
        "`pip install 'lm-eval>=0.4.13,<0.5'`."
    )


def stubs(source: Path | None = None) -> dict[str, str]:
    """File names and contents of the folder: one stub for each task file of ours.

    Raises:
        RegistrationError: There is no task file to register.
    """
    root = source or tasks_path()
    written = {
        "-".join(path.relative_to(root).parts): "# Written by `sociolect register`, removed by "
        f"`sociolect unregister`; do not edit.\ninclude: {json.dumps(str(path))}\n"
        for path in task_files(root)
    }
    if not written:
        raise RegistrationError(f"there are no task files in {root}: reinstall sociolect.")
    return written


def registered(target: Path, source: Path | None = None) -> Status:
    """What is registered in lm_eval's task folder `target`, compared with the tasks of now."""
    folder = target / FOLDER
    if not folder.exists():
        return Status(folder, "absent")
    listed = _read_marker(folder)
    if listed is None:
        return Status(folder, "foreign", (f"{folder} has no {MARKER} of ours.",))
    wanted = {name: _digest(text) for name, text in stubs(source).items()}
    details = [*_foreign_files(folder, listed), *_differences(folder, listed, wanted)]
    return Status(folder, "stale" if details else "registered", tuple(details))


def register(target: Path, source: Path | None = None) -> Status:
    """Write the stubs, replacing those of an earlier `register`.

    Args:
        target: lm_eval's task folder.
        source: Folder of the task files; default ours.

    Raises:
        RegistrationError: The folder cannot be written, holds files that are not ours, or a
            name of ours is taken by lm_eval.
    """
    folder = target / FOLDER
    wanted = stubs(source)
    with _explained(target):
        _sweep(target)
        _refuse_foreign(folder)
        stage = target.parent / f"{STAGE_PREFIX}{os.getpid()}"
        _write_stage(stage, wanted)
        try:
            _check_names(stage, target)
            _swap(stage, folder)
        finally:
            _sweep(target)
    return registered(target, source)


def unregister(target: Path) -> Status:
    """Remove what `register` wrote; a file that is not ours, or was edited since, stays.

    Raises:
        RegistrationError: The files cannot be removed.
    """
    folder = target / FOLDER
    with _explained(target):
        _sweep(target)
        listed = _read_marker(folder)
        if listed is None:
            return registered(target)
        kept = _foreign_files(folder, listed)
        _remove_listed(folder, listed)
    if folder.exists():
        return Status(folder, "foreign", tuple(kept))
    return Status(folder, "absent")


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8")).hexdigest()


def _read_marker(folder: Path) -> dict[str, Any] | None:
    try:
        marker = json.loads((folder / MARKER).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return marker if isinstance(marker, dict) and isinstance(marker.get("files"), dict) else None


def _intact(folder: Path, name: str, digest: str) -> bool:
    path = folder / name
    return path.is_file() and sha256(path.read_bytes()).hexdigest() == digest


def _foreign_files(folder: Path, marker: Mapping[str, Any]) -> list[str]:
    """What is in the folder that we did not write, or that was edited."""
    found = []
    for path in sorted(folder.iterdir()):
        digest = marker["files"].get(path.name)
        if path.name in (MARKER, "__pycache__"):
            continue
        if digest is None:
            found.append(f"{path.name} was not written by `sociolect register`.")
        elif not _intact(folder, path.name, digest):
            found.append(f"{path.name} was edited.")
    return found


def _differences(
    folder: Path, marker: Mapping[str, Any], wanted: Mapping[str, str]
) -> Iterator[str]:
    listed: Mapping[str, str] = marker["files"]
    missing = [name for name in listed if not (folder / name).exists()]
    if missing:
        yield f"{len(missing)} files are missing, such as {missing[0]}."
    if listed != wanted:
        yield (
            f"the tasks changed: {len(wanted.keys() - listed.keys())} are new, "
            f"{len(listed.keys() - wanted.keys())} are gone, "
            f"{sum(listed[n] != wanted[n] for n in listed.keys() & wanted.keys())} moved."
        )


def _refuse_foreign(folder: Path) -> None:
    if not folder.exists():
        return
    marker = _read_marker(folder)
    found = _foreign_files(folder, marker) if marker else [f"{folder} has no {MARKER} of ours."]
    if found:
        raise RegistrationError(
            f"{folder} holds something that is not ours: {found[0]} Move it away, or use "
            '`lm_eval --include_path "$(sociolect tasks-path)"`.'
        )


def _write_stage(stage: Path, files: Mapping[str, str]) -> None:
    stage.mkdir()
    marker = {
        "format": 1,
        "sociolect": __version__,
        "lm_eval": version("lm_eval"),
        "files": {name: _digest(text) for name, text in files.items()},
    }
    (stage / MARKER).write_text(json.dumps(marker, indent=1) + "\n", encoding="utf-8")
    for name, text in files.items():
        (stage / name).write_text(text, encoding="utf-8")


def _check_names(stage: Path, target: Path) -> None:
    """Every stub must load, and no name of ours may be one of lm_eval's."""
    from lm_eval.tasks import TaskManager

    ours = TaskManager(include_path=str(stage), include_defaults=False)
    if len(ours.all_subtasks) + len(ours.all_groups) != len(list(stage.glob("*.yaml"))):
        raise RegistrationError("some task files cannot be read by this lm_eval; reinstall both.")
    core = TaskManager(include_path=str(target), include_defaults=False).task_index
    mine = set(ours.all_tasks)
    for name in sorted(mine & core.keys()):
        entry = core[name]
        path = entry.yaml_path
        taken = not (entry.tags <= mine) if path is None else Path(path).parent.name != FOLDER
        if taken:
            raise RegistrationError(
                f"lm_eval has its own {name!r}: registering would hide one of the two. Use "
                "`sociolect eval` or `lm_eval --include_path`."
            )


def _swap(stage: Path, folder: Path) -> None:
    old = stage.with_name(f"{stage.name}-old")
    if folder.exists():
        folder.rename(old)
    try:
        stage.rename(folder)
    except OSError:
        if old.exists():
            old.rename(folder)
        raise


def _sweep(target: Path) -> None:
    """Remove folders that an interrupted `register` left beside lm_eval's tasks."""
    for left in target.parent.glob(f"{STAGE_PREFIX}*"):
        shutil.rmtree(left)


def _remove_listed(folder: Path, marker: Mapping[str, Any]) -> None:
    for name, digest in marker["files"].items():
        if _intact(folder, name, digest):
            (folder / name).unlink()
    (folder / MARKER).unlink()
    shutil.rmtree(folder / "__pycache__", ignore_errors=True)
    if not any(folder.iterdir()):
        folder.rmdir()


@contextmanager
def _explained(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise RegistrationError(
            f"cannot write to lm_eval's task folder {target} ({error.strerror or error}). Use a "
            "virtual environment of your own, or do without: `sociolect eval …`, or "
            '`lm_eval --include_path "$(sociolect tasks-path)" …`.'
        ) from error
