"""Changes by type of error and by the part of the prompt that carries the errors."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from plotly.graph_objects import Bar, Heatmap
from plotly.graph_objects import Figure as Plot
from plotly.subplots import make_subplots

from sociolect.generators.conditions import PARTS
from sociolect.harness.leaderboard.board import Change
from sociolect.harness.leaderboard.figures_data import (
    Drawn,
    Line,
    Spot,
    delta,
    interval,
    shared_level,
    significant,
)
from sociolect.harness.leaderboard.figures_look import (
    CLEAR,
    COLOURS,
    axis,
    change_axis,
    change_text,
    count_of,
    ends,
    escaped,
    finished,
    largest,
    metric_name,
    shown_names,
    signed,
)

_DIVERGING = ((0.0, "#0072B2"), (0.5, "#F7F7F7"), (1.0, "#D55E00"))
_CELL, _BAR, _GAP = 28, 15, 70
_HATCH = "rgba(128,128,128,0.7)"
_PATTERNS: Mapping[str, str] = {"input": "", "instruction": "/", "both": "x"}

_Places = Sequence[tuple[Spot, int]]


def types(found: Drawn) -> tuple[str, dict[str, Any]] | None:
    """A heat map of the changes, transforms × models; `None` for a single transform."""
    inputs = [spot for spot in found.spots if spot.part == "input"]
    rows = [(s, level) for s in inputs if (level := shared_level(found, s)) is not None]
    if len(rows) < 2:
        return None
    lines = [one for one in found.lines if any(delta(one.at.get(at)) is not None for at in rows)]
    names = shown_names(lines)
    values = [[delta(line.at.get(at)) for line in lines] for at in rows]
    most = max((abs(value) for row in values for value in row if value is not None), default=0)
    plot = Plot(
        Heatmap(
            z=values,
            x=[names[line.number] for line in lines],
            y=[f"{escaped(spot.label)} {level} %" for spot, level in rows],
            text=[[_printed(line.at.get(at)) for line in lines] for at in rows],
            texttemplate="%{text}",
            textfont={"size": 10},
            hovertext=[[_hover(line, at) for line in lines] for at in rows],
            hoverinfo="text",
            colorscale=[list(step) for step in _DIVERGING],
            zmin=-(most or 1),
            zmax=most or 1,
            zmid=0,
            hoverongaps=False,
            xgap=2,
            ygap=2,
            showscale=False,
        )
    )
    plot.update_yaxes(**axis(autorange="reversed", showgrid=False, type="category"))
    plot.update_xaxes(**axis(showgrid=False, type="category", tickangle=-50))
    alt = (
        f"Heat map of the change of {metric_name(found)} on {found.subject.label}: "
        f"{count_of(len(rows), 'kind')} of change to the input by "
        f"{count_of(len(lines), 'model')}. {_largest(found, lines, rows)}"
    )
    return alt, finished(plot, max(len(rows), 3) * _CELL)


def _printed(change: Change | None) -> str:
    """The number in a cell, bold if significant; nothing where it is missing."""
    if change is None or delta(change) is None:
        return ""
    text = signed(delta(change))
    return f"<b>{text}</b>" if significant(change) else text


def _hover(line: Line, at: tuple[Spot, int]) -> str:
    change = line.at.get(at)
    where = f"{escaped(line.label)}<br>{escaped(at[0].label)} {at[1]} %"
    return f"{where}<br>{change_text(change)}" if change else where


def _largest(found: Drawn, lines: Sequence[Line], places: _Places) -> str:
    return largest(
        [
            (line, found.conditions[at].label, line.at[at])
            for line in lines
            for at in places
            if at in line.at
        ],
    )


def parts(found: Drawn) -> tuple[str, dict[str, Any]] | None:
    """Bars by the part that carries the errors; `None` where one part alone does."""
    groups = _by_part(found)
    if not groups:
        return None
    bars = len(found.lines) * max(len(places) for places in groups.values())
    panel = max(bars * _BAR, 120)
    height = len(groups) * panel + (len(groups) - 1) * _GAP
    titles = [f"{escaped(places[0][0].transform)} {places[0][1]} %" for places in groups.values()]
    plot = make_subplots(
        rows=len(groups), cols=1, shared_xaxes="all", subplot_titles=titles,
        vertical_spacing=_GAP / height,
    )  # fmt: skip
    seen: set[str] = set()
    for row, places in enumerate(groups.values(), start=1):
        for at in places:
            part = at[0].part
            trace = {**_bars(found, at), "name": part, "showlegend": part not in seen}
            plot.add_trace(Bar(**trace), row=row, col=1)
            seen.add(part)
    plot.update_yaxes(**axis(autorange="reversed", type="category"))
    plot.update_xaxes(**axis(zeroline=True, showticklabels=True))
    title = change_axis(found)
    plot.update_xaxes(row=len(groups), title={"text": title, "standoff": 4})
    alt = (
        f"Bars of the change of {metric_name(found)} on {found.subject.label} by the part of the "
        f"prompt that carries the errors ({', '.join(p for p in PARTS if p in seen)}), for "
        f"{count_of(len(found.lines), 'model')}. "
        f"{_largest(found, found.lines, [at for places in groups.values() for at in places])}"
    )
    return alt, finished(plot, height, barmode="group")


def _by_part(found: Drawn) -> dict[tuple[str, str], list[tuple[Spot, int]]]:
    """By transform and rules the parts at the highest level that most of them have."""
    spots: dict[tuple[str, str], list[Spot]] = defaultdict(list)
    for spot in found.spots:
        spots[spot.transform, spot.rules].append(spot)
    groups = {}
    for key, several in spots.items():
        several.sort(key=lambda spot: PARTS.index(spot.part))
        counts: dict[int, list[Spot]] = defaultdict(list)
        for spot in several:
            for level in found.spots[spot]:
                if any(delta(line.at.get((spot, level))) is not None for line in found.lines):
                    counts[level].append(spot)
        level = max(counts, key=lambda one: (len(counts[one]), one), default=0)
        if len(counts[level]) > 1:
            groups[key] = [(spot, level) for spot in counts[level]]
    return groups


def _bars(found: Drawn, at: tuple[Spot, int]) -> dict[str, Any]:
    """A bar a line, filled where the change is significant."""
    part, names = at[0].part, shown_names(found.lines)
    lines = [line for line in found.lines if delta(line.at.get(at)) is not None]
    changes = [line.at[at] for line in lines]
    arms = [ends(delta(one), *interval(one)) for one in changes]
    colour = COLOURS[PARTS.index(part)]
    fills = [colour if significant(change) else CLEAR for change in changes]
    return {
        "orientation": "h",
        "x": [delta(change) for change in changes],
        "y": [names[line.number] for line in lines],
        "legendgroup": part,
        "marker": {
            "color": fills,
            "line": {"color": colour, "width": 1.5},
            "pattern": {"shape": _PATTERNS[part], "bgcolor": fills, "fgcolor": _HATCH},
        },
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": [above for above, _ in arms],
            "arrayminus": [below for _, below in arms],
            "width": 2,
            "thickness": 1,
            "color": colour,
        },
        "hovertext": [_hover(line, at) for line in lines],
        "hoverinfo": "text",
    }
