"""Directions that are found already, kept until the fit is finished, beside the traced items."""

from __future__ import annotations

import errno
import json
import logging
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from sociolect.generators.errors import ResultsError
from sociolect.steering.backends.answers import digest
from sociolect.steering.directions import Contrast, Directions

FORMAT = 2
"""Part of the key: raise it where a number may change."""
_FULL = (errno.ENOSPC, errno.EDQUOT)
_TENSORS = ("unit", "mean_length", "norms", "stability", "shuffled")

_logger = logging.getLogger(__name__)


def kept_directions(
    store: Path | None,
    contrasts: Sequence[Contrast],
    decides: Mapping[str, Any],
    make: Callable[[], Directions],
) -> Directions:
    """Directions from a folder, or found now and kept there.

    Args:
        store: The folder; made when there is something to keep. None keeps nothing.
        contrasts: What they are found in.
        decides: What else changes them; ready for JSON.
        make: Finds them.

    Raises:
        ResultsError: They cannot be written.
    """
    if store is None:
        return make()
    texts = [[one.id, list(one.toward), list(one.away)] for one in contrasts]
    key = digest({"format": FORMAT, "contrasts": texts, **decides})
    path = store / f"directions-{key[:32]}.safetensors"
    if (known := _read(path, key)) is not None:
        return known
    found = make()
    _write(found, path, key)
    return found


def _read(path: Path, key: str) -> Directions | None:
    """None if there is no such file, or a damaged one, which is said."""
    from safetensors import SafetensorError, safe_open

    if not path.is_file():
        return None
    try:
        with safe_open(path, framework="pt") as file:
            head = json.loads((file.metadata() or {})["config"])
            tensors = {name: file.get_tensor(name) for name in _TENSORS}
        if head["key"] != key:
            raise ValueError("it is of other pairs")
        return Directions(**tensors, pairs=head["pairs"], too_long=tuple(head["too_long"]))
    except (OSError, SafetensorError, KeyError, ValueError, TypeError) as error:
        _logger.warning("%s is damaged (%s); the directions are found again.", path, error)
        return None


def _write(found: Directions, path: Path, key: str) -> None:
    from safetensors.torch import save

    head = {"key": key, "pairs": found.pairs, "too_long": list(found.too_long)}
    tensors = {name: getattr(found, name).contiguous() for name in _TENSORS}
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(save(tensors, {"config": json.dumps(head)}))
        part.replace(path)
    except OSError as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        room = "make room, or " if error.errno in _FULL else ""
        raise ResultsError(
            f"{path} cannot be written ({error.strerror or error}); {room}name another folder with "
            "--out"
        ) from error
