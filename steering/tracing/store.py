"""Traced items on disk, one file each, so that no finished item is traced again.

A file is named by a hash of all that changes its numbers, written under a temporary name and
renamed. Numbers are written in hexadecimal, so that they are read as they were.
"""

from __future__ import annotations

import json
import logging
import os
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any

import torch

from sociolect.generators.errors import ResultsError
from sociolect.steering.tracing.items import Traced, TracedItem, TraceSettings

FORMAT = 1
"""Part of the key: raise it where a number may change."""

_logger = logging.getLogger(__name__)


class TraceStore:
    """Finished items of one model and one way of tracing.

    Args:
        folder: Where they are kept; made when the first item is finished.
        model: Says which weights these are.
        blocks: Name of the list of decoder blocks, if it was given.
        settings: `max_rows` changes no number, so it does not count.
    """

    def __init__(self, folder: Path, model: str, blocks: str, settings: TraceSettings) -> None:
        given = asdict(settings)
        del given["max_rows"]
        self._folder = folder
        self._decides = {"format": FORMAT, "model": model, "blocks": blocks, "settings": given}

    def path(self, item: TracedItem) -> Path:
        """The file that holds, or will hold, an item."""
        return self._folder / f"{self._key(item)[:32]}.json"

    def read(self, item: TracedItem) -> Traced | None:
        """A finished item; None if there is none, or a damaged one, which is said."""
        path = self.path(item)
        try:
            text = path.read_text("utf-8")
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            return _damaged(path, str(error))
        try:
            read = json.loads(text)
            if read["sha256"] != _digest(read["traced"]) or read["key"] != self._key(item):
                return _damaged(path, "its content is not what was written")
            return _traced(read["traced"])
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            return _damaged(path, f"{type(error).__name__}: {error}")

    def write(self, item: TracedItem, traced: Traced) -> None:
        """Keep a finished item.

        Raises:
            ResultsError: The folder cannot be written.
        """
        content = _content(traced)
        kept = {"key": self._key(item), "traced": content, "sha256": _digest(content)}
        path = self.path(item)
        part = path.with_name(f".{path.name}.{os.getpid()}.part")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with part.open("w", encoding="utf-8") as file:
                file.write(json.dumps(kept, indent=1) + "\n")
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
        except OSError as error:
            raise ResultsError(
                f"{path} cannot be written ({error.strerror or error}). Items that are finished "
                "are kept; make the folder writable, or name another one"
            ) from error

    def _key(self, item: TracedItem) -> str:
        return _digest({**self._decides, "item": asdict(item)})


def _digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True)
    return sha256(text.encode()).hexdigest()


def _damaged(path: Path, reason: str) -> Traced | None:
    _logger.warning("%s is damaged (%s); its item is traced again.", path, reason)
    return None


def _content(traced: Traced) -> dict[str, Any]:
    numbers: list[float] = traced.effects.tolist()
    return {
        "id": traced.id,
        "effects": [number.hex() for number in numbers],
        **{name: getattr(traced, name).hex() for name in ("clean", "corrupted", "sigma")},
        "positions": traced.positions,
    }


def _traced(content: dict[str, Any]) -> Traced:
    effects = [float.fromhex(number) for number in content["effects"]]
    return Traced(
        id=content["id"],
        effects=torch.tensor(effects, dtype=torch.float64),
        clean=float.fromhex(content["clean"]),
        corrupted=float.fromhex(content["corrupted"]),
        positions=content["positions"],
        sigma=float.fromhex(content["sigma"]),
    )
