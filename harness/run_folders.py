"""Where a run of our backends leaves its results and its answers.

lm_eval names the folder of a run after the model alone, so that two adapters or precisions of one
base share it. Here the folder is `<output_path>/<label>-<key>`: a name to read, and a key that
changes with everything that changes an answer. The answers lie in a folder inside.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sociolect.generators.errors import ResultsError
from sociolect.harness.provenance import run_identity
from sociolect.harness.run_options import RunOptions
from sociolect.steering.backends.chunked import answers_folder
from sociolect.steering.backends.identity import digest

ANSWERS = "answers"
"""Folder of finished chunks inside the folder of a run."""

_KEY = 8
_LABEL = 80
_UNSAFE = re.compile(r"[^\w.+-]+")
_ADAPTERS = ("peft", "lora_local_path", "delta")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a run writes.

    Attributes:
        options: The arguments with `output_path` and `answers` settled.
        folder: Of the results; None without `--output_path`.
        answers: Of the finished chunks; None if none are kept.
    """

    options: RunOptions
    folder: Path | None
    answers: Path | None


def label(model_args: Mapping[str, Any]) -> str:
    """A short name of a model and its adapter, fit for a file name."""
    named = model_args.get("pretrained") or model_args.get("model") or "model"
    adapters = [model_args[name] for name in _ADAPTERS if model_args.get(name)]
    parts = [Path(str(value)).name or str(value) for value in (named, *adapters)]
    return _UNSAFE.sub("_", "+".join(parts))[:_LABEL]


def place(options: RunOptions) -> Place:
    """Settle the folders of a run; other backends keep those that lm_eval would use.

    Raises:
        InvalidInputError: `answers` is a file.
    """
    if not options.is_ours:
        path = Path(options.output_path) if options.output_path else None
        return Place(options, path.parent if path and path.suffix == ".json" else path, None)
    folder, results = _keyed(options)
    wanted = options.model_args.get("answers")
    if wanted is None and folder is not None:
        wanted = folder / ANSWERS
    answers = answers_folder(wanted)
    kept = {k: v for k, v in options.model_args.items() if k != "answers"}
    if answers is not None:
        kept["answers"] = str(answers)
    settled = replace(options, model_args=kept, output_path=str(results) if results else None)
    return Place(settled, folder, answers)


def _keyed(options: RunOptions) -> tuple[Path | None, Path | None]:
    """Folder and file name of the results; lm_eval puts the time before the suffix."""
    if options.output_path is None:
        return None, None
    path = Path(options.output_path)
    above, stem = (path.parent, path.stem) if path.suffix == ".json" else (path, "results")
    key = digest(run_identity(options))[:_KEY]
    folder = above / f"{label(options.model_args)}-{key}"
    return folder, folder / f"{stem}.json"


def check_writable(folder: Path) -> None:
    """Make sure that a folder could be made and written to; nothing is made.

    Raises:
        ResultsError: It could not.
    """
    existing = next(one for one in (folder, *folder.absolute().parents) if one.exists())
    if not existing.is_dir():
        raise ResultsError(f"{folder} cannot be made: {existing} is a file")
    if not os.access(existing, os.W_OK | os.X_OK):
        raise ResultsError(f"{folder} cannot be written: no permission in {existing}")


def check_places(placed: Place) -> None:
    """Make sure that results and answers of a run could be written; nothing is made.

    Raises:
        ResultsError: They could not.
    """
    for folder in (placed.folder, placed.answers):
        if folder is not None:
            check_writable(folder)
