"""Folders that are either complete or not there."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sociolect.generators.errors import InvalidInputError


@contextmanager
def finished_folder(out: Path, *, replace: bool = True) -> Iterator[Path]:
    """A temporary folder beside `out` that takes its name and its place if the block succeeds.

    Args:
        out: Where the folder shall be. A symbolic link stays, what it points to is replaced.
        replace: Whether the new folder may replace one that holds something by then.

    Raises:
        InvalidInputError: `out` cannot be made, is the current folder, or may not be replaced.
    """
    target = out.resolve()
    if target in (Path.cwd(), *Path.cwd().parents):
        raise InvalidInputError(f"{out} is the current folder or holds it; name another one")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        folder = _hidden_beside(target, ".partial")
    except OSError as error:
        raise InvalidInputError(
            f"cannot write to {target.parent} ({error.strerror}); name another folder"
        ) from error
    try:
        yield folder
        folder.chmod(0o755)
        _put(folder, target, replace)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _hidden_beside(target: Path, suffix: str) -> Path:
    return Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=suffix, dir=target.parent))


def _put(folder: Path, target: Path, replace: bool) -> None:
    """Rename a folder; what stood there comes back if that fails."""
    try:
        folder.replace(target)  # one step where nothing or an empty folder is in the way
        return
    except OSError as error:
        if not (replace and target.is_dir()):
            raise InvalidInputError(
                f"{target} was filled while the new one was made; name another folder"
            ) from error
    old = _hidden_beside(target, ".old")
    try:
        target.replace(old)
        folder.replace(target)
    except BaseException:
        if not target.exists():
            old.replace(target)
        raise
    finally:
        shutil.rmtree(old, ignore_errors=True)
