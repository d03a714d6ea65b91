"""Opt-in: let the bare `lm_eval --tasks …` of this Python find our tasks.

lm_eval 0.4.13 looks for tasks in its own package only (or in `--include_path`). So one small
folder is put there: a stub per task, whose only line includes the real file, and a list of
exactly what was written. The folder is made beside lm_eval's tasks and renamed into place, so
that an interrupted `register` leaves nothing that lm_eval could see.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import filelock
import platformdirs

from sociolect.generators.errors import MissingToolError, RegistrationError
from sociolect.harness.register_files import (
    differences,
    digests,
    entries,
    foreign_files,
    listed_files,
    remove_files,
    stubs,
    write_files,
)

FOLDER = "sociolect"
STAGE_PREFIX = ".sociolect-stage-"
LOCK_SECONDS = 120.0
"""How long to wait for another `register` or `unregister`, which takes ten seconds."""
AGAIN = "Move or delete what is named, then run `sociolect register` or `unregister` again."

State = Literal["absent", "registered", "stale", "foreign"]


@dataclass(frozen=True, slots=True)
class Status:
    """What lm_eval's task folder holds of ours.

    Attributes:
        folder: Our folder in lm_eval's task folder, whether or not it is there.
        state: absent (no folder, or an empty one); registered; stale (written for other tasks
            or versions, or damaged: another `register` or `unregister` mends it); foreign (it
            holds something that is not ours, and both commands leave that alone).
        details: Why it is stale or foreign.
    """

    folder: Path
    state: State
    details: tuple[str, ...] = ()

    def describe(self) -> str:
        """A few lines for the user."""
        headline = {
            "absent": "not registered: lm_eval needs --include_path (or use `sociolect eval`)",
            "registered": "registered: lm_eval finds the tasks without a flag",
            "stale": "registered incompletely or for another state: run `sociolect register` again",
            "foreign": "not registered as it should be: the folder holds something that is not "
            "ours, or that was edited",
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


def registered(target: Path, source: Path | None = None) -> Status:
    """What is registered in lm_eval's task folder `target`, compared with the tasks of now."""
    folder = target / FOLDER
    found = _foreign(folder)
    if found:
        return Status(folder, "foreign", (*found, AGAIN))
    if not folder.exists() or (not entries(folder) and listed_files(folder) is None):
        return Status(folder, "absent")
    details = tuple(differences(folder, digests(stubs(source))))
    return Status(folder, "stale" if details else "registered", details)


def register(target: Path, source: Path | None = None) -> Status:
    """Write the stubs, replacing those of an earlier `register`.

    Args:
        target: lm_eval's task folder.
        source: Folder of the task files; default ours.

    Raises:
        RegistrationError: The folder cannot be written, holds something that is not ours, is
            being written by another process, or a name of ours is taken by lm_eval.
    """
    folder = target / FOLDER
    wanted = stubs(source)
    with _locked(target), _explained(target):
        _sweep(target)
        _refuse_foreign(folder)
        stage = target.parent / f"{STAGE_PREFIX}{os.getpid()}"
        try:
            write_files(stage, wanted)
            _check_names(stage, target, len(wanted))
            _refuse_foreign(folder)  # the check takes long
            _swap(stage, folder)
        finally:
            _sweep(target)
        status = registered(target, source)
    if status.state != "registered":
        raise RegistrationError(
            f"the stubs were written, but are not as they should be: {status.describe()}"
        )
    return status


def unregister(target: Path) -> Status:
    """Remove what `register` wrote; a file that is not ours, or was edited since, stays.

    Returns:
        absent, or foreign with what was kept and why.

    Raises:
        RegistrationError: The files cannot be removed, or another process is writing them.
    """
    folder = target / FOLDER
    with _locked(target), _explained(target):
        _sweep(target)
        if not folder.is_dir() or folder.is_symlink():
            return registered(target)
        kept = remove_files(folder)
    if not kept:
        return Status(folder, "absent")
    return Status(folder, "foreign", (*(f"kept {line}" for line in _reasons(kept)), AGAIN))


def _foreign(folder: Path) -> list[str]:
    if folder.is_symlink() or folder.is_file():
        return [f"{folder} is a link or a file."]
    return _reasons(foreign_files(folder)) if folder.exists() else []


def _reasons(found: dict[str, str]) -> list[str]:
    return [f"{name} ({reason})." for name, reason in found.items()]


def _refuse_foreign(folder: Path) -> None:
    found = _foreign(folder)
    if found:
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        raise RegistrationError(
            f"{folder} holds something that is not ours: {found[0]}{more} {AGAIN} Or use "
            '`lm_eval --include_path "$(sociolect tasks-path)"`.'
        )


def _check_names(stage: Path, target: Path, count: int) -> None:
    """Every stub must load, and no name of ours may be one of lm_eval's."""
    from lm_eval.tasks import TaskManager

    ours = TaskManager(include_path=str(stage), include_defaults=False)
    if len(ours.all_subtasks) + len(ours.all_groups) != count:
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


@contextmanager
def _locked(target: Path) -> Iterator[None]:
    """Wait for other processes that write to the same task folder.

    The lock lies in the user cache: lm_eval's folder is to hold nothing of it afterwards.
    """
    name = sha256(str(target.resolve()).encode("utf-8")).hexdigest()[:16]
    path = platformdirs.user_cache_path("sociolect") / "locks" / f"register-{name}.lock"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = filelock.FileLock(path)
        lock.acquire(timeout=LOCK_SECONDS)
    except filelock.Timeout as error:
        raise RegistrationError(
            f"another process has been writing to {target} for {LOCK_SECONDS:.0f} seconds. Wait "
            "until its `sociolect register` or `unregister` ends, then try again."
        ) from error
    except OSError as error:
        raise RegistrationError(
            f"cannot make the lock file {path} ({error.strerror or error}). Name a cache folder "
            "that can be written, such as XDG_CACHE_HOME=DIR."
        ) from error
    try:
        yield
    finally:
        lock.release()


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
