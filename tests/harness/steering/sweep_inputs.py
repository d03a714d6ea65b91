"""Pairs in splits and a fit folder for a random model of two blocks."""

from __future__ import annotations

from pathlib import Path

import torch

from sociolect.generators.dialect.folder import write_folder
from sociolect.generators.dialect.manifest import assemble
from sociolect.generators.dialect.pairs import Boundaries, DialectPair, Segmented
from sociolect.steering.of_model import of_model
from sociolect.steering.vector_files import save
from sociolect.steering.vectors import OfModel, SteeringVector

WORDS = ("rain", "snow", "wind", "dark", "heat", "cold", "fog", "mud")


def write_pairs(folder: Path, each: int = 6) -> Path:
    """So many pairs in each of the splits `selection` and `evaluation`; one per split is uncut."""
    made = []
    for split in ("selection", "evaluation"):
        for number in range(each):
            word = WORDS[number % len(WORDS)]
            aae = f"We finna leave in the {word} but it ain't stop none {number}"
            sae = f"We will leave in the {word} but it did not stop {number}"
            pair = DialectPair(f"{split}/{number}", aae, sae, split=split)  # type: ignore[arg-type]
            cut = Boundaries(aae.index(" but"), sae.index(" but"))
            made.append(Segmented(pair, cut))
    write_folder(assemble(made, name="made up"), folder)
    return folder


def identity(model: Path) -> OfModel:
    from transformers import AutoConfig

    return of_model(str(model), AutoConfig.from_pretrained(model))


def vector(of: OfModel, seed: int, weights: dict[int, float]) -> SteeringVector:
    """Random directions; norms 2, 4, … by block."""
    unit = torch.randn(of.depth, of.width, generator=torch.Generator().manual_seed(seed))
    norms = 2.0 * torch.arange(1, of.depth + 1)
    return SteeringVector(of, unit / unit.norm(dim=1, keepdim=True), norms, weights)


def write_fit(folder: Path, of: OfModel) -> Path:
    """All five vectors, of two blocks."""
    both = {0: 0.75, 1: 0.25}
    save(vector(of, 0, both), folder / "vector.safetensors")
    save(vector(of, 0, {0: 1.0}), folder / "single.safetensors")
    save(vector(of, 1, both), folder / "controls" / "random.safetensors")
    save(vector(of, 2, both), folder / "controls" / "shuffled.safetensors")
    save(vector(of, 0, {0: 0.25, 1: 0.75}), folder / "controls" / "layers.safetensors")
    return folder
