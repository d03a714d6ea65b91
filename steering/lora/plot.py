"""The loss of a run as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

PLOT = "loss.png"


def plot_losses(path: Path, losses: Sequence[float], title: str) -> None:
    """Draw the loss of every step, and its mean over a window where there are many.

    The same losses give the same bytes: the file holds neither date nor version.

    Args:
        path: The PNG file to write.
        losses: Mean loss of each step, at least one.
        title: Shown above, as plain text.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    steps = range(1, len(losses) + 1)
    figure = Figure(figsize=(7, 4), dpi=120, layout="constrained")
    FigureCanvasAgg(figure)  # no window, and no state of pyplot
    axes = figure.add_subplot()
    axes.plot(steps, losses, color="0.6", linewidth=0.8, marker="." if len(losses) < 60 else None)
    window = len(losses) // 20
    if window > 1:
        axes.plot(steps, running_mean(losses, window), color="C0", label=f"mean of {window} steps")
        axes.legend(frameon=False)
    axes.set_xlabel("step")
    axes.set_ylabel("loss (nats a target token)")
    axes.set_title(title, parse_math=False)
    figure.savefig(path, format="png", metadata={"Software": None})


def running_mean(values: Sequence[float], window: int) -> list[float]:
    """The mean of each value and up to `window` - 1 before it.

    Args:
        values: In order.
        window: 1 or more.
    """
    means = []
    for end in range(1, len(values) + 1):
        part = values[max(0, end - window) : end]
        means.append(sum(part) / len(part))
    return means
