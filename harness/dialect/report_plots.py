"""Pictures of the audit: perplexities, choices, LP by class of feature (Figs. 3, 4, 5).

Their numbers are in the JSON and the CSV. The same findings give the same bytes: the files hold
neither date nor version.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sociolect.generators.errors import InvalidInputError, MissingToolError
from sociolect.harness.dialect.audits import CONTINUATION, Key
from sociolect.harness.dialect.findings import Audit, Audited, Estimate
from sociolect.harness.dialect.localisation_plot import draw as draw_features
from sociolect.harness.dialect.report_bars import choices
from sociolect.harness.dialect.report_figures import figure_of, reach_of, shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.ticker import Locator

_NARROW, _WIDE = 8, 300
"""Between these ratios of the ends an axis is marked at 1, 2 and 5."""
_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#000000")
"""Of Okabe and Ito, told apart without colour too; then again."""
_MARKERS: Mapping[str, str] = {"sae": "o", "aae": "^"}


def check_folder(folder: Path) -> None:
    """Say at once that pictures cannot be drawn there.

    Raises:
        InvalidInputError: The folder holds something, is a file, or has no parent.
        MissingToolError: matplotlib is not installed.
    """
    if find_spec("matplotlib") is None:
        raise MissingToolError(
            "matplotlib is not installed, which draws the plots: pip install 'sociolect[plots]', "
            "or leave out --plots"
        )
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InvalidInputError(f"--plots {folder}: is there already; name a new or empty folder")
    if not folder.absolute().parent.is_dir():
        raise InvalidInputError(f"--plots {folder}: its parent is no folder; create it first")


def write_plots(audits: Sequence[Audit], folder: Path) -> list[str]:
    """Draw what there are numbers for; the folder appears whole or not at all.

    Args:
        audits: One a dataset.
        folder: New or empty.

    Returns:
        Sentences on pictures that there are no numbers for.

    Raises:
        InvalidInputError: Nothing to draw, or a folder that cannot be written to.
        MissingToolError: matplotlib is not installed.
    """
    check_folder(folder)
    try:
        return _write(audits, folder.absolute())
    except OSError as error:
        raise InvalidInputError(
            f"--plots {folder}: cannot be written ({error.strerror})"
        ) from error


def _write(audits: Sequence[Audit], target: Path) -> list[str]:
    work = Path(tempfile.mkdtemp(prefix=".sociolect-", dir=target.parent))
    try:
        notes = [
            note
            for number, audit in enumerate(audits, start=1)
            for note in draw(audit, work, "" if len(audits) == 1 else f"{number}-")
        ]
        if not any(work.iterdir()):
            raise InvalidInputError(f"--plots: {' '.join(notes)}")
        work.chmod(0o755)
        work.replace(target)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return notes


def draw(audit: Audit, folder: Path, prefix: str = "") -> list[str]:
    """Write the pictures of one dataset; returns sentences on those that have no numbers."""
    notes = []
    drawn = {"perplexity": _scatter(audit), "choice": choices(audit)}
    missing = {
        "perplexity": "the tokens of no system's continuations were counted.",
        "choice": "no task of choice was run.",
    }
    for name, figure in drawn.items():
        if figure is None:
            notes.append(f"no picture of {name}: {missing[name]}")
        else:
            path = folder / f"{prefix}{name}.png"
            figure.savefig(path, format="png", metadata={"Software": None})
    found = [one.features[0] for one in audit.systems if one.features]
    try:
        title = f"{audit.dataset.label}, pairs whose continuations differ"
        tokens = [one.features[1] for one in audit.systems if len(one.features) > 1]
        draw_features(found, folder / f"{prefix}lp_by_feature.png", title, tokens)
    except InvalidInputError as error:
        notes.append(f"no picture of LP by class of feature: {error}.")
    return notes


def _perplexities(one: Audited, context: str) -> list[Estimate] | None:
    """Of the SAE and of the AAE continuation; None where there are none."""
    keys = [Key(CONTINUATION, f"ppl_{context}_{variety}") for variety in ("sae", "aae")]
    found = [one.estimates[key] for key in keys if key in one.estimates]
    return found if len(found) == len(keys) and all(e.value for e in found) else None


def _scatter(audit: Audit) -> Figure | None:
    points = [
        (number, one, context, found)
        for number, one in enumerate(audit.systems)
        for context in _MARKERS
        if (found := _perplexities(one, context))
    ]
    if not points:
        return None
    figure = figure_of(6.5, 6, audit, "perplexity of continuations, by context")
    axes = figure.add_subplot()
    for number, one, context, (sae, aae) in points:
        axes.errorbar(
            [sae.value or 0.0], [aae.value or 0.0], xerr=reach_of([sae]), yerr=reach_of([aae]),
            marker=_MARKERS[context], color=_COLOURS[number % len(_COLOURS)], linestyle="",
            capsize=2, label=shown(f"{one.system.label}, {context.upper()} context"),
        )  # fmt: skip
    _diagonal(axes, [e for *_, pair in points for e in pair])
    axes.set_xlabel("perplexity of SAE continuations")
    axes.set_ylabel("perplexity of AAE continuations")
    _key(axes)
    return figure


def _diagonal(axes: Any, estimates: Iterable[Estimate]) -> None:
    from matplotlib.ticker import NullFormatter

    values = [end for one in estimates for end in (one.value, *(one.interval or ())) if end]
    low, high = min(values) / 1.2, max(values) * 1.2
    axes.plot([low, high], [low, high], color="0.6", linewidth=0.8, linestyle="--", label="equal")
    axes.set_xscale("log")
    axes.set_yscale("log")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(_ticks(low, high))
        axis.set_major_formatter("{x:g}")
        axis.set_minor_formatter(NullFormatter())


def _ticks(low: float, high: float) -> Locator:
    """Few enough that their labels do not run together, and two at least."""
    from matplotlib.ticker import LogLocator, MaxNLocator

    if high < _NARROW * low:
        return MaxNLocator(5)
    return LogLocator(subs=(1.0, 2.0, 5.0) if high < _WIDE * low else (1.0,))


def _key(axes: Any) -> None:
    axes.grid(color="0.9", linewidth=0.5)
    axes.set_axisbelow(True)
    axes.legend(frameon=False, fontsize=7)
