"""Steering vectors of random directions for saved models."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

WEIGHTS = {0: 0.75, 1: 0.25}


def random_vector(model: Path, weights: Mapping[int, float] = WEIGHTS, seed: int = 0) -> Any:
    """A `SteeringVector` of the model in a folder; the same one for every seed."""
    import torch
    from transformers import AutoConfig

    from sociolect.steering.of_model import of_model
    from sociolect.steering.vectors import SteeringVector

    own = of_model(str(model), AutoConfig.from_pretrained(model))
    made = torch.randn(own.depth, own.width, generator=torch.Generator().manual_seed(seed))
    norms = torch.arange(1.0, own.depth + 1) * 2
    return SteeringVector(own, made / made.norm(dim=1, keepdim=True), norms, weights)


def saved_vector(model: Path, path: Path, **options: Any) -> Path:
    """The file of a `random_vector`."""
    from sociolect.steering.vector_files import save

    save(random_vector(model, **options), path)
    return path
