"""What the picture of a sweep shows, and that its texts can be read."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Annotation
from matplotlib.transforms import Bbox

from sociolect.harness.steering.sweep import Sweep
from sociolect.harness.steering.sweep_cells import Cell
from sociolect.harness.steering.sweep_numbers import LP
from sociolect.harness.steering.sweep_plot import tradeoff

from .sweep_written import Told, sweep_of, usual

STRENGTHS = (0.1, 0.4, 0.8, 1.0)


def told(cell: Cell) -> Told:
    """Controls are where the vector is; SAE costs more from pair to pair."""
    found = usual(Cell(cell.split, cell.system, min(cell.beta, 0.9)))
    if cell.system in ("random", "layers", "shuffled"):
        found = usual(Cell(cell.split, "vector", cell.beta))
    return replace(found, sae=-10.0 - 0.6 * cell.beta**2, choices={})


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Sweep:
    return sweep_of(tmp_path_factory.mktemp("plot"), told, strengths=STRENGTHS)


@pytest.fixture(scope="module")
def figure(swept: Sweep) -> Figure:
    return tradeoff(swept)


@pytest.fixture(scope="module")
def axes(figure: Figure) -> Axes:
    figure.canvas.draw()
    return figure.axes[0]


def boxes(axes: Axes) -> list[Bbox]:
    canvas = axes.figure.canvas
    assert isinstance(canvas, FigureCanvasAgg)
    texts = [one for one in axes.texts if isinstance(one, Annotation)]
    return [one.get_window_extent(canvas.get_renderer()) for one in texts]


def test_labels_are_the_ends_and_the_chosen_strength(axes: Axes, swept: Sweep) -> None:
    said = [one.get_text() for one in axes.texts]
    chosen = f"{swept.choice.compared:g}"
    assert chosen not in ("0.1", "1")
    assert sorted(said) == sorted(
        ["0.1", chosen, "1", *[chosen] * 3, f"{swept.single.cell.beta:g}"]
    )


def test_no_label_lies_on_another_or_on_a_marker(axes: Axes, swept: Sweep) -> None:
    found = boxes(axes)
    for place, one in enumerate(found):
        assert not any(one.overlaps(other) for other in found[place + 1 :])
    rows = [row for row in swept.evaluation.rows.values() if row.sae_ratio.value is not None]
    points = [(row.audited.estimates[LP].value or 0.0, row.sae_ratio.value) for row in rows]
    for x, y in axes.transData.transform(points):
        marker = Bbox.from_extents(x - 5, y - 5, x + 5, y + 5)
        assert not any(one.overlaps(marker) for one in found)


def test_no_label_lies_on_a_line(axes: Axes) -> None:
    for line in axes.lines:
        path = line.get_transform().transform_path(line.get_path())
        if len(path.vertices) > 1 and line.get_linestyle() != "None":
            assert not any(path.intersects_bbox(one, filled=False) for one in boxes(axes))


def test_labels_lie_inside(axes: Axes) -> None:
    inside = axes.get_window_extent()
    for one in boxes(axes):
        assert np.all([inside.contains(*corner) for corner in one.corners()])


def test_no_interval_is_cut_off(axes: Axes, swept: Sweep) -> None:
    left, right = axes.get_xlim()
    for row in swept.evaluation.rows.values():
        low, high = row.audited.estimates[LP].interval or (None, None)
        assert low is not None
        assert high is not None
        assert left < low < high < right


def test_the_tolerance_and_the_prompt_are_drawn(axes: Axes, swept: Sweep) -> None:
    (line,) = [one for one in axes.lines if one.get_label() == "tolerance (1.05)"]
    assert line.get_linestyle() == "--"
    assert list(line.get_ydata()) == [1.05, 1.05]
    (row,) = swept.evaluation.of("prompted")
    (prompted,) = [one for one in axes.containers if one.get_label() == "prompted"]
    (point,) = prompted[0].get_xydata()
    assert tuple(point) == (row.audited.estimates[LP].value, row.sae_ratio.value)


def test_intervals_at_one_place_are_told_apart(axes: Axes) -> None:
    """Random, shuffled and other layers have the numbers of the vector."""
    names = ("vector", "random", "shuffled", "layers")
    found = {one.get_label(): one for one in axes.containers}
    moved = [found[name][0].get_transform().transform((0, 0)).round(2).tolist() for name in names]
    assert len({tuple(one) for one in moved}) == 4
    assert len({found[name][0].get_marker() for name in names}) == 4


def test_it_says_what_it_is_of_and_is_fit_for_print(figure: Figure, axes: Axes) -> None:
    title = figure.get_suptitle()
    assert "org/tiny: bias and utility over strengths β (scale unit)" in title.replace("\n", " ")
    assert axes.get_ylabel() == "SAE perplexity ratio to base"
    assert figure.dpi >= 150
    assert figure.get_size_inches()[0] >= 7
