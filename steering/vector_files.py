"""Steering vectors on disk: safetensors with one JSON text of metadata; nothing is ever unpickled.

A file holds the unit direction and the median norm of the residual stream at every block, and which
blocks are steered with which weight. β is no part of it.

unit.N         v̂_N, float32, shape (width,), for every block N from 0
layers.N       w_N·v̂_N, for the blocks that are steered
residual_norm  median norm after every block, shape (depth,)
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import torch

from sociolect.generators.errors import InvalidInputError, ModelError
from sociolect.steering.vector_heads import FORMAT, HOOK, DamagedError, Head, head_of
from sociolect.steering.vectors import SteeringVector

SUFFIX = ".safetensors"
NAME = f"vector{SUFFIX}"
"""In a folder that `sociolect steer fit` wrote."""
NORMS = "residual_norm"
_PICKLES = (".bin", ".ckpt", ".pickle", ".pkl", ".pt", ".pth")


def save(vector: SteeringVector, path: Path) -> None:
    """Write a vector; the file gets its name when it is complete.

    Args:
        vector: What to keep.
        path: `….safetensors`; replaced if it is there.

    Raises:
        InvalidInputError: Another suffix, or a place that cannot be written to.
    """
    from safetensors.torch import save as as_bytes

    if path.suffix != SUFFIX:
        raise InvalidInputError(f"{path}: a steering vector is kept as …{SUFFIX}; name it so")
    unit = vector.unit.float()
    tensors = {f"unit.{k}": unit[k].clone() for k in range(vector.model.depth)}
    tensors |= {f"layers.{k}": w * unit[k] for k, w in vector.weights.items()}
    tensors[NORMS] = vector.norms.float()
    head = {
        "format": FORMAT,
        "hook": HOOK,
        "index_base": 0,
        **vector.head(),
        "sha256": vector.sha256(),
        "facts": dict(vector.facts),
    }
    data = as_bytes(tensors, {"config": json.dumps(head, sort_keys=True)})
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(data)
        part.replace(path)
    except OSError as error:
        raise InvalidInputError(f"{path}: cannot be written ({error.strerror})") from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def load(path: Path) -> SteeringVector:
    """Read a vector and check it against its hash.

    Args:
        path: File, or folder of `sociolect steer fit`.

    Raises:
        ModelError: There is no such file, it is a pickle, or something else than `save` writes.
    """
    try:
        file = path / NAME if path.is_dir() else path
        return _read(file)
    except InvalidInputError as error:
        raise ModelError(f"{path}: {error}") from error
    except OSError as error:
        raise ModelError(f"{path}: cannot be read ({error.strerror or error})") from error


def _read(path: Path) -> SteeringVector:
    from safetensors import SafetensorError, safe_open

    if path.suffix.lower() in _PICKLES:
        raise ModelError(
            f"{path}: a pickled file can run code when it is opened, and is not read. Give the "
            f"…{SUFFIX} that `sociolect steer fit` wrote"
        )
    if not path.is_file():
        raise ModelError(f"{path}: there is no such file; name one of `sociolect steer fit`")
    try:
        with safe_open(path, framework="pt") as file:
            head = head_of((file.metadata() or {}).get("config", ""))
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        return _checked(_vector(head, tensors), head, tensors)
    except (SafetensorError, DamagedError) as error:
        raise ModelError(f"{path}: no steering vector of the form {FORMAT} ({error})") from error


def _vector(head: Head, tensors: Mapping[str, torch.Tensor]) -> SteeringVector:
    depth = head.model.depth
    named = (f"unit.{k}" for k in range(depth))  # a depth may be any number
    if missing := next((name for name in named if name not in tensors), ""):
        raise DamagedError(f"a model of {depth} blocks, and no {missing}")
    wanted = {NORMS: (depth,)}
    wanted |= {f"unit.{k}": (head.model.width,) for k in range(depth)}
    wanted |= {f"layers.{k}": (head.model.width,) for k in head.weights if k < depth}
    if other := sorted(wanted.keys() ^ tensors.keys()):
        raise DamagedError(f"{other[0]} is {'of no use' if other[0] in tensors else 'not there'}")
    for name, shape in wanted.items():
        own = tensors[name]
        if own.dtype != torch.float32 or own.shape != shape:
            raise DamagedError(
                f"{name} holds {own.dtype} in shape {tuple(own.shape)}, and not float32 in {shape}"
            )
    unit = torch.stack([tensors[f"unit.{k}"] for k in range(depth)])
    return SteeringVector(head.model, unit, tensors[NORMS], head.weights, head.facts)


def _checked(
    vector: SteeringVector, head: Head, tensors: Mapping[str, torch.Tensor]
) -> SteeringVector:
    """What other tools read (`layers.N`) says the same, and nothing was changed."""
    for k, w in vector.weights.items():
        if not torch.equal(tensors[f"layers.{k}"], w * vector.unit[k]):
            raise DamagedError(f"layers.{k} is not the weighted direction of block {k}")
    if vector.sha256() != head.sha256:
        raise DamagedError("its content does not have the hash that it names; it was changed")
    return vector
