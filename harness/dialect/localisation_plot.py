"""LP by class of feature as a picture (dialect paper, Fig. 5).

The same findings give the same bytes: the file holds neither date nor version.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

from sociolect.generators.dialect.lexicon import CLASSES
from sociolect.generators.errors import InvalidInputError
from sociolect.harness.dialect.localisation_sheet import shown
from sociolect.harness.dialect.localised import NONE, GroupLp, Localisation
from sociolect.harness.judging.plots import require_matplotlib
from sociolect.harness.sheets import printable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLOURS: Mapping[str, str] = dict(
    zip((*CLASSES, NONE), ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#BBBBBB"), strict=True)
)
"""Of Okabe and Ito; grey for the pairs without a feature."""
_HATCHES: Mapping[str, str] = dict(zip((*CLASSES, NONE), ("", "//", "..", "xx", ""), strict=True))
_WIDTH = 0.16


def draw(found: Sequence[Localisation], path: Path) -> Path:
    """Write the bars, a group of them a model; a star is on the class of the highest LP.

    Args:
        found: One a model, at least one; of one unit.
        path: Of the PNG file; its folder must exist.

    Raises:
        InvalidInputError: There is nothing to draw.
        MissingToolError: matplotlib is not installed.
    """
    require_matplotlib()
    if not any(_drawn(one, name) for one in found for name in _COLOURS):
        raise InvalidInputError("no class of features has enough pairs for a mean: no picture")
    unfinished = path.with_name(f"{path.name}.part")
    _figure(found).savefig(unfinished, format="png", metadata={"Software": None})
    unfinished.replace(path)
    return path


def _drawn(one: Localisation, name: str) -> GroupLp | None:
    group = one.group(name)
    return group if group.value is not None else None


def _figure(found: Sequence[Localisation]) -> Figure:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(3 + 1.9 * len(found), 4.5), dpi=120, layout="constrained")
    FigureCanvasAgg(figure)  # no window, and no state of pyplot
    axes = figure.add_subplot()
    for place, name in enumerate(_COLOURS):
        _bars(axes, found, name, (place - 2) * _WIDTH)
    names = [fill(printable(one.name), 22) for one in found]
    axes.set_xticks(range(len(found)), names, fontsize=8, parse_math=False)
    axes.axhline(0, color="black", linewidth=0.8)
    level = f"{100 * found[0].method.confidence:g} % intervals"
    axes.set_ylabel(f"LP ({found[0].unit}), {level}")
    axes.grid(axis="y", color="0.9", linewidth=0.5)
    axes.set_axisbelow(True)
    axes.margins(y=0.12)  # room for the numbers above the bars
    axes.legend(frameon=False, fontsize=8)
    return figure


def _bars(axes: Any, found: Sequence[Localisation], name: str, shift: float) -> None:
    """The bars of one class; models without enough pairs have none."""
    there = [(at, one, group) for at, one in enumerate(found) if (group := _drawn(one, name))]
    if not there:
        return
    x = [at + shift for at, _, _ in there]
    heights = [group.value or 0.0 for _, _, group in there]
    axes.bar(
        x, heights, _WIDTH, yerr=_reach([group for _, _, group in there]), capsize=2,
        color=_COLOURS[name], hatch=_HATCHES[name], edgecolor="black", linewidth=0.5,
        error_kw={"linewidth": 0.8}, label=shown(name),
    )  # fmt: skip
    for at, (_, one, group) in zip(x, there, strict=True):
        star = "★" if one.highest == name else ""
        top = max(0.0, group.value or 0.0, *(group.interval or ()))
        axes.annotate(
            f"{star}\n{group.n}", (at, top), (0, 2), textcoords="offset points",
            ha="center", va="bottom", fontsize=6,
        )  # fmt: skip


def _reach(groups: Sequence[GroupLp]) -> list[list[float]]:
    """How far the intervals reach down and up; 0 without one."""
    ends = [(one.value or 0.0, one.interval) for one in groups]
    down = [max(0.0, value - at[0]) if at else 0.0 for value, at in ends]
    return [down, [max(0.0, at[1] - value) if at else 0.0 for value, at in ends]]
