"""A file of what models wrote, its manifest, and the folder of what is not finished.

The file holds judge items or dialect pairs. It takes its name last, in one step: where it is, it is
whole, and the manifest beside it is its own.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from hashlib import file_digest
from pathlib import Path
from typing import Any

from sociolect.generators.errors import DataError, InvalidInputError, ResultsError

_SUFFIX = ".jsonl"


def items_file(out: Path) -> Path:
    """The file that `--out` names, links followed.

    Raises:
        InvalidInputError: It is a folder, does not end in `.jsonl`, or leads nowhere.
    """
    if out.suffix != _SUFFIX:
        raise InvalidInputError(f"--out {out}: name a file that ends in {_SUFFIX}")
    try:
        target = out.resolve()
    except (RuntimeError, OSError) as error:
        raise InvalidInputError(f"--out {out} leads nowhere ({error}); name another") from error
    if target.is_dir():
        raise InvalidInputError(f"--out {out} is a folder; name a file")
    return target


def manifest_file(target: Path) -> Path:
    """The manifest beside a file."""
    return target.with_suffix(".manifest.json")


def unfinished_folder(target: Path) -> Path:
    """Where answers lie until nothing is wanted any more."""
    return target.with_name(f"{target.name}.unfinished")


def finished(target: Path, job: Mapping[str, Any]) -> dict[str, Any] | None:
    """The manifest of a file that the same job has made; None if there is no file.

    Answers that a complete file no longer needs are removed: a process may have been killed before
    it did so.

    Raises:
        InvalidInputError: There is a file that is not known, or of another job.
        DataError: It is not what was written.
    """
    if not target.exists():
        return None
    try:
        manifest: dict[str, Any] = json.loads(manifest_file(target).read_text("utf-8"))
        theirs, digest = manifest["settings"], manifest["sha256"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidInputError(
            f"{target} is there, and no manifest says what it is; name another file"
        ) from error
    if digest != sha256_of(target):
        raise DataError(f"{target} has changed since it was written; name another file")
    own = json.loads(json.dumps(job))
    if theirs != own:
        changed = sorted(k for k in {*theirs, *own} if theirs.get(k) != own.get(k))
        raise InvalidInputError(
            f"{target} was made with other settings ({', '.join(changed)}). Name another file, or "
            "move this one away: answers that are kept are used again"
        )
    if manifest.get("complete"):
        shutil.rmtree(unfinished_folder(target), ignore_errors=True)
    return manifest


def write_finished(
    target: Path, write: Callable[[Path], None], manifest: Mapping[str, Any], *, complete: bool
) -> dict[str, Any]:
    """Put a file and its manifest in their places.

    Args:
        target: The file.
        write: Writes the file to another place.
        manifest: Without the hash of the file.
        complete: Whether nothing that was wanted is missing. The answers are no longer needed then;
            else they stay, so that a run with more attempts goes on from them.

    Returns:
        The manifest as written.

    Raises:
        ResultsError: They cannot be written.
    """
    folder = unfinished_folder(target)
    whole = folder / target.name
    try:
        write(whole)
        written = {**manifest, "sha256": sha256_of(whole)}
        note = folder / manifest_file(target).name
        note.write_text(json.dumps(written, indent=2, ensure_ascii=False) + "\n", "utf-8")
        note.replace(manifest_file(target))
        whole.replace(target)
    except OSError as error:
        raise ResultsError(
            f"{target} cannot be written ({error.strerror}). What is answered is kept: the same "
            "command goes on where it stopped"
        ) from error
    if complete:
        shutil.rmtree(folder, ignore_errors=True)
    return written


def sha256_of(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal digits."""
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()
