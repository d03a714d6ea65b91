"""Steering vectors in the formats of other tools."""

from __future__ import annotations

import secrets
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any

import torch

from sociolect.generators.errors import InvalidInputError, ModelError
from sociolect.steering.hooks import decoder_blocks
from sociolect.steering.vectors import SteeringVector, check_strength

HOOKPOINT = "layers"
"""What lm_eval calls the list of decoder blocks of most models."""
_SUFFIXES = (".pt", ".pth")


def hookpoint_of(model: Any, blocks: str = "") -> str:
    """What lm_eval's `steered` calls the list of decoder blocks: its name under `base_model`.

    `layers` in most models, `h` in GPT-2, `language_model.layers` where images are read too, and
    longer with an adapter around the model.

    Args:
        model: Of transformers, with or without an adapter of PEFT.
        blocks: Name of the list, as for `decoder_blocks`; empty to find it.

    Raises:
        ModelError: There is no such list, or lm_eval cannot reach it.
    """
    wanted = decoder_blocks(model, blocks)
    for name, module in model.base_model.named_modules():
        if module is wanted:
            return str(name)
    raise ModelError(f"{type(model).__name__}: lm_eval cannot reach its decoder blocks by a name")


def export_lm_eval(
    vector: SteeringVector,
    beta: float,
    scale: str,
    path: Path,
    *,
    hookpoint: str = HOOKPOINT,
    overwrite: bool = False,
) -> None:
    """Write a file for `lm_eval --model steered --model_args pretrained=…,steer_path=FILE.pt`.

    It holds a strength, so there is one file for each. lm_eval opens it as a pickle; this one
    holds only tensors, numbers and texts.

    Args:
        vector: What steers.
        beta: β (dialect paper, Eq. 10).
        scale: What β is relative to, one of `SCALES`.
        path: `….pt`; gets its name when the file is complete.
        hookpoint: What lm_eval calls the list of decoder blocks (`hookpoint_of`).
        overwrite: Replace a file that is there.

    Raises:
        InvalidInputError: β is no finite number or too large, no such scale, another suffix, the
            file is there, or the place cannot be written to.
    """
    strength = check_strength(beta, scale)
    if path.suffix not in _SUFFIXES:
        raise InvalidInputError(f"{path}: lm_eval reads steering vectors from ….pt; name it so")
    if _is_there(path) and not overwrite:
        raise InvalidInputError(f"{path}: is there already; name another file, or add --overwrite")
    vector.added(strength, scale)  # refused where float32 cannot hold it
    steps = {
        f"{hookpoint}.{layer}": {
            "steering_vector": added.clone(),
            "steering_coefficient": strength,
            "action": "add",
            "bias": None,
            "head_index": None,
        }
        for layer, added in sorted(vector.added(1.0, scale).items())
    }
    _write(steps, path)


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError as error:
        raise InvalidInputError(f"{path}: cannot be written ({error.strerror})") from error


def _write(content: Any, path: Path) -> None:
    kept = BytesIO()
    torch.save(content, kept)
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(kept.getvalue())
        part.replace(path)
    except OSError as error:
        raise InvalidInputError(f"{path}: cannot be written ({error.strerror})") from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
