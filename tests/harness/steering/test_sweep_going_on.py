"""Cells are run once: a sweep that was stopped goes on, and a changed one is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sociolect.generators.errors import (
    InvalidInputError,
    ModelError,
    ResultsError,
    UnknownNameError,
)
from sociolect.harness.steering import sweep
from sociolect.harness.steering.sweep_cells import Cell, arguments, listing
from sociolect.harness.steering.sweep_runs import MARKER
from sociolect.harness.steering.sweep_settings import SweepSettings, parsed_strengths
from sociolect.harness.steering.sweep_vectors import fitted

from .sweep_inputs import write_pairs
from .sweep_stand_in import Runs
from .sweep_written import settings

CELLS = [
    "selection/base",
    "selection/vector-0.5",
    "selection/vector-1",
    "selection/single-0.5",
    "selection/single-1",
    "evaluation/base",
    "evaluation/prompted",
    "evaluation/vector-0.5",
    "evaluation/vector-1",
    "evaluation/random-1",
    "evaluation/shuffled-1",
    "evaluation/layers-1",
    "evaluation/single-1",
]


def test_every_cell_once_in_order(runs: Runs) -> None:
    found = sweep.run(settings(runs.root))
    assert runs.asked == CELLS
    assert found.choice.beta == 1.0
    assert len(listing(settings(runs.root))) == len(CELLS)
    sweep.run(settings(runs.root))
    assert len(runs.asked) == len(CELLS)


def test_a_stopped_sweep_goes_on(runs: Runs) -> None:
    runs.stop(3)
    sweep.run(settings(runs.root))
    assert runs.asked == CELLS


def test_controls_may_be_added(runs: Runs) -> None:
    sweep.run(settings(runs.root, controls="none"))
    assert not any("random" in cell for cell in runs.asked)
    sweep.run(settings(runs.root, controls="every"))
    assert sorted(runs.asked[-6:]) == sorted(
        f"evaluation/{name}-{beta}"
        for name in ("random", "shuffled", "layers")
        for beta in ("0.5", "1")
    )


def test_another_sweep_is_refused_with_what_differs(runs: Runs) -> None:
    runs.stop(0)
    with pytest.raises(InvalidInputError, match=r"tolerance: 0\.05 there, 0\.1 now"):
        sweep.run(settings(runs.root, tolerance=0.1))
    with pytest.raises(InvalidInputError, match=r"float32.* there, .*bfloat16.* now"):
        sweep.run(settings(runs.root, model_args={"pretrained": "org/tiny", "dtype": "bfloat16"}))
    write_pairs(runs.root / "pairs2", each=4)
    with pytest.raises(InvalidInputError, match=r"pairs_sha256: \w+ there"):
        sweep.run(replace(settings(runs.root), pairs=runs.root / "pairs2"))


def test_a_control_that_was_replaced_is_refused(runs: Runs) -> None:
    runs.stop(10)
    control = runs.root / "fit" / "controls" / "random.safetensors"
    control.write_bytes((runs.root / "fit" / "controls" / "shuffled.safetensors").read_bytes())
    with pytest.raises(InvalidInputError, match=r"random_sha256: \w+ there, \w+ now"):
        sweep.run(settings(runs.root))


def test_a_cell_of_other_arguments_is_no_finished_one(runs: Runs) -> None:
    runs.stop(10)
    marker = runs.root / "out" / "runs" / "evaluation" / "random-1" / MARKER
    found = json.loads(marker.read_text())
    marker.write_text(json.dumps({**found, "vector_sha256": "another"}))
    with pytest.raises(ResultsError, match="evaluation/random-1: was run with another vector"):
        sweep.run(settings(runs.root))


@pytest.mark.parametrize("text", ["[]", "1", "null", "[" * 100_000, "{", "\udc00"])
@pytest.mark.parametrize("name", ["settings.json", f"runs/selection/base/{MARKER}"])
def test_a_damaged_file_is_named(runs: Runs, name: str, text: str) -> None:
    runs.stop(2)
    (runs.root / "out" / name).write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(ResultsError, match=rf"{name}: (is damaged|cannot be read)"):
        sweep.run(settings(runs.root))


def test_a_folder_of_something_else_is_left_alone(runs: Runs) -> None:
    (runs.root / "out").mkdir()
    (runs.root / "out" / "thesis.tex").write_text("")
    with pytest.raises(InvalidInputError, match="holds no sweep"):
        sweep.run(settings(runs.root))
    assert not runs.asked


def test_a_fit_folder_without_controls_names_them(runs: Runs) -> None:
    (runs.root / "fit" / "controls" / "random.safetensors").unlink()
    with pytest.raises(ModelError, match=r"lacks controls/random\.safetensors.*--controls none"):
        sweep.run(settings(runs.root))
    assert set(fitted(runs.root / "fit", controls=False)) == {"vector", "single"}


def test_a_control_that_the_fit_could_not_make_is_named_and_not_run(runs: Runs) -> None:
    from sociolect.harness.steering.sweep_remarks import remarks

    (runs.root / "fit" / "controls" / "shuffled.safetensors").unlink()
    found = sweep.run(settings(runs.root))
    assert [row.cell.system for row in found.controls] == ["random", "layers"]
    assert any("the fit has no control shuffled (its report" in text for text in remarks(found))


def test_the_arguments_of_a_cell(runs: Runs) -> None:
    """The unsteered model gets no argument about steering, not even which blocks there are."""
    asked = settings(
        runs.root,
        model_args={"pretrained": "org/tiny", "steering_blocks": "h"},
        scale="residual",
        device="cpu",
    )
    vectors = fitted(runs.root / "fit")
    base = arguments(Cell("selection", "base"), asked, vectors)
    assert json.loads(base[base.index("--model_args") + 1]) == {"pretrained": "org/tiny"}
    steered = arguments(
        Cell("evaluation", "random", 0.5), asked, vectors, {"aae_continuation": [0]}
    )
    assert json.loads(steered[steered.index("--model_args") + 1]) == {
        "pretrained": "org/tiny",
        "steering_blocks": "h",
        "steering": str(runs.root / "fit" / "controls" / "random.safetensors"),
        "beta": 0.5,
        "beta_scale": "residual",
    }
    assert json.loads(steered[steered.index("--metadata") + 1]) == {"split": "evaluation"}
    assert json.loads(steered[steered.index("--samples") + 1]) == {"aae_continuation": [0]}
    assert steered[steered.index("--device") + 1] == "cpu"
    prompted = arguments(Cell("evaluation", "prompted"), asked, vectors)
    assert prompted[prompted.index("--tasks") + 1] == "aae_continuation_prompted"


def test_strengths_are_sorted_and_zero_is_always_run() -> None:
    assert parsed_strengths("1.0, 0, 0.2,0.2") == (0.2, 1.0)


@pytest.mark.parametrize("text", ["0", "", "-0.1,0.2", "x", "nan"])
def test_strengths_that_are_none(text: str) -> None:
    with pytest.raises(InvalidInputError):
        parsed_strengths(text)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"tasks": ("aae_choice_best",)}, "the rule that chooses needs aae_continuation"),
        ({"model_args": {"dtype": "float32"}}, "pretrained=DIR"),
        ({"model_args": {"pretrained": ""}}, "pretrained=DIR"),
        ({"model_args": {"pretrained": "x", "beta": 1}}, "beta is what the sweep sets"),
        ({"tolerance": -0.1}, "--tolerance -0.1"),
        ({"pairs_limit": 0}, "--pairs-limit 0"),
    ],
)
def test_contradictions_are_refused(tmp_path: Path, options: dict[str, Any], match: str) -> None:
    with pytest.raises(InvalidInputError, match=match):
        settings(tmp_path, **options)


@pytest.mark.parametrize(
    "options",
    [{"tasks": ("aae_continuation_prompted",)}, {"scale": "metre"}, {"controls": "some"}],
)
def test_unknown_names_are_refused(tmp_path: Path, options: dict[str, Any]) -> None:
    with pytest.raises(UnknownNameError):
        settings(tmp_path, **options)


def test_settings_are_what_a_run_depends_on(tmp_path: Path) -> None:
    """The method of the report is not among them: it may change."""
    found: SweepSettings = settings(tmp_path)
    assert found.record() == replace(found, controls="every", allow=("seed",)).record()
    assert found.record() != replace(found, batch_size="4").record()
