"""The folder of a fit: what is in it, and where it may go."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sociolect.generators.errors import InvalidInputError
from sociolect.generators.folders import resolved
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


def vacant(out: Path, *, overwrite: bool) -> Path:
    """The folder that `out` names, links followed.

    Raises:
        InvalidInputError: It holds something that would be lost, or cannot be used.
    """
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
