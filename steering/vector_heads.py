"""What the file of a steering vector says of its tensors: one JSON text, checked when read."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from sociolect.steering.vectors import OfModel

FORMAT = "sociolect.steering/1"
HOOK = "decoder_block_output"
_NUMBER = re.compile(r"0|[1-9][0-9]{0,8}")
_MOST = 2
"""Above every weight, whose sum is 1."""


class DamagedError(Exception):
    """Content that `vector_files.save` does not write; says what."""


@dataclass(frozen=True, slots=True)
class Head:
    """What is said of the tensors.

    Attributes:
        model: That the vector was fitted on.
        weights: By number of the block.
        facts: How it was found.
        sha256: Of everything that steers, as it was when it was written.
    """

    model: OfModel
    weights: Mapping[int, float]
    facts: Mapping[str, Any]
    sha256: str


def head_of(text: str) -> Head:
    """Read the JSON text.

    Raises:
        DamagedError: It is something else than `vector_files.save` writes.
    """
    try:
        read = json.loads(text)
    except RecursionError as error:
        raise DamagedError("its metadata are nested too deeply") from error
    except ValueError as error:
        raise DamagedError(f"its metadata are no JSON: {error}") from error
    said = _object(read, "its metadata")
    own = (said.get("format"), said.get("hook"), said.get("index_base"))
    if own != (FORMAT, HOOK, 0):
        raise DamagedError("format {!r}, hook {!r}, index_base {!r}".format(*own))
    weights = _weights(_object(said.get("weights"), "weights"))
    if said.get("layers") != sorted(weights):
        raise DamagedError(f"layers {said.get('layers')}, and weights of {sorted(weights)}")
    model = _model(_object(said.get("model"), "model"))
    return Head(model, weights, _object(said.get("facts"), "facts"), str(said.get("sha256")))


def _object(value: object, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise DamagedError(f"{what}: {'there are none' if value is None else 'no JSON object'}")
    return value


def _model(said: Mapping[str, Any]) -> OfModel:
    names = [one.name for one in fields(OfModel)]
    if sorted(said) != sorted(names):
        raise DamagedError(f"model: has {', '.join(said) or 'nothing'}; wanted {', '.join(names)}")
    for name, value in said.items():
        is_size = type(value) is int and value > 0
        if not (is_size if name in ("depth", "width") else isinstance(value, str)):
            raise DamagedError(f"model: {name} is {value!r:.40}")
    return OfModel(**said)


def _weights(said: Mapping[str, Any]) -> dict[int, float]:
    for name, value in said.items():
        if not _NUMBER.fullmatch(name):
            raise DamagedError(f"weights: {name!r:.40} is no number of a block")
        if type(value) not in (int, float) or not 0 < value < _MOST:
            raise DamagedError(f"weights: that of block {name} is no number above 0 and up to 1")
    return {int(name): float(value) for name, value in said.items()}
