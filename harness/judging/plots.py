"""Pictures of the findings: flip rate by p, fabrication against erasure, transition matrices.

Their numbers are in `conditions.csv` and `transitions.csv`. The same findings give the same bytes:
the files hold neither date nor version.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any, Literal

from sociolect.generators.conditions import NOISES
from sociolect.generators.errors import MissingToolError
from sociolect.harness.judging.asymmetry import Rate
from sociolect.harness.judging.findings import ConditionFlips, Flips
from sociolect.harness.judging.verdicts import OUTCOMES
from sociolect.harness.sheets import printable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Layout = Literal["constrained"] | None

_STYLES: Mapping[str, tuple[str, str]] = dict(
    zip(
        NOISES,
        (
            ("#0072B2", "o"),
            ("#E69F00", "s"),
            ("#009E73", "^"),
            ("#CC79A7", "D"),
            ("#D55E00", "v"),
        ),
        strict=True,
    )
)
"""Colour and marker by transform: the colours of Okabe and Ito, told apart without colour too."""
_OTHER = ("#000000", "x")
_LETTERS = 12
"""Of the caption that fit into an inch."""


def require_matplotlib() -> None:
    """Say at once that pictures cannot be drawn.

    Raises:
        MissingToolError: matplotlib is not installed.
    """
    if find_spec("matplotlib") is None:
        raise MissingToolError(
            "matplotlib is not installed, which draws the plots: pip install 'sociolect[plots]', "
            "or leave them out with --no-plots"
        )


def draw(flips: Flips, folder: Path, prefix: str = "") -> list[Path]:
    """Write the three pictures.

    Args:
        flips: Of one judge.
        folder: Must exist.
        prefix: Of the file names.

    Raises:
        MissingToolError: matplotlib is not installed.
    """
    require_matplotlib()
    figures = {
        "flip_rate": _flip_rate(flips),
        "fabrication_erasure": _against(flips),
        "transitions": _matrices(flips),
    }
    paths = []
    for name, figure in figures.items():
        paths.append(folder / f"{prefix}{name}.png")
        figure.savefig(paths[-1], format="png", metadata={"Software": None})
    return paths


def _figure(
    width: float, height: float, flips: Flips, what: str, layout: Layout = "constrained"
) -> Figure:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=120, layout=layout)
    FigureCanvasAgg(figure)  # no window, and no state of pyplot
    counts = f"n = {len(flips.judgements.items.ids)} items, {flips.questions} questions"
    lines = [printable(flips.judgements.name), what, counts]
    wrapped = "\n".join(fill(line, int(width * _LETTERS)) for line in lines)
    figure.suptitle(wrapped, fontsize=10, parse_math=False)
    return figure


def _series(flips: Flips) -> dict[tuple[str, int], list[ConditionFlips]]:
    """The conditions of each transform and error seed, by level."""
    found: dict[tuple[str, int], list[ConditionFlips]] = defaultdict(list)
    for one in sorted(flips.conditions, key=lambda one: one.condition.level):
        found[one.condition.transform, one.error_seed].append(one)
    return found


def _name(key: tuple[str, int]) -> str:
    return f"{key[0]} (error seed {key[1]})" if key[1] else key[0]


def _points(rates: Sequence[Rate]) -> tuple[list[float], list[list[float]]]:
    """Values in per cent, and how far their intervals reach down and up; 0 without one."""
    values = [100 * (rate.value or 0) for rate in rates]
    reach: list[list[float]] = [[], []]
    for rate, value in zip(rates, values, strict=True):
        low, high = rate.interval or (None, None)
        reach[0].append(0 if low is None else max(0.0, value - 100 * low))
        reach[1].append(0 if high is None else max(0.0, 100 * high - value))
    return values, reach


def _flip_rate(flips: Flips) -> Figure:
    level = f"{100 * flips.method.confidence:g} % intervals"
    figure = _figure(7, 4.5, flips, f"flip rate by attempt probability, {level}")
    axes = figure.add_subplot()
    for key, conditions in _series(flips).items():
        shown = [one for one in conditions if one.rates["flips"].pool]
        values, reach = _points([one.rates["flips"] for one in shown])
        at = [one.condition.level / 100 for one in shown]
        _bars(axes, at, values, {"yerr": reach}, key, line="-")
    axes.set_xlabel("probability p of an edit attempt")
    axes.set_ylabel("verdicts that flip (% of items parsed in both)")
    axes.set_xlim(0, 1.05)
    axes.set_ylim(bottom=0)
    _key(axes)
    return figure


def _against(flips: Flips) -> Figure:
    level = f"{100 * flips.method.confidence:g} % intervals"
    figure = _figure(6.5, 6, flips, f"fabrication against erasure, {level}; numbers are p in %")
    axes, top = figure.add_subplot(), 1.0
    names = ("erasure_eligible", "fabrication_eligible")
    for key, conditions in _series(flips).items():
        shown = [c for c in conditions if all(c.rates[name].pool for name in names)]
        (x, wide), (y, high) = (_points([c.rates[name] for c in shown]) for name in names)
        _bars(axes, x, y, {"xerr": wide, "yerr": high}, key, line="")
        for one, a, b in zip(shown, x, y, strict=True):
            axes.annotate(
                str(one.condition.level), (a, b), (4, 4), textcoords="offset points", fontsize=7
            )
        ends = (v + r for v, r in zip((*x, *y), (*wide[1], *high[1]), strict=True))
        top = max(top, *ends, top)
    axes.plot([0, top], [0, top], color="0.6", linewidth=0.8, linestyle="--", label="equal rates")
    axes.set_xlabel("erased (% of clean A or B verdicts)")
    axes.set_ylabel("fabricated (% of clean NONE verdicts)")
    _key(axes)
    return figure


def _bars(
    axes: Any,
    x: Sequence[float],
    y: Sequence[float],
    reach: Mapping[str, list[list[float]]],
    key: tuple[str, int],
    line: str,
) -> None:
    colour, marker = _STYLES.get(key[0], _OTHER)
    axes.errorbar(
        x, y, **reach, color=colour, marker=marker, linestyle=line, capsize=2, label=_name(key)
    )


def _key(axes: Any) -> None:
    axes.grid(color="0.9", linewidth=0.5)
    axes.set_axisbelow(True)
    axes.legend(frameon=False, fontsize=8)


def _matrices(flips: Flips) -> Figure:
    """A panel a condition: per cent of each clean outcome, and counts."""
    series = list(_series(flips).values())
    columns = max(map(len, series))
    what = "noisy verdicts of each clean verdict, row per cent and counts"
    width, height = 2.2 * columns + 1, 2.2 * len(series) + 1.5
    # Placed by hand: the solver takes longer than all the rest together.
    figure = _figure(width, height, flips, what, layout=None)
    grid = figure.subplots(len(series), columns, squeeze=False)
    figure.subplots_adjust(
        left=0.8 / width, right=1 - 0.1 / width, bottom=0.6 / height, top=1 - 1.1 / height,
        wspace=0.3, hspace=0.3,
    )  # fmt: skip
    for number, (row, conditions) in enumerate(zip(grid, series, strict=True), start=1):
        for place, axes in enumerate(row):
            if place < len(conditions):
                _matrix(axes, conditions[place], last=number == len(series), first=place == 0)
            else:
                axes.set_axis_off()
    return figure


def _matrix(axes: Any, one: ConditionFlips, *, last: bool, first: bool) -> None:
    sums = [sum(row) for row in one.matrix]
    shares = [
        [100 * n / total if total else 0.0 for n in row]
        for row, total in zip(one.matrix, sums, strict=True)
    ]
    axes.imshow(shares, cmap="cividis", vmin=0, vmax=100)
    names = [name if name != "unparsed" else "?" for name in OUTCOMES]
    for i, row in enumerate(one.matrix):
        for j, n in enumerate(row):
            text = f"{shares[i][j]:.0f} %\n{n}" if sums[i] else "–"
            colour = "black" if shares[i][j] > 50 else "white"
            axes.text(j, i, text, ha="center", va="center", fontsize=5.5, color=colour)
    axes.set_title(printable(one.label), fontsize=7, parse_math=False)
    axes.set_xticks(range(len(names)), names, fontsize=6)
    axes.set_yticks(range(len(names)), names, fontsize=6)
    if last:
        axes.set_xlabel("noisy verdict", fontsize=7)
    if first:
        axes.set_ylabel("clean verdict", fontsize=7)
