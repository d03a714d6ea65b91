"""What a model is called where a line has room for no more."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

_WEIGHTS = (".safetensors", ".bin")
"""The second are used where the first are not there."""
_DIGITS = 8


def model_name(record: Mapping[str, Any]) -> str:
    """The name of a model; of one without a revision, with what tells its weights.

    Every folder may be called *model*, so the first digits of the SHA-256 of the weights follow:
    `model (53aa5117)`. Of weights in several files it is that of their SHA-256 one after another.

    Args:
        record: `name`, `revision` and `files` with their SHA-256, as a manifest holds them.
    """
    name = str(record["name"])
    if record.get("revision"):
        return name
    hashes = _weights(record.get("files") or {})
    if not hashes:
        return name
    whole = hashes[0] if len(hashes) == 1 else sha256("".join(hashes).encode()).hexdigest()
    return f"{name} ({whole[:_DIGITS]})"


def _weights(files: Mapping[str, Any]) -> list[str]:
    """SHA-256 of the files of weights, in the order of their names."""
    for ending in _WEIGHTS:
        if found := [str(files[name]) for name in sorted(files) if name.endswith(ending)]:
            return found
    return []
