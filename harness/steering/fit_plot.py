"""R by block as a picture; the same fit gives the same bytes."""

from __future__ import annotations

import math
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from sociolect.steering.fitting.fit_settings import CONFIDENCE
from sociolect.steering.fitting.fit_vectors import LayerRow

if TYPE_CHECKING:
    from sociolect.harness.steering.fit_report import Report

_COLOUR = "#0072B2"


def draw_layers(report: Report, path: Path) -> bool:
    """Draw R of every block with its interval; blocks that are steered are filled.

    Args:
        report: Of the fit.
        path: The PNG file to write.

    Returns:
        Whether it was drawn: not without matplotlib.
    """
    if find_spec("matplotlib") is None:
        return False
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    figure = Figure(figsize=(7, 4), dpi=160, layout="constrained")
    FigureCanvasAgg(figure)  # no window, and no state of pyplot
    axes = figure.add_subplot()
    axes.axhline(0, color="0.6", linewidth=0.8)
    for row in report.rows:
        axes.errorbar(
            [row.layer],
            [row.effect],
            yerr=_bars(row),
            marker="o",
            color=_COLOUR,
            markerfacecolor=_COLOUR if row.weight else "white",
            capsize=2,
            linewidth=0.8,
        )
    axes.set_xlabel("decoder block (filled: steered)")
    drawn = "" if math.isnan(report.rows[0].low) else f", with {CONFIDENCE:.0%} interval"
    axes.set_ylabel(f"R (nats){drawn}\nbelow 0: restores the preference")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_title(report.sheet().title, parse_math=False, fontsize=9)
    figure.savefig(path, format="png", metadata={"Software": None})
    return True


def _bars(row: LayerRow) -> list[list[float]] | None:
    if math.isnan(row.low):
        return None
    # The mean lies outside of its percentile interval in rare small samples.
    return [[max(row.effect - row.low, 0)], [max(row.high - row.effect, 0)]]
