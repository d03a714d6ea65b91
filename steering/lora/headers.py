"""Names and shapes of the weights in safetensors files, read from their headers alone."""

from __future__ import annotations

import re
from pathlib import Path

from sociolect.generators.errors import ModelError

Tensor = tuple[str, tuple[int, ...]]
"""Number format (`BF16`, `F32`, `U8` …) and shape."""

Shape = tuple[int, ...]
"""(Outputs, inputs) of a linear layer."""

_PICKLED = ("adapter_model.bin", "adapter_model.pt")
_POINTER = b"version https://git-lfs"


def tensors_of(path: Path) -> dict[str, Tensor]:
    """Every tensor of a safetensors file.

    Raises:
        ModelError: The file is missing, cut short, damaged, or a Git LFS pointer.
    """
    from safetensors import SafetensorError, safe_open

    if not path.is_file():
        raise ModelError(f"{path.parent} lacks {path.name}. {_instead(path.parent)}")
    with path.open("rb") as file:
        if file.read(len(_POINTER)) == _POINTER:
            raise ModelError(f"{path} is a Git LFS pointer, not the weights. Run: git lfs pull")
    try:
        with safe_open(path, framework="numpy") as file:
            slices = {name: file.get_slice(name) for name in file.keys()}  # noqa: SIM118
            return {n: (one.get_dtype(), tuple(one.get_shape())) for n, one in slices.items()}
    except (SafetensorError, OSError) as error:
        raise ModelError(
            f"{path} is damaged or cut short ({error}). Copy or save it again."
        ) from error


def _instead(folder: Path) -> str:
    pickled = [name for name in _PICKLED if (folder / name).exists()]
    if pickled:
        return (
            f"{pickled[0]} can run code when it is loaded and is not read here; save the adapter "
            "with safe_serialization=True."
        )
    return "Was the training run ended before it saved?"


def layers_of(folder: Path) -> dict[str, set[Shape]]:
    """Layers of a model, each under its name and under its tail (see `tail`).

    Args:
        folder: With any number of safetensors files; without one the answer is empty.

    Returns:
        Shapes as stored, several where a text model and a vision tower share a tail. Empty where
        nothing can be compared: quantised weights are packed.

    Raises:
        ModelError: A file is cut short, damaged, or a Git LFS pointer.
    """
    found: dict[str, set[Shape]] = {}
    for path in sorted(folder.glob("*.safetensors")):
        for name, (dtype, shape) in tensors_of(path).items():
            layer, _, kind = name.rpartition(".")
            plain = kind == "weight" and len(shape) == 2 and dtype.startswith(("F", "BF"))
            for key in {layer, tail(layer)}:
                found.setdefault(key, set()).update({shape} if plain else ())
    return found


def tail(layer: str) -> str:
    """The name of a layer from the list of blocks on: `layers.0.self_attn.q_proj`.

    Files and loaded models begin the name of the same layer differently (`model.layers.0.…`,
    `language_model.model.layers.0.…`).
    """
    match = re.search(r"[^.]+\.\d+\..*", layer)
    return match.group() if match else layer
