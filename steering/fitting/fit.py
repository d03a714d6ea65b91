"""The measurements behind a steering vector: directions of all blocks, and effects by block."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tqdm import tqdm

from sociolect.generators.errors import ModelError
from sociolect.steering.directions import Directions, extract, texts_of
from sociolect.steering.fitting.fit_settings import CONFIDENCE, FitSettings
from sociolect.steering.fitting.fit_store import kept_directions
from sociolect.steering.fitting.material import Material
from sociolect.steering.tracing.items import Traced
from sociolect.steering.tracing.layers import LayerEffects, layer_effects
from sociolect.steering.tracing.trace import trace_items
from sociolect.steering.vectors import OfModel


@dataclass(frozen=True, slots=True)
class FittedModel:
    """A model that is measured.

    Attributes:
        model: Of transformers, with its adapters.
        of: What a vector says of it.
        key: Names everything that changes what it computes, for results that are kept.
        facts: For whoever reads the vector: adapters, precision, number of parameters.
    """

    model: Any
    of: OfModel
    key: str
    facts: Mapping[str, Any]


@dataclass(frozen=True)
class Measured:
    """What was found, before any block is chosen.

    Attributes:
        of: The model.
        facts: Of the model (`FittedModel.facts`).
        material: What was measured on.
        settings: How.
        directions: v̂ of every block (dialect paper, Eq. 6).
        traced: Effects of every item (Eq. 8).
        effects: Their means by block (Eq. 9).
        seconds: What each step took.
    """

    of: OfModel
    facts: Mapping[str, Any]
    material: Material
    settings: FitSettings
    directions: Directions
    traced: tuple[Traced, ...]
    effects: LayerEffects
    seconds: Mapping[str, float] = field(default_factory=dict)


def measure(
    fitted: FittedModel,
    material: Material,
    settings: FitSettings,
    *,
    store: Path | None = None,
    progress: bool = False,
) -> Measured:
    """Extract the directions and trace the effects of a model.

    Args:
        fitted: The model.
        material: Pairs of contexts for the directions, items for the tracing.
        settings: How.
        store: Folder of what is finished, which a run that was stopped goes on from; None keeps
            nothing.
        progress: Show bars on standard error.

    Raises:
        ModelError: There is nothing to measure on, or the model cannot be read.
    """
    _check(material)
    seconds: dict[str, float] = {}
    with _step("directions", seconds):
        directions = _directions(fitted, material, settings, store, progress)
    with _step("tracing", seconds), _bar("tracing", len(material.items), "item", progress) as bar:
        traced = trace_items(
            fitted.model,
            material.items,
            settings.trace,
            blocks=settings.blocks,
            store=store,
            model_key=fitted.key,
            progress=bar,
        )
    effects = layer_effects(
        traced,
        count=settings.layers,
        resamples=settings.resamples,
        seed=settings.seed,
        confidence=CONFIDENCE,
    )
    return Measured(
        of=fitted.of,
        facts=fitted.facts,
        material=material,
        settings=settings,
        directions=directions,
        traced=tuple(traced),
        effects=effects,
        seconds=seconds,
    )


def _directions(
    fitted: FittedModel,
    material: Material,
    settings: FitSettings,
    store: Path | None,
    progress: bool,
) -> Directions:
    decides = {
        "model": fitted.key,
        "batch": settings.batch,  # changes how sums are rounded
        "longest": settings.longest,
        "seed": settings.seed,
    }

    def find() -> Directions:
        texts = len(texts_of(material.contrasts))
        with _bar("directions", texts, "text", progress) as bar:
            return extract(
                fitted.model,
                material.contrasts,
                batch=settings.batch,
                longest=settings.longest,
                blocks=settings.blocks,
                seed=settings.seed,
                progress=bar,
            )

    return kept_directions(store, material.contrasts, decides, find)


def _check(material: Material) -> None:
    for step, found in (("directions", material.contrasts), ("tracing", material.items)):
        if not found:
            left = material.left.get(step, {})
            counted = ", ".join(f"{reason}: {n:,}" for reason, n in left.items())
            raise ModelError(
                f"nothing is left for the {step}{f' ({counted})' if counted else ''}. Name other "
                "or more data"
            )


@contextmanager
def _step(what: str, seconds: dict[str, float]) -> Iterator[None]:
    began = time.monotonic()
    yield
    seconds[what] = time.monotonic() - began


@contextmanager
def _bar(what: str, total: int, unit: str, shown: bool) -> Iterator[Callable[[int], None]]:
    """A bar that is told what is done."""
    with tqdm(total=total, desc=what, unit=unit, disable=not shown, file=sys.stderr) as bar:
        yield lambda done: _advance(bar, done)


def _advance(bar: Any, done: int) -> None:
    bar.update(done)
