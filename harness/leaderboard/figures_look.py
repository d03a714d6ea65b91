"""How the figures of the page look, and the texts in them.

Plotly reads names as HTML of its own kind: all that comes from outside goes through `shown` or
`escaped`. The page sets the colours of text and background, which are left open here.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from plotly.graph_objects import Figure as Plot

from sociolect.harness.leaderboard.board import Change
from sociolect.harness.leaderboard.figures_data import (
    Drawn,
    Line,
    delta,
    interval,
    number,
    significant,
)
from sociolect.harness.sheets import NONE

COLOURS: tuple[str, ...] = (
    *("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#8C8C8C"),
)
"""Of Okabe and Ito; grey in place of black and yellow, which a dark or a light page would hide."""
SHAPES: tuple[str, ...] = (
    *("circle", "square", "diamond", "triangle-up", "triangle-down", "pentagon"),
    *("hexagram", "star", "triangle-left", "triangle-right", "hourglass"),
)
"""As many as do not divide by the number of colours: 77 lines are told apart."""
OPEN = "-open"
_LONGEST = 26
_GRID = "rgba(128,128,128,0.25)"
_ZERO = "rgba(128,128,128,0.8)"
CLEAR = "rgba(0,0,0,0)"
_FONT = 11


def escaped(text: str) -> str:
    """A text from outside that plotly shows as it is; what steers a screen as its number.

    The page writes names in the same way (`shown` of its scripts).
    """
    seen = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text)
    return html.escape(seen, quote=False)


def shown(name: str, longest: int = _LONGEST) -> str:
    """A name short enough for an axis, without its middle, escaped."""
    if len(name) > longest:
        head = (longest - 1) // 2
        name = f"{name[:head]}…{name[-(longest - 1 - head) :]}"
    return escaped(name)


def shown_names(lines: Iterable[Line]) -> dict[int, str]:
    """A short name a line, by its number; numbered where two would be called the same."""
    found: dict[int, str] = {}
    for line in lines:
        name = shown(line.label)
        found[line.number] = f"{name} [{line.number + 1}]" if name in found.values() else name
    return found


def colour_of(line: Line) -> str:
    """The same for a model and what is made of it."""
    return COLOURS[line.colour % len(COLOURS)]


def symbol_of(line: Line, *, solid: bool) -> str:
    """The shape of a line, filled or not."""
    return SHAPES[line.number % len(SHAPES)] + ("" if solid else OPEN)


def signed(value: float | None, digits: int = 1) -> str:
    """A difference as it is read."""
    return NONE if value is None else f"{value:+.{digits}f}".replace("-", "−")


def change_text(change: Change) -> str:
    """What was found, for the text that appears over a point."""
    if delta(change) is None:
        return f"not compared: {escaped(change.why_not)}" if change.why_not else "not compared"
    row = change.row
    p = row.get("p")
    low, high = interval(change)
    return f"Δ {signed(delta(change))} [{signed(low)}, {signed(high)}]" + (
        "" if p is None else f", p {p:.4f}"
    )


def largest(among: Iterable[tuple[Line, str, Change]]) -> str:
    """A sentence on the change that is largest in size, empty without any."""
    known = [
        (value, line, label, change)
        for line, label, change in among
        if (value := delta(change)) is not None
    ]
    if not known:
        return "No change could be tested."
    value, line, label, change = max(known, key=lambda one: abs(one[0]))
    mark = "significant" if significant(change) else "not significant"
    return (
        f"The largest change is that of {line.label} under {label}: {signed(value)} points, {mark}."
    )


def metric_name(found: Drawn) -> str:
    """The headline in words."""
    return "bias" if found.subject.metric == "bias" else "accuracy"


def metric_axis(found: Drawn) -> str:
    """Title of an axis with values."""
    return "bias, %" if found.subject.metric == "bias" else "accuracy, %"


def change_axis(found: Drawn) -> str:
    """Title of an axis with changes, which are differences of per cent."""
    return f"change of {metric_name(found)}, points"


def intervals_of(found: Drawn) -> str:
    """What the intervals of changes are over, in words."""
    return "intervals over question templates" if found.subject.clustered else "intervals"


def count_of(number: int, thing: str) -> str:
    """`1 model`, `2 models`."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def axis(**options: Any) -> dict[str, Any]:
    """An axis whose lines are seen on light and on dark pages."""
    return {
        "gridcolor": _GRID,
        "zerolinecolor": _ZERO,
        "linecolor": _GRID,
        "automargin": True,
        "fixedrange": False,
        **options,
    }


def finished(
    plot: Plot, height: int, data: Sequence[Mapping[str, Any]] = (), **layout: Any
) -> dict[str, Any]:
    """The figure as plotly.js takes it.

    Args:
        plot: With all of its traces and axes.
        height: Of the drawing area, in pixels.
        data: Further traces, of plain lists and numbers.
        layout: What is particular to the figure.
    """
    plot.update_layout(
        template=None,
        height=height + 80,
        paper_bgcolor=CLEAR,
        plot_bgcolor=CLEAR,
        margin={"l": 48, "r": 12, "t": 28, "b": 48},
        legend={"orientation": "h", "x": 0, "xanchor": "left", "y": -52 / height, "yanchor": "top"},
        hovermode="closest",
        font_size=_FONT,
        **layout,
    )
    plot.update_annotations(font_size=_FONT + 1)
    made: Mapping[str, Any] = plot.to_plotly_json()
    # Without a template of one's own plotly's Python would send its default one, 7 kB of it.
    return {"data": [*made["data"], *data], "layout": {**made["layout"], "template": None}}


def ends(value: float | None, low: float | None, high: float | None) -> tuple[float, float]:
    """Lengths of the two arms of an interval, 0 where there is none."""
    if value is None or low is None or high is None:
        return 0.0, 0.0
    return max(number(high - value) or 0.0, 0.0), max(number(value - low) or 0.0, 0.0)
