"""What a fit measured, made up: numbers that are known, of no model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import torch

from sociolect.steering.directions import Contrast, Directions
from sociolect.steering.fitting.fit import Measured
from sociolect.steering.fitting.fit_settings import FitSettings
from sociolect.steering.fitting.material import Material
from sociolect.steering.tracing.items import Traced, TracedItem
from sociolect.steering.tracing.layers import layer_effects
from sociolect.steering.vectors import OfModel

WIDTH = 4


def measured(
    effects: Sequence[Sequence[float]],
    *,
    kind: Literal["dialect", "errors"] = "dialect",
    layers: int = 4,
    left: Mapping[str, Mapping[str, int]] | None = None,
    facts: Mapping[str, Any] | None = None,
    b: tuple[float, float] = (0.5, -0.25),
    **found: Any,
) -> Measured:
    """A fit of 40 pairs.

    Args:
        effects: R by item and block.
        kind: Of the material.
        layers: Most blocks that are steered.
        left: What was left out.
        facts: That differ, of the model.
        b: Mean preference, and with noise.
        found: Of the directions, what differs.
    """
    depth = len(effects[0])
    traced = tuple(
        Traced(f"t{n}", torch.tensor(each).double(), *b, 1, 2.0) for n, each in enumerate(effects)
    )
    items = tuple(TracedItem(one.id, (1, 2), (1,), (3,), (4,)) for one in traced)
    contrasts = tuple(Contrast(f"d{n}", (1, 2), (1, 3)) for n in range(40))
    eye = torch.eye(WIDTH)
    directions = Directions(
        unit=eye[0].repeat(depth, 1),
        mean_length=torch.ones(depth),
        norms=torch.full((depth,), 50.0),
        stability=torch.ones(depth),
        shuffled=eye[1].repeat(depth, 1),
        pairs=40,
        too_long=(),
    )
    settings = FitSettings(layers=layers, resamples=200)
    return Measured(
        of=OfModel("tiny", "weights 0", "LlamaForCausalLM", depth, WIDTH),
        facts={"adapter": None, "dtype": "float32", "parameters": 10**9, **(facts or {})},
        material=Material(kind, contrasts, items, left or {}, {"dataset": "made up"}),
        settings=settings,
        directions=replace(directions, **found),
        traced=traced,
        effects=layer_effects(traced, count=layers, resamples=200),
    )
