"""Bias against utility over the strengths (dialect paper, Fig. 10).

The same sweep gives the same bytes: the file holds neither date nor version.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from sociolect.harness.dialect.report_figures import figure_of, shown
from sociolect.harness.steering.sweep import Sweep
from sociolect.harness.steering.sweep_numbers import LP, Ends, Row, ends
from sociolect.harness.steering.sweep_vectors import CONTROLS, SINGLE, VECTOR

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TRADEOFF = "tradeoff.png"
_LOOKS = {
    "base": ("#000000", "s"),
    VECTOR: ("#0072B2", "o"),
    SINGLE: ("#009E73", "D"),
    "random": ("#E69F00", "^"),
    "shuffled": ("#CC79A7", "v"),
    "layers": ("#D55E00", "P"),
}
"""Of Okabe and Ito, told apart without colour too."""


def draw(sweep: Sweep, path: Path) -> None:
    """Write the picture, whole or not at all.

    Args:
        sweep: Run and computed.
        path: Of the PNG file; replaced if it is there.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}.part")
    try:
        tradeoff(sweep).savefig(part, format="png", metadata={"Software": None})
        part.replace(path)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def tradeoff(sweep: Sweep) -> Figure:
    """LP across, SAE perplexity by that of base up, a line a system over the strengths."""
    numbers = sweep.evaluation
    figure = figure_of(7, 5.5, numbers.audit, "bias and utility over strengths β")
    axes = figure.add_subplot()
    axes.axhline(1.0, color="0.6", linewidth=0.8, linestyle="--", label="perplexity of base")
    base = numbers.base.audited.estimates[LP].value or 0.0
    for name in (VECTOR, *CONTROLS, SINGLE):
        _line(
            axes, name, base, [row for row in numbers.of(name) if row.sae_ratio.value is not None]
        )
    axes.plot([base], [1.0], marker=_LOOKS["base"][1], color="#000000", linestyle="", label="base")
    _mark(axes, sweep)
    axes.set_xlabel("LP (sum), nats; 0: no preference")
    axes.set_ylabel("SAE perplexity by that of base")
    axes.grid(color="0.9", linewidth=0.5)
    axes.set_axisbelow(True)
    axes.legend(frameon=False, fontsize=7)
    return figure


def _line(axes: Axes, name: str, base: float, rows: Sequence[Row]) -> None:
    if not rows:
        return
    colour, marker = _LOOKS[name]
    found = [row.audited.estimates[LP] for row in rows]
    x, y = [one.value or 0.0 for one in found], [row.sae_ratio.value or 0.0 for row in rows]
    axes.plot([base, *x], [1.0, *y], color=colour, linewidth=0.6, alpha=0.6)
    axes.errorbar(
        x, y,
        xerr=_reach(x, [ends(one.interval) for one in found]),
        yerr=_reach(y, [row.sae_ratio.interval for row in rows]),
        marker=marker, color=colour, linestyle="", capsize=2, elinewidth=0.8, label=shown(name),
    )  # fmt: skip
    for row, across, up in zip(rows, x, y, strict=True):
        axes.annotate(
            f"{row.cell.beta:g}", (across, up), xytext=(4, 4), textcoords="offset points",
            fontsize=7, color=colour,
        )  # fmt: skip


def _reach(values: Sequence[float], intervals: Sequence[Ends | None]) -> list[list[float]]:
    """How far intervals reach down and up; 0 without one."""
    reach: list[list[float]] = [[], []]
    for value, one in zip(values, intervals, strict=True):
        low, high = one or (value, value)
        reach[0].append(max(0.0, value - low))
        reach[1].append(max(0.0, high - value))
    return reach


def _mark(axes: Axes, sweep: Sweep) -> None:
    """A ring around the strength that was chosen."""
    row = sweep.steered
    value, ratio = row.audited.estimates[LP].value, row.sae_ratio.value
    if value is None or ratio is None:
        return
    said = "chosen" if sweep.choice.beta else "compared; recommended is 0"
    axes.plot(
        [value], [ratio], marker="o", markersize=13, markerfacecolor="none", color="#000000",
        linestyle="", label=f"{said} (β = {row.cell.beta:g})",
    )  # fmt: skip
