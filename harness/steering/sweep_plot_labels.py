"""Short texts beside the points of a picture, where they hide nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from sociolect.tasks.dialect.measures import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.transforms import Bbox

_DISTANCES = (8.0, 12.0, 17.0, 23.0, 30.0, 40.0)
_ANGLES = np.deg2rad(np.arange(45, 405, 30))
_STEP = 2.0
"""Pixels between the places of a line that are looked at."""
_MARGIN = 1.5
"""Pixels around a text that are kept free."""


@dataclass(frozen=True, slots=True)
class Label:
    """A text beside a point; x and y in units of the data."""

    x: float
    y: float
    text: str
    colour: str


def place(axes: Axes, labels: Sequence[Label], lines: Sequence[tuple[Floats, float]]) -> None:
    """Write every label where it covers as little as possible, near its point.

    Args:
        axes: Drawn in full; the limits of its axes do not change any more.
        labels: The first ones get the nearest places.
        lines: Polylines in units of the data, shape (points, 2), with half of the width of what
            is drawn along them, in points.
    """
    figure = axes.figure
    taken = np.concatenate([_pixels(axes, line, half) for line, half in lines])
    renderer = figure.canvas.get_renderer()  # type: ignore[attr-defined]
    inside = axes.get_window_extent(renderer)
    for one in labels:
        made = axes.annotate(
            one.text, (one.x, one.y), xytext=(0, 0), textcoords="offset points", fontsize=8,
            color=one.colour, ha="center", va="center", gid="label",
        )  # fmt: skip
        here = made.get_window_extent(renderer).padded(_MARGIN)
        # Where it stands is moved, rather than laid out anew for every place.
        moved = [
            (offset, here.translated(*(np.array(offset) * figure.dpi / 72)))
            for offset in _offsets()
        ]
        made.xyann, box = min(moved, key=lambda one: _covered(one[1], taken, inside))
        taken = np.concatenate([taken, _filled(box)])


def _offsets() -> list[tuple[float, float]]:
    """Places around a point in points, near ones first."""
    return [
        (float(distance * np.cos(angle)), float(distance * np.sin(angle)))
        for distance in _DISTANCES
        for angle in _ANGLES
    ]


def _covered(box: Bbox, taken: Floats, inside: Bbox) -> int:
    """How much a text would hide at a place; more than anything where it leaves the axes."""
    within = (taken >= (box.x0, box.y0)) & (taken <= (box.x1, box.y1))
    outside = not all(inside.contains(x, y) for x, y in box.corners())
    return int(within.all(axis=1).sum()) + len(taken) * outside


def _pixels(axes: Axes, line: Floats, half: float) -> Floats:
    """Places along a line in pixels, and as far beside it as it is thick."""
    ends = axes.transData.transform(line)
    found = [ends]
    for first, second in pairwise(ends):
        count = max(2, int(np.hypot(*(second - first)) / _STEP))
        found.append(first + np.linspace(0, 1, count)[:, None] * (second - first))
    along = np.concatenate(found)
    reach = half * axes.figure.dpi / 72
    beside = np.array([(x, y) for x in (-reach, 0, reach) for y in (-reach, 0, reach)])
    return np.asarray((along[:, None] + beside).reshape(-1, 2), np.float64)


def _filled(box: Bbox) -> Floats:
    """Places all over a box."""
    x, y = (np.arange(low, high + _STEP, _STEP) for low, high in (box.intervalx, box.intervaly))
    return np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
