"""Changes with their intervals, one below the other, in groups by condition."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from plotly.graph_objects import Figure as Plot
from plotly.graph_objects import Scatter

from sociolect.harness.leaderboard.board import Change, ConditionOf
from sociolect.harness.leaderboard.figures_data import (
    DIGITS,
    Drawn,
    Line,
    Spot,
    delta,
    interval,
    number,
    significant,
)
from sociolect.harness.leaderboard.figures_look import (
    axis,
    change_axis,
    change_text,
    colour_of,
    count_of,
    ends,
    escaped,
    finished,
    intervals_of,
    largest,
    metric_name,
    shown,
    shown_names,
    symbol_of,
)

_ROW = 17
"""Pixels between two rows."""
_MARGIN, _LEAST = 0.05, 0.5
"""Beside the outermost changes: a share of their range, and points where that is next to none."""
_Group = tuple[ConditionOf, list[tuple[Line, Change]]]


def highest(found: Drawn) -> set[str]:
    """The conditions of the first forest plot: of each transform the highest level, in the input.

    Levels at which nothing was compared do not count.
    """
    best: dict[Spot, int] = {}
    for line in found.lines:
        for (spot, level), change in line.at.items():
            if spot.part == "input" and delta(change) is not None:
                best[spot] = max(level, best.get(spot, 0))
    return {found.conditions[place].id for place in best.items()}


def forest(found: Drawn, chosen: Collection[str]) -> tuple[str, dict[str, Any]] | None:
    """The changes under some conditions, as description and plot; `None` if none was compared.

    Args:
        found: What there is to draw.
        chosen: Ids of conditions.
    """
    groups = _groups(found, chosen)
    if not groups:
        return None
    rows = _rows(groups)
    plot = Plot()
    for line in found.lines:
        mine = [(at, change) for at, one, change in rows if one is line and change]
        if mine:
            plot.add_trace(Scatter(**_trace(line, mine)))
    names = shown_names(found.lines)
    texts = [
        f"<b>{shown(heading)}</b>" if not isinstance(heading, Line) else names[heading.number]
        for _, heading, _ in rows
    ]
    size = len(rows)
    plot.update_yaxes(
        **axis(tickvals=list(range(size)), ticktext=texts, range=[size - 0.5, -0.5], zeroline=False)
    )
    title = {"text": change_axis(found), "standoff": 4}
    plot.update_xaxes(**axis(title=title, zeroline=True, range=span(found)))
    among = [(line, condition.label, one) for condition, several in groups for line, one in several]
    alt = (
        f"Change of {metric_name(found)} on {found.subject.label} with {intervals_of(found)}, for "
        f"{count_of(len({line.number for line, *_ in among}), 'model')} under "
        f"{count_of(len(groups), 'condition')}, sorted in each from the largest to the smallest. "
        f"{largest(among)}"
    )
    return alt, finished(plot, size * _ROW, showlegend=False)


def span(found: Drawn) -> list[float]:
    """The range of all changes of a subject with their intervals, which all forest plots share."""
    changes = [one for line in found.lines for _, one in line.changes]
    ends_of = [end for one in changes for end in (delta(one), *interval(one))]
    known = [0.0, *(value for end in ends_of if (value := number(end)) is not None)]
    margin = max(_MARGIN * (max(known) - min(known)), _LEAST)
    return [round(min(known) - margin, DIGITS), round(max(known) + margin, DIGITS)]


def _groups(found: Drawn, chosen: Collection[str]) -> list[_Group]:
    """By condition what was compared, the largest change first."""
    groups = []
    for condition in found.subject.conditions:
        if condition.id not in chosen:
            continue
        several = [
            (line, change)
            for line in found.lines
            for one, change in line.changes
            if one is condition and delta(change) is not None
        ]
        if several:
            several.sort(key=lambda pair: -(delta(pair[1]) or 0.0))
            groups.append((condition, several))
    return groups


def _rows(groups: Sequence[_Group]) -> list[tuple[int, Line | str, Change | None]]:
    """Position, line or heading, and the change of a line."""
    rows: list[tuple[int, Line | str, Change | None]] = []
    for condition, several in groups:
        rows.append((len(rows), condition.label, None))
        for line, change in several:
            rows.append((len(rows), line, change))
    return rows


def _trace(line: Line, mine: Sequence[tuple[int, Change]]) -> dict[str, Any]:
    arms = [ends(delta(one), *interval(one)) for _, one in mine]
    return {
        "x": [number(delta(change)) for _, change in mine],
        "y": [at for at, _ in mine],
        "mode": "markers",
        "marker": {
            "size": 8,
            "color": colour_of(line),
            "symbol": [symbol_of(line, solid=significant(change)) for _, change in mine],
        },
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": [above for above, _ in arms],
            "arrayminus": [below for _, below in arms],
            "width": 3,
            "thickness": 1,
        },
        "hovertext": [f"{escaped(line.label)}<br>{change_text(change)}" for _, change in mine],
        "hoverinfo": "text",
    }
