"""The folder of a fit: what is in it, and where it may go."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from sociolect.generators.errors import InvalidInputError
from sociolect.generators.folders import finished_folder, resolved
from sociolect.steering.fitting.fit_vectors import OTHER_LAYERS, RANDOM, SHUFFLED, SINGLE, VECTOR

FORMAT = "sociolect.fit/1"
FIT = "fit.json"
REPORT = "report.md"
PLOT = "layers.png"
CONTROLS = "controls"
_OWN = frozenset({VECTOR, SINGLE, RANDOM, SHUFFLED, OTHER_LAYERS, FIT, REPORT, PLOT, CONTROLS})


def is_fit(folder: Path) -> bool:
    """Whether a folder says that it is one of a fit; a damaged file says nothing."""
    try:
        content = json.loads((folder / FIT).read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(content, dict) and content.get("format") == FORMAT


class _TriedError(Exception):
    """Nothing is wrong."""


def vacant(out: Path, *, overwrite: bool) -> Path:
    """The folder that `out` names, links followed; it is tried whether it can be written.

    Raises:
        InvalidInputError: It holds something that would be lost, or cannot be used.
    """
    try:
        target = _free(out, overwrite)
        _try(target, out)
    except OSError as error:
        raise InvalidInputError(
            f"--out {out} cannot be used ({error.strerror}); name another folder"
        ) from error
    return target


def _try(target: Path, out: Path) -> None:
    """Do now what the end of a fit does, and leave nothing."""
    missing = [folder for folder in target.parents if not folder.exists()]
    above = next(folder for folder in target.parents if folder not in missing)
    if not above.is_dir():
        raise InvalidInputError(f"--out {out}: {above} is a file; name a place in a folder")
    try:
        with finished_folder(target):
            raise _TriedError
    except _TriedError:
        pass
    finally:
        with suppress(OSError):  # another process put something there
            for folder in missing:
                folder.rmdir()


def _free(out: Path, overwrite: bool) -> Path:
    target = resolved(out)
    if target.exists() and not target.is_dir():
        raise InvalidInputError(f"--out {out} is a file; name a folder")
    if not target.is_dir() or not any(target.iterdir()):
        return target
    if not is_fit(target):
        raise InvalidInputError(f"--out {out} holds no fit but something else; name another folder")
    if foreign := _foreign(target):
        raise InvalidInputError(
            f"--out {out} holds what no fit put there ({', '.join(foreign[:3])}"
            f"{', …' if len(foreign) > 3 else ''}); move it away, or name another folder"
        )
    if not overwrite:
        raise InvalidInputError(
            f"--out {out} holds a fit; name another folder, or add --overwrite to replace it"
        )
    return target


def store_of(target: Path) -> Path:
    """Where directions and traced items lie until the folder is finished."""
    return target.with_name(f".{target.name}.tracing")


def drop_store(target: Path) -> None:
    """Remove what a finished fit no longer needs."""
    shutil.rmtree(store_of(target), ignore_errors=True)


def write_json(content: Mapping[str, Any], path: Path) -> None:
    """JSON that a person can read, and that every parser takes."""
    text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)
    path.write_text(f"{text}\n", encoding="utf-8")


def _foreign(folder: Path) -> list[str]:
    names = (path.relative_to(folder).as_posix() for path in folder.rglob("*"))
    return sorted(name for name in names if name not in _OWN)
