"""Vectors in lm_eval's format: read back by its own `steered` model, they steer alike."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from random_vectors import random_vector, saved_vector  # noqa: E402
from tiny_layouts import LAYOUTS, tiny_layout  # noqa: E402
from typer.testing import CliRunner  # noqa: E402

from sociolect.generators.errors import InvalidInputError, ModelError  # noqa: E402
from sociolect.steering.exports import export_lm_eval, hookpoint_of  # noqa: E402


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tiny_models import tiny_llama

    return tiny_llama(tmp_path_factory.mktemp("tiny"))


def scores(name: str, folder: Path, **arguments: Any) -> list[float]:
    from lm_eval.api.instance import Instance
    from lm_eval.api.registry import get_model

    from sociolect.steering.backends.registry import register_backends

    register_backends()
    given = {"pretrained": str(folder), "dtype": "float32", "device": "cpu", **arguments}
    asked = [
        Instance("loglikelihood", {}, pair, 0, ("t", number, 1))
        for number, pair in enumerate(
            [("She been told him", " to go home"), ("They finna", " leave"), ("Well,", " no")]
        )
    ]
    return [one for one, _ in get_model(name)(**given, batch_size=2).loglikelihood(asked)]


def assert_steers_alike(
    folder: Path, vector: Path, out: Path, beta: float, scale: str, change: float
) -> None:
    from sociolect.steering.vector_files import load

    export_lm_eval(load(vector), beta, scale, out)
    theirs = scores("steered", folder, steer_path=str(out))
    steering = {"steering": str(vector), "beta": beta, "beta_scale": scale}
    assert scores("sociolect-hf", folder, **steering) == pytest.approx(theirs, abs=1e-4)
    assert scores("sociolect-hf", folder) != pytest.approx(theirs, abs=change)


def test_what_the_file_holds(tiny: Path, tmp_path: Path) -> None:
    vector = random_vector(tiny)
    export_lm_eval(vector, -0.5, "residual", tmp_path / "new" / "v.pt", hookpoint="h")
    read = torch.load(tmp_path / "new" / "v.pt", weights_only=True)
    assert list(read) == ["h.0", "h.1"]
    assert torch.allclose(read["h.0"].pop("steering_vector"), 0.75 * 2 * vector.unit[0])
    assert torch.allclose(read["h.1"].pop("steering_vector"), 0.25 * 4 * vector.unit[1])
    rest = {"steering_coefficient": -0.5, "action": "add", "bias": None, "head_index": None}
    assert read == {"h.0": rest, "h.1": rest}
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["v.pt"]


@pytest.mark.parametrize(("beta", "scale"), [(3.0, "unit"), (-1.0, "residual")])
def test_lm_eval_steers_alike(tiny: Path, tmp_path: Path, beta: float, scale: str) -> None:
    pytest.importorskip("lm_eval")
    vector = saved_vector(tiny, tmp_path / "v.safetensors")
    assert_steers_alike(tiny, vector, tmp_path / "v.pt", beta, scale, change=0.01)


@pytest.mark.slow
def test_lm_eval_steers_a_real_model_alike(small_model: Path, tmp_path: Path) -> None:
    pytest.importorskip("lm_eval")
    weights = {0: 0.4, 3: 0.3, 7: 0.2, 20: 0.1}
    vector = saved_vector(small_model, tmp_path / "v.safetensors", weights=weights)
    assert_steers_alike(small_model, vector, tmp_path / "v.pt", 4.0, "residual", change=0.1)


HOOKPOINTS = {"gpt2": "h", "gemma3": "language_model.layers"}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_hookpoints_are_found_as_lm_eval_looks_for_them(layout: str) -> None:
    model = tiny_layout(layout)
    assert hookpoint_of(model) == HOOKPOINTS.get(layout, "layers")
    assert hookpoint_of(model, LAYOUTS[layout][1]) == hookpoint_of(model)


def test_the_hookpoint_with_an_adapter_around_the_model() -> None:
    peft = pytest.importorskip("peft")
    config = peft.LoraConfig(r=2, target_modules=["q_proj"])
    assert hookpoint_of(peft.get_peft_model(tiny_layout("llama"), config)) == "model.model.layers"
    with pytest.raises(ModelError, match="no list of modules is called so"):
        hookpoint_of(tiny_layout("llama"), "blocks")


def test_refused(tiny: Path, tmp_path: Path) -> None:
    vector = random_vector(tiny)
    export_lm_eval(vector, 1.0, "unit", tmp_path / "v.pt")
    before = (tmp_path / "v.pt").read_bytes()
    with pytest.raises(InvalidInputError, match="is there already"):
        export_lm_eval(vector, 2.0, "unit", tmp_path / "v.pt")
    assert (tmp_path / "v.pt").read_bytes() == before
    export_lm_eval(vector, 2.0, "unit", tmp_path / "v.pt", overwrite=True)
    assert (tmp_path / "v.pt").read_bytes() != before
    for given, message in (
        ((1.0, "unit", tmp_path / "v.safetensors"), r"from ….pt"),
        ((float("nan"), "unit", tmp_path / "w.pt"), "beta=nan is no number"),
        ((1.0, "other", tmp_path / "w.pt"), "beta_scale=other"),
        ((1.0, "unit", tmp_path / "v.pt" / "w.pt"), r"cannot be written \("),
        ((1.0, "unit", tmp_path / f"{'w' * 300}.pt"), r"cannot be written \(File name too long"),
        ((1.0, "unit", tmp_path / f"{'w' * 250}.pt"), r"cannot be written \(File name too long"),
        ((1e39, "unit", tmp_path / "w.pt"), "is beyond float32"),
    ):
        with pytest.raises(InvalidInputError, match=message):
            export_lm_eval(vector, *given)
    assert [path.name for path in tmp_path.iterdir()] == ["v.pt"]


def test_the_command(tiny: Path, tmp_path: Path) -> None:
    import typer

    from sociolect.harness.commands.steer_export import export_command

    command = typer.Typer()
    command.command()(export_command)
    saved_vector(tiny, tmp_path / "vector.safetensors")
    given = [str(tmp_path), "--beta", "-0.6", "--hookpoint", "h", "--out", str(tmp_path / "v.pt")]
    result = CliRunner().invoke(command, given)
    assert result.exit_code == 0
    assert "decoder blocks 0, 1 of " in result.stderr
    assert "β=-0.6 (unit)" in result.stderr
    read = torch.load(tmp_path / "v.pt", weights_only=True)
    assert read["h.0"]["steering_coefficient"] == -0.6
    assert isinstance(CliRunner().invoke(command, given).exception, InvalidInputError)
    refused = CliRunner().invoke(command, [str(tmp_path), "--beta", "1_0", "--out", "no.pt"])
    assert "beta=1_0 is no number" in str(refused.exception)
