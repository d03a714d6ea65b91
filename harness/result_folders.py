"""Folders of results: what lies in them, and whether it is of one model.

Below the folder of a sweep, one model has a folder for every cell.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from sociolect.generators.errors import ResultsError
from sociolect.harness.run_settings import answering_arguments, shown_name


def is_hidden(name: str) -> bool:
    """Whether a folder is passed over; lm-eval names that of the model `./tiny` `.__tiny`."""
    return name.startswith(".") and not name.startswith((".__", "..__"))


def files_below(path: Path) -> Iterator[Path]:
    """Files of a folder and of all folders in it but hidden ones; a link is followed once."""
    folders, links, seen = [path], list[Path](), set[tuple[int, int]]()
    while folders or links:
        # Real folders first: a file keeps the path that it has without links.
        folder = folders.pop() if folders else links.pop()
        status = folder.stat()
        if (identity := (status.st_dev, status.st_ino)) in seen:
            continue
        seen.add(identity)
        # The stack of folders is taken from its end.
        for entry in sorted(folder.iterdir(), reverse=True):
            if not entry.is_dir():
                yield entry
            elif not is_hidden(entry.name):
                (links if entry.is_symlink() else folders).append(entry)


def require_one_model(path: Path, found: Iterable[tuple[Path, Mapping[str, Any]]]) -> None:
    """Refuse folders of several models.

    Args:
        path: The folder that holds all of them.
        found: Folders with the results files in them, read.

    Raises:
        ResultsError: With the folders of each model.
    """
    folders: dict[str, set[Path]] = defaultdict(set)
    names: dict[str, str] = {}
    for folder, results in found:
        key = model_key(results)
        folders[key].add(folder)
        names[key] = shown_name(results)
    if len(folders) > 1:
        listed = "".join(
            f"\n  {folder} ({names[key]})" for key in folders for folder in _named(key, folders)
        )
        raise ResultsError(f"{path}: holds runs of {len(folders)} models; name one of{listed}")


def _named(key: str, folders: Mapping[str, Collection[Path]]) -> list[Path]:
    """The folder above all folders of a model if nothing of another lies in it, else them."""
    above = Path(os.path.commonpath(folders[key]))
    others = (folder for other, own in folders.items() if other != key for folder in own)
    return sorted(folders[key]) if any(o.is_relative_to(above) for o in others) else [above]


def model_key(results: Mapping[str, Any]) -> str:
    """Backend and model with its arguments, as text: what must be equal within one model.

    Args:
        results: A results file.
    """
    config = results["config"]
    # The commit may be unknown on one machine; another one under one name is refused later.
    key = [config.get("model"), answering_arguments(config.get("model_args"))]
    return json.dumps(key, sort_keys=True, default=str)
