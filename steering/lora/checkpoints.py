"""Checkpoints that are complete or not there.

The trainer writes the files of a checkpoint one after the other, straight into its folder. A
checkpoint counts once a marker lies in it, written last, that lists the hash of every file.

Its optimiser, schedule and random states are pickled, which can run code when read. They are read
only from the folder of the run itself and only if every hash matches, and transformers reads them
with `weights_only`, which refuses anything but tensors and plain values.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path
from typing import Any

from sociolect.generators.errors import TrainingError

MARKER = "complete.json"
KEPT = 2
"""The last checkpoint, and the one before it in case the last is damaged."""

_NAME = re.compile(r"checkpoint-(\d+)")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A folder of training state.

    Attributes:
        folder: Where it lies.
        step: Optimiser steps taken so far.
    """

    folder: Path
    step: int


def write_json(path: Path, value: Any) -> None:
    """Write a value as JSON, whole or not at all."""
    write_text(path, json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def write_text(path: Path, text: str) -> None:
    """Write a file that has its old content or all of its new one, also after a power cut."""
    part = path.with_name(f".{path.name}.part")
    with part.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Saving that fails, mostly on a full disk, says what is kept and what to do.

    Args:
        folder: What is written, for the message.

    Raises:
        TrainingError: The block could not write.
    """
    from safetensors import SafetensorError

    try:
        yield
    except (OSError, RuntimeError, SafetensorError) as error:
        # PyTorch's writer raises plain RuntimeErrors; memory is a matter of its own.
        if isinstance(error, RuntimeError) and "memory" in str(error).lower():
            raise
        said = (isinstance(error, OSError) and error.strerror) or str(error).strip().split("\n")[0]
        raise TrainingError(
            f"cannot write {folder} ({said}). The last complete checkpoint is kept: free space on "
            "the disk, or mend what it says, and run the command again."
        ) from error


def mark_complete(folder: Path) -> None:
    """Say that all files of a checkpoint are there, with their hashes."""
    files = {name: _sha256(folder / name) for name in _files(folder)}
    write_json(folder / MARKER, {"files": files})


def problem(folder: Path) -> str:
    """Why a checkpoint cannot be used; empty if it can."""
    if folder.is_symlink():
        return "it is a symbolic link"  # what it leads to is not of this run alone
    try:
        files: dict[str, str] = json.loads((folder / MARKER).read_text(encoding="utf-8"))["files"]
        if sorted(files) != _files(folder):
            return "files are missing or were added"
        damaged = [name for name, digest in files.items() if _sha256(folder / name) != digest]
    except FileNotFoundError:
        return "it was not finished"
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        return f"it cannot be read ({error})"
    return f"{damaged[0]} is damaged" if damaged else ""


def checkpoints(run: Path) -> list[Checkpoint]:
    """All checkpoint folders of a run, complete or not, the last first."""
    found = [
        Checkpoint(path, int(match[1]))
        for path in run.glob("checkpoint-*")
        if (path.is_dir() or path.is_symlink()) and (match := _NAME.fullmatch(path.name))
    ]
    return sorted(found, key=lambda checkpoint: -checkpoint.step)


def last_complete(
    run: Path, report: Callable[[str], None], refused: Callable[[Path], str] = lambda _: ""
) -> Checkpoint | None:
    """The checkpoint to go on from; incomplete and damaged ones are removed, with a message.

    Args:
        run: Folder of the run.
        report: Called with a line for each one that is removed.
        refused: Why a checkpoint that is whole cannot be loaded all the same; empty if it can.
    """
    for checkpoint in checkpoints(run):
        reason = problem(checkpoint.folder) or refused(checkpoint.folder)
        if not reason:
            return checkpoint
        report(f"removing the checkpoint of step {checkpoint.step}: {reason}")
        _remove(checkpoint.folder)
    return None


def prune(found: Iterable[Checkpoint]) -> None:
    """Remove all but the last `KEPT` checkpoints; called once the newest is complete."""
    for checkpoint in list(found)[KEPT:]:
        # Without its marker it counts as incomplete should the removal be cut short.
        if not checkpoint.folder.is_symlink():
            (checkpoint.folder / MARKER).unlink(missing_ok=True)
        with suppress(OSError):
            _remove(checkpoint.folder)


def clear(run: Path, files: Sequence[str]) -> list[str]:
    """Remove a run's checkpoints and files, and its folder if nothing else is in it.

    Args:
        run: Folder of the run.
        files: Names of its files; the last one goes last.

    Returns:
        The names of what else is there, which stays.

    Raises:
        OSError: Something cannot be removed.
    """
    for checkpoint in checkpoints(run):
        _remove(checkpoint.folder)
    for name in files:
        (run / name).unlink(missing_ok=True)
    rest = sorted(path.name for path in run.iterdir())
    if not rest:
        run.rmdir()
    return rest


def _remove(folder: Path) -> None:
    """Remove a folder, or a link but never what it leads to."""
    if folder.is_symlink():
        folder.unlink()
    else:
        shutil.rmtree(folder)


def _files(folder: Path) -> list[str]:
    found = (path for path in folder.rglob("*") if path.is_file())
    names = (path.relative_to(folder).as_posix() for path in found)
    return sorted(name for name in names if name not in (MARKER, f".{MARKER}.part"))


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()
