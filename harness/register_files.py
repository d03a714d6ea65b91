"""The folder that `sociolect register` writes: its stubs, its list, and whose each file is."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Mapping
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from sociolect import __version__
from sociolect.generators.errors import RegistrationError
from sociolect.tasks.paths import task_files, tasks_path

MARKER = ".sociolect-register.json"
HEADER = "# Written by `sociolect register`, removed by `sociolect unregister`; do not edit.\n"
STUB = re.compile(re.escape(HEADER) + r'include: (?P<path>"[^\n]*")\n')
BYTECODE = "__pycache__"


def stubs(source: Path | None = None) -> dict[str, str]:
    """File names and contents of the folder: one stub for each task file of ours.

    Args:
        source: Folder of the task files; default ours.

    Raises:
        RegistrationError: There is no task file to register.
    """
    root = source or tasks_path()
    written = {
        "-".join(path.relative_to(root).parts): f"{HEADER}include: {json.dumps(str(path))}\n"
        for path in task_files(root)
    }
    if not written:
        raise RegistrationError(f"there are no task files in {root}: reinstall sociolect.")
    return written


def digests(files: Mapping[str, str]) -> dict[str, str]:
    """SHA-256 of each content."""
    return {name: sha256(text.encode("utf-8")).hexdigest() for name, text in files.items()}


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    """Make the folder with stubs and their list.

    Raises:
        OSError: It cannot be written, or is there.
    """
    folder.mkdir()
    marker = {
        "format": 1,
        "sociolect": __version__,
        "lm_eval": version("lm_eval"),
        "files": digests(files),
    }
    (folder / MARKER).write_text(json.dumps(marker, indent=1) + "\n", encoding="utf-8")
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")


def listed_files(folder: Path) -> dict[str, str] | None:
    """Names and SHA-256 of what was written, None without a readable list."""
    try:
        marker = json.loads((folder / MARKER).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    files = marker.get("files") if isinstance(marker, dict) else None
    return files if isinstance(files, dict) else None


def entries(folder: Path) -> list[Path]:
    """What is in the folder, besides our list and Python's bytecode."""
    return [path for path in sorted(folder.iterdir()) if path.name not in (MARKER, BYTECODE)]


def foreign_files(folder: Path) -> dict[str, str]:
    """Names of what is not ours to replace or remove, and why.

    A file is ours when it is as the list says. Without a list it is ours when its only content
    is the line that `register` writes for a file of that name.
    """
    listed = listed_files(folder)
    if listed is None:
        return {
            path.name: "not what `sociolect register` writes"
            for path in entries(folder)
            if not _is_stub(path)
        }
    return {
        path.name: "edited" if path.name in listed else "not written by `sociolect register`"
        for path in entries(folder)
        if path.name not in listed or listed[path.name] != _digest_of(path)
    }


def differences(folder: Path, wanted: Mapping[str, str]) -> Iterator[str]:
    """How the folder differs from one with the files of `wanted` (names and SHA-256)."""
    listed = listed_files(folder)
    if listed is None:
        yield f"the list of what was written ({MARKER}) is missing or damaged."
        return
    missing = [name for name in listed if not (folder / name).exists()]
    if missing:
        yield f"{len(missing)} files are missing, such as {missing[0]}."
    if listed != wanted:
        yield (
            f"the tasks changed: {len(wanted.keys() - listed.keys())} are new, "
            f"{len(listed.keys() - wanted.keys())} are gone, "
            f"{sum(listed[n] != wanted[n] for n in listed.keys() & wanted.keys())} moved."
        )


def remove_files(folder: Path) -> dict[str, str]:
    """Remove what is ours, and the folder if nothing else is in it.

    The list goes after the stubs, so that an interrupted removal can be repeated.

    Returns:
        What was kept, and why.

    Raises:
        OSError: Something cannot be removed.
    """
    kept = foreign_files(folder)
    for path in entries(folder):
        if path.name not in kept:
            path.unlink()
    (folder / MARKER).unlink(missing_ok=True)
    if not kept:
        shutil.rmtree(folder / BYTECODE, ignore_errors=True)
        folder.rmdir()
    return kept


def _is_stub(path: Path) -> bool:
    """Whether a file is one that we write: the included path ends in what its name says."""
    try:
        found = STUB.fullmatch(path.read_text(encoding="utf-8"))
        included = Path(json.loads(found["path"])) if found else None
    except (OSError, ValueError):
        return False
    if included is None:
        return False
    tails = ("-".join(included.parts[start:]) for start in range(1, len(included.parts)))
    return included.is_absolute() and path.name in tails


def _digest_of(path: Path) -> str | None:
    return sha256(path.read_bytes()).hexdigest() if path.is_file() else None
