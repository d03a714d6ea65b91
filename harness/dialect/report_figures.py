"""What the pictures of the audit share: caption, names, and ends of intervals."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill
from typing import TYPE_CHECKING

from sociolect.harness.dialect.findings import Audit, Estimate
from sociolect.harness.sheets import printable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LETTERS = 12
"""Of the caption that fit into an inch."""


def figure_of(width: float, height: float, audit: Audit, what: str) -> Figure:
    """An empty picture with a caption that says what it shows, and of which data.

    Args:
        width: In inches.
        height: In inches.
        audit: Of the dataset.
        what: Is shown.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=120, layout="constrained")
    FigureCanvasAgg(figure)  # no window, and no state of pyplot
    level = f"{100 * audit.method.confidence:g} % intervals"
    lines = [what, f"{audit.dataset.label}, {len(audit.dataset.ids)} pairs, {level}"]
    wrapped = "\n".join(fill(line, int(width * _LETTERS)) for line in lines)
    figure.suptitle(_printable_lines(wrapped), fontsize=10, parse_math=False)
    return figure


def _printable_lines(text: str) -> str:
    """The text with control characters but ends of lines replaced."""
    return "\n".join(map(printable, text.split("\n")))


def reach_of(estimates: Sequence[Estimate], factor: float = 1.0) -> list[list[float]]:
    """How far intervals reach down and up; 0 without one."""
    reach: list[list[float]] = [[], []]
    for one in estimates:
        value, (low, high) = one.value or 0.0, one.interval or (None, None)
        reach[0].append(0.0 if low is None else factor * max(0.0, value - low))
        reach[1].append(0.0 if high is None else factor * max(0.0, high - value))
    return reach


def shown(name: str) -> str:
    """A name as matplotlib sets it: a label that begins with _ would be left out of a legend."""
    return fill(printable(name).replace("$", r"\$"), 60).lstrip("_") or "?"
