"""Values against the level of errors: a panel a transform and part, a line a model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from plotly.subplots import make_subplots

from sociolect.harness.leaderboard.board import Change, Value
from sociolect.harness.leaderboard.figures_data import Drawn, Line, Spot, number, significant
from sociolect.harness.leaderboard.figures_look import (
    axis,
    change_text,
    colour_of,
    count_of,
    ends,
    escaped,
    finished,
    largest,
    metric_axis,
    metric_name,
    shown_names,
    symbol_of,
)
from sociolect.harness.sheets import NONE

_COLUMNS = 2
_PANEL = 210
_GAP = 70

_Shown = Callable[[Value], float | None]


def levels(found: Drawn) -> tuple[str, dict[str, Any]] | None:
    """The headline against level, as description and plot; `None` without a value."""
    plot = _panels(found, lambda value: value.value, metric_axis(found), intervals=True)
    if plot is None:
        return None
    among = [
        (line, found.conditions[place].label, change)
        for line in found.lines
        for place, change in line.at.items()
    ]
    alt = (
        f"{metric_name(found).capitalize()} of {count_of(len(found.lines), 'model')} on "
        f"{found.subject.label} against the level of what was changed in the prompts, 0 being the "
        f"clean ones, in {count_of(len(found.spots), 'panel')}. {largest(among)}"
    )
    return alt, plot


def unanswered(found: Drawn) -> tuple[str, dict[str, Any]] | None:
    """Rates of answers that name no option, against level; `None` where there are none."""
    values = [
        (value.unanswered, line, label)
        for line in found.lines
        for value, label in _values(found, line)
        if value.unanswered
    ]
    if not values:
        return None
    plot = _panels(found, lambda value: value.unanswered, "unanswered, %", intervals=False)
    most, line, label = max(values, key=lambda one: one[0])
    alt = (
        f"Generations without an answer on {found.subject.label}, per cent, against level. The "
        f"highest rate is that of {line.label} under {label}: {most:.1f} %."
    )
    return None if plot is None else (alt, plot)


def _values(found: Drawn, line: Line) -> list[tuple[Value, str]]:
    errored = [(change.value, found.conditions[at].label) for at, change in line.at.items()]
    return [*([(line.section.clean, "clean")] if line.section.clean else []), *errored]


def _panels(
    found: Drawn, value_of: _Shown, title: str, *, intervals: bool
) -> dict[str, Any] | None:
    if not found.spots:
        return None
    rows = -(-len(found.spots) // _COLUMNS)
    columns = min(_COLUMNS, len(found.spots))
    height = rows * _PANEL + (rows - 1) * _GAP
    plot = make_subplots(
        rows=rows,
        cols=columns,
        shared_yaxes="all",
        specs=[
            [{} if row * columns + column < len(found.spots) else None for column in range(columns)]
            for row in range(rows)
        ],
        subplot_titles=[escaped(spot.label) for spot in found.spots],
        vertical_spacing=_GAP / height,
        horizontal_spacing=0.06,
    )
    data = list(_traces(found, value_of, intervals))
    if not data:
        return None
    made = finished(plot, height, data)
    # Axes and lines are set in the finished layout: plotly's Python takes milliseconds for each.
    for place, levels_of in enumerate(found.spots.values()):
        level = axis(tickvals=[0, *levels_of], title={"text": "level, %", "standoff": 4})
        made["layout"][f"xaxis{_end(place)}"].update(level)
        value = {} if place % _COLUMNS else {"title": {"text": title, "standoff": 4}}
        made["layout"][f"yaxis{_end(place)}"].update(axis(**value))
    return made


def _end(place: int) -> str:
    """What the names of the axes of a panel end in."""
    return str(place + 1) if place else ""


def _traces(found: Drawn, value_of: _Shown, intervals: bool) -> Iterator[dict[str, Any]]:
    """The lines of all panels; each is in the legend once."""
    names, seen = shown_names(found.lines), set[int]()
    for place, spot in enumerate(found.spots):
        axes = {"xaxis": f"x{_end(place)}", "yaxis": f"y{_end(place)}"}
        for line in found.lines:
            if trace := _trace(found, line, spot, value_of, intervals):
                named = {"name": names[line.number], "showlegend": line.number not in seen}
                yield {**trace, **named, **axes}
                seen.add(line.number)


def _trace(
    found: Drawn, line: Line, spot: Spot, value_of: _Shown, intervals: bool
) -> dict[str, Any] | None:
    """One line of one panel; `None` where it has no change there."""
    changes = {n: line.at[spot, n] for n in found.spots[spot] if (spot, n) in line.at}
    clean = line.section.clean
    values = {n: number(value_of(change.value)) for n, change in changes.items()}
    if not any(value is not None for value in values.values()):
        return None
    values = {0: number(value_of(clean)) if clean else None, **values}
    solid = [not intervals or (n in changes and significant(changes[n])) for n in values]
    trace = {
        "type": "scatter",
        "x": list(values),
        "y": list(values.values()),
        "mode": "lines+markers",
        "legendgroup": str(line.number),
        "line": {
            "color": colour_of(line),
            "width": 1.5,
            "dash": "dash" if line.mitigated else "solid",
        },
        "marker": {
            "size": 8,
            "color": colour_of(line),
            "symbol": [symbol_of(line, solid=one) for one in solid],
        },
        "hovertext": _hover(line, values, changes if intervals else {}),
        "hoverinfo": "text",
    }
    return {**trace, "error_y": _clean_interval(clean, len(values))} if intervals else trace


def _hover(
    line: Line, values: Mapping[int, float | None], changes: Mapping[int, Change]
) -> list[str]:
    name = escaped(line.label)
    texts = []
    for level, value in values.items():
        what = f"<br>{change_text(changes[level])}" if level in changes else ""
        shown = NONE if value is None else f"{value:.1f}"
        texts.append(f"{name}<br>{f'{level} %' if level else 'clean'}: {shown}{what}")
    return texts


def _clean_interval(clean: Value | None, points: int) -> dict[str, Any]:
    """The interval of the clean value, which stands first; none at the others."""
    above, below = ends(clean.value, clean.low, clean.high) if clean else (0.0, 0.0)
    rest = [None] * (points - 1)
    return {
        "type": "data",
        "symmetric": False,
        "array": [above, *rest],
        "arrayminus": [below, *rest],
        "width": 3,
        "thickness": 1,
        "visible": bool(above or below),
    }
