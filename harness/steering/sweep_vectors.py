"""The vectors of a fit folder: what is swept, and the controls it is held against."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sociolect.generators.errors import ModelError
from sociolect.steering.vector_files import load, save
from sociolect.steering.vectors import SteeringVector

VECTOR, SINGLE = "vector", "single"
CONTROLS: tuple[str, ...] = ("random", "shuffled", "layers")
MEANING: Mapping[str, str] = {
    VECTOR: "the fitted directions at the traced layers, weighted (Eqs. 10, 11)",
    SINGLE: "the most important layer alone, with weight 1",
    "random": "random directions of length 1 at the same layers with the same weights",
    "shuffled": "mean differences with the sides of half of the pairs swapped, same layers and "
    "weights",
    "layers": "the fitted directions at as many random other layers, weights in random order",
}
FILES: Mapping[str, str] = {
    VECTOR: "vector.safetensors",
    SINGLE: "single.safetensors",
    **{name: f"controls/{name}.safetensors" for name in CONTROLS},
}
"""Names in a folder that `sociolect steer fit` wrote."""
KEPT = "vectors"
"""Folder of a sweep with copies of its vectors, which its cells are run with."""


@dataclass(frozen=True)
class Fitted:
    """One vector of the folder.

    Attributes:
        path: Absolute.
        vector: What it holds.
        sha256: Of what steers.
    """

    path: Path
    vector: SteeringVector
    sha256: str

    def check(self) -> None:
        """Make sure that the file holds what was read.

        Raises:
            ModelError: It was changed, or is gone.
        """
        if load(self.path).sha256() != self.sha256:
            raise ModelError(
                f"{self.path}: is another vector than this sweep began with. Put it back, or name "
                "another --out"
            )

    def added(self, beta: float, scale: str) -> dict[int, float]:
        """β·w_l by the median norm of the residual stream, at every steered block.

        Args:
            beta: β.
            scale: `unit` or `residual`, of which β is then the size already.
        """
        own = self.vector
        size = {k: 1.0 if scale == "residual" else float(own.norms[k]) for k in own.layers}
        return {k: beta * own.weights[k] / size[k] for k in own.layers}

    def record(self) -> dict[str, Any]:
        """Ready for JSON."""
        own = self.vector
        return {
            "path": str(self.path),
            "sha256": self.sha256,
            "model": own.model.name,
            "layers": list(own.layers),
            "weights": {str(k): own.weights[k] for k in own.layers},
            "residual_norms": {str(k): float(own.norms[k]) for k in own.layers},
        }


def fitted(folder: Path, controls: bool = True) -> dict[str, Fitted]:
    """The vectors of a fit folder by name.

    Args:
        folder: Of `sociolect steer fit`.
        controls: Whether the controls are wanted: those that the fit has, `random` at least.

    Raises:
        ModelError: One is missing or damaged, or they are of different models.
    """
    wanted = controls_in(folder) if controls else ()
    # A fit always writes random directions; the other two are not always there to be had.
    names = list(dict.fromkeys([VECTOR, SINGLE, *(CONTROLS[:1] if controls else ()), *wanted]))
    if missing := [FILES[name] for name in names if not (folder / FILES[name]).is_file()]:
        raise ModelError(
            f"{folder}: lacks {', '.join(missing)}; name a folder that `sociolect steer fit` wrote"
            + ("" if not controls else ", or leave the controls out with --controls none")
        )
    found = {}
    for name in names:
        path = (folder / FILES[name]).absolute()
        vector = load(path)
        found[name] = Fitted(path, vector, vector.sha256())
    if others := [name for name in names if found[name].vector.model != found[VECTOR].vector.model]:
        raise ModelError(f"{folder}: {', '.join(others)} is of another model than {VECTOR}")
    return found


def controls_in(folder: Path) -> tuple[str, ...]:
    """The controls that a fit folder has."""
    return tuple(name for name in CONTROLS if (folder / FILES[name]).is_file())


def kept(vectors: Mapping[str, Fitted], out: Path) -> dict[str, Fitted]:
    """The same vectors as files of the sweep, which stay when the fit is replaced or removed.

    Args:
        vectors: By name.
        out: Folder of the sweep; gets those that it lacks.

    Raises:
        ModelError: A file there holds another vector.
        InvalidInputError: The folder cannot be written to.
    """
    found = {}
    for name, one in vectors.items():
        own = replace(one, path=(out / KEPT / FILES[name]).absolute())
        if not own.path.is_file():
            save(one.vector, own.path)
        own.check()
        found[name] = own
    return found
