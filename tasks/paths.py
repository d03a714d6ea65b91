"""Where the task files are, for lm-evaluation-harness and for `sociolect register`."""

from __future__ import annotations

from pathlib import Path


def tasks_path() -> Path:
    """Absolute folder for `lm_eval --include_path`, free of symbolic links.

    lm_eval looks for task files with a recursive glob that does not enter linked folders, so
    the link that a source checkout has under `src/` would hide every task.
    """
    return Path(__file__).resolve().parent


def task_files(folder: Path | None = None) -> tuple[Path, ...]:
    """The task YAML files below a folder (default: ours), sorted by path.

    Templates are not among them: their names do not end in `.yaml`.
    """
    return tuple(sorted((folder or tasks_path()).rglob("*.yaml")))
