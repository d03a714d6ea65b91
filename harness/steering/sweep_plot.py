"""Bias against utility over the strengths (dialect paper, Fig. 10).

The same sweep gives the same bytes: the file holds neither date nor version.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sociolect.harness.dialect.report_figures import figure_of, shown
from sociolect.harness.steering.sweep import Sweep
from sociolect.harness.steering.sweep_cells import PROMPTED
from sociolect.harness.steering.sweep_fit_sheet import model_of
from sociolect.harness.steering.sweep_numbers import LP, Ends, Row, ends
from sociolect.harness.steering.sweep_plot_labels import Label, place
from sociolect.harness.steering.sweep_vectors import SINGLE, VECTOR
from sociolect.tasks.dialect.measures import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TRADEOFF = "tradeoff.png"
_LOOKS = {
    "base": ("#000000", "s"),
    PROMPTED: ("#56B4E9", "X"),
    VECTOR: ("#0072B2", "o"),
    SINGLE: ("#009E73", "D"),
    "random": ("#E69F00", "^"),
    "shuffled": ("#CC79A7", "v"),
    "layers": ("#D55E00", "P"),
}
"""Of Okabe and Ito, told apart without colour too."""
_MOVED = {VECTOR: 0.0, "random": -1.6, "shuffled": 0.8, "layers": 1.6, SINGLE: -0.8}
"""Points by which markers and intervals are moved across and up."""
_FILLED = (VECTOR, SINGLE, PROMPTED)
_WIDTH, _HEIGHT, _DPI = 7.5, 6.0, 200
_MARKER = 7.0
"""Half of the ring around the chosen strength, in points."""


class _Point(NamedTuple):
    """A system at one strength, with the ends of its intervals."""

    beta: float
    x: float
    y: float
    across: Ends
    up: Ends


def draw(sweep: Sweep, path: Path) -> None:
    """Write the picture, whole or not at all.

    Args:
        sweep: Run and computed.
        path: Of the PNG file; replaced if it is there.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}.part")
    try:
        tradeoff(sweep).savefig(part, format="png", dpi=_DPI, metadata={"Software": None})
        part.replace(path)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def tradeoff(sweep: Sweep) -> Figure:
    """LP across, SAE perplexity by that of base up, a line a system over the strengths."""
    numbers, most = sweep.evaluation, 1 + sweep.settings.tolerance
    what = f"{model_of(sweep)}: bias and utility over strengths β (scale {sweep.settings.scale})"
    figure = figure_of(_WIDTH, _HEIGHT, numbers.audit, what)
    figure.set_dpi(_DPI)
    axes = figure.add_subplot()
    axes.axhline(1.0, color="0.6", linewidth=0.8, label="base (1)")
    allowed = f"tolerance ({most:g})"
    axes.axhline(most, color="#8B0000", linewidth=1.0, linestyle="--", label=allowed)
    base = (numbers.base.audited.estimates[LP].value or 0.0, 1.0)
    systems = [(name, _points(numbers.of(name))) for name in (*_MOVED, PROMPTED)]
    for name, points in systems:
        _line(axes, name, base, points)
    axes.plot(*base, marker=_LOOKS["base"][1], color="#000000", linestyle="", label="base")
    _mark(axes, sweep)
    axes.set_xlabel("LP (sum), nats; 0: no preference")
    axes.set_ylabel("SAE perplexity ratio to base")
    axes.margins(0.08)
    axes.grid(color="0.9", linewidth=0.5)
    axes.set_axisbelow(True)
    figure.legend(loc="outside lower center", ncols=4, frameon=False, fontsize=8)
    _label(axes, sweep, base, systems)
    return figure


def _points(rows: Sequence[Row]) -> list[_Point]:
    """Those that have both numbers."""
    found = []
    for row in rows:
        one, ratio = row.audited.estimates[LP], row.sae_ratio
        if one.value is not None and ratio.value is not None:
            x, y = one.value, ratio.value
            across, up = ends(one.interval) or (x, x), ratio.interval or (y, y)
            found.append(_Point(row.cell.beta, x, y, across, up))
    return found


def _line(axes: Axes, name: str, base: Ends, points: Sequence[_Point]) -> None:
    from matplotlib.transforms import ScaledTranslation

    if not points:
        return
    colour, marker = _LOOKS[name]
    x, y = [one.x for one in points], [one.y for one in points]
    if name != PROMPTED:
        axes.plot([base[0], *x], [base[1], *y], color=colour, linewidth=0.6, alpha=0.6)
    apart = _MOVED.get(name, 0.0) / 72  # systems at one place stay visible
    axes.errorbar(
        x, y,
        xerr=_reach(x, [one.across for one in points]),
        yerr=_reach(y, [one.up for one in points]),
        marker=marker, markersize=5, markerfacecolor=colour if name in _FILLED else "none",
        color=colour, linestyle="", capsize=2, elinewidth=0.8, alpha=0.75, label=shown(name),
        transform=axes.transData + ScaledTranslation(apart, apart, axes.figure.dpi_scale_trans),
    )  # fmt: skip
    # Intervals that are moved do not count where axes find their limits.
    axes.update_datalim([(x, y) for one in points for x in one.across for y in one.up])
    axes.autoscale_view()


def _label(
    axes: Axes, sweep: Sweep, base: Ends, systems: Sequence[tuple[str, list[_Point]]]
) -> None:
    """The strengths at both ends of each line and at the chosen place."""
    axes.figure.canvas.draw()  # the layout, and with it where everything is
    axes.figure.set_layout_engine("none")  # type: ignore[union-attr]
    axes.set_xlim(axes.get_xlim())
    axes.set_ylim(axes.get_ylim())
    most = 1 + sweep.settings.tolerance
    drawn: list[tuple[Floats, float]] = [(np.array([base]), _MARKER)]
    drawn += [(np.array([(x, y) for x in axes.get_xlim()]), 0.5) for y in (1.0, most)]
    labels = []
    for name, points in systems:
        drawn += [(np.array([(one.x, one.y)]), _MARKER) for one in points]
        for one in points:
            drawn.append((np.array([(end, one.y) for end in one.across]), 2.0))
            drawn.append((np.array([(one.x, end) for end in one.up]), 2.0))
        if name == PROMPTED:
            continue
        drawn.append((np.array([base, *((one.x, one.y) for one in points)]), 0.5))
        kept = {point.beta for point in (*points[:1], *points[-1:])} | {sweep.choice.compared}
        colour = _LOOKS[name][0]
        labels += [Label(p.x, p.y, f"{p.beta:g}", colour) for p in points if p.beta in kept]
    place(axes, labels, drawn)


def _reach(values: Sequence[float], intervals: Sequence[Ends]) -> list[list[float]]:
    """How far intervals reach down and up."""
    both = list(zip(values, intervals, strict=True))
    return [
        [max(0.0, value - low) for value, (low, _) in both],
        [max(0.0, high - value) for value, (_, high) in both],
    ]


def _mark(axes: Axes, sweep: Sweep) -> None:
    """A ring around the strength that was chosen."""
    for one in _points([sweep.steered]):
        said = "chosen" if sweep.choice.beta else "compared; recommended is 0"
        axes.plot(
            [one.x], [one.y], marker="o", markersize=13, markerfacecolor="none", color="#000000",
            linestyle="", label=f"{said} (β = {one.beta:g})",
        )  # fmt: skip
