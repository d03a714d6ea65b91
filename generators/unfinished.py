"""Work in progress on a folder of variants, which a later run takes up again.

Configs are made one by one in a hidden folder beside the target, `.NAME.unfinished`. Beside each
finished one lies a note with its manifest entry and the hash of its file, written last. The
folder has no manifest, so nothing takes it for a build, and it gets the name of the target in one
step when it is complete. It belongs to one job: whatever decides the rows of a build.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from sociolect.generators.errors import InvalidInputError, SociolectError
from sociolect.generators.folders import put_in_place
from sociolect.generators.layout import PARQUET

JOB = "job.json"
_NOTE = ".note.json"

Job = Mapping[str, Any]
Entry = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Unfinished:
    """The hidden folder of a job; may be handed to worker processes."""

    path: Path

    def entry(self, config: str) -> Entry | None:
        """The manifest entry of a finished config, None if it is missing or damaged."""
        try:
            note = json.loads((self.path / f"{config}{_NOTE}").read_text("utf-8"))
            whole = note["file"] == _hash_of(self.path / config / PARQUET)
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return dict(note["entry"]) if whole else None

    def finish(self, config: str, entry: Entry, write: Callable[[Path], None]) -> None:
        """Make the file of a config with `write`, then its note.

        Args:
            config: Its name.
            entry: What the manifest will say of it.
            write: Writes the parquet file to the path that it is given.
        """
        file = self.path / config / PARQUET
        file.parent.mkdir(exist_ok=True)
        write(file)
        note = {"entry": entry, "file": _hash_of(file)}
        _write_json(self.path / f"{config}{_NOTE}", note)

    def adopt(self, config: str, entry: Entry, build: Path) -> None:
        """Take over a config of a finished build."""
        source = build / config / PARQUET
        self.finish(config, entry, lambda file: _link(source, file))

    def drop_others(self, configs: Collection[str]) -> None:
        """Remove the configs of an earlier run that wanted more."""
        for path in self.path.iterdir():
            if path.is_dir() and path.name not in configs:
                shutil.rmtree(path)

    def put(self, target: Path, *, replace: bool) -> None:
        """Drop the notes and rename the folder to `target`."""
        for note in (*self.path.glob(f"*{_NOTE}"), self.path / JOB):
            note.unlink()
        put_in_place(self.path, target, replace)


@contextmanager
def unfinished_folder(target: Path, job: Job) -> Iterator[Unfinished]:
    """The unfinished folder of a job, with what an earlier run finished.

    What another job left is removed. The folder stays when the block is interrupted or the disk
    is full; one that this run made goes when the job itself is impossible.

    Args:
        target: Resolved path of the folder to make; its parent is made if need be.
        job: What decides the rows; JSON types only.

    Raises:
        InvalidInputError: The folder cannot be made.
    """
    folder = target.with_name(f".{target.name}.unfinished")
    try:
        is_new = _prepare(folder, job)
    except OSError as error:
        raise InvalidInputError(
            f"cannot write to {target.parent} ({error.strerror}); name another folder"
        ) from error
    try:
        yield Unfinished(folder)
    except SociolectError:
        if is_new:
            shutil.rmtree(folder, ignore_errors=True)
        raise


def _prepare(folder: Path, job: Job) -> bool:
    """Make the folder or take it over; whether it is new."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    if folder.exists() and _job_of(folder) == job:
        return False
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir()
    _write_json(folder / JOB, job)
    return True


def _job_of(folder: Path) -> Any:
    try:
        return json.loads((folder / JOB).read_text("utf-8"))
    except (OSError, ValueError):
        return None


def _hash_of(file: Path) -> str:
    return sha256(file.read_bytes()).hexdigest()


def _link(source: Path, file: Path) -> None:
    """A second name for the same bytes where the file system has them, else a copy."""
    file.unlink(missing_ok=True)
    try:
        file.hardlink_to(source)
    except OSError:
        shutil.copyfile(source, file)


def _write_json(path: Path, content: object) -> None:
    temporary = path.with_name(f"{path.name}.tmp")
    temporary.write_text(json.dumps(content, ensure_ascii=False, sort_keys=True), "utf-8")
    temporary.replace(path)
