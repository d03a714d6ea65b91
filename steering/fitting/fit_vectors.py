"""From measurements to steering vectors: the fitted one and those that it is compared with."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import torch

from sociolect import __version__
from sociolect.generators.installed import installed
from sociolect.steering.backends.identity import PACKAGES
from sociolect.steering.controls import (
    other_layers,
    random_direction,
    single_layer,
    with_directions,
)
from sociolect.steering.fitting.fit import Measured
from sociolect.steering.fitting.fit_settings import CONFIDENCE, FEWEST_ITEMS
from sociolect.steering.fitting.material import TOO_LONG
from sociolect.steering.tracing.layers import LayerEffects, choose, weights
from sociolect.steering.vectors import SteeringVector

VECTOR = "vector.safetensors"
SINGLE = "single.safetensors"
RANDOM = "controls/random.safetensors"
SHUFFLED = "controls/shuffled.safetensors"
OTHER_LAYERS = "controls/layers.safetensors"
FEWEST_SHUFFLED = 2
SAME_DIRECTION = 0.99
"""A control whose cosine with the fitted direction is above this, of either sign, is that one."""
POSITION = "last_context_token"
SIGMA = (
    "alpha times the standard deviation of all numbers in the embeddings at the item's positions"
)


@dataclass(frozen=True, slots=True)
class LayerRow:
    """What is known of one block.

    Attributes:
        layer: Its number, from 0.
        effect: R (dialect paper, Eq. 9), in nats.
        low, high: Ends of the interval of R, items drawn again; NaN of fewer items than
            `FEWEST_ITEMS`, which say nothing about others.
        top_share: In how many draws of the items it is among the most negative ones; or NaN.
        weight: w (Eq. 11); 0 where it is not steered.
        stability: Cosine of the directions of two halves of the pairs.
        mean_length: ‖Δ̄‖, of the direction before it was made 1.
        norm: Median norm of the residual stream.
    """

    layer: int
    effect: float
    low: float
    high: float
    top_share: float
    weight: float
    stability: float
    mean_length: float
    norm: float

    @property
    def share(self) -> float:
        """β·w/‖h‖ for β = 1: how far a unit vector moves the residual stream, as a share of it."""
        return self.weight / self.norm


def layer_rows(
    measured: Measured, chosen: Mapping[int, float] = MappingProxyType({})
) -> list[LayerRow]:
    """One row a block, first to last.

    Args:
        measured: What was found.
        chosen: Weights of the blocks that are steered.
    """
    effects, found = drawn_again(measured), measured.directions
    return [
        LayerRow(
            layer=k,
            effect=float(effects.mean[k]),
            low=float(effects.low[k]),
            high=float(effects.high[k]),
            top_share=float(effects.top_share[k]),
            weight=chosen.get(k, 0.0),
            stability=float(found.stability[k]),
            mean_length=float(found.mean_length[k]),
            norm=float(found.norms[k]),
        )
        for k in range(measured.of.depth)
    ]


def drawn_again(measured: Measured) -> LayerEffects:
    """The effects, without what items drawn again say where there are too few of them."""
    effects = measured.effects
    if effects.items >= FEWEST_ITEMS:
        return effects
    none = torch.full_like(effects.mean, torch.nan)
    return replace(effects, low=none, high=none, top_share=none)


def chosen_weights(measured: Measured) -> dict[int, float]:
    """Weights of the blocks whose R is most negative (dialect paper, Eq. 11).

    Raises:
        ModelError: No block has a negative R.
    """
    effects = measured.effects
    return weights(effects, choose(effects, measured.settings.layers))


def fitted_vectors(measured: Measured, chosen: Mapping[int, float]) -> dict[str, SteeringVector]:
    """The fitted vector and its controls, by their file in the folder of a fit.

    A control that cannot be one is left out (`no_shuffled`; other blocks, where all are steered).

    Args:
        measured: What was found.
        chosen: From `chosen_weights`.
    """
    seed = measured.settings.seed
    fitted = SteeringVector(
        model=measured.of,
        unit=measured.directions.unit,
        norms=measured.directions.norms,
        weights=chosen,
        facts=facts(measured),
    )
    found = {
        VECTOR: fitted,
        SINGLE: single_layer(fitted),
        RANDOM: random_direction(fitted, seed),
    }
    if not no_shuffled(measured, chosen):
        unit = measured.directions.shuffled.nan_to_num(0.0)  # of blocks that are not steered
        found[SHUFFLED] = with_directions(fitted, unit, "shuffled")
    if len(chosen) == measured.of.depth:  # there are no others; `fit_warnings` says so
        return found
    return {**found, OTHER_LAYERS: other_layers(fitted, seed)}


def no_shuffled(measured: Measured, chosen: Iterable[int]) -> str:
    """Why the directions of pairs with swapped sides are no control; empty if they are one.

    Args:
        measured: What was found.
        chosen: Blocks that are steered.
    """
    found = measured.directions
    if found.pairs < FEWEST_SHUFFLED:
        return f"there is no half of {found.pairs} pair to swap the sides of"
    for k in sorted(chosen):
        cosine = float(found.shuffled[k] @ found.unit[k])
        if math.isnan(cosine):
            return f"with the sides of half of the pairs swapped, nothing is left at block {k}"
        if abs(cosine) > SAME_DIRECTION:
            return (
                f"with the sides of half of the pairs swapped, the direction of block {k} is still "
                f"the fitted one (cosine {cosine:+.3f})"
            )
    return ""


def facts(measured: Measured) -> dict[str, Any]:
    """How a vector was found; ready for JSON."""
    material = measured.material
    return {
        "kind": material.kind,
        "data": dict(material.facts),
        "left_out": left_out(measured),
        "extraction": _extraction(measured),
        "tracing": _tracing(measured),
        **measured.facts,
        "seed": measured.settings.seed,
        "versions": {"sociolect": __version__, **installed(PACKAGES)},
    }


def left_out(measured: Measured) -> dict[str, dict[str, int]]:
    """What was left out of `directions` and of `tracing`: reasons, with counts."""
    counted = {step: dict(reasons) for step, reasons in measured.material.left.items()}
    if beyond := len(measured.directions.too_long):
        of = counted.setdefault("directions", {})
        of[TOO_LONG] = of.get(TOO_LONG, 0) + beyond
    return counted


def used_ids(measured: Measured) -> dict[str, list[str]]:
    """Ids of the pairs behind the `directions` and of those behind the `tracing`, sorted."""
    unread = {*measured.directions.too_long}
    return {
        "directions": sorted(one.id for one in measured.material.contrasts if one.id not in unread),
        "tracing": sorted(one.id for one in measured.traced),
    }


def _extraction(measured: Measured) -> dict[str, Any]:
    found = measured.directions
    return {
        "pairs": found.pairs,
        "position": POSITION,
        "stability": _numbers(found.stability),
        "mean_length": _numbers(found.mean_length),
    }


def _tracing(measured: Measured) -> dict[str, Any]:
    effects, asked = drawn_again(measured), measured.settings.trace
    sigmas = [one.sigma for one in measured.traced]
    return {
        "items": len(measured.traced),
        "draws": asked.draws,
        "alpha": asked.alpha,
        "sites": asked.sites,
        "method": asked.method,
        "seed": asked.seed,
        "sigma": SIGMA,
        "sigma_range": [min(sigmas), max(sigmas)],
        "resamples": measured.settings.resamples,
        "confidence": CONFIDENCE,
        "R": _numbers(effects.mean),
        "low": _numbers(effects.low),
        "high": _numbers(effects.high),
        "top_share": _numbers(effects.top_share),
    }


def _numbers(values: Any) -> list[float | None]:
    """Numbers ready for JSON, which has no NaN."""
    return [None if value != value else float(value) for value in values.tolist()]
