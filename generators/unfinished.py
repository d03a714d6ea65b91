"""Work in progress on a folder of variants, which a later run takes up again.

Configs are made one by one in a hidden folder beside the target, `.NAME.<job>.unfinished`:

    build/           what becomes the target, in one step, when it is complete
    <config>.json    a note on each finished config: its manifest entry, the hash of its file
    job.json         whatever decides the rows of a build

The folder belongs to one job and is named by its hash, so a process that outlived the build of
another job can never write into it. Files are renamed into place, and those of one job are equal.
"""

from __future__ import annotations

import json
import os
import secrets
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
_SUFFIX = ".unfinished"

Job = Mapping[str, Any]
Entry = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Unfinished:
    """The hidden folder of a job; may be handed to worker processes."""

    root: Path

    @property
    def path(self) -> Path:
        """The folder that becomes the target."""
        return self.root / "build"

    def entry(self, config: str) -> Entry | None:
        """The manifest entry of a finished config, None if it is missing or damaged."""
        try:
            note = json.loads(self._note(config).read_text("utf-8"))
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
        file.parent.mkdir(parents=True, exist_ok=True)
        temporary = self.root / f"{config}-{os.getpid()}-{secrets.token_hex(4)}.tmp"
        try:
            write(temporary)
            temporary.replace(file)
        finally:
            temporary.unlink(missing_ok=True)
        _write_json(self._note(config), {"entry": entry, "file": _hash_of(file)})

    def _note(self, config: str) -> Path:
        return self.root / f"{config}.json"

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
        """Rename the folder to `target`, then drop the notes: if the first fails, all is there."""
        put_in_place(self.path, target, replace)
        shutil.rmtree(self.root, ignore_errors=True)


@contextmanager
def unfinished_folder(target: Path, job: Job) -> Iterator[Unfinished]:
    """The unfinished folder of a job, with what an earlier run finished.

    The folder stays when the block ends early, unless nothing is finished in it.

    Args:
        target: Resolved path of the folder to make; its parent is made if need be.
        job: What decides the rows; JSON types only.

    Raises:
        InvalidInputError: The folder cannot be made.
    """
    folder = target.with_name(f".{target.name}.{_hash_of_job(job)}{_SUFFIX}")
    try:
        _prepare(folder, job)
    except OSError as error:
        raise InvalidInputError(
            f"cannot write to {target.parent} ({error.strerror}); name another folder"
        ) from error
    try:
        yield Unfinished(folder)
    except SociolectError:
        if not any((folder / "build").glob("*")):
            shutil.rmtree(folder, ignore_errors=True)
        raise


def _prepare(folder: Path, job: Job) -> None:
    """Make the folder, unless it is there."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / JOB).exists():
        _write_json(folder / JOB, job)


def others(target: Path, job: Job) -> list[Path]:
    """What other jobs left unfinished beside the target."""
    own = f".{target.name}.{_hash_of_job(job)}{_SUFFIX}"
    prefix = f".{target.name}."
    return [
        path
        for path in sorted(target.parent.glob(f".*{_SUFFIX}"))
        if path.name.startswith(prefix) and path.name != own and len(path.name) == len(own)
    ]


def _hash_of_job(job: Job) -> str:
    text = json.dumps(job, ensure_ascii=False, sort_keys=True)
    return sha256(text.encode()).hexdigest()[:12]


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
    temporary = path.with_name(f"{path.name}-{os.getpid()}-{secrets.token_hex(4)}.tmp")
    temporary.write_text(json.dumps(content, ensure_ascii=False, sort_keys=True), "utf-8")
    temporary.replace(path)
