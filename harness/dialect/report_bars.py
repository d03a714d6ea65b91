"""Chosen continuations by context as bars, with the line of no preference (Fig. 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from sociolect.generators.dialect.pairs import VARIETIES, Variety
from sociolect.harness.dialect.audits import CHOICE, Key
from sociolect.harness.dialect.findings import Audit, Audited, Estimate
from sociolect.harness.dialect.report_cells import DOUBTFUL, PLAIN, SHOWN, marks_of
from sociolect.harness.dialect.report_figures import figure_of, reach_of, shown
from sociolect.tasks.dialect.catalogue import WORDINGS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SIDES: Mapping[str, tuple[str, str]] = {"sae": ("#0072B2", ""), "aae": ("#E69F00", "//")}
"""Colour and hatch of the bars by variety of the continuation."""
_SIGNS: Mapping[str, str] = {
    DOUBTFUL: "! few pairs, groups or answers of one kind: the interval is too narrow",
    PLAIN: "= the first option was always or never chosen: nothing of dialect",
}


class _Bar(NamedTuple):
    system: str
    wording: str
    context: Variety
    match: Estimate
    first: Estimate | None

    @property
    def name(self) -> str:
        """Who, and how much there is behind it."""
        first = SHOWN["first_option"].number(self.first.value if self.first else None)
        behind = f"n {self.match.n}, first option {first} % {marks_of(self.match)}"
        who = shown(f"{self.system}, {self.wording}, {self.context.upper()} ctx")
        return f"{who}\n{behind.rstrip()}"

    @property
    def of_sae(self) -> float:
        """Per cent of the answers that choose the SAE continuation."""
        share = 100 * (self.match.value or 0.0)
        return share if self.context == "sae" else 100 - share

    @property
    def reach(self) -> tuple[float, float]:
        """How far the interval of that share reaches down and up."""
        (down,), (up,) = reach_of([self.match], 100)
        return (down, up) if self.context == "sae" else (up, down)


def choices(audit: Audit) -> Figure | None:
    """A bar a system, wording and context; None without a task of choice."""
    bars = [
        _Bar(one.system.label, wording, context, found, _of(one, wording, "first_option"))
        for one in audit.systems
        for wording in WORDINGS
        for context in reversed(VARIETIES)
        if (found := _of(one, wording, f"{context}_match")) and found.value is not None
    ]
    if not bars:
        return None
    figure = figure_of(7.5, 1.8 + 0.42 * len(bars), audit, "chosen continuations, by context")
    axes = figure.add_subplot()
    _draw(axes, bars)
    _label(axes, bars)
    return figure


def _of(one: Audited, wording: str, measure: str) -> Estimate | None:
    return one.estimates.get(Key(f"{CHOICE}_{wording}", measure))


def _draw(axes: Any, bars: Sequence[_Bar]) -> None:
    """Both shares of each bar, and the interval where they meet."""
    at, of_sae = range(len(bars)), [bar.of_sae for bar in bars]
    rest = [100 - share for share in of_sae]
    for side, lefts, widths in (("sae", [0.0] * len(bars), of_sae), ("aae", of_sae, rest)):
        colour, hatch = _SIDES[side]
        axes.barh(
            at, widths, left=lefts, color=colour, hatch=hatch, edgecolor="white",
            label=f"{side.upper()} continuation",
        )  # fmt: skip
    ends = [list(side) for side in zip(*(bar.reach for bar in bars), strict=True)]
    axes.errorbar(of_sae, at, xerr=ends, linestyle="", color="black", capsize=2, linewidth=1)


def _label(axes: Any, bars: Sequence[_Bar]) -> None:
    axes.axvline(50, color="black", linewidth=0.8, linestyle="--")
    axes.set_yticks(range(len(bars)), [bar.name for bar in bars], fontsize=7, parse_math=False)
    axes.margins(y=0.01)
    axes.invert_yaxis()
    axes.set_xlim(0, 100)
    signs = {sign for bar in bars for sign in marks_of(bar.match)}
    meaning = "".join(f"\n{text}" for sign, text in _SIGNS.items() if sign in signs)
    axes.set_xlabel(f"chosen (% of the answers){meaning}", fontsize=8)
    axes.legend(frameon=False, fontsize=8, ncols=2, loc="lower center", bbox_to_anchor=(0.5, 1))
