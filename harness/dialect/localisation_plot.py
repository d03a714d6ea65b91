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
from sociolect.harness.dialect.localised import FEWEST, NONE, GroupLp, Localisation
from sociolect.harness.dialect.methods import FEW_PAIRS
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


def draw(
    found: Sequence[Localisation],
    path: Path,
    title: str = "",
    below: Sequence[Localisation] = (),
) -> Path:
    """Write the bars, a group of them a model.

    Args:
        found: One a model, at least one; of one unit.
        path: Of the PNG file; its folder must exist.
        title: Says of which data they are; the models are named below the bars.
        below: Models in another unit, for a second panel; empty for none.

    Raises:
        InvalidInputError: There is nothing to draw.
        MissingToolError: matplotlib is not installed.
    """
    require_matplotlib()
    if not any(_drawn(one, name) for one in found for name in _COLOURS):
        raise InvalidInputError("no class of features has enough pairs for a mean: no picture")
    unfinished = path.with_name(f"{path.name}.part")
    _figure(found, title, below).savefig(unfinished, format="png", metadata={"Software": None})
    unfinished.replace(path)
    return path


def _drawn(one: Localisation, name: str) -> GroupLp | None:
    group = one.group(name)
    return group if group.value is not None else None


def _figure(found: Sequence[Localisation], title: str, below: Sequence[Localisation]) -> Figure:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    panels, width = [found, below] if below else [found], 3 + 1.9 * len(found)
    figure = Figure(figsize=(width, 4.8 * len(panels)), dpi=120, layout="constrained")
    FigureCanvasAgg(figure)  # no window, and no state of pyplot
    lines = ["LP by class of feature in the AAE text", *([title] if title else [])]
    wrapped = "\n".join(fill(printable(line), int(12 * width)) for line in lines)
    figure.suptitle(wrapped, fontsize=9, parse_math=False)
    for number, panel in enumerate(panels, start=1):
        _panel(figure.add_subplot(len(panels), 1, number), panel, int(14 * width))
    return figure


def _panel(axes: Any, found: Sequence[Localisation], letters: int) -> None:
    """The bars of all models in one unit.

    Args:
        axes: Of matplotlib.
        found: One a model.
        letters: Of a caption that fit into a line.
    """
    for place, name in enumerate(_COLOURS):
        _bars(axes, found, name, (place - 2) * _WIDTH)
    names = [fill(printable(one.name), 22) for one in found]
    axes.set_xticks(range(len(found)), names, fontsize=8, parse_math=False)
    axes.set_xlim(-0.5, len(found) - 0.5)
    axes.axhline(0, color="black", linewidth=0.8)
    level = f"{100 * found[0].method.confidence:g} % intervals"
    axes.set_ylabel(f"LP ({found[0].unit}), {level}")
    few = f"; ! fewer than {FEW_PAIRS} pairs or groups" if _any_few(found) else ""
    caption = (f"above each bar: pairs{few}", *_not_shown(found))
    lines = "\n".join(fill(line, letters) for line in caption)
    axes.set_xlabel(lines, fontsize=7, parse_math=False)
    axes.grid(axis="y", color="0.9", linewidth=0.5)
    axes.set_axisbelow(True)
    axes.use_sticky_edges = False  # else there is no room above bars that all hang from 0
    axes.margins(y=0.12)  # for the numbers above the bars
    if any(_drawn(one, name) for one in found for name in _COLOURS):
        axes.legend(frameon=False, fontsize=8)


def _not_shown(found: Sequence[Localisation]) -> list[str]:
    """The classes without a bar, so that none is taken for 0."""
    said: dict[str, list[str]] = {}
    for one in found:
        few = [f"{shown(g)} ({one.group(g).n})" for g in _COLOURS if not _drawn(one, g)]
        if few:
            said.setdefault(", ".join(few), []).append(printable(one.name))
    return [
        f"no bar, fewer than {FEWEST} pairs"
        + ("" if len(names) == len(found) else f", {', '.join(names)}")
        + f": {few}"
        for few, names in said.items()
    ]


def _any_few(found: Sequence[Localisation]) -> bool:
    return any((group := _drawn(one, name)) and group.few for one in found for name in _COLOURS)


def _bars(axes: Any, found: Sequence[Localisation], name: str, shift: float) -> None:
    """The bars of one class; models without enough pairs have none."""
    there = [(at, one, group) for at, one in enumerate(found) if (group := _drawn(one, name))]
    if not there:
        return
    x = [at + shift for at, _, _ in there]
    heights = [group.value or 0.0 for _, _, group in there]
    axes.bar(
        x, heights, _WIDTH, color=_COLOURS[name], hatch=_HATCHES[name], edgecolor="black",
        linewidth=0.5, label=shown(name),
    )  # fmt: skip
    for at, (_, _, group) in zip(x, there, strict=True):
        _reach(axes, at, group)
        top = max(0.0, group.value or 0.0, *(group.interval or ()))
        axes.annotate(
            f"{group.n}{'!' * group.few}", (at, top), (0, 2), textcoords="offset points",
            ha="center", va="bottom", fontsize=6,
        )  # fmt: skip


def _reach(axes: Any, at: float, group: GroupLp) -> None:
    """The interval, if there is one: caps at the height of the bar would look like certainty."""
    if group.interval is None:
        return
    value, (low, high) = group.value or 0.0, group.interval
    ends = [[max(0.0, value - low)], [max(0.0, high - value)]]
    axes.errorbar([at], [value], yerr=ends, color="black", capsize=2, linewidth=0.8)
