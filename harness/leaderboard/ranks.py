"""Where models stand among each other, and how certain that is.

A place is that of the mean over units; its interval comes from bootstrap resamples of the units
that all models and conditions share, so that what makes a unit hard for every model moves none of
them past another. Where units are written from question templates, whole templates are drawn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from sociolect.harness.leaderboard.board import Rank
from sociolect.harness.leaderboard.numbers import Column
from sociolect.harness.statistics import Floats
from sociolect.tasks.metrics import resamples_of

_TIE = 1e-9
"""Values that differ by less than this, in points, are equal: their sums are rounded."""
_BOUNDS = (2.5, 97.5)

Ints = npt.NDArray[np.int64]


def rank_columns(
    columns: Sequence[Mapping[str, Column]],
    metric: str,
    *,
    resamples: int,
    seed: int,
) -> list[dict[str, Rank]]:
    """Rank several models in each of several columns.

    Args:
        columns: For each column, by model, the values of the units. Models with other prompts than
            each other must not be in one column.
        metric: `bias`, of which the smallest absolute value is the best, or an accuracy.
        resamples: Of the units, shared by all columns and models.
        seed: Of the resamples.

    Returns:
        For each column the ranks by model; empty where fewer than two models have a value.
    """
    held = [{name: one for name, one in column.items() if one.units} for column in columns]
    held = [column if len(column) > 1 else {} for column in held]
    series = [one for column in held for one in column.values()]
    if not series:
        return [{} for _ in held]
    drawn = _means(series, resamples, seed)
    exact = np.array([one.values.mean() for one in series])
    keys = np.vstack([exact, drawn])
    keys = np.abs(keys) if metric == "bias" else -keys
    keys = np.where(np.isnan(keys), np.inf, keys)
    found, start = [], 0
    for column in held:
        part = keys[:, start : start + len(column)]
        found.append(dict(zip(column, _ranks(part), strict=True)) if column else {})
        start += len(column)
    return found


def _means(series: Sequence[Column], resamples: int, seed: int) -> Floats:
    """Means over the units of every resample, shape (resamples, series).

    What is drawn are units, or whole question templates: of each its sum and its size. A unit
    without a value in one of the series drops out of the mean of that series alone.
    """
    places: dict[str, int] = {}
    for one in series:
        for drawn_whole in one.templates or one.units:
            places.setdefault(drawn_whole, len(places))
    values = np.zeros((len(places), len(series)))
    known = np.zeros((len(places), len(series)))
    for index, one in enumerate(series):
        rows = [places[drawn_whole] for drawn_whole in one.templates or one.units]
        np.add.at(values[:, index], rows, one.values)
        np.add.at(known[:, index], rows, 1)
    generator = np.random.default_rng(seed)
    parts = [
        _divided(drawn.astype(np.float64), values, known)
        for drawn in resamples_of(generator, len(places), resamples)
    ]
    return np.concatenate(parts)


def _divided(weights: Floats, values: Floats, known: Floats) -> Floats:
    """Weighted means; NaN where no unit with a value was drawn."""
    sizes = weights @ known
    means: Floats = np.full(sizes.shape, np.nan)
    np.divide(weights @ values, sizes, out=means, where=sizes > 0)
    return means


def _ranks(keys: Floats) -> list[Rank]:
    """Ranks of the models from their keys, the smallest being the best.

    Args:
        keys: The values first, then the resamples; shape (1 + resamples, models).
    """
    places = places_of(keys)
    low, high = np.percentile(places[1:], _BOUNDS, axis=0, method="nearest")
    return [
        Rank(
            place=int(places[0, model]),
            low=int(low[model]),
            high=int(high[model]),
            of=keys.shape[1],
            tied=int((places[0] == places[0, model]).sum()) > 1,
        )
        for model in range(keys.shape[1])
    ]


def places_of(keys: Floats) -> Ints:
    """Competition ranking along the last axis (1, 2, 2, 4); keys that are equal share a place."""
    better = keys[..., None, :] < keys[..., :, None] - _TIE
    found: Ints = 1 + better.sum(axis=-1)
    return found
