"""Folders that are either complete or not there."""

from __future__ import annotations

import os
import platform
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sociolect.generators.errors import InvalidInputError


def resolved(out: Path) -> Path:
    """The folder that `out` names, links followed.

    Raises:
        InvalidInputError: It leads nowhere, or to the current folder or one above it.
    """
    try:
        target = out.resolve()
    except (RuntimeError, OSError) as error:  # a loop of symbolic links, a name too long
        raise InvalidInputError(f"{out} leads nowhere ({error}); name another folder") from error
    if target in (Path.cwd(), *Path.cwd().parents):
        raise InvalidInputError(f"{out} is the current folder or holds it; name another one")
    if target.is_mount():
        raise InvalidInputError(
            f"{out} is a mount point, which cannot be renamed; name a folder in it"
        )
    return target


@contextmanager
def finished_folder(out: Path, *, replace: bool = True) -> Iterator[Path]:
    """A temporary folder beside `out` that takes its name and its place if the block succeeds.

    Args:
        out: Where the folder shall be. A symbolic link stays, what it points to is replaced.
        replace: Whether the new folder may replace one that holds something by then.

    Raises:
        InvalidInputError: `out` cannot be made, is the current folder, or may not be replaced.
    """
    target = resolved(out)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _sweep(target)
        folder = _hidden_beside(target, ".partial")
    except OSError as error:
        raise InvalidInputError(
            f"cannot write to {target.parent} ({error.strerror}); name another folder"
        ) from error
    try:
        yield folder
        folder.chmod(0o755)
        put_in_place(folder, target, replace)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _owner() -> str:
    """Host and process, so that what a killed process left can be told from work in progress."""
    host = re.sub(r"[^A-Za-z0-9]", "", platform.node()) or "host"
    return f"{host}-{os.getpid()}"


def _hidden_beside(target: Path, suffix: str) -> Path:
    prefix = f".{target.name}.{_owner()}."
    return Path(tempfile.mkdtemp(prefix=prefix, suffix=suffix, dir=target.parent))


def _sweep(target: Path) -> None:
    """Remove the unfinished folders of processes of this host that are no more."""
    host, _, _ = _owner().rpartition("-")
    for folder in target.parent.glob(f".*.{host}-*.*.partial"):
        pid = folder.name.removeprefix(f".{target.name}.{host}-").partition(".")[0]
        if folder.name.startswith(f".{target.name}.") and pid.isdigit() and not _alive(int(pid)):
            shutil.rmtree(folder, ignore_errors=True)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def recover(target: Path) -> None:
    """Mend what a process that was killed between two renames left: nothing is lost.

    The folder that it had moved away comes back if nothing stands in its place, and goes if the
    new one does.
    """
    host, _, _ = _owner().rpartition("-")
    prefix = f".{target.name}.{host}-"
    for old in sorted(target.parent.glob(f".*.{host}-*.*.old")):
        pid = old.name.removeprefix(prefix).partition(".")[0]
        if not old.name.startswith(prefix) or not pid.isdigit() or _alive(int(pid)):
            continue
        if any(old.iterdir()) and not target.exists():
            old.replace(target)
        else:
            shutil.rmtree(old, ignore_errors=True)


def put_in_place(folder: Path, target: Path, replace: bool) -> None:
    """Rename a folder; what stood there comes back if that fails.

    Raises:
        InvalidInputError: The target holds something and may not be replaced.
    """
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
