"""What lies under a folder of results: samples files with what is beside them, and all else.

Nothing is opened but odd files that could be results; sizes and times tell what has changed.
"""

from __future__ import annotations

import json
import os
import stat
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sociolect.generators.errors import ResultsError
from sociolect.harness.result_files import is_results, named, time_of, without_samples
from sociolect.harness.result_folders import is_hidden
from sociolect.harness.store.stored import Problem

ANSWERS = "answers"
"""As `run_folders.ANSWERS`, whose module loads spaCy."""
_RECORD = "sociolect_"
"""How the record of a run begins (`provenance.write_record`)."""


@dataclass(frozen=True, slots=True)
class SamplesFile:
    """A samples file that was found; nothing of it has been read.

    Attributes:
        path: Relative to the folder of results, with `/`.
        task: From its name.
        time: From its name.
        beside: Names of the files of the same time in its folder, results and records.
        stamps: Name, size and times of change of it and of those, as text: equal text, equal
            files. The time of the content can be set (`touch`, `rsync --times`), that of the file
            cannot.
        size: Bytes.
    """

    path: str
    task: str
    time: str
    beside: tuple[str, ...]
    stamps: str
    size: int


@dataclass(slots=True)
class Scanned:
    """What was found.

    Attributes:
        samples: In the order of their paths.
        problems: Scores without answers, folders that cannot be opened, files that are none.
        ignored: Files that are no output of lm-eval; hidden ones are not counted.
    """

    samples: list[SamplesFile] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    ignored: int = 0


def scan(root: Path, skip: Path) -> Scanned:
    """Look through a folder and all folders in it.

    Hidden folders are passed over. A link to a folder is followed unless the folder was seen
    already. The answers that our backends keep are not counted as ignored.

    Args:
        root: The folder of results.
        skip: A folder that is passed over: the index.

    Raises:
        ResultsError: `root` is no folder, or cannot be read.
    """
    if not root.is_dir():
        raise ResultsError(f"{root}: no such folder; name the folder that holds outputs of lm-eval")
    found, seen = Scanned(), {_identity(skip)}
    folders, links = [""], list[str]()
    while folders or links:
        # Real folders first: a file keeps the path that it has without links.
        path = folders.pop() if folders else links.pop()
        identity = _identity(root / path)
        if identity in seen:
            continue
        seen.add(identity)
        files = []
        for entry in _entries(root, path, found):
            if not _is_folder(entry):
                files.append(entry)
            elif not is_hidden(entry.name):
                (links if entry.is_symlink() else folders).append(_below(path, entry.name))
        _look(root, path, files, found)
    found.samples.sort(key=lambda one: one.path)
    return found


def _entries(root: Path, folder: str, found: Scanned) -> list[os.DirEntry[str]]:
    """What is in a folder; one inside of the results that cannot be opened is a problem."""
    try:
        with os.scandir(root / folder) as entries:
            # The stack of folders is taken from its end.
            return sorted(entries, key=lambda entry: entry.name, reverse=True)
    except OSError as error:
        if not folder:
            raise ResultsError(f"{root}: cannot be read ({error.strerror})") from error
        found.problems.append(Problem(folder, f"cannot be read ({error.strerror})"))
        return []


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False  # a link to itself


def _identity(path: Path) -> tuple[int, int]:
    try:
        status = path.stat()
    except OSError:
        return (-1, hash(path))  # not there, or not to be opened: only itself
    return status.st_dev, status.st_ino


def _below(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _look(root: Path, folder: str, entries: Iterable[os.DirEntry[str]], found: Scanned) -> None:
    """Sort the files of one folder into samples, what belongs to them, and all else."""
    samples: dict[str, list[os.DirEntry[str]]] = defaultdict(list)
    others: dict[str, list[os.DirEntry[str]]] = defaultdict(list)
    kept_answers = ANSWERS in folder.split("/")
    for entry in entries:
        if name := named(entry.name):
            samples[name.time].append(entry)
        elif time := time_of(entry.name):
            others[time].append(entry)
        elif not entry.name.startswith("."):
            found.ignored += not kept_answers
    for time, own in samples.items():
        beside = _stamps(others.pop(time, []))
        for entry in own:
            _add(folder, entry, beside, found)
    for left in others.values():
        regular = _stamps(left)
        found.ignored += len(left) - len(regular)
        _without_samples(root, folder, regular, found)


Stamp = tuple[str, int, int, int]


def _stamps(entries: Iterable[os.DirEntry[str]]) -> dict[str, Stamp]:
    """Name, size and times of change of regular files, by name."""
    stamps = {}
    for entry in sorted(entries, key=lambda one: one.name):
        try:
            status = entry.stat()
        except OSError:
            continue  # it went meanwhile, or is a link to nothing
        if stat.S_ISREG(status.st_mode):
            times = status.st_mtime_ns, status.st_ctime_ns
            stamps[entry.name] = (entry.name, status.st_size, *times)
    return stamps


def _add(folder: str, entry: os.DirEntry[str], beside: Mapping[str, Stamp], found: Scanned) -> None:
    path, name, own = _below(folder, entry.name), named(entry.name), _stamps([entry])
    if not own or name is None:
        found.problems.append(Problem(path, "is no file that can be read (a link to nothing?)"))
        return
    stamp = own[entry.name]
    stamps = json.dumps([stamp, *beside.values()])
    found.samples.append(
        SamplesFile(path, name.task, name.time, tuple(beside), stamps, size=stamp[1])
    )


def _without_samples(root: Path, folder: str, names: Iterable[str], found: Scanned) -> None:
    """Files named as results for which there is no samples file."""
    for name in names:
        path = Path(_below(folder, name))
        if not name.startswith(_RECORD) and is_results(root / path):
            what = without_samples(path).removeprefix(f"{path}: ")
            found.problems.append(Problem(str(path), what))
        else:
            found.ignored += 1
