"""A sweep is of one model and one vector, whatever happens to their files meanwhile."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from sociolect.generators.errors import InvalidInputError, ModelError
from sociolect.harness.steering.sweep_cells import BASE, SELECTION, Cell
from sociolect.harness.steering.sweep_model import model_facts
from sociolect.harness.steering.sweep_runs import Runner
from sociolect.harness.steering.sweep_vectors import CONTROLS, FILES, fitted
from sociolect.steering.backends import identity
from sociolect.steering.vector_files import load

from .sweep_inputs import write_fit
from .sweep_stand_in import OF, Runs
from .sweep_written import settings


def model(root: Path) -> dict[str, str]:
    """Arguments of a model with an adapter, of files that nobody loads."""
    for name in ("model", "adapter"):
        (root / name).mkdir()
        (root / name / f"{name}.safetensors").write_bytes(name.encode())
    (root / "model" / "config.json").write_text("{}")
    return {"pretrained": str(root / "model"), "peft": str(root / "adapter")}


@pytest.mark.parametrize("name", ["model/model.safetensors", "adapter/adapter.safetensors"])
def test_a_model_changed_between_two_calls_is_refused(runs: Runs, name: str) -> None:
    given = model(runs.root)
    runs.stop(3, model_args=given)
    (runs.root / name).write_bytes(b"changed")
    with pytest.raises(InvalidInputError, match=rf"model/files/\w+/{Path(name).name}: .* there"):
        runs.sweep(model_args=given)
    assert len(runs.asked) == 3


def test_weights_too_large_to_be_hashed_are_told_by_samples(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(identity, "_HASHED_BYTES", 1)
    given = model(runs.root)
    weights = runs.root / "model" / "model.safetensors"
    before = weights.stat().st_mtime_ns
    runs.stop(1, model_args=given)
    weights.write_bytes(b"ledom")
    os.utime(weights, ns=(before, before))
    with pytest.raises(InvalidInputError, match=r"model/weights/pretrained: weights .* there"):
        runs.sweep(model_args=given)


def test_a_model_changed_while_it_is_asked_is_no_number(runs: Runs) -> None:
    given = model(runs.root)
    weights = runs.root / "model" / "model.safetensors"
    runs.while_asked[3] = lambda: weights.write_bytes(b"changed")
    with pytest.raises(ModelError, match=r"changed during the sweep:\n  files/pretrained/model"):
        runs.sweep(model_args=given)
    folder = runs.root / "out" / "runs" / "selection"
    assert sorted(one.name for one in folder.iterdir()) == ["base", "vector-0.5"]
    weights.write_bytes(b"model")
    runs.stop(5, model_args=given)
    assert runs.asked.count("selection/vector-1") == 2
    assert runs.asked.count("selection/vector-0.5") == 1


def test_a_changed_model_is_not_asked(runs: Runs) -> None:
    asked = settings(runs.root, model_args=model(runs.root))
    before = model_facts(asked)
    (runs.root / "model" / "config.json").unlink()
    with pytest.raises(ModelError, match=r"config\.json: .* nothing now"):
        Runner(asked, {}, before, 1).run([Cell(SELECTION, BASE)])
    assert not runs.asked


def test_cells_are_run_with_copies(runs: Runs) -> None:
    runs.stop(2)
    for file in FILES.values():
        copy = runs.root / "out" / "vectors" / file
        original = load(runs.root / "fit" / file)
        assert load(copy).sha256() == original.sha256()
        assert load(copy).facts == original.facts
    marker = runs.root / "out" / "runs" / "selection" / "vector-0.5" / "finished.json"
    (asked,) = (one for one in json.loads(marker.read_text())["arguments"] if "beta" in one)
    assert json.loads(asked)["steering"] == str(runs.root / "out/vectors/vector.safetensors")


def test_a_fit_replaced_during_a_sweep_changes_nothing(runs: Runs) -> None:
    before = {name: one.sha256 for name, one in fitted(runs.root / "fit").items()}

    def replace_fit() -> None:
        shutil.rmtree(runs.root / "fit")
        write_fit(runs.root / "fit", OF)
        for name in ("vector", *(f"controls/{one}" for one in CONTROLS)):
            shutil.copy(runs.root / "fit/single.safetensors", runs.root / f"fit/{name}.safetensors")

    runs.while_asked[2] = replace_fit
    found = runs.sweep()
    assert {name: one.sha256 for name, one in found.vectors.items()} == before
    assert [one.path for one in found.vectors.values()] == [
        runs.root / "out" / "vectors" / file for file in FILES.values()
    ]
    with pytest.raises(InvalidInputError, match=r"vector_sha256: \w+ there, \w+ now"):
        runs.sweep()


def test_a_sweep_goes_on_without_the_fit(runs: Runs) -> None:
    runs.stop(4)
    shutil.rmtree(runs.root / "fit")
    runs.stop(6)
    assert len(runs.asked) == 6


def test_a_copy_that_was_replaced_is_refused(runs: Runs) -> None:
    runs.stop(4)
    copies = runs.root / "out" / "vectors"
    shutil.copy(copies / FILES["single"], copies / FILES["vector"])
    with pytest.raises(ModelError, match=r"out/vectors/vector\.safetensors: is another vector"):
        runs.sweep()


def test_a_copy_replaced_while_it_steers_is_no_number(runs: Runs) -> None:
    copies = runs.root / "out" / "vectors"
    runs.while_asked[2] = lambda: shutil.copy(copies / FILES["single"], copies / FILES["vector"])
    with pytest.raises(ModelError, match=r"vector\.safetensors: is another vector"):
        runs.sweep()
    assert not (runs.root / "out" / "runs" / "selection" / "vector-0.5").exists()
