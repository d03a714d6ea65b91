"""The working tree of a repository: what in it is not committed, and what must not be lost."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from sociolect.generators.git_command import Git


def changes(repository: Git) -> list[str]:
    """Paths that differ from `HEAD` or are untracked; ignored ones are not among them.

    Raises:
        PublishError: git failed.
    """
    options = ("--porcelain", "-z", "--no-renames", "--untracked-files=all")
    return [entry[3:] for entry in repository.lines("status", *options)]


def in_the_way(repository: Git, files: Mapping[str, Path]) -> list[str]:
    """Ignored or untracked entries that stand where a file shall go, and are not that file.

    Args:
        repository: Where the files shall go.
        files: Every file by its path in the repository.

    Raises:
        PublishError: git failed.
    """
    tracked = {*repository.lines("ls-files", "-z")}
    found = dict.fromkeys(_entry_at(repository.folder, name) for name in files)
    return [
        name
        for name in found
        if name and name not in tracked and not _same(repository.folder / name, files.get(name))
    ]


def lags(repository: Git) -> bool:
    """Whether index and working tree differ from `HEAD` in nothing but still being at its parent.

    That is how a run that was ended after branch and tag moved leaves them: each file is that of
    the parent or that of `HEAD`, or the beginning of the latter.

    Raises:
        PublishError: git failed.
    """
    new, old = repository.tree("HEAD"), repository.tree("HEAD^")
    moved = [path for path in {*new, *old} if new.get(path) != old.get(path)]
    index = _index(repository)
    for path in (*changes(repository), *moved):
        fits = {old.get(path), new.get(path)}
        if index.get(path) not in fits:
            return False
        if not _is_one_of(repository, path, fits) and not _is_begun(repository, path, moved):
            return False
    return True


def _index(repository: Git) -> dict[str, str]:
    """Content identifiers by path; the sides of a conflict (stages above 0) fit nothing."""
    entries = (entry.split("\t", 1) for entry in repository.lines("ls-files", "--stage", "-z"))
    parts = ((path, *about.split()[1:]) for about, path in entries)
    return {path: blob if stage == "0" else "" for path, blob, stage in parts}


def _parents(name: str) -> Iterator[str]:
    """The folders of a path, the outermost first."""
    yield from (p.as_posix() for p in reversed(PurePosixPath(name).parents) if p.name)


def _entry_at(folder: Path, name: str) -> str:
    """What stands at a path, or at a folder of it and is none; empty if the path is free."""
    for parent in _parents(name):
        place = folder / parent
        if os.path.lexists(place) and (place.is_symlink() or not place.is_dir()):
            return parent
    return name if os.path.lexists(folder / name) else ""


def _is_file(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _same(place: Path, wanted: Path | None) -> bool:
    return wanted is not None and _is_file(place) and place.read_bytes() == wanted.read_bytes()


def _is_one_of(repository: Git, path: str, fits: set[str | None]) -> bool:
    """Whether a path holds one of these contents; None stands for nothing there."""
    if not _entry_at(repository.folder, path):
        return None in fits
    if _entry_at(repository.folder, path) != path or not _is_file(repository.folder / path):
        return False
    return repository.text("hash-object", "--", path, check=False) in fits


def _is_begun(repository: Git, path: str, moved: list[str]) -> bool:
    place = repository.folder / path
    if path not in moved or _entry_at(repository.folder, path) != path or not _is_file(place):
        return False
    whole = repository.run("cat-file", "blob", f"HEAD:{path}", check=False)
    return whole.startswith(place.read_bytes())
