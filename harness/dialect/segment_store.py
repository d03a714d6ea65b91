"""Boundaries that are known already, one JSON object a line.

A file belongs to one set of models and rules, and holds offsets by a hash of the two texts, no
text. Lines are appended under a lock; a line that the end of a process cut off is passed over.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import filelock

from sociolect.generators.dialect.pairs import Boundaries, DialectPair
from sociolect.generators.errors import ResultsError


class Outcome(NamedTuple):
    """What became of two texts.

    Attributes:
        boundaries: None if they cannot be segmented.
        reason: Why not; empty if they can.
    """

    boundaries: Boundaries | None
    reason: str = ""


def text_key(pair: DialectPair) -> str:
    """Names two texts."""
    return digest([pair.sae, pair.aae])


def digest(content: object) -> str:
    """SHA-256 of something that JSON can hold, whatever the order of its names."""
    text = json.dumps(content, sort_keys=True)
    return sha256(text.encode()).hexdigest()


def check_folder(folder: Path) -> None:
    """Refuse a folder that nothing could be kept in, before anything is computed; makes nothing.

    Raises:
        ResultsError: It, or the folder that it would be made in, cannot be written.
    """
    nearest = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if not nearest.is_dir():
        raise ResultsError(f"{folder}: {nearest} is no folder. Name another one with --cache")
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise ResultsError(
            f"{folder}: nothing may be written into {nearest}. Name another folder with --cache"
        )


class SegmentStore:
    """Outcomes by the key of their texts.

    Args:
        folder: Made with the first outcome; None keeps nothing.
        job: What decides the boundaries of given texts; names the file.
    """

    def __init__(self, folder: Path | None, job: Mapping[str, Any]) -> None:
        self.path = None if folder is None else folder / f"{digest(job)[:32]}.jsonl"

    def read(self) -> dict[str, Outcome]:
        """All outcomes that are kept.

        Raises:
            ResultsError: The file is there and cannot be read.
        """
        if self.path is None or not self.path.is_file():
            return {}
        try:
            lines = self.path.read_bytes().split(b"\n")
        except OSError as error:
            raise ResultsError(f"{self.path} cannot be read ({error.strerror})") from error
        return dict(known for line in lines if (known := _parsed(line)))

    def add(self, outcomes: Mapping[str, Outcome]) -> None:
        """Keep outcomes; all of them, or, if the process ends meanwhile, some.

        Raises:
            ResultsError: They cannot be written.
        """
        if self.path is None or not outcomes:
            return
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with filelock.FileLock(self.path.with_suffix(".lock")), self.path.open("ab+") as file:
                file.write(_start(file) + b"".join(_lines(outcomes)))
        except OSError as error:
            kept = self.path.is_file() and self.path.stat().st_size > 0
            raise ResultsError(
                f"{self.path} cannot be written ({error.strerror}). "
                f"{'What is segmented so far is kept. ' if kept else ''}"
                "Free some space or name another folder, then start the same command again"
            ) from error


def _start(file: Any) -> bytes:
    """A line end if the last line was cut off."""
    if not file.tell():  # opened at its end
        return b""
    file.seek(-1, 2)
    return b"" if file.read(1) == b"\n" else b"\n"


def _lines(outcomes: Mapping[str, Outcome]) -> Iterable[bytes]:
    for key, (boundaries, reason) in outcomes.items():
        offsets = [boundaries.aae, boundaries.sae] if boundaries else None
        yield json.dumps([key, offsets, reason]).encode() + b"\n"


def _parsed(line: bytes) -> tuple[str, Outcome] | None:
    """A key and its outcome; None for a line that is not whole."""
    try:
        key, offsets, reason = json.loads(line)
        boundaries = None if offsets is None else Boundaries(int(offsets[0]), int(offsets[1]))
    except (ValueError, TypeError, IndexError):
        return None
    whole = isinstance(key, str) and isinstance(reason, str) and bool(reason) != bool(boundaries)
    return (key, Outcome(boundaries, reason)) if whole else None
