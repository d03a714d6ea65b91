"""What a fit looks like on the screen, in its report and as a picture."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import torch
from measured_fits import measured

from sociolect.harness.steering.fit_plot import draw_layers
from sociolect.harness.steering.fit_report import Report, digits
from sociolect.steering.fitting.fit_vectors import chosen_weights

EFFECTS = [(-0.3, -0.1, 0.2)] * 30


def report(count: int = 30, **options: Any) -> Report:
    found = measured(EFFECTS[:count], layers=2, **options)
    return Report(found, chosen_weights(found))


def cells(found: Report, column: str) -> list[str]:
    sheet = found.sheet()
    at = [one.name for one in sheet.columns].index(column)
    return [row[at].text for row in sheet.rows]


@pytest.mark.parametrize(
    ("number", "least", "text"),
    [
        (1234.56, 1, "1,234.6"),
        (123.456, 1, "123.5"),
        (12.345, 1, "12.3"),
        (1.2345, 1, "1.23"),
        (0.012345, 1, "0.0123"),
        (0.000012345, 4, "0.0000123"),
        (0.012345, 4, "0.0123"),
        (0.0, 1, "0.00"),
    ],
)
def test_numbers_keep_three_digits(number: float, least: int, text: str) -> None:
    assert digits(number, least) == text


def test_small_norms_are_told() -> None:
    found = report(norms=torch.tensor([0.0123456, 0.5, 1234.5]))
    assert cells(found, "median norm") == ["0.0123", "0.500", "1,234.5"]
    assert "of 0.0123 (block 0), 0.500 (block 1)" in found.as_markdown(Path("F"), drawn=False)


def test_of_four_items_no_interval_is_shown() -> None:
    found = report(4)
    assert cells(found, "95% CI") == cells(found, "in top") == ["–"] * 3
    assert all(block["low"] is None for block in found.as_json()["blocks"])
    assert cells(report(5), "95% CI")[0] == "[-0.3000, -0.3000]"
    assert cells(report(5), "in top") == ["100%", "100%", "0%"]


def test_one_is_no_plural() -> None:
    assert report(1, pairs=1).sheet().title == "tiny, dialect: 1 pair, 1 item traced"
    assert report(2).sheet().title == "tiny, dialect: 40 pairs, 2 items traced"


def test_stability_of_one_pair_is_not_shown() -> None:
    assert cells(report(stability=torch.full((3,), math.nan)), "stability") == ["–"] * 3


def test_the_mean_preference_is_defined() -> None:
    dialect, errors = (report(kind=kind) for kind in ("dialect", "errors"))
    for found in (dialect, errors):
        text = found.as_markdown(Path("FIT"), drawn=False)
        assert all(part in text for part in ("b = log P", "sums over", "in nats", "Eq. 3"))
    (line,) = [line for line in dialect.sheet().notes if "b = log" in line]
    assert "log P(the continuation that goes with the context) − log P(the other one)" in line
    assert "mean preference for the continuation that goes with" in dialect.summary()[1]
    (line,) = [line for line in errors.sheet().notes if "b = log" in line]
    assert "log P(the right option) − log P(a wrong one)" in line
    assert "mean preference for the right option: +0.500 nats" in errors.summary()[1]


def test_what_to_do_next_hangs_on_what_was_fitted() -> None:
    dialect, errors = (
        report(kind=kind).as_markdown(Path("my fit"), drawn=False) for kind in ("dialect", "errors")
    )
    assert "sociolect steer sweep 'my fit'" in dialect
    assert "finetune report" not in dialect
    assert (
        "sociolect finetune report RUNS --base MODEL --steered 'my fit' --control "
        "'my fit/controls/random.safetensors'"
    ) in errors
    assert "steer sweep" not in errors


def test_the_picture_says_what_it_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    bars: list[Any] = []
    saved: list[Any] = []
    plain, save = Axes.errorbar, Figure.savefig

    def errorbar(self: Any, *given: Any, **options: Any) -> Any:
        bars.append(options["yerr"])
        return plain(self, *given, **options)

    def savefig(self: Any, *given: Any, **options: Any) -> Any:
        saved.append(self)
        return save(self, *given, **options) if len(saved) > 1 else None

    monkeypatch.setattr(Axes, "errorbar", errorbar)
    monkeypatch.setattr(Figure, "savefig", savefig)
    assert draw_layers(report(4), tmp_path / "few.png")
    assert bars == [None] * 3
    assert draw_layers(report(30), tmp_path / "many.png")
    assert None not in bars[3:]
    assert "interval" not in saved[0].axes[0].get_ylabel()
    label = saved[1].axes[0].get_ylabel()
    assert "95% interval" in label
    assert "below 0: restores the preference" in label
    assert saved[1].dpi >= 150
    data = (tmp_path / "many.png").read_bytes()
    assert int.from_bytes(data[16:20], "big") == round(7 * saved[1].dpi)
