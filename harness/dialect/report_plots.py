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
from textwrap import fill
from typing import TYPE_CHECKING, Any

from sociolect.generators.dialect.pairs import VARIETIES
from sociolect.generators.errors import InvalidInputError, MissingToolError
from sociolect.harness.dialect.audits import CHOICE, CONTINUATION, Key
from sociolect.harness.dialect.findings import Audit, Audited, Estimate
from sociolect.harness.dialect.localisation_plot import draw as draw_features
from sociolect.harness.sheets import printable
from sociolect.tasks.dialect.catalogue import WORDINGS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#000000")
"""Of Okabe and Ito, told apart without colour too; then again."""
_MARKERS: Mapping[str, str] = {"sae": "o", "aae": "^"}
_SIDES: Mapping[str, tuple[str, str]] = {"sae": ("#0072B2", ""), "aae": ("#E69F00", "//")}
"""Colour and hatch of the bars by variety of the continuation."""
_LETTERS = 12
"""Of the caption that fit into an inch."""


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
    target = folder.absolute()
    try:
        work = Path(tempfile.mkdtemp(prefix=".sociolect-", dir=target.parent))
    except OSError as error:
        raise InvalidInputError(
            f"--plots {folder}: cannot be written ({error.strerror})"
        ) from error
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
    except OSError as error:
        raise InvalidInputError(
            f"--plots {folder}: cannot be written ({error.strerror})"
        ) from error
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return notes


def draw(audit: Audit, folder: Path, prefix: str = "") -> list[str]:
    """Write the pictures of one dataset; returns sentences on those that have no numbers."""
    notes = []
    drawn = {"perplexity": _scatter(audit), "choice": _choices(audit)}
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
        draw_features(found, folder / f"{prefix}lp_by_feature.png")
    except InvalidInputError as error:
        notes.append(f"no picture of LP by class of feature: {error}.")
    return notes


def _figure(width: float, height: float, audit: Audit, what: str) -> Figure:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=120, layout="constrained")
    FigureCanvasAgg(figure)  # no window, and no state of pyplot
    level = f"{100 * audit.method.confidence:g} % intervals"
    lines = [what, f"{audit.dataset.label}, {len(audit.dataset.ids)} pairs, {level}"]
    wrapped = "\n".join(fill(line, int(width * _LETTERS)) for line in lines)
    figure.suptitle(printable_lines(wrapped), fontsize=10, parse_math=False)
    return figure


def printable_lines(text: str) -> str:
    """The text with control characters but ends of lines replaced."""
    return "\n".join(map(printable, text.split("\n")))


def _reach(estimates: Sequence[Estimate], factor: float = 1.0) -> list[list[float]]:
    """How far intervals reach down and up; 0 without one."""
    reach: list[list[float]] = [[], []]
    for one in estimates:
        value, (low, high) = one.value or 0.0, one.interval or (None, None)
        reach[0].append(0.0 if low is None else factor * max(0.0, value - low))
        reach[1].append(0.0 if high is None else factor * max(0.0, high - value))
    return reach


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
    figure = _figure(6.5, 6, audit, "perplexity of continuations, by context")
    axes = figure.add_subplot()
    for number, one, context, (sae, aae) in points:
        axes.errorbar(
            [sae.value or 0.0], [aae.value or 0.0], xerr=_reach([sae]), yerr=_reach([aae]),
            marker=_MARKERS[context], color=_COLOURS[number % len(_COLOURS)], linestyle="",
            capsize=2, label=_shown(f"{one.system.label}, {context.upper()} context"),
        )  # fmt: skip
    _diagonal(axes, [e for *_, pair in points for e in pair])
    axes.set_xlabel("perplexity of SAE continuations")
    axes.set_ylabel("perplexity of AAE continuations")
    _key(axes)
    return figure


def _diagonal(axes: Any, estimates: Iterable[Estimate]) -> None:
    values = [end for one in estimates for end in (one.value, *(one.interval or ())) if end]
    low, high = min(values) / 1.2, max(values) * 1.2
    axes.plot([low, high], [low, high], color="0.6", linewidth=0.8, linestyle="--", label="equal")
    axes.set_xscale("log")
    axes.set_yscale("log")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter("{x:g}")
        axis.set_minor_formatter("{x:g}")


def _choices(audit: Audit) -> Figure | None:
    bars = [
        (one, wording, context, found)
        for one in audit.systems
        for wording in WORDINGS
        for context in reversed(VARIETIES)
        if (found := _match(one, wording, context))
    ]
    if not bars:
        return None
    figure = _figure(7.5, 1.6 + 0.32 * len(bars), audit, "chosen continuations, by context")
    axes = figure.add_subplot()
    at = range(len(bars))
    of_sae = [_sae_share(context, found) for *_, context, found in bars]
    for side, lefts, widths in (
        ("sae", [0.0] * len(bars), of_sae),
        ("aae", of_sae, [100 - share for share in of_sae]),
    ):
        colour, hatch = _SIDES[side]
        axes.barh(
            at, widths, left=lefts, color=colour, hatch=hatch, edgecolor="white",
            label=f"{side.upper()} continuation",
        )  # fmt: skip
    reach = [_reach([found], 100) for *_, found in bars]
    turned = [_turned(context, one) for (*_, context, _), one in zip(bars, reach, strict=True)]
    ends = [[down for (down, _) in turned], [up for (_, up) in turned]]
    axes.errorbar(of_sae, at, xerr=ends, linestyle="", color="black", capsize=2, linewidth=1)
    axes.axvline(50, color="black", linewidth=0.8, linestyle="--")
    names = [
        f"{one.system.label}, {wording}, {context.upper()} ctx" for one, wording, context, _ in bars
    ]
    axes.set_yticks(at, map(_shown, names), fontsize=7, parse_math=False)
    axes.margins(y=0.01)
    axes.invert_yaxis()
    axes.set_xlim(0, 100)
    axes.set_xlabel("chosen (% of the answers)")
    axes.legend(frameon=False, fontsize=8, ncols=2, loc="lower center", bbox_to_anchor=(0.5, 1))
    return figure


def _match(one: Audited, wording: str, context: str) -> Estimate | None:
    found = one.estimates.get(Key(f"{CHOICE}_{wording}", f"{context}_match"))
    return found if found is not None and found.value is not None else None


def _sae_share(context: str, found: Estimate) -> float:
    """Per cent of the answers that choose the SAE continuation."""
    share = 100 * (found.value or 0.0)
    return share if context == "sae" else 100 - share


def _turned(context: str, reach: Sequence[Sequence[float]]) -> tuple[float, float]:
    """How far the interval of the SAE share reaches down and up."""
    (down,), (up,) = reach
    return (down, up) if context == "sae" else (up, down)


def _shown(name: str) -> str:
    """A name as matplotlib sets it: a label that begins with _ would be left out of a legend."""
    return fill(printable(name).replace("$", r"\$"), 60).lstrip("_") or "?"


def _key(axes: Any) -> None:
    axes.grid(color="0.9", linewidth=0.5)
    axes.set_axisbelow(True)
    axes.legend(frameon=False, fontsize=7)
